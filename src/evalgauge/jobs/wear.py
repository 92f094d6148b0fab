"""The wear card of a set: what its looks cost, how many are left, what may still be claimed, what to do next."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from evalgauge.jobs.spending import next_spending
from evalgauge.jobs.wear_words import action_of, advice_of, card_notes, shows_scores
from evalgauge.ledger.chain import SHORT
from evalgauge.ledger.records import SCORES_SHOWN
from evalgauge.ledger.seals import UNKNOWN, unsealed, unsealed_results
from evalgauge.questions.ledger_parts import Claim, NextLook, Promise, SetRow, WearCard
from evalgauge.reusing.optimism import (
    adaptive_figures,
    budget_words,
    effective_looks,
    fresh_set_size,
    look_budget,
    optimism,
    sampling_sd,
)
from evalgauge.reusing.refresh import share_to_replace, spent_after_refresh
from evalgauge.reusing.transcripts import certified_low
from evalgauge.rules.verdict import least_drop

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from numpy.typing import NDArray

    from evalgauge.ledger.chain import Event
    from evalgauge.ledger.records import Look, SetState
    from evalgauge.ledger.store import Reading

# Correlations of fewer candidates say little about the next ones.
_LEAST_CANDIDATES = 3
_MOST_CORRELATION = 0.999
_CAUTIOUS_RATE = 0.5
_EDGE = 0.02


@dataclass(frozen=True, slots=True, kw_only=True)
class Basis:
    """What every figure of a set rests on.

    Attributes
    ----------
    n
        Cases.
    rate, rate_source
        Common rate of the candidates and where it comes from.
    spent
        Looks that count, refreshes counted in.
    correlation
        Mean correlation of the candidates' results; ``None`` where unknown.
    tolerance
        Optimism that is fine.
    """

    n: int
    rate: float
    rate_source: str
    spent: float
    correlation: float | None
    tolerance: float

    @property
    def sigma(self) -> float:
        """Standard error of one score."""
        return sampling_sd(self.n, self.rate)

    def optimism_after(self, looks: float) -> float:
        """Return the expected optimism of the best after so many looks."""
        return optimism(self.n, self.rate, looks, correlation=self.correlation or 0.0) if looks > 1 else 0.0

    def budget(self) -> int | None:
        """Return how many looks the tolerance bears."""
        return look_budget(self.n, self.rate, self.tolerance, correlation=self.correlation or 0.0)

    def left(self) -> int | None:
        """Return how many looks are left."""
        return self.left_after(self.spent)

    def left_after(self, spent: float) -> int | None:
        """Return how many looks would be left if so many counted."""
        budget = self.budget()
        return None if budget is None else max(0, budget - math.ceil(spent - 1e-9))


def basis_of(state: SetState, *, correlation: float | None = None) -> Basis:
    """Return what a set's figures rest on; the correlation of its candidates is that of ``correlation_of``."""
    rate, source = _rate(state)
    return Basis(
        n=state.present.n,
        rate=rate,
        rate_source=source,
        spent=spent_looks(state)[-1] if state.steps else 0.0,
        correlation=correlation,
        tolerance=state.promise.tolerance,
    )


def spent_looks(state: SetState) -> list[float]:
    """Return how many looks counted after each step of a set's history."""
    looks = {look.event.hash: look for look in state.looks}
    spent, found = 0.0, list[float]()
    for step in state.steps:
        if step.kind == "refresh":
            # The effect of what was seen shrinks with the share of cases that stayed.
            spent = 0.0 if step.kept == 0 else spent_after_refresh(spent, 1 - step.kept) if spent > 1 else spent
        elif step.kind == "reveal":
            spent += len(step.looks)
        else:
            look = looks[step.looks[0]]
            spent += look.is_new and look.is_shown and not look.is_void
        found.append(spent)
    return found


