"""promptfoo output files: against promptfoo's own totals, reps by content, and what is refused."""

from __future__ import annotations

import json
from collections import Counter
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from evalgauge.errors import LogError
from evalgauge.formats.promptfoo import READER
from evalgauge.formats.protocol import ReadOptions, Source
from evalgauge.scores.table import ScoreTable, Status

FIXTURES = Path(__file__).resolve().parent.parent / "fixtures"
PROMPTFOO = FIXTURES / "promptfoo"
EXPECTED: dict[str, Any] = json.loads((FIXTURES / "expected" / "promptfoo.json").read_text(encoding="utf-8"))


def source(path: Path) -> Source:
    is_folder = path.is_dir()
    return Source(path=path, head=b"" if is_folder else path.read_bytes()[:8192], is_folder=is_folder)


def read(path: Path, **options: Any) -> ScoreTable:
    return READER.read(source(path), ReadOptions(**options))


def cells(table: ScoreTable, metric: str, run: int = 0) -> dict[tuple[int, int], tuple[float | None, Status]]:
    found = {}
    for place in range(len(table)):
        if table.metrics[table.metric[place]].name == metric and table.run[place] == run:
            score = float(table.score[place])
            key = (int(table.case[place]), int(table.rep[place]))
            found[key] = (None if score != score else score, Status(table.status[place]))  # noqa: PLR0124 (NaN)
    return found


def texts(table: ScoreTable) -> str:
    return "\n".join(problem.text for problem in table.problems)


def row(test: int, passed: bool, question: str = "q", **more: Any) -> dict[str, Any]:  # noqa: FBT001 (a score)
    base = {
        "promptIdx": 0,
        "testIdx": test,
        "success": passed,
        "score": 1 if passed else 0,
        "namedScores": {},
        "failureReason": 0 if passed else 1,
        "gradingResult": {"componentResults": [{}]},
        "provider": {"id": "p", "label": "arm"},
        "prompt": {"raw": question, "label": "{{q}}"},
        "vars": {"q": question},
        "testCase": {"vars": {"q": question}, "assert": [{"type": "equals", "value": "x"}], "metadata": {"topic": "t"}},
    }
    return {key: value for key, value in {**base, **more}.items() if value is not ...}


def write(path: Path, rows: list[dict[str, Any]], **top: Any) -> Path:
    content = {
        "evalId": "eval-1",
        "results": {"version": 3, "timestamp": "2026-01-02T03:04:05.000Z", "prompts": [], "results": rows},
        "config": {"description": "faq"},
        "metadata": {"promptfooVersion": "0.121.20"},
        **top,
    }
    path.write_text(json.dumps(content), encoding="utf-8")
    return path


FILES = sorted(EXPECTED)


@pytest.mark.parametrize("name", FILES)
def test_scores_are_promptfoos_own(name: str) -> None:
    expected = EXPECTED[name]
    table = read(PROMPTFOO / name)
    assert len(table.cases) == expected["n_cases"]
    assert len(table.runs) == len(expected["arms"])
    for run, arm in enumerate(expected["arms"]):
        passed, score = cells(table, "pass", run), cells(table, "score", run)
        for case, reps in enumerate(arm["cases"]):
            for rep, (is_pass, value, reason) in enumerate(reps, start=1):
                if reason == 2:
                    assert passed[case, rep] == score[case, rep] == (None, Status.ERROR)
                else:
                    assert passed[case, rep] == (float(is_pass), Status.OK)
                    assert score[case, rep] == (float(value), Status.OK)
        counts = Counter(passed.values())
        assert counts[1.0, Status.OK] == arm["passed"]
        assert counts[0.0, Status.OK] == arm["failed"]
        assert counts[None, Status.ERROR] == arm["errors"]
        assert sum(value or 0 for value, _ in score.values()) == pytest.approx(arm["score_sum"])
        for metric, count in arm["named_counts"].items():
            assert sum(status == Status.OK for _, status in cells(table, f"named/{metric}", run).values()) == count


