"""Honest intervals and verdicts for evals, from the logs that eval frameworks already write.

>>> import evalgauge as eg
>>> print(eg.measure(passed=47, of=50))
94.0 %, 95 % interval 83.8 to 97.9 %, 50 cases (wilson)
"""

from __future__ import annotations

from importlib import import_module
from importlib.metadata import version
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from evalgauge.jobs.best_of import best_of
    from evalgauge.jobs.bless import bless
    from evalgauge.jobs.compare import compare
    from evalgauge.jobs.convert import convert
    from evalgauge.jobs.gate import gate
    from evalgauge.jobs.gate_check import gate_check
    from evalgauge.jobs.look_at import look_at
    from evalgauge.jobs.measure import measure
    from evalgauge.jobs.plan import plan
    from evalgauge.jobs.plan_design import plan_design
    from evalgauge.jobs.plan_reps import plan_reps
    from evalgauge.jobs.reading import read
    from evalgauge.jobs.reuse import reuse
    from evalgauge.jobs.verify import verify
    from evalgauge.report.json_text import to_json

__version__ = version("evalgauge")
__all__ = [
    "__version__",
    "best_of",
    "bless",
    "compare",
    "convert",
    "gate",
    "gate_check",
    "look_at",
    "measure",
    "plan",
    "plan_design",
    "plan_reps",
    "read",
    "reuse",
    "to_json",
    "verify",
]

# Loaded at first use (PEP 562), so that asking for help loads no NumPy.
_HOMES = {
    "best_of": "evalgauge.jobs.best_of",
    "bless": "evalgauge.jobs.bless",
    "compare": "evalgauge.jobs.compare",
    "convert": "evalgauge.jobs.convert",
    "gate": "evalgauge.jobs.gate",
    "gate_check": "evalgauge.jobs.gate_check",
    "look_at": "evalgauge.jobs.look_at",
    "measure": "evalgauge.jobs.measure",
    "plan": "evalgauge.jobs.plan",
    "plan_design": "evalgauge.jobs.plan_design",
    "plan_reps": "evalgauge.jobs.plan_reps",
    "read": "evalgauge.jobs.reading",
    "reuse": "evalgauge.jobs.reuse",
    "to_json": "evalgauge.report.json_text",
    "verify": "evalgauge.jobs.verify",
}


def __getattr__(name: str) -> object:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module 'evalgauge' has no attribute {name!r}; it has {', '.join(__all__)}")
    return getattr(import_module(home), name)


def __dir__() -> list[str]:
    return list(__all__)
