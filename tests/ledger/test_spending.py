"""What a look may spend: the specified prices, and the sum over every history that can come up, by enumeration."""

from __future__ import annotations

import itertools
import math
from collections import defaultdict
from typing import TYPE_CHECKING, Any

import pytest

from evalgauge.errors import ArgumentError
from evalgauge.jobs.spending import next_spending
from evalgauge.ledger.chain import Event, written_event
from evalgauge.ledger.state import set_states
from evalgauge.rules.shown_scores import log_shown_scores

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evalgauge.ledger.records import SetState

N = 3
LOOK: dict[str, Any] = {
    "root": "r", "n": N, "n_scored": N, "matched": N, "relation": "same", "by": {}, "candidate": "c", "label": "c",
    "metric": "m", "run": "x", "sources": [], "attempts": [], "is_pass_fail": True, "parents": [], "intent": "gate",
    "rule": "", "display": "pass-fail", "step": None, "reps": 1, "rep_of": None, "passed": False, "score": None,
    "sealed": None, "results": "", "decision": None, "happened": "", "note": "", "place": 1, "log_error": None,
}  # fmt: skip
REGISTER = {"name": "s", "log_name": "", "identity": "content", "is_generic": False, "root": "r", "order": "o", "n": N}
REGISTER |= {"hashes": "h", "sketches": None, "rate": None, "related": {}, "note": ""}
SHOWN = {
    "fail": {"passed": False},
    "pass": {"passed": True},
    "sealed": {"display": "nothing", "passed": None},
    **{f"score {number}": {"display": "exact", "passed": None, "score": number / N} for number in range(N + 1)},
}


def state(history: Sequence[str], promise: dict[str, Any] | None = None) -> SetState:
    """Return a set after a history: what each look showed, or a refresh."""
    events: list[Event] = []

    def add(kind: str, data: dict[str, Any]) -> None:
        prev = events[-1] if events else None
        events.append(written_event(prev=prev, kind=kind, subject="s", data=data, actor="a", tool="t"))

    add("register", REGISTER)
    if promise:
        add(
            "declare",
            {
                "looks": None,
                "ships": None,
                "tolerance": 0.02,
                "display": None,
                "step": None,
                "confidence": 0.95,
                **promise,
            },
        )
    for one in history:
        if one == "refresh":
            add("add", {"root": "r2", "order": "o", "n": N, "n_added": 1, "hashes": "h", "sketches": None, "kept": 0.5})
        elif one == "anew":
            add("add", {"root": "r3", "order": "o", "n": N, "n_added": N, "hashes": "h", "sketches": None, "kept": 0.0})
        else:
            add("look", {**LOOK, **SHOWN[one]})
    return set_states(events)["s"]


@pytest.mark.parametrize(("look", "z"), [(1, 2.54), (5, 3.34), (10, 3.64), (30, 4.07)])
def test_the_price_with_no_pass_yet(look: int, z: float) -> None:
    found = next_spending(state(["fail"] * (look - 1)))
    assert found.look == look
    assert found.z is not None
    assert round(found.z, 2) == z


@pytest.mark.parametrize("looks", [1, 10, 30])
def test_declared_looks_that_retire_on_the_first_pass_cost_alpha_over_k(looks: int) -> None:
    promise = {"looks": looks, "ships": 1, "display": "pass-fail"}
    for before in range(looks):
        found = next_spending(state(["fail"] * before, promise))
        assert found.log_error is not None
        assert math.isclose(math.exp(found.log_error), 0.05 / looks, rel_tol=1e-12)
    assert "declared looks are spent" in next_spending(state(["fail"] * looks, promise)).refusal
    if looks > 1:
        assert "retired" in next_spending(state(["fail"] * (looks - 2) + ["pass"], promise)).refusal


def test_declared_passes_cost_the_number_of_histories() -> None:
    # The set retires on the third pass, so that candidates come up after no more than two.
    found = next_spending(state([], {"looks": 30, "ships": 3, "display": "pass-fail"}))
    assert found.log_error is not None
    histories = sum(math.comb(i - 1, b) for i in range(1, 31) for b in range(3))
    assert math.isclose(found.log_error, math.log(0.05 / histories), rel_tol=1e-12)


def spent_by_family(alphabet: Sequence[str], depth: int) -> dict[str, float]:
    """Return what all histories of up to so many looks spend, by whether a score was shown before, by enumeration."""
    total: dict[str, float] = defaultdict(float)
    for length in range(depth):
        for history in itertools.product(alphabet, repeat=length):
            found = next_spending(state(history))
            if found.log_error is not None:
                total["scores" if found.shown else "bits"] += math.exp(found.log_error)
    return total


def test_all_histories_of_pass_and_fail_spend_at_most_alpha() -> None:
    assert 0.02 < spent_by_family(["fail", "pass"], 7)["bits"] <= 0.05


def test_histories_with_shown_scores_share_a_second_alpha() -> None:
    alphabet = ["fail", "pass", *(f"score {number}" for number in range(N + 1))]
    total = spent_by_family(alphabet, 5)
    assert 0.02 < total["bits"] <= 0.05
    assert 0 < total["scores"] <= 0.05


def test_all_histories_before_a_refresh_share_the_alpha_after_it() -> None:
    total = 0.0
    for length in range(1, 6):
        for history in itertools.product(["fail", "pass"], repeat=length):
            for after in range(3):
                for later in itertools.product(["fail", "pass"], repeat=after):
                    found = next_spending(state([*history, "refresh", *later]))
                    total += math.exp(found.log_error) if found.log_error is not None else 0.0
    assert 0 < total <= 0.05


def test_replacing_every_case_begins_anew() -> None:
    fresh, anew = next_spending(state([])), next_spending(state(["pass", "score 1", "fail", "anew"]))
    assert fresh == anew


def test_a_sealed_look_is_a_candidate_and_shows_nothing() -> None:
    found = next_spending(state(["sealed", "sealed"]))
    assert (found.look, found.passes, found.shown) == (3, 0, 0)


def test_a_promise_ends_with_a_refresh_and_what_may_be_shown_stays() -> None:
    after = state(["fail", "pass", "refresh"], {"looks": 3, "ships": 1, "display": "pass-fail"})
    assert (after.promise.looks, after.promise.display) == (None, "pass-fail")
    assert next_spending(after).refusal == ""


@pytest.mark.parametrize(("looks", "levels"), [(0, ()), (2, (4, 4)), (3, (1,)), (3, (True,))])
def test_impossible_counts_of_shown_scores_are_refused(looks: int, levels: tuple[int, ...]) -> None:
    with pytest.raises(ArgumentError, match="levels: got"):
        log_shown_scores(looks, levels)
