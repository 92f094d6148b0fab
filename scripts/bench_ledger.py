"""A year of a team: 50 sets of 2,000 cases, 20,000 looks; the command that says how worn they are, as a row."""

from __future__ import annotations

import random
import secrets
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from bench_clock import interleaved, process
from bench_rows import Bound, Row
from evalgauge.ledger.places import named_place
from evalgauge.ledger.prints import kept_sketches, set_print
from evalgauge.ledger.seals import sealed_results
from evalgauge.ledger.store import created
from evalgauge.scores.identity import CaseView
from evalgauge.scores.table import CaseContent, Cases

if TYPE_CHECKING:
    from bench_clock import Settings
    from evalgauge.ledger.store import Ledger, Writing

SETS, CASES, LOOKS = 50, 2_000, 400
MOST_SECONDS = 1.0
IMPORTS = "python -c 'import sqlalchemy, scipy.special'"


def rows(settings: Settings) -> list[Row]:
    """Return the rows of this part."""
    path = settings.data / "year-of-a-team.db"
    if not path.exists():
        year_of_a_team(path)
    program = Path(sys.executable).with_name("evalgauge")
    found = interleaved(
        {
            "all": process([program, "ledger", "status", "--ledger", path]),
            "one": process([program, "ledger", "status", "set-07", "--ledger", path]),
            "imports": process([sys.executable, "-c", "import sqlalchemy, scipy.special"]),
        },
        settings.repeats,
    )
    return [
        Row(
            job=f"ledger status, {SETS * LOOKS:,} looks at {what} (whole process)",
            project=found[name],
            peer_name=IMPORTS,
            peer=found["imports"],
            limit=Bound(text="≤ 1 core-s", measured=found[name], bound=MOST_SECONDS, side="at most"),
        )
        for name, what in (("all", f"{SETS} sets"), ("one", "one of the sets"))
    ]


def year_of_a_team(path: Path) -> None:
    """Write the ledger; a half-written one is not left behind."""
    half = path.with_suffix(".half")
    half.unlink(missing_ok=True)
    ledger = created(named_place(str(half)))
    draw = np.random.default_rng(1)
    for number in range(SETS):
        with ledger.writing() as writing:
            add_set(ledger, writing, number, draw)
    half.rename(path)


def add_set(ledger: Ledger, writing: Writing, number: int, draw: np.random.Generator) -> None:
    """Register one set and record its looks."""
    words = random.Random(number)  # noqa: S311 - data of a benchmark
    vocabulary = [f"w{index}" for index in range(5_000)]
    asked = [CaseContent(input=" ".join(words.choices(vocabulary, k=25)), target="x") for _ in range(CASES)]
    cases = Cases(case_id=tuple(map(str, range(CASES))), dup=np.zeros(CASES, np.int32), contents=lambda: asked)
    view = CaseView(cases)
    found = set_print(view, salt=ledger.salt, name=f"task {number}")
    subject = found.root[:16]
    sketches = kept_sketches(view, found, salt=ledger.salt)
    named: dict[str, Any] = {"root": found.root, "n": CASES}
    registered = named | {"name": f"set-{number:02}", "log_name": found.name, "identity": "content", "note": ""}
    registered |= {"is_generic": False, "order": found.order, "rate": None, "related": {}}
    registered |= {"hashes": writing.keep(found.kept()), "sketches": writing.keep(sketches or b"")}
    writing.append("register", registered, subject=subject)
    ease = draw.random(CASES)
    for look in range(LOOKS):
        results = (ease + draw.normal(0, 0.2, CASES) > 0.3).astype(float)
        data = named | {"n_scored": CASES, "matched": CASES, "relation": "same", "by": {"content": CASES}}
        data |= {"candidate": secrets.token_hex(16), "label": f"prompt-{look}", "metric": "match", "is_pass_fail": True}
        data |= {"run": secrets.token_hex(16), "sources": [secrets.token_hex(16)], "attempts": [], "parents": []}
        data |= {"intent": "explore", "rule": "", "display": "exact", "step": None, "reps": 1, "rep_of": None}
        data |= {"passed": None, "score": float(results.mean()), "sealed": None, "decision": None, "happened": ""}
        data |= {"results": writing.keep(sealed_results(results, salt=ledger.salt)), "note": "", "place": look + 1}
        writing.append("look", data | {"log_error": None}, subject=subject)