def wear_card(reading: Reading, state: SetState, *, salt: bytes, merges: Iterable[Event] = ()) -> WearCard:
    """Return the card of one set.

    Parameters
    ----------
    reading
        The open ledger.
    state
        The set.
    salt
        The ledger's.
    merges
        The ledger's merges: copies of it may have gone on apart from each other.
    """
    basis = basis_of(state, correlation=correlation_of(reading, state, salt))
    spent = max(basis.spent, 1.0)
    budget = basis.budget()
    cost = basis.optimism_after(basis.spent)
    reveals = _reveals(state)
    card = WearCard(
        name=state.name,
        set_id=state.id,
        identity=state.identity,
        n_cases=state.present.n,
        looks=len(state.counted) + reveals,
        candidates=state.candidates,
        displays=_displays(state),
        voided=sum(look.is_void for look in state.recent),
        revealed=reveals,
        spent=basis.spent,
        correlation=basis.correlation,
        effective_looks=None if basis.correlation is None else effective_looks(spent, basis.correlation),
        rate=basis.rate,
        rate_source=basis.rate_source,
        tolerance=basis.tolerance,
        sigma=basis.sigma,
        optimism=cost,
        budget=budget,
        budget_words=budget_words(budget),
        left=basis.left(),
        adaptive=adaptive_figures(basis.n, basis.rate, spent),
        promise=_promise(state),
        next_look=_next_look(state),
        claims=tuple(_claims(state, salt)),
        refresh_share=_share_to_replace(basis, cost),
        fresh_cases=fresh_set_size(basis.rate, spent, basis.tolerance, correlation=basis.correlation or 0.0),
        refreshes=len(state.phases) - 1,
        waits_for=state.draw.n_retired if state.draw else 0,
        branches=_branches(state, merges),
        action="go on",
        advice="",
    )
    shows = shows_scores(card.displays, reveals)
    action = action_of(card, card.next_look, waits_for=card.waits_for, budget=budget, shows=shows)
    card = replace(card, action=action)
    return replace(card, advice=advice_of(card), notes=card_notes(card))


def _share_to_replace(basis: Basis, cost: float) -> float:
    """Return the least share, in whole percent, that brings the looks back within the tolerance."""
    if cost <= basis.tolerance:
        return 0.0
    start = math.ceil(100 * share_to_replace(cost, basis.tolerance))
    after = ((percent, spent_after_refresh(basis.spent, percent / 100)) for percent in range(start, 100))
    fits = (percent / 100 for percent, spent in after if basis.optimism_after(spent) <= basis.tolerance)
    return next(fits, 1.0)


def set_row(state: SetState) -> SetRow:
    """Return how worn a set is, in short: no result is read for it."""
    counted = state.counted
    basis, spending = basis_of(state), next_spending(state)
    cost = basis.optimism_after(basis.spent)
    budget = basis.budget() if cost <= basis.tolerance else 1
    left = None if budget is None else max(0, budget - math.ceil(basis.spent - 1e-9))
    row = SetRow(
        name=state.name,
        set_id=state.id,
        n_cases=state.present.n,
        looks=len(counted) + _reveals(state),
        candidates=len({look.candidate for look in counted}),
        spent=basis.spent,
        optimism=cost,
        tolerance=basis.tolerance,
        left=left,
        action="go on",
    )
    shows = shows_scores((look.display for look in counted), _reveals(state))
    waits_for = state.draw.n_retired if state.draw else 0
    return replace(row, action=action_of(row, spending, waits_for=waits_for, budget=budget, shows=shows))


def _rate(state: SetState) -> tuple[float, str]:
    if state.rate is not None:
        return min(max(state.rate, _EDGE), 1 - _EDGE), "given"
    scores = [look.data.score for look in state.counted if look.data.score is not None]
    if not scores:
        return _CAUTIOUS_RATE, "cautious"
    return min(max(sum(scores) / len(scores), _EDGE), 1 - _EDGE), "shown"


def correlation_of(reading: Reading, state: SetState, salt: bytes) -> float | None:
    """Return the mean correlation over cases of the candidates whose scores were shown: what is sealed says nothing."""
    last = {
        look.candidate: look.data.results
        for look in state.counted
        if look.data.results and look.data.root == state.present.root and (look.is_revealed or _shows(look))
    }
    if len(last) < _LEAST_CANDIDATES:
        return None
    data = reading.blobs_of(last.values())
    columns = [unsealed_results(data[digest], salt=salt) for digest in last.values()]
    codes = np.column_stack([column for column in columns if column.size == state.present.n])
    return _mean_correlation(codes)


