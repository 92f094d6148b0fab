"""SWE-bench reports: a status for every instance of the set, and a denominator that is said."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from evalgauge.errors import LogError
from evalgauge.formats.swe_bench import READER
from support.logs import cells, problems, read_log, source

if TYPE_CHECKING:
    from support.command import Command

FIXTURES = Path(__file__).resolve().parent.parent / "fixtures" / "swe-bench"
REPORT = FIXTURES / "report" / "demo__patcher-1.nightly.json"
TREE = FIXTURES / "tree"


def summary(folder: Path, name: str = "m.run.json", **change: Any) -> Path:
    report = {**json.loads(REPORT.read_text(encoding="utf-8")), **change}
    path = folder / name
    path.write_text(json.dumps(report, indent=4), encoding="utf-8")
    return path


def test_every_instance_of_the_set_has_a_score_or_a_reason() -> None:
    report = json.loads(REPORT.read_text(encoding="utf-8"))
    expected: dict[tuple[str, int], float | str] = {
        **{(one, 1): 1.0 for one in report["resolved_ids"]},
        **{(one, 1): 0.0 for one in report["unresolved_ids"]},
        **{(one, 1): 0.0 for one in report["empty_patch_ids"]},
        **{(one, 1): "error" for one in report["error_ids"]},
        **{(one, 1): "not run" for one in report["incomplete_ids"]},
    }
    table = read_log(REPORT)
    assert cells(table, "resolved") == expected
    assert len(table.cases) == report["total_instances"]
    assert sum(score == 1 for score in expected.values()) == report["resolved_instances"]


def test_columns() -> None:
    table = read_log(REPORT)
    run = table.runs[0]
    assert (run.arm, run.set_name, run.framework) == ("demo/patcher-1", "SWE-bench", "swe-bench")
    assert run.arm_detail == {"model": "demo/patcher-1", "run": "nightly"}
    assert run.planned_cases == 10
    repos = dict(zip(table.cases.case_id, table.cases.fields["repo"], strict=True))
    assert repos["django__django-101"] == "django/django"
    assert repos["pytest-dev__pytest-9"] == "pytest-dev/pytest"
    assert table.raw is not None
    assert "empty patch" in table.raw


def test_the_denominator_is_said() -> None:
    said = problems(read_log(REPORT))
    assert "2 resolved: 20.0 % of all 10 instances, 25.0 % of 8 submitted, 40.0 % of 5 tested." in said
    assert "1 patch is empty: counted as not resolved." in said
    assert "1 patch is for an instance of another set: left out." in said
    assert "SWE-bench lays 1 failure to the machine" in said


@pytest.mark.parametrize(("policy", "rate"), [("fail", 2 / 10), ("drop", 2 / 6)])
def test_the_question_chooses_the_denominator(command: Command, policy: str, rate: float) -> None:
    assert command.json("measure", REPORT, "--missing", policy)["estimate"] == pytest.approx(rate)


def test_a_report_of_a_whole_set_says_nothing_of_denominators(tmp_path: Path) -> None:
    ids = {"resolved_ids": ["a__a-1"], "unresolved_ids": ["a__a-2"], "error_ids": [], "incomplete_ids": []}
    more = {"empty_patch_ids": [], "infra_failure_ids": [], "ambiguous_failure_ids": []}
    path = summary(tmp_path, total_instances=2, submitted_ids=["a__a-1", "a__a-2"], **ids, **more)
    assert read_log(path).problems == ()


def test_a_report_that_names_fewer_instances_than_it_counts(tmp_path: Path) -> None:
    path = summary(tmp_path, total_instances=12, ambiguous_failure_ids=["x", "y"])
    said = problems(read_log(path))
    assert "The set has 12 instances, the report names 10: the others are not counted." in said
    assert "SWE-bench lays 2 failures perhaps to the machine." in said


def test_a_tree_of_reports_agrees_with_its_summary() -> None:
    tree, whole = cells(read_log(TREE), "resolved"), cells(read_log(REPORT), "resolved")
    assert tree.items() <= whole.items()
    assert {case for case, _ in whole.keys() - tree.keys()} == {
        "django__django-103",
        "django__django-104",
        "astropy__astropy-8",
    }
    run = read_log(TREE).runs[0]
    assert run.arm_detail == {"model": "demo/patcher-1", "run": "nightly"}
    assert "do not say how large the set is" in problems(read_log(TREE))


def test_a_summary_beside_its_tree_is_read_once() -> None:
    table = read_log(FIXTURES)
    assert len(table.runs) == 1
    assert cells(table, "resolved") == cells(read_log(REPORT), "resolved")
    # Everything else that an evaluation leaves behind is known and not worth a word.
    assert "Left out" not in problems(table)


def test_runs_of_two_models_in_one_folder_are_two_arms(tmp_path: Path) -> None:
    summary(tmp_path, "one.run.json")
    summary(tmp_path, "two.run.json")
    assert [run.arm for run in read_log(tmp_path).runs] == ["one", "two"]


def test_the_report_of_one_instance() -> None:
    path = next(TREE.rglob("django__django-101/report.json"))
    table = read_log(path)
    assert cells(table, "resolved") == {("django__django-101", 1): 1.0}
    assert table.runs[0].arm == "demo/patcher-1"


def test_an_empty_report_of_an_instance_is_an_error(tmp_path: Path) -> None:
    shutil.copytree(TREE, tmp_path / "tree")
    report = next((tmp_path / "tree").rglob("django__django-101/report.json"))
    report.write_text("", encoding="utf-8")
    assert cells(read_log(tmp_path / "tree"), "resolved")["django__django-101", 1] == "error"


def test_a_damaged_report_is_named_and_tolerance_reads_around_it(tmp_path: Path) -> None:
    shutil.copytree(TREE, tmp_path / "tree")
    report = next((tmp_path / "tree").rglob("django__django-101/report.json"))
    report.write_bytes(report.read_bytes()[:100])
    with pytest.raises(LogError, match=r"django__django-101/report.json: is no valid JSON"):
        read_log(tmp_path / "tree")
    table = read_log(tmp_path / "tree", tolerant=True)
    # What stands beside it says that the instance was evaluated.
    assert cells(table, "resolved")["django__django-101", 1] == "error"
    assert "This report is left out." in problems(table)


@pytest.mark.parametrize(
    ("change", "text"),
    [
        (
            {
                key: list[str]()
                for key in ("resolved_ids", "unresolved_ids", "error_ids", "incomplete_ids", "empty_patch_ids")
            },
            "m.run.json, field 'resolved_ids': names no instance. Reports name them since May 2024",
        ),
        ({"resolved_ids": 3}, "field 'resolved_ids': expected `array`, got `int`."),
    ],
)
def test_refusals(tmp_path: Path, change: dict[str, Any], text: str) -> None:
    path = summary(tmp_path, **change)
    with pytest.raises(LogError) as refusal:
        read_log(path)
    assert text in str(refusal.value)


def test_a_cut_report_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "m.run.json"
    path.write_bytes(REPORT.read_bytes()[:600])
    with pytest.raises(LogError, match=r"is no valid JSON .* copy it again"):
        read_log(path)


def test_claims_by_bytes(tmp_path: Path) -> None:
    assert READER.claims(source(REPORT))
    assert READER.claims(source(TREE))
    assert not READER.claims(source(tmp_path))
    other = tmp_path / "report.json"
    other.write_text('{"django__django-101": {"score": 1}}', encoding="utf-8")
    assert not READER.claims(source(other))
