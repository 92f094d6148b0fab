"""Answers as lines of text: the verdict or the number in words first."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from collections.abc import Callable

    from evalgauge.questions.every import Answer
    from evalgauge.report.text.lines import Line

# By the verb of the question: one renderer is needed at a time, and each is imported when its question was asked.
RENDERERS = {
    "measure": ("measure", "measure_lines"),
    "compare": ("compare", "compare_lines"),
    "gate": ("gate", "gate_lines"),
    "gate_check": ("gate_check", "check_lines"),
    "bless": ("bless", "bless_lines"),
    "convert": ("convert", "convert_lines"),
    "look_at": ("look_at", "look_at_lines"),
    "plan": ("plan", "plan_lines"),
    "plan_design": ("plan_design", "design_lines"),
    "plan_reps": ("plan_reps", "reps_lines"),
    "reuse": ("reuse", "reuse_lines"),
    "best_of": ("best_of", "best_of_lines"),
    "rank": ("rank", "rank_lines"),
    "report": ("report", "report_lines"),
    "verify": ("verify", "verify_lines"),
    "verify_gate": ("verify_gate", "verify_gate_lines"),
    "holdout": ("holdout", "holdout_lines"),
    "ledger_check": ("ledger_sets", "check_lines"),
    "ledger_decide": ("ledger_looks", "decide_lines"),
    "ledger_declare": ("ledger_sets", "declare_lines"),
    "ledger_export": ("ledger_sets", "export_lines"),
    "ledger_history": ("ledger_cards", "history_lines"),
    "ledger_import": ("ledger_looks", "import_lines"),
    "ledger_init": ("ledger_sets", "init_lines"),
    "ledger_look": ("ledger_looks", "look_lines"),
    "ledger_merge": ("ledger_sets", "merge_lines"),
    "ledger_refresh": ("ledger_looks", "refresh_lines"),
    "ledger_register": ("ledger_sets", "register_lines"),
    "ledger_reveal": ("ledger_looks", "reveal_lines"),
    "ledger_status": ("ledger_cards", "status_lines"),
    "ledger_void": ("ledger_looks", "void_lines"),
}


def answer_lines(answer: Answer) -> list[Line]:
    """Return the lines that answer a question on a terminal."""
    module, name = RENDERERS[answer.verb]
    renderer = getattr(import_module(f"{__name__}.{module}"), name)
    return cast("Callable[[Answer], list[Line]]", renderer)(answer)
