"""Driftproof receipts: judgings are no reps, a status for every case and mode, and what is refused."""

from __future__ import annotations

import json
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest

from evalgauge.errors import LogError
from evalgauge.formats.driftproof import READER
from evalgauge.scores.sums import case_sums
from evalgauge.scores.units import chosen_metric, unit_table, units
from support.logs import cells, problems, read_log, source

FIXTURES = Path(__file__).resolve().parent.parent / "fixtures" / "driftproof"
RECEIPT: dict[str, Any] = json.loads((FIXTURES / "receipt.json").read_text(encoding="utf-8"))
ARM = "claude-haiku-4-5 {}"


def written(folder: Path, *, name: str = "receipt.json", cases: list[dict[str, Any]] | None = None, **top: Any) -> Path:
    receipt = {**deepcopy(RECEIPT), **top}
    if cases is not None:
        receipt["results"] = {"cases": cases}
    path = folder / name
    path.write_text(json.dumps(receipt), encoding="utf-8")
    return path


def hand_count(path: Path, mode: str) -> dict[tuple[str, int], float]:
    receipt = json.loads(path.read_text(encoding="utf-8"))
    return {
        (case["id"], rep): sample
        for case in receipt["results"]["cases"]
        if case["mode"] == mode
        for rep, sample in enumerate(case.get("samples", []), start=1)
    }


@pytest.mark.parametrize("mode", ["with_skill", "baseline"])
def test_scores_are_the_samples(mode: str) -> None:
    found = cells(read_log(FIXTURES / "receipt.json"), "score", ARM.format(mode))
    scored = {key: score for key, score in found.items() if not isinstance(score, str)}
    assert scored == hand_count(FIXTURES / "receipt.json", mode)
    assert {found["times-out", rep] for rep in (1, 2, 3)} == {"error"}


def test_outcomes_and_checks() -> None:
    table = read_log(FIXTURES / "receipt.json")
    arm = ARM.format("with_skill")
    by_id = {case["id"]: case for case in RECEIPT["results"]["cases"] if case["mode"] == "with_skill"}
    outcomes = cells(table, "outcome", arm)
    assert outcomes["times-out", 1] == "error"
    # A case without a threshold has no outcome.
    assert by_id["signs-off"]["outcome"] == "score"
    assert outcomes["signs-off", 1] == "unscored"
    for case_id in ("greets-by-name", "quotes-the-order", "no-promises", "one-question"):
        expected = {"pass": 1.0, "fail": 0.0, "borderline": "ok"}[by_id[case_id]["outcome"]]
        assert outcomes[case_id, 1] == expected
    assert cells(table, "check/names-the-skill", arm) == {("greets-by-name", 1): 1.0, ("quotes-the-order", 1): 1.0}
    assert set(cells(table, "check/names-the-skill", ARM.format("baseline")).values()) == {0.0}


def test_a_borderline_outcome_is_a_word_until_it_is_given_a_number() -> None:
    kinds = {metric.name: metric for metric in read_log(FIXTURES / "receipt.json").metrics}
    assert kinds["outcome"].words == ("borderline",)
    assert kinds["check/names-the-skill"].kind == "binary"
    mapped = cells(read_log(FIXTURES / "receipt.json", words={"borderline": 0.5}), "outcome", ARM.format("baseline"))
    assert 0.5 in mapped.values()


def test_judgings_are_one_run_of_the_system() -> None:
    table = read_log(FIXTURES / "receipt.json")
    unit = next(one for one in units(table) if one.arm == ARM.format("baseline"))
    own = unit_table(table, unit)
    sums = case_sums(own, metric=chosen_metric(own, "score"))
    assert sums.judgings == 3
    assert sums.n_planned.tolist() == [1] * 6
    case = next(one for one in RECEIPT["results"]["cases"] if one["mode"] == "baseline")
    assert sums.means[0] == pytest.approx(sum(case["samples"]) / 3)


def test_run_columns() -> None:
    runs = {run.arm: run for run in read_log(FIXTURES / "receipt.json").runs}
    run = runs[ARM.format("with_skill")]
    assert set(runs) == {ARM.format("with_skill"), ARM.format("baseline")}
    assert run.set_name == "reply-tone"
    assert run.set_version == RECEIPT["suite"]["suite_hash"][:16]
    assert run.run_id == f"{RECEIPT['receipt_hash'][:16]}-with_skill"
    assert run.arm_detail["model"] == "claude-haiku-4-5"
    assert run.arm_detail["mode"] == "with_skill"
    assert run.arm_detail["skill_version"] == "1.2.0"
    assert run.arm_detail["skill_hash"] == RECEIPT["skill"]["content_hash"]
    assert run.framework_version == "0.3.0"
    assert run.created == "2026-08-01T00:00:00.000Z"
    assert (run.rep_source, run.rep_kind, run.planned_reps, run.planned_cases) == ("explicit", "judge", 3, 6)
    assert run.state == "partial"


