"""``evalgauge plot KIND``: the chart of an answer, as a picture, a specification or its numbers."""

from __future__ import annotations

import sys
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated, Any, Literal

from cyclopts import App, Parameter

from evalgauge.cli.output import OutputOptions, asked, request_of
from evalgauge.questions.compare import CompareOptions, CompareRequest
from evalgauge.questions.ledger_cards import HistoryRequest
from evalgauge.questions.ledger_parts import LedgerOptions
from evalgauge.questions.measure import MeasureOptions, MeasureRequest
from evalgauge.questions.plan import PlanOptions, PlanRequest
from evalgauge.questions.plan_reps import PlanRepsOptions, PlanRepsRequest
from evalgauge.questions.rank import RankOptions, RankRequest
from evalgauge.questions.reuse import ReuseOptions, ReuseRequest
from evalgauge.questions.units import Names

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from evalgauge.questions.every import Request
    from evalgauge.questions.parts import LedgerNote

plot = App(name="plot", help="Draw the answer to a question as SVG, PNG or PDF, with the numbers behind it as CSV.")


@dataclass(frozen=True, slots=True, kw_only=True)
class PictureOptions:
    """What to make of the chart.

    Attributes
    ----------
    output
        File to write: .svg, .png, .pdf, .json (Vega-Lite) or .csv (the numbers behind it). Left out: the numbers are
        printed.
    theme
        Colours of a picture: light or dark.
    overwrite
        Replace the output file if it exists.
    """

    output: Annotated[str | None, Parameter(name=["--output", "-o"])] = None
    theme: Literal["light", "dark"] = "light"
    overwrite: bool = False


PICTURE, OUTPUT = PictureOptions(), OutputOptions()
Picture = Annotated[PictureOptions, Parameter(name="*")]
Output = Annotated[OutputOptions, Parameter(name="*")]
MEASURE, COMPARE, RANK, LEDGER = MeasureOptions(), CompareOptions(), RankOptions(), LedgerOptions()
PLAN, REPS, REUSE = PlanOptions(), PlanRepsOptions(), ReuseOptions()


@plot.command
def arms(
    *logs: str,
    options: Annotated[MeasureOptions, Parameter(name="*")] = MEASURE,
    picture: Picture = PICTURE,
    output: Output = OUTPUT,
) -> int:
    """Draw the scores of all arms with their intervals; one arm with its slices.

    Example: evalgauge plot arms base.eval candidate.eval -o arms.svg

    Parameters
    ----------
    logs
        Logs, tables or folders; or counts such as 47/50.
    """
    return _scores("arms", request_of(MeasureRequest, options, logs), picture, output)


@plot.command
def variance(
    *logs: str,
    options: Annotated[MeasureOptions, Parameter(name="*")] = MEASURE,
    picture: Picture = PICTURE,
    output: Output = OUTPUT,
) -> int:
    """Draw where the variance of each score comes from: cases, or noise between runs that more reps can remove.

    Example: evalgauge plot variance run.eval -o variance.svg

    Parameters
    ----------
    logs
        Logs, tables or folders, with several runs a case.
    """
    return _scores("variance", request_of(MeasureRequest, options, logs), picture, output)


@plot.command
def differences(
    *logs: str,
    options: Annotated[CompareOptions, Parameter(name="*")] = COMPARE,
    picture: Picture = PICTURE,
    output: Output = OUTPUT,
) -> int:
    """Draw how candidates differ from a baseline, with the margin.

    Example: evalgauge plot differences base.eval a.eval b.eval --margin 2pp -o differences.svg

    Parameters
    ----------
    logs
        Baseline first, then candidates; or one log that holds all arms, with --arms base,a,b.
    """
    request = request_of(CompareRequest, options, logs)
    if len(request.logs) == 1 and len(request.arms) > 2:
        base = request.arms[0]
        requests = [replace(request, arms=Names((base, arm))) for arm in request.arms[1:]]
    elif len(request.logs) > 2:
        requests = [replace(request, logs=(request.logs[0], log)) for log in request.logs[1:]]
    else:
        requests = [request]
    if output.show_code:
        return _show_code("differences", requests, picture)
    from evalgauge.jobs.compare import compare_answer  # noqa: PLC0415 - numbers are loaded when there is work

    return _draw("differences", [compare_answer(one) for one in requests], requests[0], picture, output)


@plot.command
def flips(
    *logs: str,
    options: Annotated[CompareOptions, Parameter(name="*")] = COMPARE,
    picture: Picture = PICTURE,
    output: Output = OUTPUT,
) -> int:
    """Draw the cases whose score changed, lost ones first.

    Example: evalgauge plot flips base.eval candidate.eval -o flips.svg

    Parameters
    ----------
    logs
        Baseline, then candidate.
    """
    request = request_of(CompareRequest, options, logs)
    return _one("flips", request, picture, output, "compare", "compare_answer")


@plot.command
def leaderboard(
    *logs: str,
    options: Annotated[RankOptions, Parameter(name="*")] = RANK,
    picture: Picture = PICTURE,
    output: Output = OUTPUT,
) -> int:
    """Draw the ranks that each arm may have, with tied groups.

    Example: evalgauge plot leaderboard a.eval b.eval c.eval -o leaderboard.svg

    Parameters
    ----------
    logs
        Logs, tables or folders; every arm in them is ranked.
    """
    return _one("leaderboard", request_of(RankRequest, options, logs), picture, output, "rank", "rank_answer")