def test_repeats_are_reps_and_no_new_cases() -> None:
    table = read(PROMPTFOO / "repeat3.json")
    assert len(table.cases) == 5
    assert set(table.rep.tolist()) == {1, 2, 3}
    assert table.runs[0].rep_source == "inferred"
    assert table.runs[0].planned_reps == 3
    assert read(PROMPTFOO / "repeat1.json").runs[0].rep_source == "none"


def test_jsonl_and_json_of_one_run_hold_the_same_scores() -> None:
    ours, twin = read(PROMPTFOO / "errors.json"), read(PROMPTFOO / "errors.jsonl")
    for metric in ("pass", "score"):
        assert cells(ours, metric) == cells(twin, metric)
    assert ours.cases.fields == twin.cases.fields
    assert "does not say how often each test was to be run" in texts(twin)


def test_run_columns() -> None:
    first, second = read(PROMPTFOO / "repeat3.json").runs
    assert first.set_name == "ticket triage"
    assert (first.arm, second.arm) == ("base", "candidate")
    assert first.arm_detail["provider"] == "base"
    assert first.arm_detail["prompt"] == "{{ticket}}"
    assert len(first.arm_detail["prompt_id"]) == 64
    assert first.framework == "promptfoo"
    assert first.framework_version == "0.121.20"
    assert first.run_id.startswith("eval-")
    assert first.run_id != second.run_id
    assert first.created.startswith("20")
    assert first.state == "complete"


def test_two_prompts_of_one_provider_are_named_by_prompt() -> None:
    arms = [run.arm for run in read(PROMPTFOO / "prompts2.json").runs]
    assert arms[0].startswith("short")
    assert arms[1].startswith("long")


def test_arms_with_equal_labels_are_told_apart_by_number(tmp_path: Path) -> None:
    rows = [row(0, True), row(0, False, promptIdx=1)]  # noqa: FBT003 (scores)
    assert [run.arm for run in read(write(tmp_path / "x.json", rows)).runs] == ["arm #1", "arm #2"]


def test_fields_are_metadata_and_variables_that_are_no_content() -> None:
    fields = read(PROMPTFOO / "repeat1.json").cases.fields
    # "ticket" is the text of the case, "queue" what its assertion expects.
    assert set(fields) == {"topic", "key"}
    assert fields["key"][0] == "t-001"


def test_metadata_win_over_variables_of_one_name(tmp_path: Path) -> None:
    case = {"vars": {"topic": "var"}, "metadata": {"topic": "meta"}}
    table = read(write(tmp_path / "x.json", [row(0, True, testCase=case)]))  # noqa: FBT003 (score)
    assert table.cases.fields["topic"] == ("meta",)


def test_content_is_the_variables_and_what_is_asserted() -> None:
    contents = read(PROMPTFOO / "echo.json").cases.contents
    assert contents is not None
    content = contents()[0]
    assert content is not None
    assert content.input == {"name": "Ada"}
    assert content.target == [{"type": "contains", "value": "Ada"}]


def test_ids_are_descriptions_only_if_each_test_has_its_own() -> None:
    named = read(PROMPTFOO / "echo.json").cases
    assert named.case_id == ("says the name", "says another name", "no assertion at all")
    assert not named.id_is_row_number
    numbered = read(PROMPTFOO / "repeat3.json").cases
    assert numbered.case_id == ("1", "2", "3", "4", "5")
    assert numbered.id_is_row_number


def test_what_promptfoo_adds_at_run_time_makes_no_new_case(tmp_path: Path) -> None:
    rows = [
        row(number, True, testCase={"vars": {"q": "a", "sessionId": f"s{number}", "_conversation": [number]}})  # noqa: FBT003
        for number in range(3)
    ]
    table = read(write(tmp_path / "x.json", rows, runtimeOptions={"repeat": 3}))
    assert len(table.cases) == 1
    contents = table.cases.contents
    assert contents is not None
    content = contents()[0]
    assert content is not None
    assert content.input == {"q": "a"}


