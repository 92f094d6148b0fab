"""Reading large logs: against the framework's own reader, against plain JSON, and against the lines alone."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import evalgauge
from bench_clock import here, interleaved
from bench_data import write_inspect, write_lm_eval
from bench_rows import Bound, Row

if TYPE_CHECKING:
    from collections.abc import Callable

    from bench_clock import Settings

HERE = Path(__file__).resolve().parent
MEGABYTES = 460
INSPECT_SCORES = 9_000
NEEDS_INSPECT = "needs inspect-ai (EVALGAUGE_INSPECT_PYTHON names no interpreter that has it)"


def rows(settings: Settings) -> list[Row]:
    """Return the rows of this part."""
    return [inspect_row(settings), *lm_eval_rows(settings)]


def inspect_row(settings: Settings) -> Row:
    """Return the row of an Inspect log of 9,000 scores; imports count on neither side."""
    job = f"Inspect .eval, {INSPECT_SCORES:,} scores → table"
    python = settings.inspect_python
    log = settings.data / "bench.eval"
    goal = "≥ 20 × less than read_eval_log"
    if python is None:
        unmeasured = Bound(text=goal, measured=None, bound=20, side="at least", lacks=NEEDS_INSPECT)
        used = interleaved({"project": here(lambda: evalgauge.read(log))}, settings.repeats) if log.exists() else {}
        return Row(job=job, project=used.get("project"), peer_name="read_eval_log", goal=unmeasured)
    made(log, lambda target: write_inspect(target, python=python))
    with subprocess.Popen(
        [python, HERE / "bench_inspect_peer.py", log], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as peer:

        def reading() -> float:
            # The child lives through all rounds, so that its import is outside of every reading.
            assert peer.stdin is not None  # noqa: S101 - both are pipes by the call above
            assert peer.stdout is not None  # noqa: S101 - same
            print(file=peer.stdin, flush=True)
            used, scores = peer.stdout.readline().split()
            expect("inspect-ai", int(scores), INSPECT_SCORES)
            return float(used)

        used = interleaved({"project": here(lambda: evalgauge.read(log)), "peer": reading}, settings.repeats)
    expect("evalgauge", len(evalgauge.read(log)), INSPECT_SCORES)
    ratio = used["peer"] / used["project"]
    return Row(
        job=job,
        project=used["project"],
        peer_name="read_eval_log",
        peer=used["peer"],
        goal=Bound(text=goal, measured=ratio, bound=20, side="at least"),
    )


def lm_eval_rows(settings: Settings) -> list[Row]:
    """Return the rows of a large samples file of lm-eval: core-seconds, and the peak of memory."""
    log = settings.data / "samples_bench.jsonl"
    made(log, lambda target: write_lm_eval(target, megabytes=MEGABYTES))

    def parsed(mode: str) -> None:
        with log.open(mode, encoding=None if "b" in mode else "utf-8") as stream:
            for line in stream:
                json.loads(line)

    def iterated() -> None:
        with log.open("rb") as stream:
            for _ in stream:
                pass

    contenders = {
        "project": here(lambda: evalgauge.read(log)),
        "bytes": here(lambda: parsed("rb")),
        "text": here(lambda: parsed("r")),
        "limit": here(iterated),
    }
    used = interleaved(contenders, settings.repeats)
    job = f"lm-eval samples, {MEGABYTES} MB → table"
    times = used["project"] / used["limit"]
    peak = float(
        subprocess.run([sys.executable, HERE / "bench_peak.py", log], check=True, stdout=subprocess.PIPE).stdout
    )
    return [
        *(
            Row(
                job=job,
                project=used["project"],
                peer_name=f"json.loads, lines as {kind}",
                peer=used[kind],
                goal=Bound(
                    text="≥ 3 × less than json", measured=used[kind] / used["project"], bound=3, side="at least"
                ),
                limit=Bound(text="≤ 3 × the lines alone", measured=times, bound=3, side="at most"),
                why="two thirds are the reading of the file and msgspec's check of its JSON",
            )
            for kind in ("bytes", "text")
        ),
        Row(
            job=f"{job}: peak memory of the process",
            project=peak,
            unit="MB",
            goal=Bound(text="< 150 MB", measured=peak, bound=150, side="at most"),
        ),
    ]


def made(target: Path, write: Callable[[Path], object]) -> None:
    """Make a log where it is missing; one that was broken off half-way is not taken for whole."""
    if target.exists():
        return
    part = target.with_name(f"part-{target.name}")
    write(part)
    part.replace(target)


def expect(reader: str, scores: int, expected: int) -> None:
    """Stop where a reader did less than the whole work: its time would mean nothing."""
    if scores != expected:
        raise SystemExit(f"{reader} read {scores:,} scores, expected {expected:,}: remove the log and run again.")
