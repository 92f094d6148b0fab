"""Feed one reader with damaged logs for a while: ``python fuzz.py NAME CORE_SECONDS [--atheris] [--seed N]``.

Prints how many logs were read and refused, and the peak of memory. Leaves with 1 and the log's path at the first log
that ends in anything but a table or an error on purpose, takes longer than it may, or needs more memory.
"""

from __future__ import annotations

import argparse
import gzip
import os
import random
import resource
import shutil
import signal
import sys
import tempfile
import time
import traceback
from collections import Counter
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve()
sys.path[:0] = [str(HERE.parents[2] / "src"), str(HERE.parents[1])]

if "--atheris" in sys.argv:
    import atheris

    # Coverage is counted in modules that are loaded while this is open, so that all readers are loaded here.
    with atheris.instrument_imports(include=["evalgauge.formats", "evalgauge.scores"]):
        import evalgauge.formats.registry

        evalgauge.formats.registry.framework_readers()
        evalgauge.formats.registry.plain_readers()

from evalgauge.errors import EvalgaugeError  # noqa: E402 (the path is set above)
from evalgauge.formats import ReadOptions, read  # noqa: E402
from evalgauge.scores.identity import fingerprints  # noqa: E402
from evalgauge.scores.units import units  # noqa: E402
from support.damage import damaged  # noqa: E402

FIXTURES = HERE.parents[1] / "fixtures"
SEEDS: dict[str, tuple[str, ...]] = {
    "inspect": ("inspect/small.eval", "inspect/small.json", "inspect/errors.eval", "inspect/multi-score.eval"),
    "lm-eval": ("lm-eval/base/*/samples_sums_filters*.jsonl", "lm-eval-042/*.jsonl"),
    "promptfoo": ("promptfoo/errors.json", "promptfoo/errors.jsonl", "promptfoo/prompts2.csv", "promptfoo/echo.json"),
    "promptfoo-database": ("promptfoo-database/promptfoo.db.gz",),
    "driftproof": ("driftproof/*.json",),
    "skill-creator": ("skill-creator/benchmark.json", "skill-creator/eval-1/with_skill/run-1/grading.json"),
    "swe-bench": ("swe-bench/report/*.json", "swe-bench/tree/logs/*/*/*/django__django-101/report.json"),
    "openai-evals": ("openai-evals/*.jsonl",),
    "lighteval": ("lighteval/details/*/*/*/*.parquet",),
    "alpaca-eval": ("small/alpaca_eval.json",),
    "helm": ("small/per_instance_stats.json",),
    "every-eval-ever": ("small/every_eval_ever_samples.jsonl",),
    "tau-bench": ("small/tau_bench.json", "small/tau2_bench.json"),
    "junit": ("junit/base.xml", "junit/odd.xml"),
    "pydantic-evals": ("pydantic-evals/errors.json", "pydantic-evals/base.json"),
    "deepeval": ("deepeval/errors.json", "deepeval/talks.json"),
    "phoenix": ("phoenix/errors.json", "phoenix/base.json"),
    "baseline": ("small/baseline.json",),
    "plain": ("small/long.csv", "small/wide.jsonl", "small/records.json"),
    "platforms": ("platforms/*", "phoenix/*.csv"),
}
UNFORESEEN = "Its form is not what the framework writes"
"""What the last net under a reader says: no traceback, and yet nobody thought of it."""
unforeseen: Counter[str] = Counter()
LONGEST = 30
"""Core-seconds that one log may take."""
MOST_MEMORY = 1_000_000
"""Kilobytes that the process may need."""


def seeds(name: str) -> list[tuple[str, bytes]]:
    """Return the endings and bytes of the logs to start from."""
    paths = [path for pattern in SEEDS[name] for path in sorted(FIXTURES.glob(pattern))]
    if not paths:
        raise SystemExit(f"no fixture for {name}")
    return [_seed(path) for path in paths]


def _seed(path: Path) -> tuple[str, bytes]:
    data = path.read_bytes()
    return (path.name.removesuffix(".gz"), gzip.decompress(data)) if path.suffix == ".gz" else (path.name, data)