def test_tests_that_differ_in_assertion_or_description_are_two_cases(tmp_path: Path) -> None:
    base = row(0, True)["testCase"]  # noqa: FBT003 (score)
    asserted, described = deepcopy(base), deepcopy(base)
    asserted["assert"][0]["value"] = "y"
    described["description"] = "again"
    rows = [row(number, True, testCase=case) for number, case in enumerate((base, asserted, described))]  # noqa: FBT003
    assert len(read(write(tmp_path / "x.json", rows)).cases) == 3


def test_duplicates_in_the_configuration_are_said_to_look_like_repeats(tmp_path: Path) -> None:
    rows = [row(0, True, "a"), row(1, False, "a"), row(2, True, "b")]  # noqa: FBT003 (scores)
    table = read(write(tmp_path / "x.json", rows, runtimeOptions={"repeat": 1}))
    assert len(table.cases) == 2
    assert "come more often than they were to be repeated (1)" in texts(table)


def test_repeats_of_a_test_of_its_own_are_no_duplicates(tmp_path: Path) -> None:
    case = {**row(0, True)["testCase"], "options": {"repeat": 2}}  # noqa: FBT003 (score)
    rows = [row(number, True, testCase=case) for number in range(2)]  # noqa: FBT003 (scores)
    table = read(write(tmp_path / "x.json", rows, runtimeOptions={"repeat": 1}))
    assert not table.problems


def test_reps_that_were_planned_or_that_another_arm_has_are_not_run(tmp_path: Path) -> None:
    rows = [row(0, True), row(1, True), row(0, False, promptIdx=1)]  # noqa: FBT003 (scores)
    table = read(write(tmp_path / "x.json", rows, runtimeOptions={"repeat": 3}))
    assert {key: status for key, (_, status) in cells(table, "pass", 1).items()} == {
        (0, 1): Status.OK,
        (0, 2): Status.NOT_RUN,
        (0, 3): Status.NOT_RUN,
    }
    assert cells(table, "score", 0)[0, 3] == (None, Status.NOT_RUN)


def test_an_error_is_no_failure_and_a_failed_assertion_is_no_error(tmp_path: Path) -> None:
    rows = [
        row(0, False, "a", failureReason=2, error="timeout", gradingResult=None),  # noqa: FBT003 (score)
        row(1, False, "b", failureReason=1, error="Expected output to equal x"),  # noqa: FBT003 (score)
        row(2, False, "c", failureReason=..., error="timeout", gradingResult=None),  # noqa: FBT003 (score)
        row(3, False, "d", failureReason=..., error="Expected output to equal x"),  # noqa: FBT003 (score)
    ]
    found = cells(read(write(tmp_path / "x.json", rows)), "pass")
    assert [found[case, 1][1] for case in range(4)] == [Status.ERROR, Status.OK, Status.ERROR, Status.OK]


def test_named_scores_of_a_run_without_an_answer_are_errors(tmp_path: Path) -> None:
    case = {"vars": {"q": "a"}, "assert": [{"type": "equals", "value": "x", "metric": "exact"}]}
    error = {"failureReason": 2, "gradingResult": None, "testCase": case}
    table = read(write(tmp_path / "x.json", [row(0, False, "a", **error)]))  # noqa: FBT003 (score)
    assert cells(table, "named/exact") == {(0, 1): (None, Status.ERROR)}


def test_cached_reps_and_tests_without_assertions_are_pointed_out(tmp_path: Path) -> None:
    case = {"vars": {"q": "a"}}
    more = {"testCase": case, "response": {"cached": True}, "gradingResult": {"componentResults": []}}
    rows = [row(number, True, **more) for number in range(2)]  # noqa: FBT003 (scores)
    table = read(write(tmp_path / "x.json", rows, runtimeOptions={"repeat": 2}))
    assert "--no-cache" in texts(table)
    assert "Tests without an assertion always pass." in texts(table)


