"""Reads the logs of OpenAI evals: one event a line, the specification first and the report last."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING, Any, NamedTuple, cast

import msgspec

from evalgauge.errors import LogError
from evalgauge.formats.json_records import line_records
from evalgauge.formats.json_text import is_object
from evalgauge.formats.log_guard import reading
from evalgauge.formats.plain_text import digest_of
from evalgauge.formats.score_words import Reading, score_reading
from evalgauge.formats.wording import counted
from evalgauge.scores.build import TableBuilder
from evalgauge.scores.table import CaseContent, Run, Status

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from evalgauge.formats.json_records import Records
    from evalgauge.formats.protocol import ReadOptions, Source
    from evalgauge.scores.table import Json, ScoreTable

_FIRST = re.compile(rb'\s*\{\s*"spec"\s*:\s*\{')
_EVENT_KEYS = (b'"run_id"', b'"event_id"', b'"sample_id"', b'"type"')


class Spec(msgspec.Struct):
    """What was run."""

    completion_fns: list[str] = []
    eval_name: str = ""
    base_eval: str = ""
    split: str = ""
    run_id: str = ""
    created_at: str = ""


class Event(msgspec.Struct):
    """A line: the specification, the report, or something that happened to a sample."""

    spec: Spec | None = None
    final_report: Any = None
    sample_id: str | int | None = None
    type: str = ""
    data: Any = None


class _Score(NamedTuple):
    sample: str
    metric: str
    rep: int
    reading: Reading


class OpenaiEvalsReader:
    """Reads one log as one run."""

    name: str = "openai-evals"
    title: str = "OpenAI evals log"

    def claims(self, source: Source) -> bool:
        """Return whether the first line is a specification, or an event of a log that lost it."""
        text = source.head.removeprefix(b"\xef\xbb\xbf")
        if _FIRST.match(text) is not None:
            return b'"completion_fns"' in text or b'"eval_name"' in text
        first = text.lstrip().partition(b"\n")[0]
        return first.startswith(b"{") and all(key in first for key in _EVENT_KEYS)

    def read(self, source: Source, options: ReadOptions) -> ScoreTable:
        """Return the scores: metric ``match``, and each number of a ``metrics`` event by its name.

        Raises
        ------
        LogError
            A line cannot be read, or no sample has an event.
        """
        with reading(source.name):
            return _table(line_records(source, Event, options), source, options.words)


READER = OpenaiEvalsReader()


def _table(found: Records[tuple[int, Event]], source: Source, words: Mapping[str, float]) -> ScoreTable:
    events = [event for _, event in found.items]
    of_samples = [event for event in events if event.sample_id is not None]
    if not of_samples:
        raise LogError(source.name, "holds no event of a sample.", hint="Was the run cut off before its first sample?")
    builder = TableBuilder()
    for problem in found.problems:
        builder.problem(problem.text, file=problem.file, record=problem.record, count=problem.count)
    spec = next((event.spec for event in events if event.spec), Spec())
    is_whole = any(event.final_report is not None for event in events)
    if not is_whole:
        text = "There is no final report: the run did not end, and what it would still have run is not known."
        builder.problem(text, file=source.name)
    scores, labels = _scores(of_samples, words)
    reps = Counter((score.sample, score.metric) for score in scores)
    run = builder.add_run(_run(spec, source, is_whole=is_whole, most=max(reps.values(), default=1)))
    _add_rows(builder, run, of_samples, scores)
    _say(builder, reps, labels, source.name)
    return builder.build()


def _scores(events: Sequence[Event], words: Mapping[str, float]) -> tuple[list[_Score], Counter[str]]:
    """Return the scores in the order of events, and the names of metrics that are no scores (choices, labels)."""
    seen: Counter[tuple[str, str]] = Counter()
    scores: list[_Score] = []
    labels: Counter[str] = Counter()
    for event in events:
        for metric, value in _values(event):
            # A choice of "N" is an answer of a grader, no grade: only numbers are scores, and words that the user maps.
            if isinstance(value, (dict, list)) or (isinstance(value, str) and value not in words):
                labels[metric] += 1
                continue
            sample = str(event.sample_id)
            seen[sample, metric] += 1
            scores.append(_Score(sample, metric, seen[sample, metric], score_reading(value, words)))
    return scores, labels


def _values(event: Event) -> Iterable[tuple[str, object]]:
    data = event.data if is_object(event.data) else {}
    if event.type == "match":
        return [("match", data.get("correct"))]
    return data.items() if event.type == "metrics" else ()


def _add_rows(builder: TableBuilder, run: int, events: Sequence[Event], scores: Sequence[_Score]) -> None:
    contents = _contents(events)
    errors = {str(event.sample_id) for event in events if event.type == "error"}
    metrics = dict.fromkeys(score.metric for score in scores) or {"match": None}
    for name in metrics:
        _metric_index(builder, name)
    by_sample: dict[str, list[_Score]] = {}
    for score in scores:
        by_sample.setdefault(score.sample, []).append(score)
    for sample, content in contents.items():
        case = builder.case_index(sample, content=content)
        own = by_sample.get(sample, [])
        for score in own:
            metric = _metric_index(builder, score.metric)
            one = score.reading
            builder.add(run=run, case=case, rep=score.rep, metric=metric, score=one.score, raw=one.raw)
        scored = {score.metric for score in own}
        for name in (one for one in metrics if one not in scored):
            status = Status.ERROR if sample in errors else Status.UNSCORED
            builder.add(run=run, case=case, rep=1, metric=_metric_index(builder, name), score=None, status=status)


def _metric_index(builder: TableBuilder, name: str) -> int:
    if name == "match":
        return builder.metric_index(name, low=0.0, high=1.0, higher_is_better=True)
    return builder.metric_index(name)


def _contents(events: Sequence[Event]) -> dict[str, CaseContent | None]:
    """Return what each sample asked, the prompt of its first sampling, and what was expected of it."""
    asked: dict[str, object] = {}
    expected: dict[str, object] = {}
    for event in events:
        sample = str(event.sample_id)
        asked.setdefault(sample, None)
        data = event.data if is_object(event.data) else {}
        if event.type == "sampling" and asked[sample] is None:
            asked[sample] = data.get("prompt")
        if event.type == "match":
            expected.setdefault(sample, data.get("expected"))
    return {
        sample: None
        if prompt is None
        else CaseContent(input=cast("Json", prompt), target=cast("Json", expected.get(sample)))
        for sample, prompt in asked.items()
    }


def _run(spec: Spec, source: Source, *, is_whole: bool, most: int) -> Run:
    arm = "+".join(spec.completion_fns) or "unnamed"
    return Run(
        run_id=spec.run_id or digest_of(source.path),
        set_name=spec.eval_name or ".".join(part for part in (spec.base_eval, spec.split) if part),
        arm=arm,
        arm_detail={"model": arm},
        framework="openai-evals",
        file=source.name,
        state="complete" if is_whole else "partial",
        created=spec.created_at,
        rep_source="inferred" if most > 1 else "none",
    )


def _say(builder: TableBuilder, reps: Counter[tuple[str, str]], labels: Counter[str], file: str) -> None:
    again = sum(count > 1 for count in reps.values())
    if again:
        text = (
            f"{counted(again, 'sample has', 'samples have')} several events of one score: taken as reps, in their "
            "order. If they are parts of one answer, the score of the sample is their mean."
        )
        builder.problem(text, file=file, count=again)
    if labels:
        names = ", ".join(repr(name) for name in labels)
        builder.problem(f"Not read: {names}, which is no number.", file=file, count=sum(labels.values()))
