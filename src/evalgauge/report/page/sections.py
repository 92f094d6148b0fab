"""The parts of a report, in the order in which they are read: what each says, draws and lists."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import groupby
from typing import TYPE_CHECKING

from evalgauge.report.charts.arms import arm_name
from evalgauge.report.charts.chart import PERCENT_SCALE, Column
from evalgauge.report.charts.every import chart
from evalgauge.report.charts.flips import COLUMNS as FLIP_COLUMNS
from evalgauge.report.command_line import command_of
from evalgauge.report.page.sources import sources_of
from evalgauge.report.text import answer_lines
from evalgauge.report.text.compare import headline
from evalgauge.report.text.ledger_cards import card_lines
from evalgauge.report.text.lines import Line
from evalgauge.report.text.rank import headline as rank_headline
from evalgauge.report.visible import visible
from evalgauge.report.words import Scale, count, percent

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evalgauge.questions.compare import CompareAnswer, CompareRequest
    from evalgauge.questions.every import Answer
    from evalgauge.questions.measure import MeasureAnswer, MeasureRequest
    from evalgauge.questions.rank import RankRequest
    from evalgauge.questions.report import ReportAnswer
    from evalgauge.report.charts.chart import Chart, Row

MOST_FLIPS, MOST_FLIPS_OF_MANY = 40, 10
"""Changed cases that are listed, of one candidate and of each of many."""
MOST_TOLD = 5
"""Arms whose scores are told one by one; of more, the picture and its table say enough."""
_MISSING = (
    Column("arm", "Arm"),
    Column("planned", "Planned runs", "count"),
    Column("scored", "Scored", "count"),
    Column("errored", "Without a score", "count"),
    Column("why", "Why"),
)
CLASSES = {"good": "good", "bad": "bad", "warning": "open"}
"""How a page calls the tones of lines."""
# Lines that stand this far in are rows of a table, in columns.
_TABLE_INDENT = "    "
# What stands on its own in a report: the picture is a chart, and the next command is in the last part.
_NOT_HERE = frozenset({"picture", "command"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """Rows of numbers.

    Attributes
    ----------
    title
        What they are.
    columns, rows
        As those of a chart.
    rest
        How many rows are left out.
    scale
        How scores are written.
    """

    title: str
    columns: tuple[Column, ...]
    rows: tuple[Row, ...]
    rest: int = 0
    scale: Scale = PERCENT_SCALE


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """One part of a report.

    Attributes
    ----------
    title
        Its heading.
    lines
        What it says.
    chart
        What it draws.
    tables
        What it lists.
    parts
        Parts of it, one an arm.
    commands
        Command lines to run.
    """

    title: str
    lines: tuple[Line, ...] = ()
    chart: Chart | None = None
    tables: tuple[Table, ...] = ()
    parts: tuple[Part, ...] = ()
    commands: tuple[str, ...] = ()


def parts_of(answer: ReportAnswer) -> list[Part]:
    """Return the parts of a report, the verdict first."""
    return [
        *_verdict(answer),
        *_differences(answer),
        *_scores(answer),
        *_ranks(answer),
        *_variance(answer),
        *_missing(answer),
        *_wear(answer),
        _method(answer),
        _again(answer),
    ]


def verdict_lines(answer: ReportAnswer) -> list[Line]:
    """Return the verdict of every comparison, or else what the score is; the first words of a report."""
    if not answer.comparisons:
        return [answer_lines(one)[0] for one in answer.scores]
    lines = [_named(one) for one in answer.comparisons]
    return lines if answer.ranking is None else [rank_headline(answer.ranking), *lines]


def _named(one: CompareAnswer) -> Line:
    found = headline(one, Scale(one.range))
    return replace(found, text=f"{one.candidate.source.arm} against {one.baseline.source.arm}: {found.text}")


def _said(answer: Answer, *, skip: int = 0) -> tuple[Line, ...]:
    return tuple(line for line in answer_lines(answer)[skip:] if line.tone not in _NOT_HERE)


def _verdict(answer: ReportAnswer) -> list[Part]:
    if len(answer.comparisons) < 2 and answer.ranking is None:
        return []
    return [Part(title="Verdicts", lines=tuple(verdict_lines(answer)))]


def _differences(answer: ReportAnswer) -> list[Part]:
    if not answer.comparisons:
        return []
    # The heading of the report is the verdict of a single comparison already.
    skip = 1 if len(answer.comparisons) == 1 else 0
    most = MOST_FLIPS if len(answer.comparisons) < MOST_TOLD else MOST_FLIPS_OF_MANY
    parts = tuple(
        Part(title=one.candidate.source.arm, lines=_said(one, skip=skip), tables=_flips(one, most))
        for one in answer.comparisons
    )
    title = f"Against {answer.comparisons[0].baseline.source.arm}"
    return [Part(title=title, chart=chart(*answer.comparisons, kind="differences"), parts=parts)]


def _flips(one: CompareAnswer, most: int) -> tuple[Table, ...]:
    if not one.flips:
        return ()
    rows: tuple[Row, ...] = tuple(
        {"case": flip.case, "baseline": flip.baseline, "candidate": flip.candidate, "change": flip.change}
        for flip in one.flips[:most]
    )
    title = f"Changed cases: {one.losses or 0:,} lost, {one.wins or 0:,} won"
    return (
        Table(title=title, columns=FLIP_COLUMNS, rows=rows, rest=max(0, len(one.flips) - most), scale=Scale(one.range)),
    )


def _scores(answer: ReportAnswer) -> list[Part]:
    several = len(answer.scores) > 1
    drawn = chart(*answer.scores, kind="arms") if several or answer.scores[0].slices else chart(answer.scores[0])
    told = answer.scores if len(answer.scores) <= MOST_TOLD else answer.scores[:1]
    parts = tuple(Part(title=arm_name(one), lines=_said(one)) for one in told)
    return [Part(title="Scores" if several else "The score", chart=drawn, parts=parts)]


def _ranks(answer: ReportAnswer) -> list[Part]:
    if answer.ranking is None:
        return []
    return [Part(title="Ranks", lines=_said(answer.ranking), chart=chart(answer.ranking))]


def _variance(answer: ReportAnswer) -> list[Part]:
    with_reps = [one for one in answer.scores if one.components is not None]
    if not with_reps:
        return []
    return [Part(title="More cases or more reps", chart=chart(*with_reps, kind="variance"))]


def _missing(answer: ReportAnswer) -> list[Part]:
    if not any(one.errored for one in answer.scores):
        return [Part(title="Missing runs", lines=(Line("Every planned run has a score."),))]
    rows = tuple(_counts(one) for one in answer.scores)
    return [Part(title="Missing runs", tables=(Table(title="Runs by arm", columns=_MISSING, rows=rows),))]


def _counts(one: MeasureAnswer) -> Row:
    others = ", ".join(f"{n:,} {status}" for status, n in one.counts.by_status.items() if status != "ok")
    return {
        "arm": arm_name(one),
        "planned": one.planned,
        "scored": one.scored,
        "errored": one.errored,
        "why": others,
    }


def _wear(answer: ReportAnswer) -> list[Part]:
    if answer.card is None:
        return []
    lines = tuple(line for line in card_lines(answer.card) if line.tone not in _NOT_HERE)
    drawn = None if answer.history is None else chart(answer.history)
    return [Part(title="How worn the holdout is", lines=lines, chart=drawn)]


def _method(answer: ReportAnswer) -> Part:
    first = answer.scores[0]
    level = percent(first.confidence)
    lines = [
        f"Intervals are two-sided at {level}, each on its own; ranks and slices say where they hold together.",
        (
            "Cases stand for new cases like these, drawn independently (or by the named clusters); reps of a case are "
            "averaged inside it and never counted as cases."
        ),
        "Missing runs: " + _MISSING_WORDS[first.missing],
    ]
    if answer.comparisons:
        lines.append(
            "Arms are compared on the cases that both have, matched by content, then near match, then id. A verdict of "
            "no worse or equivalent rests on the guarded interval, better and worse on the plain one."
        )
    if len(answer.comparisons) > 1:
        lines.append(
            f"{count(len(answer.comparisons), 'comparison')} are each made at {level}: with so many, one may be wrong "
            "by chance. The ranks hold for all arms at once."
        )
    return Part(title="Method", lines=tuple(Line(line) for line in (*lines, f"Sources: {sources_of(answer)}.")))


_MISSING_WORDS = {
    "bounds": "intervals span what they could have been, all failed to all passed.",
    "fail": "they count as failed.",
    "drop": "they are left out, which is true only if they are missing by chance.",
}


def _again(answer: ReportAnswer) -> Part:
    columns = answer.request.columns
    asked: list[MeasureRequest | CompareRequest | RankRequest] = [answer.scores[0].request]
    asked += [one.request for one in answer.comparisons]
    if answer.ranking is not None:
        asked.append(answer.ranking.request)
    commands = dict.fromkeys(command_of(replace(one, columns=columns)) for one in asked)
    report = f"{command_of(answer.request)} -o report.html"
    return Part(title="Run it again", commands=(report, *commands))


def blocks(lines: Sequence[Line]) -> list[tuple[str, list[str]]]:
    """Return lines as paragraphs of a tone, and rows of a table together.

    Examples
    --------
    >>> from evalgauge.report.text.lines import Line
    >>> blocks([Line("  a  b", narrow="a, b"), Line("  1  2", narrow="1, 2"), Line("Done", "good")])
    [('rows', ['a  b', '1  2']), ('good', ['Done'])]
    """
    found: list[tuple[str, list[str]]] = []
    for is_row, several in groupby(lines, lambda line: line.narrow is not None or line.text.startswith(_TABLE_INDENT)):
        texts = [(line, visible(line.text.removeprefix("  ").rstrip())) for line in several]
        if is_row:
            found.append(("rows", [text for _, text in texts]))
        else:
            found += [(CLASSES.get(line.tone, line.tone), [text]) for line, text in texts]
    return found