@plot.command
def reps(
    *logs: str,
    options: Annotated[PlanRepsOptions, Parameter(name="*")] = REPS,
    picture: Picture = PICTURE,
    output: Output = OUTPUT,
) -> int:
    """Draw the half-width of the interval by cases and reps.

    Example: evalgauge plot reps run.eval -o reps.svg

    Parameters
    ----------
    logs
        A pilot log to take the spread from, or two of the same cases for a change.
    """
    return _one("reps", request_of(PlanRepsRequest, options, logs), picture, output, "plan_reps", "reps_answer")


@plot.command
def precision(
    *,
    options: Annotated[PlanOptions, Parameter(name="*")] = PLAN,
    picture: Picture = PICTURE,
    output: Output = OUTPUT,
) -> int:
    """Draw how wide the interval is by number of cases, with the margin and the set you own.

    Example: evalgauge plot precision --rate 90% --margin 5pp --own 100 -o precision.svg
    """
    return _curve("precision", asked(PlanRequest, options), picture, output, "plan", "plan_answer")


@plot.command
def power(
    *,
    options: Annotated[PlanOptions, Parameter(name="*")] = PLAN,
    picture: Picture = PICTURE,
    output: Output = OUTPUT,
) -> int:
    """Draw the chance to show a change by number of cases, for each design.

    Example: evalgauge plot power --rate 90% --drop 5pp -o power.svg
    """
    return _curve("power", asked(PlanRequest, options), picture, output, "plan", "plan_answer")


@plot.command
def optimism(
    *logs: str,
    options: Annotated[ReuseOptions, Parameter(name="*")] = REUSE,
    picture: Picture = PICTURE,
    output: Output = OUTPUT,
) -> int:
    """Draw by how much the best of k looks flatters, with the budget of looks.

    Example: evalgauge plot optimism --cases 1000 --rate 80% --looks 10 -o optimism.svg

    Parameters
    ----------
    logs
        The log of the chosen candidate, or its count such as 258/300; none with --cases and --rate.
    """
    return _curve("optimism", request_of(ReuseRequest, options, logs), picture, output, "reuse", "reuse_answer")


@plot.command
def wear(
    *names: str,
    options: Annotated[LedgerOptions, Parameter(name="*")] = LEDGER,
    picture: Picture = PICTURE,
    output: Output = OUTPUT,
) -> int:
    """Draw how a registered set wore with each look.

    Example: evalgauge plot wear support -o wear.svg

    Parameters
    ----------
    names
        The set.
    """
    request = asked(HistoryRequest, options, names=names)
    return _one("wear", request, picture, output, "ledger_cards", "history_answer")


def _scores(kind: str, request: MeasureRequest, picture: PictureOptions, output: OutputOptions) -> int:
    if output.show_code:
        from evalgauge.cli.measure import questions  # noqa: PLC0415 - only this option looks into the logs for it

        return _show_code(kind, list(questions(request)), picture)
    from evalgauge.jobs.measure import measure_each  # noqa: PLC0415 - numbers are loaded when there is work

    return _draw(kind, measure_each(request), request, picture, output)


def _one(kind: str, request: Request, picture: PictureOptions, output: OutputOptions, home: str, job: str) -> int:
    if output.show_code:
        return _show_code(kind, [request], picture)
    return _draw(kind, [_job(home, job)(request)], request, picture, output)


def _curve(kind: str, request: Request, picture: PictureOptions, output: OutputOptions, home: str, job: str) -> int:
    if output.show_code:
        return _show_code(kind, [request], picture, through=f"eg.{kind}_curve")
    answer = _job(home, job)(request)
    curve = _job("curves", f"{kind}_curve")(answer)
    return _draw(kind, [curve], request, picture, output, looks=[answer.ledger])


def _job(home: str, name: str) -> Callable[[Any], Any]:
    from importlib import import_module  # noqa: PLC0415 - numbers are loaded when there is work

    job: Callable[[Any], Any] = getattr(import_module(f"evalgauge.jobs.{home}"), name)
    return job


def _draw(
    kind: str,
    answers: Sequence[Any],
    request: Request,
    picture: PictureOptions,
    output: OutputOptions,
    *,
    looks: Sequence[LedgerNote | None] | None = None,
) -> int:
    from evalgauge.report.charts.every import chart  # noqa: PLC0415 - loaded when there is something to draw
    from evalgauge.report.charts.told import chart_json, chart_lines  # noqa: PLC0415 - same
    from evalgauge.report.command_line import command_of  # noqa: PLC0415 - same

    made = chart(*answers, kind=kind)
    noted = [getattr(one, "ledger", None) for one in answers] if looks is None else looks
    if picture.output is not None:
        made.save(picture.output, theme=picture.theme, overwrite=picture.overwrite)
    if output.json:
        is_unicode = (sys.stdout.encoding or "").lower().startswith("utf")
        sys.stdout.write(chart_json(made, picture.output, noted, ascii_only=not is_unicode) + "\n")
        return 0
    from evalgauge.report.terminal import print_lines  # noqa: PLC0415 - one renderer is needed at a time

    print_lines(chart_lines(made, picture.output, command_of(request), noted))
    return 0


def _show_code(kind: str, requests: list[Any], picture: PictureOptions, *, through: str = "") -> int:
    from evalgauge.report.code import call_of  # noqa: PLC0415 - only this option needs it

    calls = [f"{through}({call_of(one)})" if through else call_of(one) for one in requests]
    said = f', kind="{kind}"' if kind in {"variance", "flips"} else ""
    made = f"eg.chart({', '.join(calls)}{said})"
    if picture.output is None:
        sys.stdout.write(f"import evalgauge as eg\n\nprint({made}.csv())\n")
        return 0
    more = ""
    if picture.theme != "light":
        more += f', theme="{picture.theme}"'
    if picture.overwrite:
        more += ", overwrite=True"
    sys.stdout.write(f"import evalgauge as eg\n\nprint({made}.save({picture.output!r}{more}))\n")
    return 0