def test_the_last_of_two_results_with_one_number_counts(tmp_path: Path) -> None:
    table = read(write(tmp_path / "x.json", [row(0, False), row(0, True)]))  # noqa: FBT003 (scores)
    assert cells(table, "pass") == {(0, 1): (1.0, Status.OK)}
    assert "twice" in texts(table)


def test_version_2_with_a_table(tmp_path: Path) -> None:
    table_body = [
        {"outputs": [{"pass": True, "score": 1}, {"pass": False, "score": 0.5}], "vars": ["a"]},
        {"outputs": [{"pass": False, "score": 0}, {"pass": True, "score": 1}], "vars": ["b"]},
    ]
    prompts = [{"raw": "r", "label": "L", "provider": provider} for provider in ("x", "y")]
    results = {"version": 2, "timestamp": "t", "results": [], "table": {"head": {"prompts": prompts, "vars": ["q"]}}}
    results["table"]["body"] = table_body
    table = read(write(tmp_path / "x.json", [], results=results))
    assert [run.arm for run in table.runs] == ["x", "y"]
    assert cells(table, "score", 1) == {(0, 1): (0.5, Status.OK), (1, 1): (1.0, Status.OK)}
    contents = table.cases.contents
    assert contents is not None
    content = contents()[0]
    assert content is not None
    assert content.input == {"q": "a"}


def test_rows_without_numbers_are_numbered_by_order(tmp_path: Path) -> None:
    rows = [
        row(0, True, question, promptIdx=..., testIdx=..., provider={"id": provider}, testCase=...)  # noqa: FBT003
        for provider in ("x", "y")
        for question in ("a", "b")
    ]
    path = tmp_path / "x.json"
    path.write_text(json.dumps({"version": 2, "timestamp": "t", "results": rows}), encoding="utf-8")
    assert READER.claims(source(path))
    table = read(path)
    assert [run.arm for run in table.runs] == ["x", "y"]
    assert len(table.cases) == 2
    assert cells(table, "pass", 1) == {(0, 1): (1.0, Status.OK), (1, 1): (1.0, Status.OK)}


def test_claims_by_bytes(tmp_path: Path) -> None:
    for name in (*FILES, "errors.jsonl"):
        assert READER.claims(source(PROMPTFOO / name)), name
    assert not READER.claims(source(PROMPTFOO / "echo.xml"))
    assert not READER.claims(source(PROMPTFOO / "repeat3.csv"))
    assert not READER.claims(source(PROMPTFOO))
    assert not READER.claims(source(next((FIXTURES / "lm-eval").rglob("results_*.json"))))
    assert not READER.claims(source(FIXTURES / "inspect" / "small.json"))
    other = tmp_path / "x.json"
    other.write_text('{"score": 1, "promptId": "p"}', encoding="utf-8")
    assert not READER.claims(source(other))


REFUSED = [
    ("x.json", '{"evalId": "e", "results": {"results": []}}', "holds no results. promptfoo eval -o results.json"),
    ("x.json", '{"evalId": "e"}', "object missing required field `results`."),
    ("x.json", '{"evalId": "e" "results": []}', "is no valid JSON at line 1, column 16"),
    ("x.json", '{"results": [{"promptIdx": "a"}]}', "expected `int | null`, got `str`."),
    ("x.json", '{"results": [], "x": ' + "[" * 100_000 + "]" * 100_000 + "}", "its JSON is nested deeper"),
    ("x.jsonl", "", "holds no results."),
    ("x.jsonl", '{"promptIdx": 0}\n{"testIdx": "x"}\n', "line 2, field 'testIdx': expected `int | null`, got `str`."),
]


@pytest.mark.parametrize(("name", "content", "text"), REFUSED, ids=[text[:40] for _, _, text in REFUSED])
def test_refusals_name_file_record_and_field(tmp_path: Path, name: str, content: str, text: str) -> None:
    path = tmp_path / name
    path.write_text(content, encoding="utf-8")
    with pytest.raises(LogError) as caught:
        read(path)
    assert str(caught.value).startswith(str(path))
    assert text in str(caught.value)