def test_what_a_cap_left_out_and_what_timed_out_is_said() -> None:
    assert problems(read_log(FIXTURES / "receipt.json")) == (
        "The receipt says that its run is incomplete: some cases timed out."
    )
    assert "The suite has 6 cases, the receipt 3" in problems(read_log(FIXTURES / "capped.json"))
    assert read_log(FIXTURES / "capped.json").runs[0].state == "complete"


def test_a_case_that_one_mode_lacks_was_not_run(tmp_path: Path) -> None:
    kept = [case for case in RECEIPT["results"]["cases"] if (case["id"], case["mode"]) != ("no-promises", "baseline")]
    found = cells(read_log(written(tmp_path, cases=kept)), "score", ARM.format("baseline"))
    assert {found["no-promises", rep] for rep in (1, 2, 3)} == {"not run"}


def test_old_receipts_have_one_judging(tmp_path: Path) -> None:
    cases = [{"id": "c1", "mode": mode, "outcome": "pass", "score": score} for mode, score in (("a", 0.9), ("b", 0.4))]
    run = {"model_id": "m", "date_utc": "2026-07-01T00:00:00.000Z"}
    table = read_log(written(tmp_path, cases=cases, run=run, schema_version="0.1"))
    assert cells(table, "score", "m a") == {("c1", 1): 0.9}
    assert cells(table, "score", "m b") == {("c1", 1): 0.4}


def test_a_case_twice_in_one_mode_counts_once(tmp_path: Path) -> None:
    cases = [{"id": "c1", "mode": "a", "samples": [score]} for score in (0.1, 0.9)]
    table = read_log(written(tmp_path, cases=cases))
    assert cells(table, "score") == {("c1", 1): 0.9}
    assert "twice in one mode: the last counts" in problems(table)


@pytest.mark.parametrize(
    ("change", "text"),
    [
        ({"results": {"cases": []}}, "receipt.json, field 'results.cases': holds no case. Run the suite again."),
        ({"results": {"cases": [{"id": 3}]}}, "field 'results.cases[0]': object missing required field `mode`."),
        ({"results": {}}, "receipt.json, field 'results': object missing required field `cases`."),
    ],
)
def test_refusals(tmp_path: Path, change: dict[str, Any], text: str) -> None:
    path = written(tmp_path, **change)
    with pytest.raises(LogError) as refusal:
        read_log(path)
    assert text in str(refusal.value).replace(f"{tmp_path}/", "")


def test_a_cut_receipt_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "receipt.json"
    path.write_bytes((FIXTURES / "receipt.json").read_bytes()[:3000])
    with pytest.raises(LogError, match=r"is no valid JSON .* The file ends early: copy it again"):
        read_log(path)


def test_claims_by_bytes(tmp_path: Path) -> None:
    assert READER.claims(source(FIXTURES / "receipt.json"))
    other = tmp_path / "other.json"
    other.write_text('{"skill": {"name": "x"}, "results": []}', encoding="utf-8")
    assert not READER.claims(source(other))
    assert not READER.claims(source(tmp_path))


def test_real_receipts_equal_a_hand_count(real_logs: Path) -> None:
    paths = sorted((real_logs / "driftproof").glob("*.json"))
    assert paths
    for path in paths:
        table = read_log(path)
        receipt = json.loads(path.read_text(encoding="utf-8"))
        assert len(table.cases) == receipt["suite"]["case_count"]
        for mode in ("with_skill", "baseline"):
            arm = f"{receipt['run']['model_id']} {mode}"
            assert cells(table, "score", arm) == hand_count(path, mode)
            unit = next(one for one in units(table) if one.arm == arm)
            own = unit_table(table, unit)
            sums = case_sums(own, metric=chosen_metric(own, "score"))
            # The receipt's own aggregate: the mean of the means of the cases.
            assert sums.means.mean() == pytest.approx(receipt["results"]["aggregates"][mode]["mean_score"], abs=1e-6)
            outcomes = list(cells(table, "outcome", arm).values())
            assert outcomes.count(1.0) == receipt["results"]["aggregates"][mode]["pass_count"]
            for case in (one for one in receipt["results"]["cases"] if one["mode"] == mode):
                for check in case.get("checks", []):
                    assert cells(table, f"check/{check['name']}", arm)[case["id"], 1] == check["pass"]
