"""One score: its interval by the rule that fits the data, the other rules beside it, and what must be said."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np

from evalgauge.errors import ArgumentError, ScoreError
from evalgauge.rules.naming import rule_name
from evalgauge.rules.score_rules import new_case_rules, runs_as_cases, score_data, these_cases_rules
from evalgauge.stats.clusters import cluster_sums, effective_clusters

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from evalgauge.rules.score_rules import Rule, ScoreData
    from evalgauge.stats.results import Interval

Target: TypeAlias = Literal["new-cases", "these-cases"]

# Below this many cases a reader must be told how large a kind of case can be absent (11.6 % of traffic at 30).
_FEW_CASES = 30
# The coverage tables start here; with fewer cases no rule was found to hold for every shape of scores.
LEAST_CASES = 10
# From this ratio of effective to counted cases on, the interval rests on the scores staying where they are.
_CLOSE_TOGETHER = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreInterval:
    """A score with its interval, the rule that made it, and the other rules beside it.

    Attributes
    ----------
    estimate
        Mean of the case means, in the unit of the score.
    interval
        The interval of the chosen rule; its ``method`` names the rule.
    alternatives
        The other rules that apply to these data, each by its name.
    naive
        What counting runs as cases (and ignoring clusters) would say; ``None`` where it would say the same.
    n_cases
        Cases.
    n_eff
        Independent pass/fail cases that would be as informative; ``nan`` where the rule has none.
    df
        Degrees of freedom of the Student quantile; ``inf`` where the quantile is normal or the law exact.
    std_error
        Standard error that belongs to the estimate; ``nan`` where no spread was seen, which is not certainty.
    target
        What the interval is about: ``"new-cases"`` like these or exactly ``"these-cases"``.
    notes
        What a reader must know about this interval, as sentences.
    """

    estimate: float
    interval: Interval
    alternatives: tuple[Interval, ...]
    naive: Interval | None
    n_cases: int
    n_eff: float
    df: float
    std_error: float
    target: Target
    notes: tuple[str, ...]

    @property
    def method(self) -> str:
        """Name of the rule."""
        return self.interval.method

    def named(self, method: str) -> Interval:
        """Return the interval of a rule by its name.

        Parameters
        ----------
        method
            Name of the rule, such as ``"wilson"``.

        Raises
        ------
        ArgumentError
            If there is no such rule, or it does not apply to these data.
        """
        known = {interval.method: interval for interval in (self.interval, *self.alternatives)}
        name = rule_name(method)
        if name not in known:
            raise ArgumentError("method", method, f"a rule that applies to these data: {', '.join(known)}")
        return known[name]

    def __str__(self) -> str:
        return f"{self.estimate:.4g}, {self.interval}, {self.n_cases} cases, {self.target}"


def score_interval(  # noqa: PLR0913  # one keyword for each choice that changes the answer
    case_means: ArrayLike,
    *,
    confidence: float = 0.95,
    target: Target = "new-cases",
    rule: str = "auto",
    score_range: tuple[float, float] | None = (0.0, 1.0),
    clusters: ArrayLike | None = None,
    reps: ArrayLike | None = None,
    sums_of_squares: ArrayLike | None = None,
    pass_fail: bool = False,
) -> ScoreInterval:
    """Return the score with an interval that holds: what would new cases like these, or these cases run again, give?

    The data choose the rule: Wilson where every case mean is 0 or 1, else the effective-n Wilson interval where the
    score has a range, else Student's interval over case means; with clusters their cluster-robust forms. How often the
    cases were run does not enter, so that copying every rep changes no interval.

    Parameters
    ----------
    case_means
        One mean over its runs per case, in the unit of the score.
    confidence
        Two-sided level, a share.
    target
        ``"new-cases"`` like these, or exactly ``"these-cases"`` (only the noise between runs counts; needs ``reps``).
    rule
        ``"auto"``, or a name from :data:`~evalgauge.rules.naming.SCORE_RULES`.
    score_range
        Lowest and highest possible score; ``None`` where the score has no range.
    clusters
        One whole number per case: cases that share a source share a number.
    reps
        Scored runs of each case; 1 each where left out.
    sums_of_squares
        Squared scores of the runs of each case, summed. Not needed for pass/fail scores.
    pass_fail
        Whether each run passes or fails, so that a case mean is k of its reps.

    Raises
    ------
    ArgumentError
        If an argument is impossible, or the rule is unknown or does not apply to these data.
    ScoreError
        If the data cannot answer: one case without a range, fewer than 3 effective clusters, no run noise to see.

    References
    ----------
    Wilson 1927; Brown, Cai and DasGupta 2001; Miller 2024, arXiv:2411.00640 (reps are not cases, clusters).

    Examples
    --------
    >>> answer = score_interval([1.0, 1.0, 0.0, 0.5], reps=[2, 2, 2, 2], pass_fail=True)
    >>> print(answer)
    0.625, 0.1381 to 0.9455 (0.95 effective-n wilson t), 4 cases, new-cases
    """
    if target not in ("new-cases", "these-cases"):
        raise ArgumentError("target", target, "'new-cases' or 'these-cases'")
    data = score_data(
        case_means,
        confidence=confidence,
        score_range=score_range,
        clusters=_checked_clusters(case_means, clusters) if target == "new-cases" else None,
        reps=reps,
        sums_of_squares=sums_of_squares,
        pass_fail=pass_fail,
    )
    rules = new_case_rules(data) if target == "new-cases" else these_cases_rules(data)
    chosen = next(iter(rules)) if rule == "auto" else _applying(rule_name(rule), rules, target)
    result = rules[chosen](data)
    return ScoreInterval(
        estimate=result.estimate,
        interval=result.interval,
        alternatives=_others(data, rules, chosen),
        naive=_naive(data, result.interval),
        n_cases=data.means.size,
        n_eff=result.n_eff,
        df=result.df,
        std_error=result.std_error if result.std_error > 0 else math.nan,
        target=target,
        notes=tuple(_notes(data, result.df, result.n_eff, target)),
    )


def _checked_clusters(case_means: ArrayLike, clusters: ArrayLike | None) -> NDArray[np.int64] | None:
    if clusters is None:
        return None
    codes = np.asarray(clusters)
    groups = effective_clusters(cluster_sums(case_means, codes)[1])
    if groups < 3:
        raise ScoreError(
            f"clusters: {np.unique(codes).size} clusters weigh like {groups:.2f} of equal size, and below 3 no "
            "interval for new clusters can be trusted. Add clusters, use a finer cluster field, or leave clusters out "
            "if the cases are independent."
        )
    return codes.astype(np.int64)


def _applying(rule: str, rules: dict[str, Rule], target: str) -> str:
    if rule in rules:
        return rule
    raise ArgumentError(
        "rule",
        rule,
        f"for these data and {target}: auto, {', '.join(rules)}",
        "Rules for counts need every case mean at an end of the range and no clusters; 'cr2 t' needs clusters; "
        "'within-case t' needs target='these-cases'.",
    )


def _others(data: ScoreData, rules: dict[str, Rule], chosen: str) -> tuple[Interval, ...]:
    found: list[Interval] = []
    for name, rule in rules.items():
        if name != chosen:
            try:
                found.append(rule(data).interval)
            except ScoreError:
                # A rule that would have no width here has nothing to show beside the others.
                continue
    return tuple(found)


def _naive(data: ScoreData, interval: Interval) -> Interval | None:
    naive = runs_as_cases(data)
    is_same = naive is not None and math.isclose(naive.low, interval.low) and math.isclose(naive.high, interval.high)
    return None if is_same else naive


def _notes(data: ScoreData, df: float, n_eff: float, target: Target) -> list[str]:
    notes: list[str] = []
    n = data.means.size
    if target == "these-cases":
        notes.append("Exactly these cases, run again: only the noise between runs counts, not which cases were drawn.")
    elif n < _FEW_CASES:
        absent = 1 - ((1 - data.confidence) / 2) ** (1 / n)
        notes.append(f"Few cases: a kind of case that makes up to {100 * absent:.0f} % of traffic may be absent.")
    if n < LEAST_CASES and target == "new-cases":
        notes.append(f"Fewer than {LEAST_CASES} cases: intervals are not promised to cover at the stated level.")
    # Scores this close together leave no room for an unseen case far away: 5 % of zeros beside scores of .999 are
    # covered by .38 of the intervals at 10 cases and .89 at 50.
    if target == "new-cases" and n > 1 and n_eff > _CLOSE_TOGETHER * n:
        notes.append(
            "The scores lie close together: the interval assumes no rare kind of case that scores far from them."
        )
    if n == 1 and target == "new-cases":
        notes.append("One case is read as one pass or fail, however often it was run.")
    if data.unit is not None and (data.low, data.span) != (0, 1):
        notes.append(f"Scores are read against the declared range {data.low:g} to {data.low + data.span:g}.")
    if data.clusters is not None and target == "new-cases":
        groups = effective_clusters(cluster_sums(data.means, data.clusters)[1])
        if groups < 10 or df < 4:
            notes.append(
                f"Few clusters: they weigh like {groups:.1f} of equal size ({df:.1f} degrees of freedom); "
                "below 10 the interval rests on thin evidence of how clusters differ."
            )
    if data.reps.max() > 1 and data.squares is not None and not data.squares.any():
        notes.append("The reps of every case are identical: were they served from a cache?")
    return notes