def test_tolerance_keeps_the_rows_around_a_broken_one(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    lines = [json.dumps(row(0, True, "a")), "{broken}", json.dumps(row(1, False, "b"))]  # noqa: FBT003 (scores)
    path.write_text("\n".join(lines), encoding="utf-8")
    with pytest.raises(LogError, match="line 2"):
        read(path)
    table = read(path, tolerant=True)
    assert len(table.cases) == 2
    assert table.problems[0].record == "line 2"


@pytest.mark.parametrize("name", ["errors.json", "errors.jsonl", "prompts2.json"])
@settings(max_examples=50, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(share=st.floats(0, 1, exclude_max=True))
def test_a_cut_file_is_read_as_far_as_it_goes_and_says_so(tmp_path: Path, name: str, share: float) -> None:
    data = (PROMPTFOO / name).read_bytes()
    path = tmp_path / name
    path.write_bytes(data[: int(share * len(data))])
    try:
        table = read(path)
    except LogError as fault:
        assert str(path) in str(fault)  # noqa: PT017 (either outcome is right)
        return
    assert table.problems
    scored = sum(status == Status.OK for status in table.status)
    assert scored <= sum(status == Status.OK for status in read(PROMPTFOO / name).status)


@pytest.mark.parametrize("name", ["errors.json", "errors.jsonl"])
@settings(max_examples=50, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_a_flipped_byte_never_ends_in_a_traceback(tmp_path: Path, name: str, data: st.DataObject) -> None:
    content = bytearray((PROMPTFOO / name).read_bytes())
    place = data.draw(st.integers(0, len(content) - 1))
    content[place] ^= data.draw(st.integers(1, 255))
    path = tmp_path / name
    path.write_bytes(content)
    for tolerant in (False, True):
        try:
            assert len(read(path, tolerant=tolerant)) > 0
        except LogError as fault:
            assert "cannot be read (" not in str(fault)  # noqa: PT017 (the last net was not needed)


@given(order=st.permutations(range(12)))
@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_the_order_of_completion_does_not_matter(tmp_path: Path, order: list[int]) -> None:
    rows = [row(test, test % 3 == 0, f"q{test // 3}", score=test) for test in order]
    table = read(write(tmp_path / "x.json", rows, runtimeOptions={"repeat": 3}))
    assert cells(table, "score") == {(test // 3, test % 3 + 1): (float(test), Status.OK) for test in range(12)}


@pytest.mark.parametrize("layout", ["cli", "package", "no id"])
@pytest.mark.parametrize("indent", [None, 2])
def test_a_file_that_is_cut_anywhere_gives_the_rows_before_the_cut(
    tmp_path: Path, layout: str, indent: int | None
) -> None:
    rows = [row(number, number % 2 == 0, f"q{number}") for number in range(6)]
    head = {"version": 3, "timestamp": "2026-01-02T03:04:05.000Z", "prompts": []}
    whole: dict[str, Any] = {**head, "results": rows, "stats": {"successes": 3}}
    if layout != "package":
        whole = {"evalId": "e", "results": whole, "config": {}} if layout == "cli" else {"results": whole, "config": {}}
    text = json.dumps(whole, indent=indent)
    ends = [text.index(f'"q{number + 1}"') if number < 5 else text.index('"stats"') for number in range(6)]
    path = tmp_path / "results.json"
    for n_rows, end in enumerate(ends, start=1):
        path.write_text(text[:end], encoding="utf-8")
        table = read(path)
        assert [score for score, _ in cells(table, "pass").values()] == [1, 0, 1, 0, 1, 0][:n_rows]
        assert {run.state for run in table.runs} == {"partial"}
        assert f"{n_rows} result{'s' * (n_rows > 1)} could be read before that place" in texts(table)
