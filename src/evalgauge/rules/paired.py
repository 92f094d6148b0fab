"""Two arms on the same cases: which interval answers which data.

==========================  =====================================  ====================
data                        interval                               guarded
==========================  =====================================  ====================
every delta −1, 0 or 1      Tango                                  the same
graded, or reps averaged    tie-aware t; the hull where fewer      hull
                            than 10 cases moved or all equally
clusters                    CR2 with Satterthwaite t; the hull     hull over clusters
                            on the same conditions
no range of the score       tie-aware t, or CR2                    the same
==========================  =====================================  ====================

The guarded interval is stretched where the other one reaches past it, so that no claim made from the one is
contradicted by the other. The data choose the rule, never the number of reps: deltas are averages, so copying every rep
changes none.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from evalgauge.errors import ArgumentError
from evalgauge.rules.answers import Limits, PairedAnswer, PValues, equivalence_level, moved_scale
from evalgauge.rules.grouping import shared_clusters
from evalgauge.rules.paired_graded import graded_answer, graded_limits, graded_p_value
from evalgauge.stats.checks import checked_flips, checked_scores
from evalgauge.stats.paired_means import paired_delta_wald, paired_t, paired_t_p, tie_aware_t
from evalgauge.stats.paired_proportions import (
    agresti_min_limits,
    bonett_price_limits,
    mcnemar_chi2_p,
    mcnemar_exact_p,
    mcnemar_mid_p,
    newcombe_paired_interval,
    tango_interval,
)
from evalgauge.stats.results import Interval

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    Array: TypeAlias = NDArray[np.float64]

# Means of the same runs in another order differ in the last digits; a change this small (of the range) is none.
_ROUNDING = 1e-12


def paired_counts(
    wins: float, losses: float, n: float, *, confidence: float = 0.95, both_passed: float | None = None
) -> PairedAnswer:
    """Answer "did the pass rate change?" from the counts of changed cases.

    Parameters
    ----------
    wins, losses
        Cases that only the candidate, and only the baseline, passes.
    n
        All shared cases.
    confidence
        Two-sided level, a share above 0.5.
    both_passed
        Cases that both arms pass, where it is known: Newcombe's interval needs it.

    Raises
    ------
    ArgumentError
        If a count is negative or not whole, the counts do not fit into ``n``, or the level is not in range.

    References
    ----------
    Tango 1998 (interval), McNemar 1947 (p-value).

    Examples
    --------
    >>> print(paired_counts(22, 9, 240))
    +0.05417 (0.00922 to 0.1027 (0.95 tango)), 22 won, 9 lost, 209 unchanged, p = 0.0196
    """
    return _pass_fail(*checked_flips(wins, losses, n), confidence, both_passed, 1.0)


def paired_intervals(
    deltas: ArrayLike,
    *,
    confidence: float = 0.95,
    clusters: ArrayLike | None = None,
    span: float | None = 1.0,
    both_passed: float | None = None,
) -> PairedAnswer:
    """Answer "did the mean score change?" from the change of each shared case.

    Parameters
    ----------
    deltas
        Change per case, candidate − baseline, reps averaged within each arm first; one dimension.
    confidence
        Two-sided level, a share above 0.5.
    clusters
        One label per case; cases with the same label share a source. Clusters of one case each change nothing.
    span
        Width of the range of the score, in the unit of the deltas; ``None`` where it has none.
    both_passed
        For pass/fail scores, the cases that both arms pass, where it is known: Newcombe's interval needs it.

    Raises
    ------
    ArgumentError
        If a delta is outside ±``span`` or NaN, there is none, or the level is not in range.
    ScoreError
        If all cases belong to one cluster, or scores without a range all changed by the same amount.

    References
    ----------
    The table at the head of this module; each rule's own references are with its formula.

    Examples
    --------
    >>> answer = paired_intervals([0, 0, 1, 0, 0, 2 / 3, 0, 1 / 3])
    >>> print(answer)
    +0.25 (-0.1996 to 0.6013 (0.95 hull)), 3 won, 0 lost, 5 unchanged, p = 0.19
    >>> print(answer.named("paired t"))
    -0.07464 to 0.5746 (0.95 paired t)
    """
    equivalence_level(confidence)
    shares, width = _shares(checked_scores(deltas, "deltas"), span)
    codes = shared_clusters(clusters, shares.size)
    if span is not None and (flips := _flips(shares, codes)) is not None:
        return _pass_fail(*flips, float(shares.size), confidence, both_passed, width)
    return graded_answer(shares, codes, confidence=confidence, span=width, has_range=span is not None)


def paired_limits(deltas: ArrayLike, *, confidence: float = 0.95, clusters: ArrayLike | None = None) -> Limits:
    """Return the two intervals of `paired_intervals` and its least margin alone, for scores in shares of their range.

    A gate reads them at several levels, and a study of gates for thousands of logs.

    Parameters
    ----------
    deltas, confidence, clusters
        As in `paired_intervals`; the deltas are shares of the score's range.

    Raises
    ------
    ArgumentError, ScoreError
        As `paired_intervals`.

    Examples
    --------
    >>> limits = paired_limits([0, 0, 1, 0, 0, 2 / 3, 0, 1 / 3])
    >>> print(limits.guarded, round(limits.least_margin, 3))
    -0.1996 to 0.6013 (0.95 hull) 0.369
    """
    shares, _ = _shares(checked_scores(deltas, "deltas"), 1.0)
    codes = shared_clusters(clusters, shares.size)
    if (flips := _flips(shares, codes)) is not None:
        interval = tango_interval(*flips, float(shares.size), confidence=confidence)
        return Limits(interval=interval, guarded=interval)
    interval, guarded, least_margin = graded_limits(shares, codes, confidence=confidence)
    return Limits(interval=interval, guarded=guarded, least_margin=least_margin)


def paired_p_value(deltas: ArrayLike, *, clusters: ArrayLike | None = None) -> float:
    """Return the p-value of `paired_intervals` alone, for scores in shares of their range.

    Parameters
    ----------
    deltas, clusters
        As in `paired_intervals`; the deltas are shares of the score's range.

    Raises
    ------
    ArgumentError, ScoreError
        As `paired_intervals`.

    Examples
    --------
    >>> round(paired_p_value([0, 0, 1, 0, 0, 2 / 3, 0, 1 / 3]), 2)
    0.19
    """
    shares, _ = _shares(checked_scores(deltas, "deltas"), 1.0)
    codes = shared_clusters(clusters, shares.size)
    if (flips := _flips(shares, codes)) is not None:
        return float(mcnemar_chi2_p(*flips))
    return graded_p_value(shares, codes)


def _flips(shares: Array, codes: NDArray[np.int64] | None) -> tuple[float, float] | None:
    """Return the cases gained and lost where every case is one or the other or unchanged, and none share a source."""
    if codes is not None or not np.isin(shares, (-1.0, 0.0, 1.0)).all():
        return None
    return float(np.count_nonzero(shares == 1.0)), float(np.count_nonzero(shares == -1.0))


def _shares(deltas: Array, span: float | None) -> tuple[Array, float]:
    """Return the deltas as shares of the range (of the largest change, where there is no range), and the unit."""
    if span is not None and not (math.isfinite(span) and span > 0):
        raise ArgumentError("span", span, "the width of the score's range, above 0, or None where it has none")
    largest = float(np.abs(deltas).max())
    width = span if span is not None else largest or 1.0
    if largest > width * (1 + 1e-9):
        hint = "Declare the true range (--range); a case cannot change by more than its width."
        raise ArgumentError("deltas", f"a change of {largest:g}", f"changes from {-width:g} to {width:g}", hint)
    shares = deltas / width
    nearest = np.clip(np.rint(shares), -1, 1)
    return np.clip(np.where(np.abs(shares - nearest) <= _ROUNDING, nearest, shares), -1, 1), width


def _pass_fail(
    wins: float, losses: float, n: float, confidence: float, both_passed: float | None, span: float
) -> PairedAnswer:
    main = moved_scale(tango_interval(wins, losses, n, confidence=confidence), span)
    named = {
        "bonett-price": bonett_price_limits(wins, losses, n, confidence=confidence),
        "agresti-min": agresti_min_limits(wins, losses, n, confidence=confidence),
    }
    others = [
        Interval(low=float(low), high=float(high), confidence=confidence, method=method)
        for method, (low, high) in named.items()
    ]
    if both_passed is not None and wins + losses > 0:
        others.append(newcombe_paired_interval(wins, losses, n, both_passed=both_passed, confidence=confidence))
    dual = float(mcnemar_chi2_p(wins, losses))
    p_values = {
        "dual": dual,
        "exact": float(mcnemar_exact_p(wins, losses)),
        "mid_p": float(mcnemar_mid_p(wins, losses)),
    }
    if n not in {wins, losses, n - wins - losses} and n > 1:
        changes, counts = (1.0, -1.0, 0.0), (wins, losses, n - wins - losses)
        others += [
            rule(changes, confidence=confidence, span=1.0, counts=counts).interval
            for rule in (paired_t, tie_aware_t, paired_delta_wald)
        ]
        p_values["t"] = paired_t_p(changes, counts=counts)
    return PairedAnswer(
        estimate=(wins - losses) / n * span,
        interval=main,
        guarded=main,
        guarded_equivalence=moved_scale(
            tango_interval(wins, losses, n, confidence=equivalence_level(confidence)), span
        ),
        alternatives=tuple(moved_scale(other, span) for other in others),
        p_value=dual,
        p_values=PValues(p_values),
        n_eff=n,
        df=math.inf,
        notes=_pass_fail_notes(wins, losses, n),
        wins=int(wins),
        losses=int(losses),
        ties=int(n - wins - losses),
        n_cases=int(n),
        least_margin=0.0,
    )


def _pass_fail_notes(wins: float, losses: float, n: float) -> tuple[str, ...]:
    notes: list[str] = []
    if n == 1:
        notes.append("One case says next to nothing about others like it.")
    if wins + losses == 0:
        notes.append(f"None of the {n:,.0f} cases changed: the interval rests on their number alone.")
    return tuple(notes)
