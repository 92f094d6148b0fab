"""The test cases of a DeepEval run: which of them are one case, what they ask, and what was said of them."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING, Any, NamedTuple, cast

import msgspec

from evalgauge.formats.json_text import is_object
from evalgauge.formats.junit_reps import repeats
from evalgauge.formats.run_records import Given
from evalgauge.formats.score_words import Reading, score_reading
from evalgauge.scores.canonical import canonical_bytes
from evalgauge.scores.table import CaseContent, Status

if TYPE_CHECKING:
    from collections.abc import Hashable, Mapping, Sequence

    from evalgauge.scores.build import TableBuilder
    from evalgauge.scores.table import Json

PASS = "pass"  # noqa: S105 (the name of a metric)
# DeepEval numbers the cases that have no name.
_AUTO_NAME = re.compile(r"(?:conversational_)?test_case_[0-9]+|")
_BROKEN = Given(status=Status.ERROR)


class Metric(msgspec.Struct, rename="camel"):
    """What a metric said of a test case."""

    name: str
    score: Any = None
    success: bool | None = None
    error: str | None = None
    flaky: bool = False


class Turn(msgspec.Struct):
    """One turn of a conversation."""

    role: str = ""
    content: Any = None


class Test(msgspec.Struct, rename="camel"):
    """One test case: an input with its answer, or a whole conversation."""

    name: str = ""
    input: Any = None
    expected_output: Any = None
    context: Any = None
    scenario: str | None = None
    expected_outcome: str | None = None
    user_description: str | None = None
    turns: list[Turn] | None = None
    success: bool | None = None
    metrics_data: list[Metric] | None = None
    tags: list[str] | None = None
    metadata: Any = None


class Known(NamedTuple):
    """How a test case is known: equal keys are one case."""

    key: Hashable
    case_id: str
    rep: int | None = None


def known_cases(builder: TableBuilder, tests: Sequence[Test], file: str) -> list[Known]:
    """Return which test cases are runs of one case.

    A case is known by its name and by what it asks; a run under pytest-repeat numbers its reps in the name. Without
    names, equal contents are reps only if all come equally often: a set may hold a case twice.
    """
    marks = [canonical_bytes(_asked(test)) for test in tests]
    is_named = [_AUTO_NAME.fullmatch(test.name) is None for test in tests]
    times = Counter(mark for mark, named in zip(marks, is_named, strict=True) if not named)
    is_uneven = len(set(times.values())) > 1
    if is_uneven:
        builder.problem(
            "Some contents come more often than others and the test cases have no names: each is read as a case. If "
            "they are reps, run every case equally often, or give each case a name.",
            file=file,
            count=sum(count > 1 for count in times.values()),
        )
    builder.id_is_row_number = not any(is_named)
    reps = repeats(list(zip(marks, (test.name for test in tests), strict=True))).of_test
    found: list[Known] = []
    for place, (test, mark, rep) in enumerate(zip(tests, marks, reps, strict=True)):
        if not is_named[place]:
            found.append(Known((mark, place if is_uneven else None), test.name or str(place + 1)))
        elif rep is not None:
            found.append(Known((mark, rep.base), rep.base, rep.rep))
        else:
            found.append(Known((mark, test.name), test.name))
    return found


def _asked(test: Test) -> Json:
    content = case_content(test)
    return [content.input, content.target]


def case_content(test: Test) -> CaseContent:
    """Return what a test case asks and expects; the answers within a conversation are none of it."""
    if test.turns is None:
        asked: Any = test.input if not test.context else {"input": test.input, "context": test.context}
        return CaseContent(input=cast("Json", asked), target=cast("Json", test.expected_output))
    parts = {"scenario": test.scenario, "user": test.user_description, "context": test.context}
    asked = {key: value for key, value in parts.items() if value}
    if not test.scenario:
        asked["turns"] = [turn.content for turn in test.turns if turn.role == "user"]
    return CaseContent(input=cast("Json", asked), target=test.expected_outcome)


def case_fields(test: Test) -> dict[str, object]:
    """Return what can group test cases: their metadata and tags."""
    fields: dict[str, object] = dict(test.metadata) if is_object(test.metadata) else {}
    if test.tags:
        fields.setdefault("tags", ", ".join(sorted(test.tags)))
    return fields


def given_scores(test: Test, words: Mapping[str, float]) -> dict[str, Given]:
    """Return the verdict on a test case, and of each metric its score and its verdict.

    DeepEval writes ``success: false`` where a metric raised; that is no verdict.
    """
    given = {PASS: _verdict(test)}
    for metric in test.metrics_data or []:
        name = metric.name
        number = 2
        while name in given:
            name, number = f"{metric.name} #{number}", number + 1
        given[name] = _BROKEN if metric.error else Given(score_reading(metric.score, words))
        given[f"{name}/{PASS}"] = _BROKEN if metric.error else _truth(metric.success)
    return given


def _verdict(test: Test) -> Given:
    deciding = [metric for metric in test.metrics_data or [] if not metric.flaky]
    has_failed = any(metric.success is False and not metric.error for metric in deciding)
    if any(metric.error for metric in deciding) and not has_failed:
        return _BROKEN
    return _truth(test.success)


def _truth(value: bool | None) -> Given:  # noqa: FBT001 (what a log says)
    return Given() if value is None else Given(Reading(float(value), None))
