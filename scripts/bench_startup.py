"""Whole processes of the command line, against an interpreter that does nothing and one that loads NumPy."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from bench_clock import interleaved, process
from bench_rows import Bound, Row

if TYPE_CHECKING:
    from bench_clock import Settings

ROOT = Path(__file__).resolve().parent.parent
LOG = ROOT / "tests" / "fixtures" / "inspect" / "triage-base.eval"
COMMANDS: dict[str, list[str | Path]] = {
    "evalgauge --help": ["--help"],
    "evalgauge --version": ["--version"],
    "evalgauge 47/50": ["47/50"],
    f"evalgauge {LOG.name}": [LOG],
}
LIGHT = ("evalgauge --help", "evalgauge --version")
HEAVY = ("numpy", "scipy", "duckdb")
PEER = "python -c 'import numpy'"


def rows(settings: Settings) -> list[Row]:
    """Return the rows of this part."""
    # The environment's own command, as users start it.
    program = Path(sys.executable).with_name("evalgauge")
    words = {name: [program, *arguments] for name, arguments in COMMANDS.items()}
    contenders = {name: process(command) for name, command in words.items()}
    contenders[PEER] = process([sys.executable, "-c", "import numpy"])
    contenders["python -c pass"] = process([sys.executable, "-c", "pass"])
    used = interleaved(contenders, settings.repeats)
    found: list[Row] = []
    for name, command in words.items():
        goal = None
        if name in LIGHT:
            loaded = heavy_modules(command[1:])
            goal = Bound(text=f"loads none of {', '.join(HEAVY)}", measured=len(loaded), bound=0, side="at most")
        found.append(Row(job=f"{name} (whole process)", project=used[name], peer_name=PEER, peer=used[PEER], goal=goal))
    found.append(Row(job="an interpreter that does nothing", project=used["python -c pass"]))
    return found


def heavy_modules(arguments: list[str | Path]) -> list[str]:
    """Return which of the heavy libraries a command line loads."""
    traced = [sys.executable, "-X", "importtime", "-m", "evalgauge", *arguments]
    run = subprocess.run(traced, check=True, capture_output=True, text=True)
    loaded = {line.rpartition("|")[2].strip() for line in run.stderr.splitlines() if line.startswith("import time:")}
    return [name for name in HEAVY if name in loaded]
