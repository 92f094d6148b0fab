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
    from evalgauge.jobs.curves import optimism_curve, power_curve, precision_curve
    from evalgauge.jobs.gate import gate
    from evalgauge.jobs.gate_check import gate_check
    from evalgauge.jobs.holdout import holdout
    from evalgauge.jobs.ledger_afterwards import ledger_decide, ledger_reveal, ledger_void
    from evalgauge.jobs.ledger_cards import ledger_history, ledger_status
    from evalgauge.jobs.ledger_files import ledger_check, ledger_export, ledger_merge
    from evalgauge.jobs.ledger_import import ledger_import
    from evalgauge.jobs.ledger_looks import ledger_look
    from evalgauge.jobs.ledger_refresh import ledger_refresh
    from evalgauge.jobs.ledger_sets import ledger_declare, ledger_init, ledger_register
    from evalgauge.jobs.look_at import look_at
    from evalgauge.jobs.measure import measure
    from evalgauge.jobs.plan import plan
    from evalgauge.jobs.plan_design import plan_design
    from evalgauge.jobs.plan_reps import plan_reps
    from evalgauge.jobs.rank import rank
    from evalgauge.jobs.reading import read
    from evalgauge.jobs.report import make_report
    from evalgauge.jobs.reuse import reuse
    from evalgauge.jobs.verify import verify
    from evalgauge.jobs.verify_gate import verify_gate
    from evalgauge.report.charts.every import chart
    from evalgauge.report.json_text import to_json
    from evalgauge.report.page.save import save_report

__version__ = version("evalgauge")
__all__ = [
    "__version__",
    "best_of",
    "bless",
    "chart",
    "compare",
    "convert",
    "gate",
    "gate_check",
    "holdout",
    "ledger_check",
    "ledger_decide",
    "ledger_declare",
    "ledger_export",
    "ledger_history",
    "ledger_import",
    "ledger_init",
    "ledger_look",
    "ledger_merge",
    "ledger_refresh",
    "ledger_register",
    "ledger_reveal",
    "ledger_status",
    "ledger_void",
    "look_at",
    "make_report",
    "measure",
    "optimism_curve",
    "plan",
    "plan_design",
    "plan_reps",
    "power_curve",
    "precision_curve",
    "rank",
    "read",
    "reuse",
    "save_report",
    "to_json",
    "verify",
    "verify_gate",
]

# Loaded at first use (PEP 562), so that asking for help loads no NumPy.
_HOMES = {
    "best_of": "evalgauge.jobs.best_of",
    "bless": "evalgauge.jobs.bless",
    "chart": "evalgauge.report.charts.every",
    "compare": "evalgauge.jobs.compare",
    "convert": "evalgauge.jobs.convert",
    "gate": "evalgauge.jobs.gate",
    "gate_check": "evalgauge.jobs.gate_check",
    "look_at": "evalgauge.jobs.look_at",
    "holdout": "evalgauge.jobs.holdout",
    "ledger_check": "evalgauge.jobs.ledger_files",
    "ledger_decide": "evalgauge.jobs.ledger_afterwards",
    "ledger_declare": "evalgauge.jobs.ledger_sets",
    "ledger_export": "evalgauge.jobs.ledger_files",
    "ledger_history": "evalgauge.jobs.ledger_cards",
    "ledger_import": "evalgauge.jobs.ledger_import",
    "ledger_init": "evalgauge.jobs.ledger_sets",
    "ledger_look": "evalgauge.jobs.ledger_looks",
    "ledger_merge": "evalgauge.jobs.ledger_files",
    "ledger_refresh": "evalgauge.jobs.ledger_refresh",
    "ledger_register": "evalgauge.jobs.ledger_sets",
    "ledger_reveal": "evalgauge.jobs.ledger_afterwards",
    "ledger_status": "evalgauge.jobs.ledger_cards",
    "ledger_void": "evalgauge.jobs.ledger_afterwards",
    "make_report": "evalgauge.jobs.report",
    "measure": "evalgauge.jobs.measure",
    "optimism_curve": "evalgauge.jobs.curves",
    "plan": "evalgauge.jobs.plan",
    "plan_design": "evalgauge.jobs.plan_design",
    "plan_reps": "evalgauge.jobs.plan_reps",
    "power_curve": "evalgauge.jobs.curves",
    "precision_curve": "evalgauge.jobs.curves",
    "rank": "evalgauge.jobs.rank",
    "read": "evalgauge.jobs.reading",
    "reuse": "evalgauge.jobs.reuse",
    "save_report": "evalgauge.report.page.save",
    "to_json": "evalgauge.report.json_text",
    "verify": "evalgauge.jobs.verify",
    "verify_gate": "evalgauge.jobs.verify_gate",
}


def __getattr__(name: str) -> object:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module 'evalgauge' has no attribute {name!r}; it has {', '.join(__all__)}")
    return getattr(import_module(home), name)


def __dir__() -> list[str]:
    return list(__all__)
