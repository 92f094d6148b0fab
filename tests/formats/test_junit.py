"""JUnit XML: against what pytest itself reported, reps by the endings of names, and what is refused."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any
from xml.sax.saxutils import quoteattr

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from evalgauge.errors import LogError
from evalgauge.formats import ReadOptions, Source, read
from evalgauge.formats.junit import READER
from evalgauge.formats.junit_reps import repeats
from evalgauge.scores.table import ScoreTable, Status

FOLDER = Path(__file__).resolve().parent.parent / "fixtures" / "junit"


def reported(name: str) -> dict[str, list[dict[str, Any]]]:
    """Return what pytest reported of each phase, by node."""
    found: dict[str, list[dict[str, Any]]] = {}
    for row in json.loads((FOLDER / f"{name}.outcomes.json").read_text(encoding="utf-8")):
        found.setdefault(row["node"], []).append(row)
    return found


def cells(table: ScoreTable, metric: str = "pass") -> dict[tuple[str, int], tuple[float | None, Status]]:
    found = {}
    for row in range(len(table)):
        if table.metrics[table.metric[row]].name == metric:
            score = float(table.score[row])
            key = (table.cases.case_id[table.case[row]], int(table.rep[row]))
            found[key] = (None if score != score else score, Status(table.status[row]))  # noqa: PLR0124 (NaN)
    return found


def texts(table: ScoreTable) -> str:
    return "\n".join(problem.text for problem in table.problems)


def suite(*tests: str, attributes: str = 'name="pytest"') -> str:
    return f"<testsuites><testsuite {attributes}>{''.join(tests)}</testsuite></testsuites>"


def case(name: str, inside: str = "", classname: str = "test_a") -> str:
    return f"<testcase classname={quoteattr(classname)} name={quoteattr(name)}>{inside}</testcase>"


def written(folder: Path, text: str | bytes, name: str = "run.xml") -> Path:
    path = folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


@pytest.mark.parametrize("name", ["base", "cand", "once"])
def test_scores_are_what_pytest_reported(name: str) -> None:
    table = read(FOLDER / f"{name}.xml")
    passed, soft = cells(table), cells(table, "score")
    nodes = reported(name)
    assert len(passed) == len(soft) == len(nodes)
    for node, phases in nodes.items():
        words = node.partition("[")[2].rstrip("]").split("-")
        key = (f"test_desk::test_queue[{'-'.join(words[:2])}]", int(words[2]) if len(words) > 2 else 1)
        call = next(phase for phase in phases if phase["phase"] == "call")
        assert passed[key] == (float(call["outcome"] == "passed"), Status.OK)
        assert soft[key] == (call["properties"]["score"], Status.OK)


def test_every_fate_of_a_test() -> None:
    found = cells(read(FOLDER / "odd.xml"))
    for node, phases in reported("odd").items():
        outcomes = {phase["phase"]: phase["outcome"] for phase in phases}
        module, _, name = node.partition(".py::")
        holder, _, leaf = name.rpartition("::")
        got = found.pop((f"{module}{'.' if holder else ''}{holder}::{leaf}", 1))
        if outcomes.get("call") == "failed":
            assert got == (0.0, Status.OK)
        elif "failed" in outcomes.values():
            assert got == (None, Status.ERROR)
        elif "skipped" in outcomes.values():
            assert got == (None, Status.SKIPPED)
        else:
            assert got == (1.0, Status.OK)
    assert found == {}


def test_whole_number_parameters_are_no_reps() -> None:
    table = read(FOLDER / "odd.xml")
    assert set(table.rep.tolist()) == {1}
    assert sum(name.startswith("test_odd::test_sum[") for name in table.cases.case_id) == 9


def test_reps_are_found_whatever_the_order() -> None:
    table = read(FOLDER / "base.xml")
    assert len(table.cases) == 12
    assert Counter(table.rep.tolist()) == {1: 24, 2: 24, 3: 24}
    run = table.runs[0]
    assert (run.rep_source, run.planned_reps, run.set_name, run.arm) == ("explicit", 3, "pytest", "base")
    assert run.created.startswith("20")
    assert "36 tests are read as reps of 12 cases" in texts(table)


def test_what_tests_record_is_a_score_a_field_or_said() -> None:
    base, odd = read(FOLDER / "base.xml"), read(FOLDER / "odd.xml")
    assert [metric.name for metric in base.metrics] == ["pass", "score"]
    topics = {phases[0]["node"]: phases[1]["properties"]["topic"] for phases in reported("base").values()}
    for name, topic in zip(base.cases.case_id, base.cases.fields["topic"], strict=True):
        assert topics[name.replace("::", ".py::").replace("]", "-1-3]")] == topic
    assert set(base.cases.fields["function"]) == {"test_queue"}
    assert set(odd.cases.fields["classname"]) == {"test_odd", "test_odd.TestInClass"}
    assert odd.cases.fields["level"][-1] == "3"
    assert cells(odd, "score") == {("test_odd.TestInClass::test_method", 1): (0.75, Status.OK)}
    assert "record 'score' more than once" in texts(odd)
    assert "(RateLimitError 1)" in texts(odd)
    assert "expected to fail (xfail)" in texts(odd)


def test_a_property_of_any_name_can_be_the_score(tmp_path: Path) -> None:
    inside = '<properties><property name="fluency" value="0.5"/><property name="level">2</property></properties>'
    path = written(tmp_path, suite(case("test_x", inside)))
    plain = read(path)
    assert [metric.name for metric in plain.metrics] == ["pass"]
    assert "--map score=fluency" in texts(plain)
    assert plain.cases.fields["level"] == ("2",)
    mapped = read(path, ReadOptions(columns={"score": "fluency|level"}))
    assert cells(mapped, "fluency") == {("test_a::test_x", 1): (0.5, Status.OK)}
    assert cells(mapped, "level") == {("test_a::test_x", 1): (2.0, Status.OK)}
    with pytest.raises(LogError, match=r"--map score=fluent names no recorded property\. There are: 'pass', 'fluency'"):
        read(path, ReadOptions(columns={"score": "fluent"}))


def test_words_of_a_property_get_numbers(tmp_path: Path) -> None:
    inside = '<properties><property name="grade" value="{}"/></properties>'
    path = written(tmp_path, suite(case("a", inside.format("both")), case("b", inside.format("C"))))
    options = ReadOptions(columns={"score": "grade"}, words={"both": 0.5})
    assert list(cells(read(path, options), "grade").values()) == [(0.5, Status.OK), (1.0, Status.OK)]
    unmapped = read(path, ReadOptions(columns={"score": "grade"}))
    assert unmapped.metrics[1].words == ("both",)


def test_a_missing_property_is_unscored_where_its_neighbours_record_it(tmp_path: Path) -> None:
    inside = '<properties><property name="score" value="0.5"/></properties>'
    path = written(tmp_path, suite(case("t[1]", inside), case("t[2]", "<failure/>"), case("other")))
    assert cells(read(path), "score") == {
        ("test_a::t[1]", 1): (0.5, Status.OK),
        ("test_a::t[2]", 1): (None, Status.UNSCORED),
    }


def test_a_rep_that_is_missing_was_not_run(tmp_path: Path) -> None:
    names = ["t[a-1-2]", "t[a-2-2]", "t[b-1-2]", "t[b-2-2]", "t[c-1-2]"]
    table = read(written(tmp_path, suite(*map(case, names))))
    assert cells(table)["test_a::t[c]", 2] == (None, Status.NOT_RUN)
    assert len(table.cases) == 3
    lone = read(written(tmp_path, suite(case("t[a-1-2]"), case("u"))))
    assert lone.cases.case_id == ("test_a::t[a-1-2]", "test_a::u")
    assert "not every rep is there" in texts(lone)


def test_a_rep_that_a_broken_file_lacks_is_unreadable(tmp_path: Path) -> None:
    names = ["t[a-1-2]", "t[a-2-2]", "t[b-1-2]", "t[b-2-2]", "t[c-1-2]"]
    table = read(written(tmp_path, suite(*map(case, names)).removesuffix("</testsuite></testsuites>")))
    assert cells(table)["test_a::t[c]", 2] == (None, Status.UNREADABLE)


def test_suites_of_one_file_are_a_field_and_their_tests_stay_apart(tmp_path: Path) -> None:
    text = (
        '<testsuites name="jest tests"><testsuite name="one">{0}</testsuite>'
        '<testsuite name="two"><properties><property name="model" value="m"/></properties>{0}</testsuite></testsuites>'
    )
    table = read(written(tmp_path, text.format(case("answers", classname=""))))
    assert table.cases.case_id == ("answers", "answers")
    assert table.cases.dup.tolist() == [0, 1]
    assert table.cases.fields["suite"] == ("one", "two")
    assert table.runs[0].set_name == "jest tests"
    assert table.runs[0].arm_detail == {"model": "m"}


def test_one_name_twice_is_a_rep_and_said(tmp_path: Path) -> None:
    table = read(written(tmp_path, suite(case("t"), case("t", "<failure/>"))))
    assert list(cells(table)) == [("test_a::t", 1), ("test_a::t", 2)]
    assert "read as further reps of it" in texts(table)


def test_reruns_and_announced_tests_are_said(tmp_path: Path) -> None:
    table = read(written(tmp_path, suite(case("t", "<flakyFailure/>"), attributes='tests="3"')))
    assert "the best of several runs" in texts(table)
    assert "announces 3 tests, and 1 are in the file" in texts(table)
    assert table.runs[0].state == "partial"


def test_arms_pair_by_id(command: Any) -> None:
    answer = command.json("compare", FOLDER / "base.xml", FOLDER / "cand.xml", "--metric", "pass")
    assert answer["pairing"]["matched"] == 12
    nodes = [reported(name) for name in ("base", "cand")]
    rates = [sum(phases[1]["outcome"] == "passed" for phases in one.values()) / len(one) for one in nodes]
    assert answer["difference"]["estimate"] == pytest.approx(rates[1] - rates[0])


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60)
@given(cut=st.integers(0, 10_000))
def test_a_file_that_ends_early_is_read_as_far_as_it_goes(tmp_path: Path, cut: int) -> None:
    whole = (FOLDER / "odd.xml").read_bytes()
    data = whole[: cut % len(whole)]
    full = cells(read(FOLDER / "odd.xml"))
    try:
        table = read(written(tmp_path, data))
    except LogError as fault:
        assert "run.xml" in str(fault)  # noqa: PT017 (both ends are right)
        return
    assert cells(table).items() <= full.items()
    assert table.runs[0].state == "partial"
    assert "breaks off" in texts(table)


def bomb() -> str:
    levels = "".join(f'<!ENTITY e{n} "{f"&e{n - 1};" * 10}">' for n in range(1, 12))
    return f'<!DOCTYPE testsuites [<!ENTITY e0 "ha">{levels}]><testsuites name="&e11;"/>'


REFUSED = {
    "bomb": (bomb(), "declares a document type"),
    "external": ('<!DOCTYPE x SYSTEM "file:///etc/passwd"><testsuites/>', "declares a document type"),
    "deep": ("<testsuites>" + "<a>" * 100_000, "nests its elements more than 64 deep"),
    "empty": ("<testsuites/>", "holds no test"),
    "broken": (suite(case("t")) + "<a>", "is no sound XML: junk after document element"),
    "entity": ("<testsuites><testsuite>&who;</testsuite></testsuites>", "undefined entity"),
    "encoding": ('<?xml version="1.0" encoding="klingon"?><testsuites/>', "is in no encoding that is known"),
    "cut": ("<testsuites><testsuite><testcase name='t'>", "The file ends early"),
    "promptfoo": ('<testsuites name="promptfoo">' + suite(case("t"))[12:], "promptfoo eval -o results.json"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_refused(tmp_path: Path, name: str) -> None:
    text, expected = REFUSED[name]
    with pytest.raises(LogError, match=f"{name}.xml") as caught:
        read(written(tmp_path, text, f"{name}.xml"))
    assert expected in str(caught.value)


def test_a_file_and_an_element_have_a_largest_size(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = written(tmp_path, suite(case("t", "x" * 300_000, classname="c" * 300_000)))
    assert len(read(path).cases) == 1
    monkeypatch.setattr("evalgauge.formats.junit_xml.MAX_ELEMENT_BYTES", 100_000)
    with pytest.raises(LogError, match="holds an element of more than"):
        read(path)
    monkeypatch.setattr("evalgauge.formats.junit_xml.MAX_FILE_BYTES", 1 << 16)
    with pytest.raises(LogError, match="is larger than 0 MB"):
        read(path)


def test_a_broken_file_is_read_up_to_the_break_where_asked(tmp_path: Path) -> None:
    path = written(tmp_path, f"<testsuites><testsuite>{case('t')}</x>{case('u')}")
    with pytest.raises(LogError, match=r"mismatched tag at line 1.*--tolerant"):
        read(path)
    table = read(path, ReadOptions(tolerant=True))
    assert table.cases.case_id == ("test_a::t",)


@pytest.mark.parametrize(
    ("text", "is_ours"),
    [
        ("<testsuites/>", True),
        ("<testsuite name='x'>", True),
        ("\ufeff<?xml version='1.0'?>\n<!-- a <testcase> --><!--b--><testsuites>", True),
        ("<!DOCTYPE x [ <!ENTITY a 'b'> ]><testsuites>", True),
        ("<html><testsuites/></html>", False),
        ("<testsuitesque/>", False),
        ("<!-- <testsuites> -->", False),
        ("<!----> -->" * 700, False),
        ("<!DOCTYPE " * 800, False),
        ("case,score\n", False),
    ],
)
def test_claims(text: str, is_ours: bool) -> None:  # noqa: FBT001 (what is expected)
    assert READER.claims(Source(path=Path("x.xml"), head=text.encode()[:8192], is_folder=False)) is is_ours


def test_utf_16_is_read(tmp_path: Path) -> None:
    text = '<?xml version="1.0" encoding="utf-16"?>' + suite(case("t-ü"))
    assert read(written(tmp_path, text.encode("utf-16"))).cases.case_id == ("test_a::t-ü",)


@given(names=st.sets(st.sampled_from("abcdef"), min_size=1), reps=st.integers(2, 5), data=st.data())
def test_every_name_repeated_gives_its_reps_back(names: set[str], reps: int, data: st.DataObject) -> None:
    tests = [(0, f"t[{name}-{rep}-{reps}]") for name in sorted(names) for rep in range(1, reps + 1)]
    shuffled = data.draw(st.permutations(tests))
    found = repeats(shuffled)
    assert found.planned == {(0, f"t[{name}]"): reps for name in names}
    for (_, name), one in zip(shuffled, found.of_test, strict=True):
        assert one is not None
        assert f"{one.base[:-1]}-{one.rep}-{one.of}]" == name


@given(st.integers(2, 6), st.integers(2, 6))
def test_a_grid_of_whole_numbers_is_no_series(rows: int, columns: int) -> None:
    tests = [(0, f"t[{row}-{column}]") for row in range(1, rows + 1) for column in range(1, columns + 1)]
    assert repeats(tests).of_test == [None] * len(tests)
