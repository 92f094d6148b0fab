"""Inspect AI logs: against the framework's own reader, column by column, and what is refused."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from evalgauge.errors import EvalgaugeError
from evalgauge.formats.inspect_ai import READER
from evalgauge.scores.table import Status
from support.inspect_logs import (
    EXPECTED,
    FIXTURES,
    INSPECT,
    log,
    read,
    rows,
    sample,
    source,
    statuses,
    write,
    write_archive,
)


def parts(value: Any, name: str) -> dict[str, Any]:
    if isinstance(value, dict):
        return {f"{name}/{key}": part for key, part in value.items()}
    if isinstance(value, list):
        return {f"{name}/{place}": part for place, part in enumerate(value)}
    return {name: value}


READABLE = sorted(name for name, entry in EXPECTED.items() if "unreadable" not in entry)


@pytest.mark.parametrize("name", READABLE)
def test_scores_are_those_of_inspects_own_reader(name: str) -> None:
    table = rows(read(INSPECT / name))
    words = {"both", "left", "right"}
    seen = 0
    for row in EXPECTED[name]["rows"]:
        if row.get("scorer") is None:
            continue
        values = parts(row["value"], row["scorer"])
        for metric, number in parts(row["numeric"], row["scorer"]).items():
            score, status, raw = table[str(row["id"]), row["epoch"], metric]
            seen += 1
            if row.get("invalid"):
                assert (score, status) == (None, Status.INVALID)
            elif number in ("NaN", None):
                assert (score, status) == (None, Status.UNSCORED)
            elif values[metric] in words:
                # Inspect counts a label as 0 and warns; here it stays a label.
                assert (score, status, raw) == (None, Status.OK, values[metric])
            else:
                assert (score, status) == (float(number), Status.OK)
    assert seen > 0


@pytest.mark.parametrize("name", READABLE)
def test_samples_without_a_score_have_a_reason(name: str) -> None:
    table = rows(read(INSPECT / name))
    for row in EXPECTED[name]["rows"]:
        if row.get("scorer") is None:
            found = {status for key, (_, status, _) in table.items() if key[:2] == (str(row["id"]), row["epoch"])}
            wanted = {Status.ERROR, Status.CANCELLED} if row.get("error") else {Status.UNSCORED, Status.LIMIT}
            assert len(found) == 1
            assert found <= wanted


def test_planned_runs_that_a_killed_log_lacks_are_not_run() -> None:
    table = read(INSPECT / "killed.eval")
    assert statuses(table) == {"OK": 10, "NOT_RUN": 6}
    assert table.runs[0].state == "partial"
    assert (table.runs[0].planned_cases, table.runs[0].planned_reps) == (8, 2)


def test_a_cancelled_log_tells_cancelled_from_not_run() -> None:
    table = read(INSPECT / "cancelled.eval")
    assert statuses(table) == {"OK": 10, "CANCELLED": 4, "NOT_RUN": 2}
    assert table.runs[0].state == "cancelled"


def test_json_and_eval_of_one_run_are_one_table() -> None:
    ours, twin = read(INSPECT / "small.eval"), read(INSPECT / "small.json")
    assert rows(ours) == rows(twin)
    assert ours.cases.fields == twin.cases.fields
    assert ours.cases.contents is not None
    assert twin.cases.contents is not None
    assert list(ours.cases.contents()) == list(twin.cases.contents())


def test_an_eval_set_holds_attempts_at_one_work() -> None:
    table = read(INSPECT / "eval-set")
    first, second = table.runs
    assert first.attempt_of == second.attempt_of != ""
    assert first.created < second.created
    assert (first.state, second.state) == ("error", "complete")
    assert len(table.cases) == 3


def test_a_task_of_an_eval_set_that_was_never_begun_is_said(tmp_path: Path) -> None:
    shutil.copytree(INSPECT / "eval-set", tmp_path / "set")
    path = tmp_path / "set" / "eval-set.json"
    planned = json.loads(path.read_text(encoding="utf-8"))
    assert read(tmp_path / "set").problems == ()
    planned["tasks"].append({"name": "sums", "task_id": "another", "model": "mockllm/other"})
    path.write_text(json.dumps(planned), encoding="utf-8")
    (problem,) = read(tmp_path / "set").problems
    assert problem.text == (
        "The eval set lists the task sums with mockllm/other, which has no log here: it was never begun."
    )
    path.write_text("{", encoding="utf-8")
    (problem,) = read(tmp_path / "set").problems
    assert "What the eval set was to run is not known" in problem.text


def test_run_columns() -> None:
    run = read(INSPECT / "triage-base.eval").runs[0]
    assert run.set_name == "ticket_triage"
    assert run.set_version == "1"
    assert run.arm == "mockllm/base"
    assert run.arm_detail["task_args"] == '{"arm": "base", "epochs": 3}'
    assert run.arm_detail["solver"].startswith("route")
    assert run.framework == "inspect"
    assert run.framework_version == "0.3.285"
    assert run.rep_source == "explicit"
    assert run.rep_kind == "run"
    assert run.file.endswith("triage-base.eval")
    assert run.run_id
    assert run.created.startswith("20")


def test_metadata_are_fields_of_the_case() -> None:
    fields = read(INSPECT / "triage-base.eval").cases.fields
    assert set(fields) == {"topic", "doc"}
    assert len(set(fields["topic"])) == 4


def test_metadata_that_changes_between_reps_is_named_and_left_out(tmp_path: Path) -> None:
    samples = [
        sample("a", epoch=1, metadata={"turns": 1, "topic": "x"}),
        sample("a", epoch=2, metadata={"turns": 2, "topic": "x"}),
    ]
    table = read(write(tmp_path / "x.json", log(samples)))
    assert dict(table.cases.fields) == {"topic": ("x",)}
    assert [problem.text for problem in table.problems] == [
        "Metadata that changes between the runs of a case is no slice and is left out: turns."
    ]


def test_contents_are_whole_where_summaries_cut_them() -> None:
    for name in ("long-input.eval", "chunked.eval"):
        contents = read(INSPECT / name).cases.contents
        assert contents is not None
        inputs = [content.input for content in contents() if content is not None]
        assert all(isinstance(text, str) and len(text) > 6_000 for text in inputs)
        assert len(set(map(str, inputs))) == 4


def test_contents_of_chats_have_no_ids_and_choices_are_kept() -> None:
    chats = read(INSPECT / "chat-input.eval").cases.contents
    choices = read(INSPECT / "choices.eval").cases.contents
    assert chats is not None
    assert choices is not None
    first, asked = chats()[0], choices()[0]
    assert first is not None
    assert asked is not None
    assert first.input[0] == {"role": "system", "content": "You answer for the support desk."}
    assert first.target == ["teams", "account"]
    assert asked.choices == ("teams", "refunds", "login", "bugs")


def test_choices_come_from_the_sample_where_old_summaries_lack_them(tmp_path: Path) -> None:
    whole = sample(1, choices=["x", "y"])
    summary = sample(1)
    header = {key: value for key, value in log([]).items() if key != "samples"}
    members = {"header.json": header, "summaries.json": [summary], "samples/1_epoch_1.json": whole}
    contents = read(write_archive(tmp_path / "x.eval", members)).cases.contents
    assert contents is not None
    content = contents()[0]
    assert content is not None
    assert content.choices == ("x", "y")


@pytest.mark.parametrize(
    ("value", "more", "status"),
    [
        ("C", {"limit": {"type": "token"}}, Status.OK),
        (None, {"limit": {"type": "token"}}, Status.LIMIT),
        (None, {"limit": "time"}, Status.LIMIT),
        (float("nan"), {}, Status.UNSCORED),
        (None, {"error": {"message": "RuntimeError('x')"}}, Status.ERROR),
        (None, {"error": "CancelledError()"}, Status.CANCELLED),
        ("C", {"invalidation": {"author": "me"}}, Status.INVALID),
        (None, {}, Status.UNSCORED),
        (None, {"limit": "time", "error": "boom"}, Status.ERROR),
    ],
)
def test_what_became_of_a_run(tmp_path: Path, value: Any, more: dict[str, Any], status: Status) -> None:
    table = read(write(tmp_path / "x.json", log([sample("other", "I"), sample("this", value, **more)])))
    assert rows(table)["this", 1, "match"][1] == status


@pytest.mark.parametrize(
    ("value", "words", "score"),
    [
        ("C", {}, 1.0),
        ("P", {}, 0.5),
        ("I", {}, 0.0),
        ("N", {}, 0.0),
        ("Yes", {}, 1.0),
        ("FALSE", {}, 0.0),
        ("0.25", {}, 0.25),
        (True, {}, 1.0),
        (7, {}, 7.0),
        ("both", {}, None),
        ("both", {"both": 0.5}, 0.5),
        ("C", {"C": 0.75}, 0.75),
        ("c", {}, None),
        ("inf", {}, None),
    ],
)
def test_score_words(tmp_path: Path, value: Any, words: dict[str, float], score: float | None) -> None:
    table = read(write(tmp_path / "x.json", log([sample("a", value)])), words=words)
    assert rows(table)["a", 1, "match"][0] == score
    if score is None:
        assert table.metrics[0].kind == "categorical"
        assert table.metrics[0].words == (value,)


def test_null_leaves_of_old_logs_are_missing_and_not_zero(tmp_path: Path) -> None:
    table = read(write(tmp_path / "x.json", log([sample("a", {"x": None, "y": 1}), sample("b", {"x": 0.5, "y": 0})])))
    assert rows(table)["a", 1, "match/x"] == (None, Status.UNSCORED, None)
    assert rows(table)["a", 1, "match/y"][0] == 1.0


def test_the_last_of_two_runs_with_one_key_counts(tmp_path: Path) -> None:
    table = read(write(tmp_path / "x.json", log([sample(1, "I"), sample("1", "C")])))
    assert rows(table) == {("1", 1, "match"): (1.0, Status.OK, "C")}
    assert "twice" in table.problems[0].text
    assert table.problems[0].count == 1


def test_planned_set_is_ids_times_epochs_and_early_stops_are_skipped(tmp_path: Path) -> None:
    spec = {"dataset": {"samples": 100, "sample_ids": [1, 2]}, "config": {"epochs": 2, "limit": 2}}
    results = {"early_stopping": {"early_stops": [{"id": 2, "epoch": 2}]}}
    table = read(write(tmp_path / "x.json", log([sample(1)], spec=spec, results=results)))
    assert {key[:2]: value[1] for key, value in rows(table).items()} == {
        ("1", 1): Status.OK,
        ("1", 2): Status.NOT_RUN,
        ("2", 1): Status.NOT_RUN,
        ("2", 2): Status.SKIPPED,
    }


def test_old_logs_with_one_unnamed_score(tmp_path: Path) -> None:
    old = {"id": 1, "epoch": 1, "input": "q", "target": "a", "score": {"value": "C"}}
    table = read(write(tmp_path / "x.json", log([old], results={"scorer": {"name": "includes"}})))
    assert rows(table) == {("1", 1, "includes"): (1.0, Status.OK, "C")}


def test_scores_of_runs_that_then_failed_count_as_inspect_counts_them(tmp_path: Path) -> None:
    table = read(write(tmp_path / "x.json", log([sample(1, "C", error={"message": "boom"})])))
    assert rows(table)["1", 1, "match"][:2] == (1.0, Status.OK)
    assert "ended in an error after they were scored" in table.problems[0].text


def test_reductions_stand_in_for_samples_that_were_not_logged(tmp_path: Path) -> None:
    content = log([], reductions=[{"scorer": "match", "samples": [{"value": 1.0, "sample_id": 3}]}])
    table = read(write(tmp_path / "x.json", content))
    assert rows(table) == {("3", 1, "match"): (1.0, Status.OK, None)}
    assert "reductions" in table.problems[0].text


def test_a_folder_of_two_sets_keeps_equal_ids_apart(tmp_path: Path) -> None:
    write(tmp_path / "a.json", log([sample(1)]))
    write(tmp_path / "b.json", log([sample(1, "I")], spec={"task": "other", "task_id": "T2", "eval_id": "E2"}))
    table = read(tmp_path)
    assert table.cases.case_id == ("faq/1", "other/1")
    assert table.cases.fields["task"] == ("faq", "other")


def test_a_folder_keeps_contents_under_one_id_apart_and_names_arms_by_what_differs(tmp_path: Path) -> None:
    write(tmp_path / "a.json", log([sample(1), sample(2)], spec={"solver": "plain"}))
    changed = {**sample(2), "input": "another question"}
    write(tmp_path / "b.json", log([sample(1), changed], spec={"solver": "cot", "task_id": "T2"}))
    table = read(tmp_path)
    assert table.cases.case_id == ("1", "2", "2")
    assert table.cases.dup.tolist() == [0, 0, 1]
    assert [run.arm for run in table.runs] == ["m/a (solver=plain)", "m/a (solver=cot)"]
    assert any("differ in input or target" in problem.text for problem in table.problems)


def test_claims_by_bytes(tmp_path: Path) -> None:
    renamed = tmp_path / "renamed.zip"
    renamed.write_bytes((INSPECT / "small.eval").read_bytes())
    assert READER.claims(source(renamed))
    assert READER.claims(source(INSPECT))
    assert READER.claims(source(write(tmp_path / "log.json", log([sample(1)]))))
    assert not READER.claims(source(INSPECT / "eval-set" / "logs.json"))
    assert not READER.claims(source(write_archive(tmp_path / "other.zip", {"a.txt": "x"})))
    assert not READER.claims(source(write(tmp_path / "other.json", {"version": 2, "status": "success"})))
    assert not READER.claims(source(FIXTURES / "promptfoo"))


def test_real_logs_are_read_or_refused_with_a_text(real_logs: Path) -> None:
    logs = sorted((real_logs / "inspect").iterdir())
    assert logs
    refused = []
    for path in logs:
        assert READER.claims(source(path)), path
        try:
            table = read(path)
        except EvalgaugeError:
            refused.append(path.name)
        else:
            assert len(table) > 0
            assert table.cases.contents is not None
            assert len(table.cases.contents()) == len(table.cases)
    # Headers of an eval set, written without samples.
    assert refused == ["evalset_2024-08-a.json"]
    assert len(read(real_logs / "inspect").runs) == len(logs) - 1


@pytest.mark.inspect_oracle
def test_every_log_against_inspects_reader(real_logs: Path, tmp_path: Path) -> None:
    python = os.environ.get("EVALGAUGE_INSPECT_PYTHON")
    if not python:
        text = "EVALGAUGE_INSPECT_PYTHON names no python that has inspect-ai"
        if os.environ.get("EVALGAUGE_REQUIRE_ALL") == "1":
            pytest.fail(text)
        pytest.skip(text)
    script = tmp_path / "oracle.py"
    script.write_text(
        "import json, sys\n"
        "from inspect_ai.log import read_eval_log\n"
        "out = {}\n"
        "for path in sys.argv[1:]:\n"
        "    log = read_eval_log(path)\n"
        "    out[path] = [[str(s.id), s.epoch, name, score.value] for s in log.samples or []"
        " for name, score in (s.scores or {}).items()]\n"
        "print(json.dumps(out))\n",
        encoding="utf-8",
    )
    logs = [str(path) for path in sorted((real_logs / "inspect").iterdir()) if path.name != "evalset_2024-08-a.json"]
    done = subprocess.run([python, str(script), *logs], check=True, capture_output=True, text=True, timeout=300)
    compared = 0
    for path, scores in json.loads(done.stdout).items():
        table = rows(read(Path(path)))
        for sample_id, epoch, name, value in scores:
            score, _, raw = table[sample_id, epoch, name]
            assert raw == value if isinstance(value, str) else score == float(value)
            compared += 1
    assert compared > 30
