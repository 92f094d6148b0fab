"""Measure evalgauge against peers and limits, in core-seconds.

`python scripts/bench.py` prints a table; `--json FILE` writes the figures as well, and `--write` puts the table into
docs/benchmarks.md. The large logs are made once, in the folder given by `--data`.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import sys
import tempfile
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bench_clock import Settings
from bench_rows import document, markdown

if TYPE_CHECKING:
    from bench_rows import Row

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "benchmarks.md"
PARTS = (
    "logs",
    "memory",
    "tables",
    "startup",
    "planning",
    "reuse",
    "rank",
    "report",
    "pages",
    "verify",
    "ledger",
    "growth",
)
PACKAGES = ("evalgauge", "numpy", "scipy", "msgspec", "duckdb", "pandas", "polars", "statsmodels")

PAGE_HEAD = """# Benchmarks

Written by `python scripts/bench.py --write`; `make bench` prints the same table. Figures are core-seconds: CPU time of
user and system, so that a busy machine does not count as slow code. Project, peer and limit take turns, the first
round does not count, and each figure is the least of {repeats}. Where the work is done in one process, imports count
on no side; whole processes are named so. A ratio says how many times as much the peer used. A row without a goal is
only shown.

"""
PAGE_FOOT = """
Peers: `read_eval_log` is inspect-ai's own reader in its own process, timed around the call. `json.loads` is the
standard library, line by line, and keeps nothing; it is quicker on lines that were opened as text than on bytes.
`pandas + statsmodels` is what an analyst would write: merge and McNemar's test for pass/fail, means per case and a t
interval for grades; it pairs by id and checks nothing. Peak memory is that of a fresh process that imports evalgauge
and reads the log.

Measured on {machine}. Load average {load}.
"""


def machine() -> dict[str, Any]:
    """Return what the figures were measured on."""
    found = Path("/proc/cpuinfo")
    lines = found.read_text(encoding="utf-8").splitlines() if found.exists() else []
    named = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return {
        "cpu": next(named, platform.processor() or platform.machine()),
        "cores": os.cpu_count(),
        "system": platform.system(),
        "python": platform.python_version(),
        "packages": {name: version(name) for name in PACKAGES},
    }


def measured(parts: list[str], settings: Settings) -> tuple[list[Row], dict[str, Any]]:
    """Return the rows of the parts, and the machine with its load before and after."""
    about = machine()
    about["load_before"] = os.getloadavg()[0]
    rows: list[Row] = []
    for part in parts:
        print(f"measuring {part} …", file=sys.stderr, flush=True)
        rows += import_module(f"bench_{part}").rows(settings)
    about["load_after"] = os.getloadavg()[0]
    return rows, about


def page(rows: list[Row], about: dict[str, Any], repeats: int) -> str:
    """Return the page of the documentation."""
    packages = ", ".join(f"{name} {number}" for name, number in about["packages"].items())
    kept = f"{about['cores']} cores of {about['cpu']}, {about['system']}, Python {about['python']} ({packages})"
    load = f"{about['load_before']:.2f} before and {about['load_after']:.2f} after"
    return PAGE_HEAD.format(repeats=repeats) + markdown(rows) + PAGE_FOOT.format(machine=kept, load=load)


def asked() -> argparse.Namespace:
    """Return the options of the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("parts", nargs="*", help=f"what to measure: {', '.join(PARTS)}; all when left out")
    parser.add_argument("--data", type=Path, default=Path(tempfile.gettempdir()) / "evalgauge-bench", help="large logs")
    parser.add_argument("--repeats", type=int, default=5, help="rounds that count")
    parser.add_argument("--json", type=Path, help="write the figures to this file")
    parser.add_argument("--write", action="store_true", help="write docs/benchmarks.md")
    options = parser.parse_args()
    unknown = sorted(set(options.parts) - set(PARTS))
    if unknown:
        parser.error(f"parts: got {', '.join(unknown)}; choose from {', '.join(PARTS)}")
    if options.write and options.parts:
        parser.error("--write needs all parts: leave their names out")
    if options.repeats < 1:
        parser.error(f"--repeats: got {options.repeats}; at least 1")
    return options


def main() -> None:
    """Measure what was asked for."""
    options = asked()
    options.data.mkdir(parents=True, exist_ok=True)
    python = os.environ.get("EVALGAUGE_INSPECT_PYTHON")
    settings = Settings(
        data=options.data.resolve(), repeats=options.repeats, inspect_python=Path(python) if python else None
    )
    rows, about = measured(options.parts or list(PARTS), settings)
    print(markdown(rows))
    print(f"load average {about['load_before']:.2f} before, {about['load_after']:.2f} after; {about['cpu']}")
    if options.json:
        figures = {"machine": about, "repeats": options.repeats, "rows": document(rows)}
        options.json.write_text(json.dumps(figures, indent=2) + "\n", encoding="utf-8")
    if options.write:
        PAGE.parent.mkdir(exist_ok=True)
        PAGE.write_text(page(rows, about, options.repeats), encoding="utf-8")


if __name__ == "__main__":
    main()
