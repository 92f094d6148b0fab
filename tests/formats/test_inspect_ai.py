"""Inspect AI logs: against the framework's own reader, column by column, and what is refused."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import zipfile
from collections import Counter
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from evalgauge.errors import EvalgaugeError, LogError
from evalgauge.formats import inspect_ai, inspect_zip
from evalgauge.formats.inspect_ai import READER
from evalgauge.formats.protocol import ReadOptions, Source
from evalgauge.scores.table import ScoreTable, Status

FIXTURES = Path(__file__).resolve().parent.parent / "fixtures"
EXPECTED: dict[str, Any] = json.loads((FIXTURES / "expected" / "inspect.json").read_text(encoding="utf-8"))
INSPECT = FIXTURES / "inspect"


def source(path: Path) -> Source:
    is_folder = path.is_dir()
    return Source(path=path, head=b"" if is_folder else path.read_bytes()[:8192], is_folder=is_folder)


def read(path: Path, **options: Any) -> ScoreTable:
    return READER.read(source(path), ReadOptions(**options))


def rows(table: ScoreTable) -> dict[tuple[str, int, str], tuple[float | None, Status, str | None]]:
    found = {}
    for place in range(len(table)):
        score = float(table.score[place])
        key = (
            table.cases.case_id[table.case[place]],
            int(table.rep[place]),
            table.metrics[table.metric[place]].name,
        )
        raw = table.raw[place] if table.raw else None
        found[key] = (None if score != score else score, Status(table.status[place]), raw)  # noqa: PLR0124 (NaN)
    return found


def statuses(table: ScoreTable) -> dict[str, int]:
    return dict(Counter(Status(value).name for value in table.status))


def log(samples: list[dict[str, Any]], **header: Any) -> dict[str, Any]:
    spec = {
        "task": "faq",
        "task_id": "T1",
        "run_id": "R1",
        "eval_id": "E1",
        "created": "2026-01-02T03:04:05+00:00",
        "model": "m/a",
        "dataset": {"samples": len(samples)},
        "config": {"epochs": 1},
    }
    spec.update(header.pop("spec", {}))
    return {"version": 2, "status": "success", "eval": spec, **header, "samples": samples}


def sample(sample_id: int | str, value: Any = "C", epoch: int = 1, **more: Any) -> dict[str, Any]:
    scores = {} if value is None else {"match": {"value": value}}
    return {"id": sample_id, "epoch": epoch, "input": f"q{sample_id}", "target": "a", "scores": scores, **more}


def write(path: Path, content: dict[str, Any]) -> Path:
    path.write_text(json.dumps(content), encoding="utf-8")
    return path


def write_archive(path: Path, members: dict[str, Any]) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content if isinstance(content, (str, bytes)) else json.dumps(content))
    return path


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


def header_only(**spec: Any) -> dict[str, Any]:
    return {key: value for key, value in log([], spec=spec).items() if key != "samples"}


def deep(depth: int) -> str:
    return '{"version": 2, "status": "success", "extra": ' + "[" * depth + "]" * depth + "}"


REFUSED: list[tuple[str, Any, str]] = [
    ("x.eval", b"not a zip", "is no zip archive. An Inspect .eval log is one; copy the file again in binary mode."),
    ("x.eval", b"", "is no zip archive. An Inspect .eval log is one; copy the file again in binary mode."),
    ("x.eval", {"readme.txt": "x"}, "holds neither header.json nor _journal/start.json"),
    (
        "x.eval",
        {"header.json": "{", "summaries.json": []},
        "member 'header.json': is no valid JSON at line 1, column 2",
    ),
    (
        "x.eval",
        {"header.json": header_only(), "summaries.json": [{"id": 1, "epoch": "x"}]},
        "member 'summaries.json', field '[0].epoch': expected `int`, got `str`.",
    ),
    ("x.json", log([{"id": 1, "epoch": 0}]), "field 'samples[0].epoch': expected `int` >= 1."),
    ("x.json", log([]), "holds no samples, so there are no scores to read. Inspect wrote it without samples"),
    ("x.json", deep(100_000), "its JSON is nested deeper than any log needs."),
    ("x.json", b'{"eval": {"task": "\xff"}}', "is no UTF-8 text: byte 19 is 0xff."),
    ("x.json", '{"status": "success" "eval": {}}', "is no valid JSON at line 1, column 22"),
]


@pytest.mark.parametrize(("name", "content", "text"), REFUSED, ids=[text[:40] for _, _, text in REFUSED])
def test_refusals_name_file_record_and_field(tmp_path: Path, name: str, content: Any, text: str) -> None:
    path = tmp_path / name
    if name.endswith(".eval") and isinstance(content, dict):
        write_archive(path, content)
    elif isinstance(content, dict):
        write(path, content)
    else:
        path.write_bytes(content.encode() if isinstance(content, str) else content)
    with pytest.raises(LogError) as caught:
        read(path)
    assert str(caught.value).startswith(str(path))
    assert text in str(caught.value)


def test_a_missing_file_is_an_error_text(tmp_path: Path) -> None:
    absent = Source(path=tmp_path / "none.eval", head=b"", is_folder=False)
    with pytest.raises(LogError, match="cannot be opened: No such file"):
        READER.read(absent, ReadOptions())


def damaged(tmp_path: Path, member: str) -> Path:
    path = tmp_path / "damaged.eval"
    data = bytearray((INSPECT / "small.eval").read_bytes())
    with zipfile.ZipFile(INSPECT / "small.eval") as archive:
        info = archive.getinfo(member)
    middle = info.header_offset + 30 + len(member) + info.compress_size // 2
    data[middle] ^= 0xFF
    path.write_bytes(data)
    return path


def test_samples_that_no_score_needs_are_not_unpacked_and_are_named_where_they_are_met(tmp_path: Path) -> None:
    data = bytearray((INSPECT / "small.eval").read_bytes())
    with zipfile.ZipFile(INSPECT / "small.eval") as archive:
        infos = [info for info in archive.infolist() if info.filename.startswith("samples/")]
    for info in infos:
        start = info.header_offset + 30 + len(info.filename)
        data[start : start + info.compress_size] = bytes(info.compress_size)
    path = tmp_path / "x.eval"
    path.write_bytes(data)
    table = read(path)
    assert rows(table) == rows(read(INSPECT / "small.eval"))
    assert table.cases.contents is not None
    with pytest.raises(LogError, match=r"x\.eval, member 'samples/.*\.json': is damaged"):
        table.cases.contents()


@pytest.mark.parametrize("place", [0, 3, -1])
def test_a_directory_that_contradicts_itself_is_named_and_not_followed(tmp_path: Path, place: int) -> None:
    data = bytearray((INSPECT / "small.eval").read_bytes())
    with zipfile.ZipFile(INSPECT / "small.eval") as archive:
        infos = archive.infolist()
        end = archive.start_dir
    info = infos[place]
    entry = data.index(info.filename.encode(), data.index(b"PK\x01\x02", end)) - 46
    assert data[entry : entry + 4] == b"PK\x01\x02"
    packed = int.from_bytes(data[entry + 20 : entry + 24], "little")
    data[entry + 20 : entry + 24] = (packed + 200).to_bytes(4, "little")
    path = tmp_path / "x.eval"
    path.write_bytes(data)
    table = read(path)
    assert rows(table) == rows(read(INSPECT / "small.eval"))
    # The member that is too long overlaps the one that follows it, or the directory.
    named = (infos[place + 1] if place >= 0 else info).filename
    assert table.problems[0].text == (
        f"The archive's directory is damaged: the place it gives for member {named!r} is taken: 16 samples could be "
        "read of what was written. Copy the log again."
    )


def test_a_damaged_member_is_named_and_tolerance_reads_around_it(tmp_path: Path) -> None:
    path = damaged(tmp_path, "summaries.json")
    with pytest.raises(LogError, match=r"member 'summaries.json': is damaged"):
        read(path)
    table = read(path, tolerant=True)
    assert rows(table) == rows(read(INSPECT / "small.eval"))
    assert "summaries.json" in table.problems[0].text


def test_a_member_that_unpacks_to_an_absurd_size_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(inspect_zip, "MIN_BOMB_BYTES", 1_000_000)
    members = {"header.json": header_only(), "summaries.json": b"[" + b" " * 5_000_000 + b"]"}
    path = write_archive(tmp_path / "bomb.eval", members)
    with pytest.raises(LogError, match=r"member 'summaries.json': claims to unpack from [\d,]+ to 5,000,002 bytes"):
        read(path)


def test_an_unknown_zip_method_is_named(tmp_path: Path) -> None:
    path = tmp_path / "lzma.eval"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_LZMA) as archive:
        archive.writestr("header.json", json.dumps(header_only()))
    with pytest.raises(LogError, match="is packed by zip method 14; Inspect uses 0, 8 and 93"):
        read(path)


def test_tolerance_leaves_out_an_unreadable_log_of_a_folder(tmp_path: Path) -> None:
    write(tmp_path / "a.json", log([sample(1)]))
    (tmp_path / "b.eval").write_bytes(b"PK\x03\x04 broken")
    with pytest.raises(LogError, match=r"b\.eval"):
        read(tmp_path)
    table = read(tmp_path, tolerant=True)
    assert len(table.runs) == 1
    assert "This log is left out." in table.problems[0].text


@pytest.mark.parametrize("name", ["small.eval", "killed.eval", "small.json", "errors.eval"])
@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(share=st.floats(0, 1, exclude_max=True))
def test_a_cut_log_is_read_as_far_as_it_goes_and_says_so(tmp_path: Path, name: str, share: float) -> None:
    data = (INSPECT / name).read_bytes()
    path = tmp_path / name
    path.write_bytes(data[: int(share * len(data))])
    try:
        table = read(path)
    except LogError as fault:
        assert str(path) in str(fault)  # noqa: PT017 (either outcome is right)
        return
    assert table.problems
    assert table.runs[0].state != "complete"
    whole = rows(read(INSPECT / name))
    assert {key: value for key, value in rows(table).items() if value[1] == Status.OK}.items() <= whole.items()


@pytest.mark.parametrize("name", ["small.eval", "small.json"])
@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_a_flipped_byte_never_ends_in_a_traceback(tmp_path: Path, name: str, data: st.DataObject) -> None:
    content = bytearray((INSPECT / name).read_bytes())
    place = data.draw(st.integers(0, len(content) - 1))
    content[place] ^= data.draw(st.integers(1, 255))
    path = tmp_path / name
    path.write_bytes(content)
    for tolerant in (False, True):
        try:
            assert len(read(path, tolerant=tolerant)) > 0
        except LogError as fault:
            assert "cannot be read (" not in str(fault)  # noqa: PT017 (the last net was not needed)


def test_what_stands_before_the_cut_is_not_lost(tmp_path: Path) -> None:
    data = (INSPECT / "triage-renamed.eval").read_bytes()
    scored = []
    for share in (0.3, 0.6, 0.9):
        path = tmp_path / "cut.eval"
        path.write_bytes(data[: int(share * len(data))])
        scored.append(statuses(read(path))["OK"])
    assert all(first < second for first, second in pairwise(scored))


def picture(data: str) -> list[dict[str, Any]]:
    content = [{"type": "text", "text": "What is this?"}, {"type": "image", "image": data, "detail": "auto"}]
    return [{"id": "random", "role": "user", "content": content, "source": "input"}]


def test_images_come_from_the_sample_and_their_attachments(tmp_path: Path) -> None:
    summary = {**sample(1), "input": picture("")}
    summary["input"][0]["content"][1] = {"type": "text", "text": "(Image)"}
    whole = {**sample(1), "input": picture("attachment://abc"), "attachments": {"abc": "data:image/png;base64,AAAA"}}
    members = {"header.json": header_only(), "summaries.json": [summary], "samples/1_epoch_1.json": whole}
    eval_log = write_archive(tmp_path / "a.eval", members)
    contents = read(eval_log).cases.contents
    assert contents is not None
    content = contents()[0]
    assert content is not None
    assert content.input == [
        {
            "role": "user",
            "content": [
                {"type": "text", "text": "What is this?"},
                {"type": "image", "image": "data:image/png;base64,AAAA", "detail": "auto"},
            ],
        }
    ]
    # The same run as .json shows the image where the summary has a word for it: still one case.
    write(tmp_path / "b.json", log([whole]))
    assert read(tmp_path).cases.case_id == ("1",)


def test_tolerance_reads_what_is_left_of_samples(tmp_path: Path) -> None:
    members = {
        "header.json": {**header_only(), "invalidated": True},
        "summaries.json": "[broken",
        "samples/1_epoch_1.json": sample(1),
        "samples/2_epoch_1.json": "{broken",
    }
    path = write_archive(tmp_path / "x.eval", members)
    with pytest.raises(LogError, match=r"summaries\.json"):
        read(path)
    table = read(path, tolerant=True)
    assert rows(table) == {("1", 1, "match"): (1.0, Status.OK, "C"), ("2", 1, "match"): (None, Status.UNREADABLE, None)}
    assert [problem.record for problem in table.problems] == ["", "samples/2_epoch_1.json"]


def test_an_unreadable_invalidation_is_refused_or_said(tmp_path: Path) -> None:
    members = {
        "header.json": {**header_only(), "invalidated": True},
        "summaries.json": [sample(1)],
        "samples/1_epoch_1.json": "{broken",
    }
    path = write_archive(tmp_path / "x.eval", members)
    with pytest.raises(LogError, match=r"member 'samples/1_epoch_1\.json': is no valid JSON"):
        read(path)
    assert "it is counted" in read(path, tolerant=True).problems[0].text


def test_a_cut_archive_with_zip64_headers_is_walked(tmp_path: Path) -> None:
    path = tmp_path / "x.eval"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in {"header.json": header_only(), "summaries.json": [sample(1), sample(2, "I")]}.items():
            with archive.open(name, "w", force_zip64=True) as member:
                member.write(json.dumps(content).encode())
    data = path.read_bytes()
    path.write_bytes(data[: data.rindex(b"PK\x05\x06")])
    table = read(path)
    assert rows(table)["2", 1, "match"][0] == 0.0
    assert "2 samples could be read" in table.problems[0].text


def test_a_number_beyond_reading_is_an_error_text(tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    # NaN sends the text to the slower reader, which refuses integers of more than 4,300 digits.
    path.write_text('{"eval": {"task": "t"}, "x": [NaN, ' + "9" * 5_000 + "]}", encoding="utf-8")
    with pytest.raises(LogError, match="holds a number that cannot be read"):
        read(path)


def test_infinite_scores_are_missing_and_said(tmp_path: Path) -> None:
    table = read(write(tmp_path / "x.json", log([sample(1, float("inf")), sample(2, 1.0)])))
    assert rows(table)["1", 1, "match"] == (None, Status.UNSCORED, None)
    assert table.problems[0].text == "Infinite scores are taken as missing."


def test_the_keys_of_a_very_wide_scorer_are_not_filled_in(tmp_path: Path) -> None:
    wide = {f"k{place}": 1 for place in range(65)}
    table = read(write(tmp_path / "x.json", log([sample(1, wide), sample(2, {"k0": 0})])))
    assert statuses(table) == {"OK": 66}
    assert "has 65 keys" in table.problems[0].text


def test_metrics_of_a_log_without_a_score_are_those_it_declares(tmp_path: Path) -> None:
    scorers = [{"name": "rubric", "metrics": {"tone": [], "*": []}}, {"name": "match", "metrics": [{"name": "mean"}]}]
    table = read(write(tmp_path / "x.json", log([sample(1, None, error="boom")], spec={"scorers": scorers})))
    assert [metric.name for metric in table.metrics] == ["rubric/tone", "match"]
    assert statuses(table) == {"ERROR": 2}


def test_what_nobody_foresaw_is_an_error_text(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: Any, **__: Any) -> None:
        raise KeyError("samples")

    monkeypatch.setattr(inspect_ai, "inspect_log", broken)
    with pytest.raises(LogError, match=r"cannot be read \(KeyError: 'samples'\)\. Its form is not what"):
        read(write(tmp_path / "x.json", log([sample(1)])))


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
        pytest.skip("EVALGAUGE_INSPECT_PYTHON names no python that has inspect-ai")
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
