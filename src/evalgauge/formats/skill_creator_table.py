"""Gradings of skill-creator as a ``ScoreTable``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from evalgauge.formats.score_words import MISSING, Reading, score_reading
from evalgauge.formats.wording import counted
from evalgauge.scores.build import TableBuilder
from evalgauge.scores.table import CaseContent, Run, Status

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evalgauge.scores.table import Problem, ScoreTable


class Expectation(msgspec.Struct):
    """One thing that was expected of an output."""

    passed: Any = None
    text: Any = None


class Summary(msgspec.Struct):
    """Counts of a grading; the rate is rounded, and 0 where the grader wrote no counts."""

    passed: float | None = None
    total: float | None = None
    pass_rate: float | None = None


class Grading(msgspec.Struct):
    """The grading of one run."""

    expectations: list[Expectation] | None = None
    summary: Summary | None = None


class EvalInfo(msgspec.Struct):
    """What was asked."""

    eval_id: int | str | None = None
    eval_name: str | None = None
    prompt: Any = None


class BenchmarkRun(msgspec.Struct):
    """One run in a benchmark."""

    eval_id: int | str
    configuration: str
    run_number: int = 1
    eval_name: str | None = None
    result: Summary | None = None
    expectations: list[Expectation] | None = None


class Metadata(msgspec.Struct):
    """What was run; the aggregation script leaves placeholders in angle brackets."""

    skill_name: str | None = None
    executor_model: str | None = None
    timestamp: str | None = None


class Benchmark(msgspec.Struct):
    """``benchmark.json``, without its summary, which pools runs and evals."""

    metadata: Metadata = msgspec.field(default_factory=Metadata)
    runs: list[BenchmarkRun] = []

    def gradings(self) -> list[Graded]:
        """Return its runs as gradings."""
        return [
            Graded(
                eval_id=str(one.eval_id),
                configuration=one.configuration,
                run_number=one.run_number,
                has_run_folder=False,
                grading=Grading(expectations=one.expectations, summary=one.result),
                info=EvalInfo(eval_name=one.eval_name),
            )
            for one in self.runs
        ]


class Graded(NamedTuple):
    """One run of one eval in one configuration; without a grading where its folder holds none."""

    eval_id: str
    configuration: str
    run_number: int
    has_run_folder: bool
    grading: Grading | None
    info: EvalInfo


def table_of_gradings(
    gradings: Sequence[Graded], metadata: Metadata, *, file: str, of: str, problems: Sequence[Problem]
) -> ScoreTable:
    """Return the table of one benchmark.

    Parameters
    ----------
    gradings
        At least one.
    metadata
        What the benchmark says about itself.
    file
        Its file or folder.
    of
        Which benchmark it is where several are read: it becomes part of the arms' names, since the skill may differ.
    problems
        What was met while reading.
    """
    builder = TableBuilder()
    for problem in problems:
        builder.problem(problem.text, file=problem.file)
    metric = builder.metric_index("pass_rate", low=0.0, high=1.0, higher_is_better=True)
    # The last of two runs with one number counts, as in the folder that one of them would have overwritten.
    found = {(one.eval_id, one.configuration, one.run_number): one for one in gradings}
    again = len(gradings) - len(found)
    if again:
        builder.problem("Some runs come twice with one number: the last counts.", file=file, count=again)
    infos: dict[str, EvalInfo] = {}
    for one in gradings:
        infos.setdefault(one.eval_id, one.info)
    numbers = sorted({one.run_number for one in gradings})
    for configuration in dict.fromkeys(one.configuration for one in gradings):
        run = builder.add_run(_run(configuration, metadata, file=file, of=of, numbers=numbers))
        for eval_id, info in infos.items():
            content = None if info.prompt is None else CaseContent(input=info.prompt)
            case = builder.case_index(eval_id, content=content, fields=_fields(info))
            for rep, number in enumerate(numbers, start=1):
                one = found.get((eval_id, configuration, number))
                reading = MISSING if one is None or one.grading is None else pass_rate(one.grading)
                is_run = one is not None and one.grading is not None
                builder.add(
                    run=run,
                    case=case,
                    rep=rep,
                    metric=metric,
                    score=reading.score,
                    raw=reading.raw,
                    status=Status.OK if is_run else Status.NOT_RUN,
                )
    graded = [one for one in found.values() if one.grading is not None]
    planned = len(infos) * len(numbers) * len({one.configuration for one in gradings})
    _say_what_is_less(builder, graded, absent=planned - len(graded), file=file)
    return builder.build()


def pass_rate(grading: Grading) -> Reading:
    """Return the share of expectations that were met, missing where one of them has no verdict.

    Without expectations the counts of the summary are taken, and without these its rounded rate. A grading with neither
    has no score: the benchmark writes 0 for it.

    Examples
    --------
    >>> pass_rate(Grading(expectations=[Expectation(passed=True)] * 2 + [Expectation(passed=False)])).score
    0.6666666666666666
    >>> pass_rate(Grading(summary=Summary(passed=0, total=0, pass_rate=0.0)))
    Reading(score=None, raw=None)
    """
    if grading.expectations:
        readings = [score_reading(one.passed, {}) for one in grading.expectations]
        scores = [one.score for one in readings if one.score is not None]
        return Reading(sum(scores) / len(scores), None) if len(scores) == len(readings) else MISSING
    summary = grading.summary or Summary()
    if summary.passed is not None and summary.total is not None:
        return Reading(summary.passed / summary.total, None) if summary.total > 0 else MISSING
    return score_reading(summary.pass_rate, {})


def _run(configuration: str, metadata: Metadata, *, file: str, of: str, numbers: Sequence[int]) -> Run:
    model = _named(metadata.executor_model)
    return Run(
        run_id=f"{file}/{configuration}",
        set_name=_named(metadata.skill_name),
        arm=f"{configuration} ({of})" if of else configuration,
        arm_detail={"configuration": configuration, **({"model": model} if model else {})},
        framework="skill-creator",
        file=file,
        created=metadata.timestamp or "",
        rep_source="explicit",
        planned_reps=len(numbers),
    )


def _named(text: str | None) -> str:
    return "" if text is None or text.startswith("<") else text


def _fields(info: EvalInfo) -> dict[str, str | None]:
    return {} if info.eval_name is None else {"eval_name": info.eval_name}


def _say_what_is_less(builder: TableBuilder, graded: Sequence[Graded], *, absent: int, file: str) -> None:
    if absent:
        runs_have = counted(absent, "run that others have has", "runs that others have have")
        builder.problem(f"{runs_have} no grading: not run, where a benchmark drops it.", file=file, count=absent)
    rounded = sum(_is_rounded(one.grading) for one in graded if one.grading is not None)
    if rounded:
        runs_have = counted(rounded, "run has", "runs have")
        text = f"{runs_have} a rounded pass rate and neither expectations nor counts to take it from."
        builder.problem(text, file=file, count=rounded)


def _is_rounded(grading: Grading) -> bool:
    summary = grading.summary
    return not grading.expectations and summary is not None and None in (summary.passed, summary.total)
