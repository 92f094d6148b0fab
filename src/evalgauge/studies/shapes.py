"""How the true rates (or the graded scores) of cases are spread, and how they are written down.

A shape is a mixture of parts, ``share@part`` with commas between: ``0.8@1,0.1@0,0.1@uniform:0:1``. A part is a
number, or ``uniform:low:high``, ``beta:a:b``, ``normal:mean:sd`` (cut to 0-1). For two arms ``/`` gives the candidate:
a rate of its own (``1/0`` breaks) or a shift (``uniform:0:1/+0.3``). The share of a single part is left out.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np

from evalgauge.errors import ArgumentError
from evalgauge.stats.quadrature import beta_nodes, clip_breaks, clipped_normal_nodes, uniform_nodes
from evalgauge.studies.cases import RatePoints

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array: TypeAlias = NDArray[np.float64]

Kind: TypeAlias = Literal["fixed", "uniform", "beta", "normal"]

_ALLOWED = (
    "a rate (80%, fixed:0.8), uniform:0.05:0.95, beta:4:1, normal:0.7:0.05, or a mixture of them such as "
    "0.9@1,0.1@beta:7:3"
)
_NUMBERS: dict[str, int] = {"fixed": 1, "uniform": 2, "beta": 2, "normal": 2}
_NUMBER = re.compile(r"\s*([+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?)\s*(%?)\s*")


@dataclass(frozen=True, slots=True, kw_only=True)
class ShapePart:
    """One kind of case.

    Attributes
    ----------
    share
        Its share of the cases.
    kind, first, second
        The law of its rates and that law's numbers; a fixed rate has one.
    candidate
        Rate in the candidate, whatever it is in the baseline; ``None`` where it follows from the baseline's.
    shift
        What the candidate adds to the baseline's rate, cut at 0 and 1.
    """

    share: float
    kind: Kind
    first: float
    second: float
    candidate: float | None
    shift: float

    def nodes(self, breaks: tuple[float, ...]) -> tuple[Array, Array]:
        """Return points and masses of the law of its rates."""
        if self.kind == "uniform":
            return uniform_nodes(self.first, self.second, breaks=breaks)
        if self.kind == "beta":
            return beta_nodes(self.first, self.second)
        if self.kind == "normal":
            return clipped_normal_nodes(0.0, 1.0, self.first, self.second)
        return np.array([self.first]), np.ones(1)

    def draws(self, stream: np.random.Generator, size: tuple[int, ...]) -> Array:
        """Draw rates from the law itself."""
        if self.kind == "uniform":
            return stream.uniform(self.first, self.second, size)
        if self.kind == "beta":
            return stream.beta(self.first, self.second, size)
        if self.kind == "normal":
            return np.clip(stream.normal(self.first, self.second, size), 0.0, 1.0)
        return np.full(size, self.first)


@dataclass(frozen=True, slots=True, kw_only=True)
class Shape:
    """A mixture of kinds of cases.

    Attributes
    ----------
    parts
        The kinds; their shares add up to 1.
    text
        As it was written.
    """

    parts: tuple[ShapePart, ...]
    text: str

    @property
    def has_change(self) -> bool:
        """Whether a part says what the candidate does."""
        return any(part.candidate is not None or part.shift for part in self.parts)

    def points(self, *, effect: float = 0.0, effect_sd: float = 0.0) -> RatePoints:
        """Return the points of both arms' rates whose sums are integrals over the shape.

        Parameters
        ----------
        effect, effect_sd
            Mean and standard deviation of what the candidate adds to the rate of a case, cut at 0 and 1.
        """
        columns: list[tuple[Array, Array, Array]] = []
        for part in self.parts:
            base, masses = part.nodes(clip_breaks(effect + part.shift, effect_sd))
            if part.candidate is not None:
                columns.append((base, np.full_like(base, part.candidate), part.share * masses))
                continue
            for rate, mass in zip(base.tolist(), (part.share * masses).tolist(), strict=True):
                cand, chances = clipped_normal_nodes(0.0, 1.0, rate + effect + part.shift, effect_sd)
                columns.append((np.full_like(cand, rate), cand, mass * chances))
        base, cand, share = (np.concatenate(column) for column in zip(*columns, strict=True))
        return RatePoints(base=base, cand=cand, share=share / share.sum())

    def draws(self, stream: np.random.Generator, size: tuple[int, ...]) -> Array:
        """Draw one number per case from the shape itself."""
        edges = np.cumsum([part.share for part in self.parts])[:-1]
        which = np.searchsorted(edges, stream.random(size), side="right")
        drawn = np.zeros(size)
        for place, part in enumerate(self.parts):
            drawn = np.where(which == place, part.draws(stream, size), drawn)
        return drawn

    @property
    def mean(self) -> float:
        """Mean of the shape."""
        points = self.points()
        return float(points.share @ points.base)


def case_shape(text: str, argument: str = "rates") -> Shape:
    """Return the shape that is written down; the notation is at the head of this module.

    Parameters
    ----------
    text
        Such as ``uniform:0.05:0.95``, ``80%`` or ``0.9@1,0.1@beta:7:3``.
    argument
        Name of the argument in a refusal.

    Raises
    ------
    ArgumentError
        If a part cannot be read, a rate is outside 0 to 1, or the shares do not add up to 1.

    Examples
    --------
    >>> shape = case_shape("0.9@1,0.1@beta:7:3")
    >>> round(shape.mean, 6)
    0.97
    >>> case_shape("fixed:2")
    Traceback (most recent call last):
    evalgauge.errors.ArgumentError: rates: got 'fixed:2', allowed is rates from 0 to 1. Did you mean 2% (0.02)?
    """
    pieces = [piece.strip() for piece in text.split(",")]
    parts = tuple(_part(piece, text, argument, is_only=len(pieces) == 1) for piece in pieces)
    total = sum(part.share for part in parts)
    if abs(total - 1) > 1e-6:
        raise ArgumentError(argument, text, "shares that add up to 1", f"These add up to {total:g}.")
    return Shape(parts=parts, text=text)


def _part(piece: str, text: str, argument: str, *, is_only: bool) -> ShapePart:
    head, at, rest = piece.rpartition("@")
    if at == "" and not is_only:
        raise ArgumentError(argument, piece, "share@part in a mixture, such as 0.9@1,0.1@beta:7:3")
    law, slash, candidate = rest.partition("/")
    kind, colon, numbers = law.strip().partition(":")
    if not colon:
        kind, numbers = "fixed", law
    if kind not in _NUMBERS:
        raise ArgumentError(argument, text, _ALLOWED)
    values = [_number(number, text, argument) for number in numbers.split(":")]
    if len(values) != _NUMBERS[kind]:
        raise ArgumentError(argument, text, _ALLOWED)
    first, second = (*values, 0.0)[:2]
    _check_law(kind, first, second, text, argument)
    to, shift = _candidate(candidate, text, argument) if slash else (None, 0.0)
    return ShapePart(
        share=_number(head, text, argument) if at else 1.0,
        kind=kind,  # pyright: ignore[reportArgumentType]  # one of the known names, by the check above
        first=first,
        second=second,
        candidate=to,
        shift=shift,
    )


def _candidate(words: str, text: str, argument: str) -> tuple[float | None, float]:
    """Return the candidate's own rate, or the shift of the baseline's, from what follows the slash."""
    number = _number(words, text, argument)
    if words.strip()[:1] in {"+", "-"}:
        return None, number
    if not 0 <= number <= 1:
        raise ArgumentError(argument, text, "a candidate's rate from 0 to 1, or a shift such as /+0.3")
    return number, 0.0


def _number(words: str, text: str, argument: str) -> float:
    match = _NUMBER.fullmatch(words)
    if match is None:
        raise ArgumentError(argument, text, _ALLOWED)
    return float(match[1]) / (100 if match[2] else 1)


def _check_law(kind: str, first: float, second: float, text: str, argument: str) -> None:
    if kind == "beta":
        if not (0 < first < float("inf") and 0 < second < float("inf")):
            raise ArgumentError(argument, text, "beta:a:b with both numbers above 0")
        return
    rates = (first, second) if kind == "uniform" else (first,)
    if not all(0 <= rate <= 1 for rate in rates):
        large = max(rates)
        hint = f"Did you mean {large:g}% ({large / 100:g})?" if 1 < large <= 100 else ""
        raise ArgumentError(argument, text, "rates from 0 to 1", hint)
    if kind == "uniform" and first > second:
        raise ArgumentError(argument, text, "uniform:low:high with the low rate first")
    if kind == "normal" and not 0 <= second < float("inf"):
        raise ArgumentError(argument, text, "normal:mean:sd with a standard deviation of 0 or more")
