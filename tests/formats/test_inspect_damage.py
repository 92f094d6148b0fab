"""Damaged Inspect logs: what is lost is named for what it is, and with tolerance nothing else is lost."""

from __future__ import annotations

import zipfile
from typing import TYPE_CHECKING

import pytest

from evalgauge.scores.table import Status

if TYPE_CHECKING:
    from pathlib import Path

    from support.command import Command

SAMPLE = "samples/t-007_epoch_2.json"
SUMMARIES = ("summaries.json", "_journal/summaries/1.json")


def damaged(fixtures: Path, folder: Path, *members: str, how: str = "flipped") -> Path:
    """Copy a log of 40 cases and 3 epochs, with damage in some of its members."""
    source = fixtures / "inspect" / "triage-base.eval"
    path = folder / "damaged.eval"
    data = bytearray(source.read_bytes())
    with zipfile.ZipFile(source) as archive:
        for member in members:
            info = archive.getinfo(member)
            start = info.header_offset + 30 + len(member)
            if how == "flipped":
                data[start + info.compress_size // 2] ^= 0xFF
            else:
                data[start : start + info.compress_size] = bytes(info.compress_size)
    path.write_bytes(data)
    return path


def whole(command: Command, fixtures: Path) -> dict[str, object]:
    return command.json("measure", fixtures / "inspect" / "triage-base.eval", "--metric", "match")


@pytest.mark.parametrize("how", ["flipped", "zeroed"])
@pytest.mark.parametrize("members", [("header.json",), ("summaries.json",), SUMMARIES, (SAMPLE,), ("reductions.json",)])
def test_tolerance_loses_nothing_that_stands_elsewhere(
    command: Command, fixtures: Path, tmp_path: Path, members: tuple[str, ...], how: str
) -> None:
    path = damaged(fixtures, tmp_path, *members, how=how)
    found, expected = command.json("measure", path, "--tolerant"), whole(command, fixtures)
    for key in ("estimate", "low", "high", "planned", "scored", "errored", "n_cases", "n_runs"):
        assert found[key] == expected[key], key
    assert found["source"]["arm"] == expected["source"]["arm"]  # type: ignore[index]


@pytest.mark.parametrize("how", ["flipped", "zeroed"])
def test_a_sample_that_stands_nowhere_else_counts_as_planned_and_unreadable(
    command: Command, fixtures: Path, tmp_path: Path, how: str
) -> None:
    path = damaged(fixtures, tmp_path, *SUMMARIES, SAMPLE, how=how)
    found, expected = command.json("measure", path, "--tolerant"), whole(command, fixtures)
    assert (found["planned"], found["scored"], found["errored"]) == (expected["planned"], 119, 1)
    assert found["counts"]["by_status"] == {"ok": 119, "unreadable": 1}
    assert found["low"] < expected["low"] or found["high"] > expected["high"]  # type: ignore[operator]
    text = command("measure", path, "--tolerant").out
    assert "(1 unreadable)" in text
    assert "not run" not in text
    assert f"Reader: {SAMPLE}: " in text
    assert "This sample is left out: its run counts as unreadable." in text


@pytest.mark.parametrize("members", [("header.json",), ("summaries.json",), (*SUMMARIES, SAMPLE)])
def test_tolerance_is_advised_only_where_it_is_off(
    command: Command, fixtures: Path, tmp_path: Path, members: tuple[str, ...]
) -> None:
    path = damaged(fixtures, tmp_path, *members)
    refusal = command.refusal("measure", path)
    assert f"member {members[0]!r}: is damaged" in refusal
    assert "--tolerant" in refusal
    answer = command("measure", path, "--tolerant")
    assert answer.code == 0
    said = [line for line in answer.out.splitlines() if "Next:" not in line]
    assert not any("tolerant" in line for line in said)
    assert any("is damaged" in line for line in said)


def test_a_header_is_taken_from_the_journal_and_what_that_lacks_is_said(
    command: Command, fixtures: Path, tmp_path: Path
) -> None:
    path = damaged(fixtures, tmp_path, "header.json")
    problems = command.json("measure", path, "--tolerant")["problems"]
    assert any("Task, model and planned runs are taken from _journal/start.json" in text for text in problems)
    assert any("whether the run ended well" in text for text in problems)
    assert "stops before its end" not in command("measure", path, "--tolerant").out


def test_without_header_and_journal_the_refusal_says_what_cannot_be_known(
    command: Command, fixtures: Path, tmp_path: Path
) -> None:
    path = damaged(fixtures, tmp_path, "header.json", "_journal/start.json")
    assert "member 'header.json': is damaged" in command.refusal("measure", path)
    refusal = command.refusal("measure", path, "--tolerant")
    assert "member 'header.json': is damaged" in refusal
    assert "which task and model ran, and which runs were planned, cannot be known" in refusal
    assert "--tolerant" not in refusal


def test_a_comparison_goes_on_without_the_content_of_a_damaged_sample(
    command: Command, fixtures: Path, tmp_path: Path
) -> None:
    candidate = fixtures / "inspect" / "triage-cand.eval"
    expected = command.json("compare", fixtures / "inspect" / "triage-base.eval", candidate)
    path = damaged(fixtures, tmp_path, *(f"samples/t-{case:03}_epoch_1.json" for case in (7, 8)))
    found = command.json("compare", path, candidate, "--tolerant")
    for key in ("verdict", "wins", "losses", "ties"):
        assert found[key] == expected[key]
    assert found["pairing"]["matched"] == 40


@pytest.mark.parametrize("share", [0.3, 0.6])
def test_runs_behind_a_cut_are_not_said_to_be_not_run(
    command: Command, fixtures: Path, tmp_path: Path, share: float
) -> None:
    data = (fixtures / "inspect" / "triage-base.eval").read_bytes()
    path = tmp_path / "cut.eval"
    path.write_bytes(data[: int(share * len(data))])
    by_status = command.json("measure", path)["counts"]["by_status"]
    assert by_status["unreadable"] > 0
    assert "not run" not in by_status


def test_a_run_that_was_killed_did_not_run_the_rest(command: Command, fixtures: Path) -> None:
    by_status = command.json("measure", fixtures / "inspect" / "killed.eval")["counts"]["by_status"]
    assert by_status["not run"] > 0
    assert Status.UNREADABLE.name.lower() not in by_status
