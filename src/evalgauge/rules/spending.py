"""How a gate on one holdout spends its error over looks whose candidates are built from earlier displays.

Each look's candidate is a function of what was displayed before it. So as many different candidates can come up as
there are histories of displays, and a claim at error alpha/K holds for whichever of K is reported. Where neither looks
nor passes are declared, the share of look j with b passes before it is such that all histories together spend at most
alpha. A share that depends on j alone is broken by anyone who learns from the verdicts.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from evalgauge.errors import ArgumentError
from evalgauge.stats.checks import checked_confidence, is_whole

if TYPE_CHECKING:
    from evalgauge.rules.displays import Display

_DISPLAYS = "nothing, pass-fail, score-on-pass, rounded, exact or per-case"
_EXPONENT = 1.6
# ζ(1.6), so that the shares of all looks add up to 1.
_ZETA = 2.2857656656801293


def log_transcripts(
    looks: int,
    display: Display,
    *,
    passes: int | None = None,
    retired: bool = False,
    levels: int | None = None,
) -> float:
    """Answer "how many histories of displays lead to the candidates of k looks?", as ln K.

    Parameters
    ----------
    looks
        Looks k, 1 or more.
    display
        What each look showed: ``"nothing"`` (candidates fixed in advance), ``"pass-fail"``, ``"score-on-pass"``
        (the score of a pass, nothing of a failure), ``"rounded"`` or ``"exact"`` (every score).
    passes
        For pass/fail and the score on a pass: how many passes were shown at most; any number when left out.
    retired
        Whether the set was retired on the last of these passes; else looks went on after it.
    levels
        Different values that a shown score can have: n + 1 for exact pass rates, 1 + 1/step when rounded.

    Returns
    -------
    float
        ln K.

    Raises
    ------
    ArgumentError
        If an argument is out of range, or scores of each case were shown: then counting is void.

    References
    ----------
    Union bound over transcripts: Dwork, Feldman, Hardt, Pitassi, Reingold and Roth 2015 (description length).

    Examples
    --------
    >>> round(log_transcripts(30, "pass-fail", passes=3), 3), round(log_transcripts(30, "pass-fail", passes=1), 3)
    (10.371, 6.142)
    """
    if not is_whole(looks, 1):
        raise ArgumentError("looks", looks, "a whole number of looks, 1 or more")
    if display == "nothing":
        return math.log(looks)
    if display == "per-case":
        hint = "The tuner has seen the cases: only a fresh set can certify."
        raise ArgumentError("display", display, "a display that can be counted", hint)
    if display in ("exact", "rounded"):
        # Σ of L^(i-1), i = 1 … k: the first candidate needs no display.
        return _log_geometric(int(looks), math.log(_checked_levels(levels)))
    if display not in ("pass-fail", "score-on-pass"):
        raise ArgumentError("display", display, _DISPLAYS)
    most = min(_shown_passes(int(looks), passes, retired=retired), int(looks) - 1)
    each = math.log(_checked_levels(levels)) if display == "score-on-pass" else 0.0
    # Σ_{i≤k} C(i-1, b) = C(k, b+1).
    return _log_sum([_log_choose(int(looks), b + 1) + b * each for b in range(most + 1)])


def look_error(look: int, passes: int, *, levels: int = 1, confidence: float = 0.95) -> float:
    """Answer "how much error may this look spend?", where neither looks nor passes were declared.

    Parameters
    ----------
    look
        Place j of the look, from 1.
    passes
        Passes b that were shown before it, 0 to j - 1.
    levels
        Values L that a score shown on a pass can have; 1 where only pass or fail is shown.
    confidence
        Two-sided level over all looks, a share.

    Returns
    -------
    float
        Natural logarithm of the two-sided error: alpha · j^-1.6/ζ(1.6) · 2^-(b+1) / C(j-1, b) / L^b.

    Raises
    ------
    ArgumentError
        If an argument is out of range.

    References
    ----------
    Union bound over transcripts: the C(j-1, b)·L^b histories of look j with b passes share 2^-(b+1) of its part.

    Examples
    --------
    >>> from evalgauge.stats.one_sided import upper_quantile_of_log
    >>> [round(upper_quantile_of_log(look_error(look, 0) - math.log(2)), 2) for look in (1, 5, 10, 30)]
    [2.54, 3.34, 3.64, 4.07]
    """
    if not is_whole(look, 1):
        raise ArgumentError("look", look, "a whole number from 1 on")
    if not (is_whole(passes, 0) and passes <= look - 1):
        raise ArgumentError("passes", passes, f"a whole number from 0 to {look - 1}, the passes before look {look}")
    if not is_whole(levels, 1):
        raise ArgumentError("levels", levels, "the number of values a shown score can have, 1 or more")
    alpha = 1 - checked_confidence(confidence)
    histories = _log_choose(int(look) - 1, int(passes)) + passes * math.log(levels)
    return math.log(alpha) - _EXPONENT * math.log(look) - math.log(_ZETA) - (passes + 1) * math.log(2) - histories


def declared_error(
    looks: int,
    display: Display = "pass-fail",
    *,
    passes: int = 1,
    retired: bool = True,
    levels: int | None = None,
    confidence: float = 0.95,
) -> float:
    """Answer "how much error may each look spend?", where looks and passes were declared before the first one.

    Parameters
    ----------
    looks, display, passes, retired, levels
        As in `log_transcripts`. One pass that retires the set costs no more than candidates fixed in advance.
    confidence
        Two-sided level over all looks, a share.

    Returns
    -------
    float
        Natural logarithm of the two-sided error alpha/K.

    Examples
    --------
    >>> round(math.exp(declared_error(10)), 6)
    0.005
    """
    log_count = log_transcripts(looks, display, passes=passes, retired=retired, levels=levels)
    return math.log(1 - checked_confidence(confidence)) - log_count


def _checked_levels(levels: int | None) -> int:
    if levels is None or not is_whole(levels, 2):
        raise ArgumentError("levels", levels, "the number of values a shown score can have, 2 or more")
    return levels


def _shown_passes(looks: int, passes: int | None, *, retired: bool) -> int:
    if passes is None:
        if retired:
            allowed = "a number of passes, since the set was retired on the last of them"
            raise ArgumentError("passes", "nothing", allowed)
        return looks
    if not is_whole(passes, 1):
        raise ArgumentError("passes", passes, "a whole number of passes that were shown at most, 1 or more")
    return int(passes) - 1 if retired else int(passes)


def _log_choose(n: int, k: int) -> float:
    return math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1)


def _log_geometric(terms: int, log_ratio: float) -> float:
    """Return ln(1 + r + … + r^(terms-1)) for r of at least 2."""
    last = (terms - 1) * log_ratio
    return last + math.log(-math.expm1(-terms * log_ratio) / -math.expm1(-log_ratio))


def _log_sum(logs: list[float]) -> float:
    most = max(logs)
    return most + math.log(math.fsum(math.exp(one - most) for one in logs))
