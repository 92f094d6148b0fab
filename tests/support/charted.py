"""One chart of every kind, from the logs of the fixtures: what tests of charts look at."""

from __future__ import annotations

from contextlib import chdir
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import evalgauge as eg
from support.sets import coin, log_of

INSPECT = Path(__file__).resolve().parent.parent / "fixtures" / "inspect"
BASE, CANDIDATE = INSPECT / "triage-base.eval", INSPECT / "triage-cand.eval"


@cache
def answers() -> dict[str, tuple[Any, ...]]:
    """Return the answers behind one chart of every kind."""
    base, candidate = eg.measure(BASE), eg.measure(CANDIDATE)
    compared = eg.compare(BASE, CANDIDATE, margin=0.02)
    plan = eg.plan(rate=0.9, margin=0.05, drop=0.1, slices=5, own=695)
    return {
        "arms": (base, candidate),
        "variance": (base, candidate),
        "differences": (compared, eg.compare(BASE, BASE, margin=0.02)),
        "flips": (compared,),
        "leaderboard": (eg.rank(BASE, CANDIDATE),),
        "reps": (eg.plan_reps(BASE),),
        "precision": (eg.precision_curve(plan),),
        "power": (eg.power_curve(plan),),
        "optimism": (eg.optimism_curve(eg.reuse(n_cases=1000, rate=0.8, looks=10)),),
        "wear": (_history(),),
    }


@cache
def charts() -> dict[str, Any]:
    """Return one chart of every kind."""
    return {kind: eg.chart(*found, kind=kind) for kind, found in answers().items()}


def _history() -> Any:
    texts = [f"Question number {number}: what does the policy say?" for number in range(60)]
    with TemporaryDirectory() as folder, chdir(folder):
        eg.ledger_init()
        log_of(Path("base.jsonl"), texts, coin(0.7, 0))
        eg.ledger_register("base.jsonl", name="support")
        for number in range(1, 4):
            log_of(Path("run.jsonl"), texts, coin(0.7, number), arm=f"prompt-{number}")
            eg.measure("run.jsonl")
        return eg.ledger_history("support")
