"""Answers about looks as text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evalgauge.questions.ledger_parts import DISPLAY_WORDS
from evalgauge.report.next_ledger import after_import, after_look, after_refresh, status_of
from evalgauge.report.text.lines import Line
from evalgauge.report.words import count, listed, percent

if TYPE_CHECKING:
    from evalgauge.questions.ledger_afterwards import DecideAnswer, RevealAnswer, RevealedScore, VoidAnswer
    from evalgauge.questions.ledger_looks import ImportAnswer, LookAnswer, RefreshAnswer
    from evalgauge.questions.parts import LedgerNote

IDS_SHOWN = 12


def note_lines(note: LedgerNote | None) -> list[Line]:
    """Return the line that stands beside any answer whose scores the ledger knows of."""
    if note is None:
        return []
    if note.state == "off":
        return [Line("  Ledger: this look is NOT recorded (--no-ledger)", "warning")]
    if note.state == "contains":
        text = f"  Ledger: not recorded; the log holds all cases of {note.set_name}, but most of its cases are others"
        return [Line(text, "warning")]
    known = f"; the set was known again {note.known_as}" if note.known_as else ""
    if note.state == "known":
        return [Line(f"  Ledger: no new look at {note.set_name}, this was shown before (look {note.look}){known}")]
    looks = looks_words(note.looks, note.left)
    if note.declared is not None:
        looks = f"{note.place:,} of {count(note.declared, 'look')} declared"
    shown = f"{DISPLAY_WORDS[note.display]} shown; {looks}"
    return [Line(f"  Ledger: look {note.look} at {note.set_name} recorded ({shown}){known}")]


def looks_words(looks: int, left: int | None) -> str:
    """Return how many looks count and how many are left."""
    rest = "no limit at this tolerance" if left is None else f"{left:,} left"
    return f"{count(looks, 'look')} so far, {rest}"


def look_lines(answer: LookAnswer) -> list[Line]:
    """Return the look, and its score where it is shown."""
    if answer.score is None:
        shown = "score sealed"
    elif answer.step is not None:
        shown = f"{100 * answer.score:.4g} % in steps of {100 * answer.step:g} points"
    else:
        shown = f"{100 * answer.score:.1f} %"
    head = "Recorded" if answer.is_new else "No new look, these results were shown before"
    lines = [Line(f"{head}: {answer.label} on {answer.set_name}, {shown} (look {answer.look})", "headline")]
    if answer.is_rep:
        lines.append(Line("  It is a further rep, or attempt, of a look before it, and counts as no look of its own."))
    if answer.known_as:
        lines.append(Line(f"  The set was known again {answer.known_as}."))
    lines.append(
        Line(
            f"  {answer.n_scored:,} of {count(answer.n_cases, 'case')} scored; {looks_words(answer.looks, answer.left)}"
        )
    )
    lines += [Line(f"  Reader: {problem}", "warning") for problem in answer.problems]
    return [*lines, Line(f"  Next: {after_look(answer)}", "command")]


def import_lines(answer: ImportAnswer) -> list[Line]:
    """Return what came from the old logs, by set."""
    lines = [
        Line(f"{count(answer.added, 'look')} imported; {answer.known:,} more were in the ledger already", "headline")
    ]
    for one in answer.sets:
        if one.is_registered:
            lines.append(Line(f"  {one.name}: {count(one.added, 'look')} new, {one.known:,} known"))
        else:
            runs = count(one.added, "run")
            lines.append(
                Line(
                    f"  {one.name}: {runs} not imported, the set is not registered ({one.example}; or --register)",
                    "warning",
                )
            )
    lines += [Line(f"  Not read: {problem}", "warning") for problem in answer.unread[:IDS_SHOWN]]
    if len(answer.unread) > IDS_SHOWN:
        lines.append(Line(f"  … {len(answer.unread) - IDS_SHOWN:,} more (--json has all)", "warning"))
    return [*lines, Line(f"  Next: {after_import(answer)}", "command")]


def decide_lines(answer: DecideAnswer) -> list[Line]:
    """Return the decision."""
    return [
        Line(f"Recorded: {answer.decision} {answer.label} (look {answer.look} at {answer.set_name})", "headline"),
        Line(f"  Next: {status_of(answer.set_name, answer.request)}", "command"),
    ]


def reveal_lines(answer: RevealAnswer) -> list[Line]:
    """Return the scores with what still holds of them."""
    lines: list[Line] = []
    for one in answer.scores:
        lines += _revealed(one)
    lines.append(
        Line(
            f"  Showing a sealed score is a look that shows an exact score: {looks_words(answer.looks, answer.left)}.",
            "quiet",
        )
    )
    return [*lines, Line(f"  Next: {status_of(answer.set_name, answer.request)}", "command")]


def _revealed(one: RevealedScore) -> list[Line]:
    before = "" if one.was_sealed else ", shown before"
    lines = [
        Line(
            f"{one.label}: {100 * one.score:.1f} % of {count(one.n_scored, 'case')} (look {one.look}{before})",
            "headline",
        )
    ]
    if one.low is not None and one.high is not None:
        lines.append(
            Line(
                f"  A single look would claim {100 * one.low:.1f} to {100 * one.high:.1f} % "
                f"({percent(one.confidence)} interval)"
            )
        )
    if one.certified_low is not None:
        lines.append(
            Line(
                f"  Certain after all that was shown before it: {100 * one.certified_low:.1f} % or above "
                f"({percent(one.confidence)} over all looks, Clopper-Pearson)"
            )
        )
    return lines


def void_lines(answer: VoidAnswer) -> list[Line]:
    """Return what no longer counts."""
    lines = [
        Line(f"Void: {answer.what} of {answer.set_name}", "headline"),
        Line(f"  Reason on record: {answer.reason}"),
    ]
    if answer.was_shown:
        lines.append(
            Line(
                "  It no longer counts as wear. What was shown cannot be unseen, so claims still pay for it.", "warning"
            )
        )
    return [*lines, Line(f"  Next: {status_of(answer.set_name, answer.request)}", "command")]


def refresh_lines(answer: RefreshAnswer) -> list[Line]:
    """Return the cases that go, or what the refresh bought."""
    rest = "looks are no problem then" if answer.left is None else f"{answer.left:,} left"
    before = f"{answer.spent_before:.3g}"
    wear = f"{before} {'look counts' if before == '1' else 'looks count'} as {answer.spent_after:.3g}"
    if answer.step == "done":
        return [
            Line(
                f"Refreshed {answer.set_name}: {count(answer.n_added, 'new case')} of {answer.n_cases:,} "
                f"({100 * answer.share:.3g} %)",
                "headline",
            ),
            Line(f"  {wear}, {rest}, once the incumbent is scored again on the refreshed set."),
            *(
                []
                if answer.share == 1
                else [Line("  Claims still pay for all looks, because some of the cases were seen by them.", "quiet")]
            ),
            Line(f"  Next: {after_refresh(answer)}", "command"),
        ]
    lines = [
        Line(
            f"Replace {count(answer.n_retired, 'case')} of {answer.n_cases:,} of {answer.set_name}, drawn by seed "
            f"{answer.seed}",
            "headline",
        )
    ]
    file = answer.request.output
    where = f"written to {file}" if file else "-o FILE writes all"
    lines += [
        Line(f"  They go: {listed(answer.retired, IDS_SHOWN)} ({where})"),
        Line(f"  With as many new ones {wear}, {rest}."),
        Line("  Only exactly these: picked cases, such as those that the winner failed, bring the bias back.", "quiet"),
        Line(f"  Next: {after_refresh(answer)}", "command"),
    ]
    return lines