def _mean_correlation(codes: NDArray[np.uint8]) -> float | None:
    known = codes[(codes != UNKNOWN).all(axis=1)].astype(np.float64)
    if len(known) < _LEAST_CANDIDATES:
        return None
    spread = known.std(axis=0)
    standard = (known[:, spread > 0] - known[:, spread > 0].mean(axis=0)) / spread[spread > 0]
    k = standard.shape[1]
    if k < _LEAST_CANDIDATES:
        return None
    together = float(np.square(standard.sum(axis=1)).mean())
    return min(max((together - k) / (k * (k - 1)), 0.0), _MOST_CORRELATION)


def _shows(look: Look) -> bool:
    return look.display in SCORES_SHOWN or look.display == "per-case"


def _reveals(state: SetState) -> int:
    return sum(len(step.looks) for phase in state.phases for step in phase if step.kind == "reveal")


def _displays(state: SetState) -> dict[str, int]:
    found: dict[str, int] = {}
    for look in state.recent:
        if look.is_shown and not look.is_void:
            found[look.display] = found.get(look.display, 0) + 1
    return found


def _promise(state: SetState) -> Promise | None:
    one = state.declared
    if one is None:
        return None
    return Promise(
        looks=one.looks,
        ships=one.ships,
        tolerance=one.tolerance,
        display=one.display,
        step=one.step,
        confidence=one.confidence,
    )


def _next_look(state: SetState) -> NextLook:
    found = next_spending(state)
    return NextLook(
        look=found.look,
        passes=found.passes,
        scores=found.shown,
        confidence=found.confidence,
        z=found.z,
        over_all=found.over_all,
        refusal=found.refusal,
        cases_shown=found.cases_shown,
        least_drop=None if found.confidence is None else least_drop(state.present.n, confidence=found.confidence),
    )


def _claims(state: SetState, salt: bytes) -> Iterator[Claim]:
    """Yield the claim of what was decided to ship, else of the last pass, else of the best score that was shown."""
    shipped = [look for look in state.recent if look.decision == "ship" and not look.is_void]
    passed = [look for look in state.recent if look.passed and not look.is_void]
    scored = sorted((look.data.score, index) for index, look in enumerate(state.counted) if look.data.score is not None)
    best = [state.counted[index] for _, index in scored[-1:]]
    for look in [*shipped[-1:], *passed[-1:], *best][:1]:
        yield _claim(look, state, salt)


def _claim(look: Look, state: SetState, salt: bytes) -> Claim:
    score = look.data.score
    if score is None and look.is_revealed and look.data.sealed:
        score = unsealed(look.data.sealed, salt=salt)["score"]
    return Claim(
        look=look.event.hash[:SHORT],
        label=look.label,
        is_shipped=look.decision == "ship",
        words=look.data.rule if look.passed else "",
        score=score,
        low=None if score is None else certified_of(look, state, score),
        confidence=state.promise.confidence,
    )


def certified_of(look: Look, state: SetState, score: float) -> float | None:
    """Return the rate that is certain for a look's candidate, at the error that this look may spend.

    ``None`` for scores that are no single pass or fail a case, and where so much was shown that nothing is certain.
    """
    log_error, confidence = look.data.log_error, state.promise.confidence
    if log_error is None or not look.data.is_pass_fail:
        return None
    n = look.data.n_scored
    paid = math.log(1 - confidence) - log_error
    return certified_low(round(score * n), n, paid, looks=look.data.place, confidence=confidence).low


def _branches(state: SetState, merges: Iterable[Event]) -> int:
    """Return in how many copies of this ledger the set was looked at side by side."""
    return 1 + sum(
        event.data["ours"].get(state.id, 0) > 0 and event.data["theirs"].get(state.id, 0) > 0 for event in merges
    )