def use(path: Path, *, tolerant: bool) -> bool:
    """Read a log as far as every question does; return whether it could be read."""
    try:
        table = read(path, ReadOptions(tolerant=tolerant))
        fingerprints(table.cases)
        dict(table.cases.fields)
        units(table)
    except EvalgaugeError as error:
        if UNFORESEEN in str(error):
            unforeseen[str(error).partition("cannot be read ")[2].partition(" Its form")[0]] += 1
        return False
    return True


def one(folder: Path, name: str, data: bytes, *, tolerant: bool) -> bool:
    """Read one log within its time."""
    path = folder / name
    path.write_bytes(data)
    # Of the processor, not of the clock: a busy machine is no hang.
    signal.setitimer(signal.ITIMER_PROF, LONGEST)
    try:
        return use(path, tolerant=tolerant)
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        if memory() > MOST_MEMORY:
            raise LimitError(f"{memory() / 1000:.0f} MB")


def memory() -> int:
    """Return the most memory that this process had at once, in kilobytes."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def run_for(name: str, seconds: float, seed: int) -> None:
    """Damage the seeds at random until the time is over."""
    chance = random.Random(seed)  # noqa: S311 (a fuzzer, no secret)
    known = seeds(name)
    counts = {True: 0, False: 0}
    end = time.process_time() + seconds
    with tempfile.TemporaryDirectory() as folder:
        while time.process_time() < end:
            file, data = chance.choice(known)
            data = damaged(data, chance)
            try:
                counts[one(Path(folder), file, data, tolerant=chance.random() < 0.5)] += 1
            except BaseException:  # noqa: BLE001 (whatever it is, the log that did it is kept)
                kept = Path(tempfile.mkdtemp(prefix="evalgauge-fuzz-")) / file
                shutil.copy(Path(folder) / file, kept)
                traceback.print_exc()
                raise SystemExit(f"{name}: {kept}") from None
    report(name, counts)


def report(name: str, counts: dict[bool, int]) -> None:
    """Print what was done, and what memory it took."""
    line = f"{name}: {counts[True]:,} read, {counts[False]:,} refused, peak {memory() / 1000:.0f} MB"
    nets = "".join(f"\n  unforeseen {count} times: {text}" for text, count in unforeseen.most_common(10))
    sys.stdout.write(f"{line}{nets}\n")


def run_atheris(name: str, seconds: int) -> None:
    """Let coverage guide the damage."""
    folder = Path(tempfile.mkdtemp(prefix="evalgauge-fuzz-"))
    corpus = folder / "corpus"
    corpus.mkdir()
    known = seeds(name)
    for number, (_, data) in enumerate(known):
        (corpus / str(number)).write_bytes(data)
    file = known[0][0]

    counts = {True: 0, False: 0}
    end = time.process_time() + seconds

    def target(data: bytes) -> None:
        counts[one(folder, file, data, tolerant=len(data) % 2 == 0)] += 1
        if time.process_time() >= end:
            report(name, counts)
            sys.stdout.flush()
            # The fuzzer itself ends by the clock alone, which a busy machine reaches after little work.
            os._exit(0)

    limits = [f"-timeout={LONGEST}", f"-rss_limit_mb={MOST_MEMORY // 1000}"]
    atheris.Setup([sys.argv[0], *limits, str(corpus)], target)
    atheris.Fuzz()


class LimitError(BaseException):
    """A log took more time or memory than it may; no reader turns this into a refusal, as it does with exceptions."""


def too_long(_number: int, _frame: object) -> None:
    """End a log that takes longer than it may, so that it is kept."""
    raise LimitError(f"more than {LONGEST} core-seconds")


def main() -> None:
    """Run what the command line says."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("name", choices=sorted(SEEDS))
    parser.add_argument("seconds", type=float)
    parser.add_argument("--atheris", action="store_true")
    parser.add_argument("--seed", type=int, default=1)
    asked: Any = parser.parse_args()
    signal.signal(signal.SIGPROF, too_long)
    if asked.atheris:
        run_atheris(asked.name, int(asked.seconds))
    else:
        run_for(asked.name, asked.seconds, asked.seed)


if __name__ == "__main__":
    main()
