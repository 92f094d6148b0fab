"""Answers about a ledger and its sets as text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evalgauge.questions.ledger_parts import DISPLAY_WORDS
from evalgauge.report.command_line import log_words
from evalgauge.report.next_ledger import (
    after_check,
    after_declare,
    after_init,
    after_merge,
    after_register,
    in_ledger,
)
from evalgauge.report.text.ledger_cards import rules_out
from evalgauge.report.text.lines import Line
from evalgauge.report.words import count, level, percent

if TYPE_CHECKING:
    from evalgauge.questions.ledger_sets import (
        CheckAnswer,
        DeclareAnswer,
        ExportAnswer,
        InitAnswer,
        MergeAnswer,
        RegisterAnswer,
    )

FAULTS_SHOWN = 10


def init_lines(answer: InitAnswer) -> list[Line]:
    """Return where the new ledger is and how to share it."""
    lines = [
        Line(f"New ledger: {answer.place}", "headline"),
        Line("  It keeps hashes of cases, never their texts. From now on commands in this folder and below find it."),
        Line(
            "  A team shares it by PostgreSQL (EVALGAUGE_LEDGER=postgresql://…), or by ledger export and ledger merge."
        ),
    ]
    return [*lines, Line(f"  Next: {after_init(answer.request)}", "command")]


def register_lines(answer: RegisterAnswer) -> list[Line]:
    """Return what was registered and by what it will be known again."""
    lines = [Line(f"Registered {answer.name}: {count(answer.n_cases, 'case')}", "headline")]
    if answer.identity == "content":
        known = "by what its cases ask: under another name, order or prompt template, and in part"
        lines.append(Line(f"  Known again {known}."))
    elif answer.is_generic:
        lines.append(
            Line(
                "  The log holds no texts, and its ids are mere numbers, which name any set: it is known again only "
                "under the same task name, or where a look says --set.",
                "warning",
            )
        )
    else:
        lines.append(
            Line("  The log holds no texts: known again by the ids of its cases, and lost if they change.", "warning")
        )
    lines += [Line(f"  Shares cases with: {one}", "warning") for one in answer.related]
    lines.append(Line("  Every command that shows a score of it now records the look, and says so (--no-ledger: not)."))
    lines += [Line(f"  Reader: {problem}", "warning") for problem in answer.problems]
    return [*lines, Line(f"  Next: {after_register(answer)}", "command")]


def declare_lines(answer: DeclareAnswer) -> list[Line]:
    """Return the promise and what each look may claim."""
    promise = answer.promise
    if promise.looks is None:
        head = f"Declared for {answer.name}: an open number of looks"
    else:
        ships = "1 pass" if promise.ships == 1 else f"{promise.ships or 1:,} passes"
        head = f"Declared for {answer.name}: at most {count(promise.looks, 'look')}; retires at {ships}"
    lines = [Line(head, "headline")]
    if promise.display is not None:
        step = "" if promise.step is None else f" in steps of {100 * promise.step:g} points"
        lines.append(
            Line(f"  A look shows {DISPLAY_WORDS[promise.display]}{step} at most; commands that show more are refused.")
        )
    if answer.look_confidence is not None and answer.z is not None:
        which = "The first look" if promise.looks is None else "Each look"
        lines.append(
            Line(
                f"  {which} claims at {level(answer.look_confidence)} ({answer.z:.2f} standard errors), so that "
                f"all claims together hold at {percent(promise.confidence)}."
            )
        )
        lines.append(Line(f"  {rules_out(answer.n_cases, answer.least_drop)}"))
    lines.append(Line(f"  Optimism of up to {100 * promise.tolerance:g} points is fine."))
    return [*lines, Line(f"  Next: {after_declare(answer)}", "command")]


def check_lines(answer: CheckAnswer) -> list[Line]:
    """Return whether the ledger is whole, and what is not."""
    if answer.is_whole:
        held = f"{count(answer.events, 'event')}, {count(answer.parts, 'part')}"
        lines = [
            Line(f"WHOLE: every hash and link of {answer.place} holds ({held})", "good"),
            Line(f"  Head: {answer.head}"),
            Line("  Note the head elsewhere, such as in a commit: only so does it show if the end is cut off."),
        ]
    else:
        lines = [Line(f"BROKEN: {answer.place} was changed or damaged", "bad")]
        lines += [Line(f"  {one.where}: {one.what}", "warning") for one in answer.broken[:FAULTS_SHOWN]]
        if len(answer.broken) > FAULTS_SHOWN:
            lines.append(Line(f"  … {len(answer.broken) - FAULTS_SHOWN:,} more (--json has all)"))
        lines.append(Line("  Restore the last good copy or export, and merge the exports of others into it."))
    return [*lines, Line(f"  Next: {after_check(answer)}", "command")]


def export_lines(answer: ExportAnswer) -> list[Line]:
    """Return what was written."""
    held = f"{count(answer.events, 'event')}, {count(answer.parts, 'part')}"
    return [
        Line(f"Wrote {answer.output}: {held}, head {answer.head}", "headline"),
        Line("  It holds hashes, names and results (those that are sealed stay so), and no text of any case."),
        Line(
            f"  Next: {in_ledger('merge', *log_words([answer.output]), ledger=None)}   (in another copy)",
            "command",
        ),
    ]


def merge_lines(answer: MergeAnswer) -> list[Line]:
    """Return what was taken in."""
    if answer.kind == "nothing":
        lines = [Line(f"Nothing new: all {count(answer.known, 'event')} were in {answer.place} already", "headline")]
    else:
        made = "New ledger" if answer.is_new else "Taken into"
        lines = [
            Line(
                f"{made} {answer.place}: {count(answer.added, 'event')} new, {answer.known:,} known before", "headline"
            )
        ]
    if answer.kind == "joined":
        lines.append(Line("  Both copies had gone on; one event now follows both, and nothing was lost."))
    for name in answer.side_by_side:
        lines.append(
            Line(
                f"  {name} was looked at in both copies apart from each other: each spent its error on its own.",
                "warning",
            )
        )
    lines.append(Line(f"  Head: {answer.head}"))
    return [*lines, Line(f"  Next: {after_merge(answer)}", "command")]
