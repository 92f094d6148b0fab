"""What has to be said beside a verdict that rests on few cases, or on few that changed.

The score interval decides, at every size: its error is near the stated one on average, and can pass it where a handful
of cases changed. An exact test never passes it. Where the two part, a reader should know.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from evalgauge.rules.answers import PairedAnswer, UnpairedAnswer
from evalgauge.rules.single import LEAST_CASES
from evalgauge.rules.verdict import least_flips_for_better

if TYPE_CHECKING:
    from evalgauge.rules.answers import Comparison

_FEW_CHANGED = 30


def small_number_notes(answer: Comparison, *, confidence: float) -> tuple[str, ...]:
    """Answer "is this verdict carried by a handful of cases?", in sentences; none where it is not.

    Parameters
    ----------
    answer
        A comparison.
    confidence
        The level that it was read at.

    References
    ----------
    McNemar 1947, Psychometrika 12, 153-157: the exact test on the cases that changed.

    Examples
    --------
    >>> from evalgauge.rules.paired import paired_counts
    >>> print(small_number_notes(paired_counts(3, 0, 40), confidence=0.95)[0])
    Only 3 cases changed: the exact test can never show a change with fewer than 6.
    """
    if isinstance(answer, UnpairedAnswer):
        return _few_cases(min(answer.n_base, answer.n_cand), " on one side")
    if isinstance(answer, PairedAnswer):
        return (*_changed(answer, confidence), *_few_cases(answer.n_cases, ""))
    return ()


def _few_cases(n: int, where: str) -> tuple[str, ...]:
    if n >= LEAST_CASES:
        return ()
    return (f"Fewer than {LEAST_CASES} cases{where}: intervals are not promised to cover at the stated level.",)


def _changed(answer: PairedAnswer, confidence: float) -> tuple[str, ...]:
    name = next((name for name in ("exact", "sign_flip") if name in answer.p_values), None)
    changed = answer.wins + answer.losses
    if name is None or not changed:
        return ()
    p_value, test = answer.p_values[name], "exact test" if name == "exact" else "sign-flip test"
    least = least_flips_for_better(confidence=confidence).exact
    cases = f"{changed:,} case{'s' if changed > 1 else ''} changed"
    is_claimed = answer.interval.low > 0 or answer.interval.high < 0
    if is_claimed and p_value >= 1 - confidence:
        never = f", and with fewer than {least} changed cases it never can" if changed < least else ""
        start = f"Only {cases}; the" if changed < _FEW_CHANGED else "The"
        return (
            (
                f"{start} {test} gives p = {p_value:.3g}, so it calls this no change yet{never}. "
                "Run more cases before you rely on it."
            ),
        )
    if changed < least:
        return (f"Only {cases}: the exact test can never show a change with fewer than {least}.",)
    return ()
