"""Whatever a verb is given, it answers or refuses with an error of ours, in time, naming what the caller wrote."""

from __future__ import annotations

import inspect
import math
import time
from typing import Any

import numpy as np
import pandas as pd
import pytest

import evalgauge as eg
from evalgauge.errors import ArgumentError, EvalgaugeError

FRAME = pd.DataFrame(
    {
        "case": [f"q{i // 2}" for i in range(60)],
        "rep": [1, 2] * 30,
        "score": [(7 * i + i // 3) % 3 > 0 for i in range(60)],
    }
)
OTHER = FRAME.assign(score=[(5 * i + i // 2) % 4 > 0 for i in range(60)])
VERBS: dict[str, list[tuple[tuple[Any, ...], dict[str, Any]]]] = {
    "measure": [((FRAME,), {}), ((), {"passed": 4, "of": 9})],
    "compare": [((FRAME, OTHER), {}), ((), {"wins": 4, "losses": 1, "of": 9})],
    "convert": [((FRAME,), {"overwrite": True})],
    "plan": [((), {"own": 100})],
    "plan_design": [((), {"own": 100})],
    "plan_reps": [((), {"case_sd": 0.4, "run_sd": 0.3, "budget": 400}), ((FRAME,), {})],
    "read": [((FRAME,), {})],
    "gate": [((FRAME, OTHER), {"max_drop": 0.4, "min_rate": 0.1, "allow_blind": True})],
    "gate_check": [((FRAME,), {"max_drop": 0.4})],
    "bless": [((FRAME,), {"overwrite": True})],
    "look_at": [((FRAME,), {})],
    "reuse": [((), {"n_cases": 300, "rate": 0.8, "looks": 10}), ((FRAME,), {"looks": 3})],
    "best_of": [((FRAME, OTHER), {})],
    "rank": [((FRAME, OTHER), {})],
    "verify": [
        ((), {"n_cases": 6, "reps": 2, "rule": "per_case_wald", "sims": 100}),
        ((), {"like": FRAME, "rule": "per_case_wald", "sims": 100}),
    ],
    "make_report": [((FRAME, OTHER), {})],
    "save_report": [((eg.make_report(FRAME),), {"overwrite": True})],
    "chart": [((eg.measure(passed=4, of=9),), {})],
    "precision_curve": [((eg.plan(),), {})],
    "power_curve": [((eg.plan(),), {})],
    "optimism_curve": [((eg.reuse(n_cases=100, rate=0.8),), {})],
    "verify_gate": [((), {"like": FRAME, "max_drop": 0.4, "sims": 3})],
    "holdout": [((FRAME, OTHER), {"margin": 0.4})],
    "ledger_init": [((), {})],
    "ledger_register": [((OTHER,), {"name": "again"})],
    "ledger_declare": [(("support",), {"looks": 4})],
    "ledger_look": [((FRAME,), {"set_name": "support"})],
    "ledger_import": [((FRAME,), {})],
    "ledger_decide": [(("0123456789", "ship"), {})],
    "ledger_status": [(("support",), {})],
    "ledger_history": [(("support",), {})],
    "ledger_reveal": [(("support",), {})],
    "ledger_refresh": [((FRAME,), {"share": 0.5})],
    "ledger_void": [(("support",), {"reason": "a trial"})],
    "ledger_check": [((), {})],
    "ledger_export": [((), {"overwrite": True})],
    "ledger_merge": [(("copy.jsonl",), {})],
}
WRITERS = {"save_report": "out.md", "convert": "out.csv", "bless": "out.json", "ledger_export": "out.jsonl"}
NONSENSE: list[Any] = [None, "", "x", True, False, math.nan, math.inf, 1e30, -1, 0, 0.5, 2.5, 10**9, 10**30, 10**5000]
NONSENSE += [[], [1], ["a"], {}, {"a": 1}, {1: None}, b"x", 1j, np.float32(0.02), np.int64(3), np.nan, print, FRAME]
PLACES = [
    pytest.param(verb, logs, given, name, id=f"{verb}-{len(logs)}-{name}")
    for verb, calls in VERBS.items()
    for logs, given in calls
    for name, parameter in inspect.signature(getattr(eg, verb)).parameters.items()
    if parameter.kind == inspect.Parameter.KEYWORD_ONLY
]


def test_every_verb_is_tried() -> None:
    assert {name for name in eg.__all__ if callable(getattr(eg, name))} == {*VERBS, "to_json"}


@pytest.mark.parametrize(("verb", "logs", "given", "name"), PLACES)
def test_nonsense_is_answered_or_refused(
    verb: str, logs: tuple[Any, ...], given: dict[str, Any], name: str, tmp_path: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    if verb == "holdout" or (verb.startswith("ledger_") and verb != "ledger_init"):
        eg.ledger_init()
        eg.ledger_register(FRAME, name="support")
        eg.ledger_export(output="copy.jsonl")
    ask = getattr(eg, verb)
    names = {*inspect.signature(ask).parameters, "log", "counts", "source"}
    output = {"output": tmp_path / WRITERS[verb]} if verb in WRITERS else {}
    refusals: list[EvalgaugeError] = []
    for value in NONSENSE:
        start = time.process_time()
        try:
            ask(*logs, **{**given, **output, name: value})
        except EvalgaugeError as error:
            refusals.append(error)
        assert time.process_time() - start < 5
    assert refusals
    for refusal in refusals:
        assert "\n" not in str(refusal)
        assert len(str(refusal)) < 600
        if isinstance(refusal, ArgumentError):
            # "case_sd, run_sd" names two options that go together; "words x" a part of one.
            assert refusal.argument.split(",")[0].split(" ")[0] in names, str(refusal)


@pytest.mark.parametrize("verb", ["measure", "compare", "convert", "plan_reps", "read"])
def test_what_is_no_log_is_refused(verb: str, tmp_path: Any) -> None:
    given = {"output": tmp_path / WRITERS[verb]} if verb in WRITERS else {}
    for value in [*NONSENSE[:-1], "\0", "\ud800", "a" * 5000, "/dev/null", "https://example.com/run.eval"]:
        logs = (value, FRAME) if verb == "compare" else (value,)
        with pytest.raises(EvalgaugeError) as refusal:
            getattr(eg, verb)(*logs, **given)
        assert "\n" not in str(refusal.value)
