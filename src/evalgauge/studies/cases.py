"""Populations of cases that simulated evals are drawn from: their true rates, and what runs of them show."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Protocol, TypeAlias

import numpy as np

from evalgauge.stats.quadrature import clipped_normal_nodes

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from evalgauge.studies.shapes import Shape

    Array: TypeAlias = NDArray[np.float64]


class Cases(Protocol):
    """What a coverage study asks of a population."""

    @property
    def is_pass_fail(self) -> bool:
        """Whether each run passes or fails."""
        ...

    @property
    def is_alike(self) -> bool:
        """Whether all cases have the same true scores, so that these cases and new cases are the same target."""
        ...

    @property
    def points(self) -> RatePoints | None:
        """The kinds of independent cases; ``None`` where their law is not a list."""
        ...

    @property
    def sizes(self) -> tuple[int, ...] | None:
        """Cases of each cluster; ``None`` where cases are independent."""
        ...

    @property
    def rate(self) -> float:
        """True mean score of the baseline over all cases there are."""
        ...

    @property
    def change(self) -> float:
        """True mean change from baseline to candidate."""
        ...

    def draw(self, stream: np.random.Generator, size: tuple[int, int]) -> tuple[Array, Array]:
        """Draw the true scores of both arms for so many logs × cases."""
        ...

    def run(self, stream: np.random.Generator, rates: Array, reps: int) -> Array:
        """Draw case means over so many runs of cases with these true scores."""
        ...


@dataclass(frozen=True, kw_only=True, eq=False)
class RatePoints:
    """Cases as a list of kinds: true scores of both arms, and how common each kind is.

    Attributes
    ----------
    base, cand
        True mean score of a run of each kind, shares.
    share
        Share of the cases; adds up to 1.
    noise
        ``None`` where each run passes or fails. For graded scores: variance of a run as a share of rate·(1 − rate).
    """

    base: Array
    cand: Array
    share: Array
    noise: float | None = None

    @property
    def is_pass_fail(self) -> bool:
        """Whether each run passes or fails."""
        return self.noise is None

    @property
    def is_alike(self) -> bool:
        """Whether there is one kind of case."""
        return self.share.size == 1

    @property
    def points(self) -> RatePoints:
        """The kinds themselves."""
        return self

    @property
    def sizes(self) -> None:
        """Cases are independent."""
        return

    @property
    def rate(self) -> float:
        """True mean score of the baseline."""
        return float(self.share @ self.base)

    @property
    def change(self) -> float:
        """True mean change from baseline to candidate."""
        return float(self.share @ (self.cand - self.base))

    @cached_property
    def _edges(self) -> Array:
        return np.cumsum(self.share)[:-1]

    def with_effect(self, mean: float, sd: float) -> RatePoints:
        """Return the same cases with a candidate that adds a normal effect to each rate, cut at 0 and 1."""
        parts = [clipped_normal_nodes(0.0, 1.0, rate + mean, sd) for rate in self.base.tolist()]
        counts = [values.size for values, _ in parts]
        return RatePoints(
            base=np.repeat(self.base, counts),
            cand=np.concatenate([values for values, _ in parts]),
            share=np.repeat(self.share, counts) * np.concatenate([masses for _, masses in parts]),
            noise=self.noise,
        )

    def draw(self, stream: np.random.Generator, size: tuple[int, int]) -> tuple[Array, Array]:
        """Draw the true scores of both arms for so many logs × cases."""
        kind = np.searchsorted(self._edges, stream.random(size), side="right")
        return self.base[kind], self.cand[kind]

    def run(self, stream: np.random.Generator, rates: Array, reps: int) -> Array:
        """Draw case means over so many runs of cases with these true scores."""
        if self.noise is None:
            return stream.binomial(reps, rates) / reps
        spread = self.noise / reps
        if spread == 0:
            return rates
        # A Beta law has this mean and variance, and stays between 0 and 1 without moving the truth.
        inside = np.clip(rates, 1e-9, 1 - 1e-9)
        return np.where(inside == rates, stream.beta(inside * (1 / spread - 1), (1 - inside) * (1 / spread - 1)), rates)


@dataclass(frozen=True, slots=True, kw_only=True)
class GradedShape:
    """Cases whose graded score is drawn from a shape, the same in every run.

    Attributes
    ----------
    shape
        The law of the scores.
    """

    shape: Shape

    @property
    def is_pass_fail(self) -> bool:
        """Graded scores are no passes."""
        return False

    @property
    def is_alike(self) -> bool:
        """Scores differ."""
        return False

    @property
    def points(self) -> None:
        """The law of the scores is no list."""
        return

    @property
    def sizes(self) -> None:
        """Cases are independent."""
        return

    @property
    def rate(self) -> float:
        """True mean score."""
        return self.shape.mean

    @property
    def change(self) -> float:
        """Both arms score alike."""
        return 0.0

    def draw(self, stream: np.random.Generator, size: tuple[int, int]) -> tuple[Array, Array]:
        """Draw the scores of so many logs × cases, the same for both arms."""
        scores = self.shape.draws(stream, size)
        return scores, scores

    def run(self, stream: np.random.Generator, rates: Array, reps: int) -> Array:
        """Return the scores: runs of a case agree."""
        del stream, reps
        return rates


@dataclass(frozen=True, slots=True, kw_only=True)
class ClusteredCases:
    """Pass/fail cases that share sources: cluster rates from a Beta law, case rates from one around their cluster's.

    Attributes
    ----------
    mean
        Mean rate.
    icc
        Share of rate·(1 − rate) that lies between clusters.
    sizes
        Cases of each cluster, the same in every log.
    within
        Share of the cluster's rate·(1 − rate) that lies between its cases; 0 where they all have its rate.
    """

    mean: float
    icc: float
    sizes: tuple[int, ...]
    within: float = 0.0

    @property
    def is_pass_fail(self) -> bool:
        """Each run passes or fails."""
        return True

    @property
    def is_alike(self) -> bool:
        """Clusters differ."""
        return False

    @property
    def points(self) -> None:
        """Cases of a cluster are not independent."""
        return

    @property
    def rate(self) -> float:
        """True mean rate."""
        return self.mean

    @property
    def change(self) -> float:
        """Both arms score alike."""
        return 0.0

    def draw(self, stream: np.random.Generator, size: tuple[int, int]) -> tuple[Array, Array]:
        """Draw case rates; the cases of a cluster stand side by side."""
        shape = (size[0], len(self.sizes))
        rates = _beta_around(stream, np.full(shape, self.mean), self.icc)
        cases = np.repeat(rates, self.sizes, axis=1)
        cases = _beta_around(stream, cases, self.within)
        return cases, cases

    def run(self, stream: np.random.Generator, rates: Array, reps: int) -> Array:
        """Draw case means over so many runs."""
        return stream.binomial(reps, rates) / reps


def _beta_around(stream: np.random.Generator, mean: Array, share: float) -> Array:
    """Draw rates with these means and the variance ``share``·mean·(1 − mean)."""
    if share == 0:
        return mean
    weight, inside = (1 - share) / share, np.clip(mean, 1e-9, 1 - 1e-9)
    return stream.beta(inside * weight, (1 - inside) * weight)
