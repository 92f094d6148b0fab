"""Inspect AI logs that are damaged, cut, contradictory or foreign: what is refused, and what tolerance reads."""

from __future__ import annotations

import json
import zipfile
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from evalgauge.errors import EvalgaugeError, LogError
from evalgauge.formats import inspect_ai, inspect_zip
from evalgauge.formats.inspect_ai import READER
from evalgauge.formats.protocol import ReadOptions, Source
from evalgauge.scores.table import Status
from support.inspect_logs import (
    INSPECT,
    log,
    read,
    rows,
    sample,
    statuses,
    write,
    write_archive,
)

if TYPE_CHECKING:
    from pathlib import Path


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


def test_an_epoch_beyond_reason_is_refused_in_words(tmp_path: Path, fixtures: Path) -> None:
    text = (fixtures / "inspect" / "small.json").read_text("utf-8")
    path = tmp_path / "far.json"
    path.write_text(text.replace('"epoch": 1,', f'"epoch": {10**20},', 1), "utf-8")
    with pytest.raises(EvalgaugeError, match="A rep has a number of 21 digits"):
        read(path)
