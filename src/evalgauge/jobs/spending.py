"""How much error the next look at a holdout may spend, from what the ledger says was shown before."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from evalgauge.ledger.records import SCORES_SHOWN
from evalgauge.rules.shown_scores import log_shown_scores
from evalgauge.rules.spending import declared_error, look_error
from evalgauge.stats.one_sided import upper_quantile_of_log

if TYPE_CHECKING:
    from evalgauge.ledger.records import SetState, Step

# Beyond this a level of confidence can no longer be told from 1 in floating point.
_LEAST_LOG_ERROR = math.log(1e-13)
# The weight of a history does not depend on the level: any one cancels.
_ANY_CONFIDENCE = 0.95


@dataclass(frozen=True, slots=True, kw_only=True)
class Spending:
    """The next look at a holdout.

    Attributes
    ----------
    look
        Its place j among the looks that showed something, from 1.
    passes
        Passes b that were shown before it.
    shown
        Scores that were shown before it.
    log_error
        Logarithm of the two-sided error that it may spend; ``None`` where it may spend nothing.
    over_all
        Two-sided level over all looks, a share.
    refusal
        Why nothing can be certified any more; ``""`` while it can.
    cases_shown
        Whether results of single cases were shown.
    """

    look: int
    passes: int
    shown: int
    log_error: float | None
    over_all: float
    refusal: str = ""
    cases_shown: bool = False

    @property
    def confidence(self) -> float | None:
        """Two-sided level of this look alone, a share."""
        return None if self.log_error is None else 1 - math.exp(self.log_error)

    @property
    def z(self) -> float | None:
        """The level of this look in standard errors."""
        return None if self.log_error is None else upper_quantile_of_log(self.log_error - math.log(2))


def next_spending(state: SetState) -> Spending:
    """Return what the next look at a set may spend.

    With declared looks and passes each look spends alpha/K, with K the number of histories that can come up; in an open
    set look j after b passes spends its share of alpha, see ``evalgauge.rules.spending``. What was shown cannot be
    unseen: a voided look counts like any other. A refresh begins a phase with an alpha of its own, and its candidates
    are built on what the phases before it showed: each history of those shares it.
    """
    promise = state.promise
    *earlier, present = (_shown(state, phase) for phase in state.phases)
    look = present.looks + 1
    is_void = any(one.is_per_case for one in (*earlier, present))
    refusal, log_error = "", None
    if is_void:
        refusal = "Results of single cases were shown, so the tuner has seen the cases."
    elif promise.looks is not None and present.gated >= promise.looks:
        refusal = f"All {promise.looks:,} declared looks are spent."
    elif promise.looks is not None and present.passes >= (promise.ships or 1):
        refusal = "The declared number of passes was shown, and with it the set retired."
    else:
        log_error = _log_error(state, present) - sum(_log_histories(one) for one in earlier)
        if log_error < _LEAST_LOG_ERROR:
            refusal, log_error = "So much was shown that no number of passes could certify anything.", None
    return Spending(
        look=look,
        passes=present.passes,
        shown=len(present.levels),
        log_error=log_error,
        over_all=promise.confidence,
        refusal=refusal,
        cases_shown=is_void,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Shown:
    """What a phase showed: its looks, those that were gated, passes, values that each score could have had."""

    looks: int
    gated: int
    passes: int
    levels: tuple[int, ...]
    is_per_case: bool


def _log_error(state: SetState, shown: _Shown) -> float:
    promise, look = state.promise, shown.looks + 1
    display = promise.display or "pass-fail"
    if promise.looks is None:
        error = look_error(look, shown.passes, confidence=promise.confidence)
        return error - log_shown_scores(look, shown.levels)
    error = declared_error(
        promise.looks,
        display,
        passes=promise.ships or 1,
        levels=_levels(state.present.n, promise.step if display == "rounded" else None),
        confidence=promise.confidence,
    )
    if display in SCORES_SHOWN:
        return error
    # Scores were shown that the promise had not priced.
    return error - log_shown_scores(max(promise.looks, look), shown.levels)


def _log_histories(shown: _Shown) -> float:
    """Return by how much what a phase showed divides the error of the phases after it, as a logarithm.

    Its number of looks and passes was not fixed either, so each history weighs what a look after it would have spent.
    """
    if not shown.looks:
        return 0.0
    following = shown.looks + 1
    whole = math.log(1 - _ANY_CONFIDENCE)
    return (
        whole
        - look_error(following, shown.passes, confidence=_ANY_CONFIDENCE)
        + log_shown_scores(following, shown.levels)
    )


def _shown(state: SetState, phase: tuple[Step, ...]) -> _Shown:
    looks = {look.event.hash: look for look in state.looks}
    count = gated = passes = 0
    levels: list[int] = []
    is_per_case = False
    for step in phase:
        for name in step.looks:
            look = looks[name]
            if step.kind == "reveal":
                count += 1
                levels.append(_levels(look.data.n, None))
            elif look.is_new:
                # A sealed look showed nothing, but its candidate is one of those that a claim may be made for.
                count += 1
                gated += 1
                passes += look.passed is True
                is_per_case |= look.display == "per-case"
                if look.display in SCORES_SHOWN and (look.display != "score-on-pass" or look.passed):
                    levels.append(_levels(look.data.n, look.data.step))
    return _Shown(looks=count, gated=gated, passes=passes, levels=tuple(levels), is_per_case=is_per_case)


def _levels(n: int, step: float | None) -> int:
    """Return how many values a shown score can have."""
    return n + 1 if step is None else min(n, math.ceil(1 / step)) + 1
