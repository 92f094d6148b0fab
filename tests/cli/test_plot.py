"""``evalgauge plot``: every kind draws, prints its numbers, and says the same in Python."""

from __future__ import annotations

import csv
import io
import json
from contextlib import redirect_stdout
from typing import TYPE_CHECKING

import pytest

from evalgauge.report.charts.every import KINDS
from support.charted import BASE, CANDIDATE

if TYPE_CHECKING:
    from pathlib import Path

    from support.command import Command

B, C = str(BASE), str(CANDIDATE)
ASKED = {
    "arms": [B, C],
    "variance": [B, C],
    "differences": [B, C, "--margin", "2pp"],
    "flips": [B, C],
    "leaderboard": [B, C],
    "reps": [B],
    "precision": ["--rate", "90%", "--own", "100"],
    "power": ["--drop", "5pp"],
    "optimism": ["--cases", "1000", "--rate", "80%", "--looks", "10"],
}


def test_every_kind_is_a_command(command: Command) -> None:
    assert set(ASKED) | {"wear"} == set(KINDS)
    told = command("plot", "--help").out
    for kind in KINDS:
        assert f" {kind} " in told


@pytest.mark.parametrize("kind", sorted(ASKED))
def test_numbers_picture_json_and_python_agree(kind: str, command: Command, tmp_path: Path) -> None:
    words = ["plot", kind, *ASKED[kind]]
    document = command.json(*words)
    assert (document["question"], document["kind"], document["output"]) == ("plot", kind, None)
    shown = command(*words).out
    assert shown.startswith(document["title"])
    assert "  Next: evalgauge " in shown
    picture, numbers = tmp_path / "x.svg", tmp_path / "x.csv"
    assert f"Wrote {picture}" in command(*words, "-o", str(picture)).out
    assert picture.read_text("utf-8").startswith("<svg")
    code = command(*words, "-o", str(numbers), "--show-code").out
    with redirect_stdout(io.StringIO()):
        exec(code, {})  # noqa: S102 - the code that the command line shows
    rows = list(csv.DictReader(io.StringIO(numbers.read_text("utf-8"))))
    columns = [column["key"] for column in document["columns"]]
    assert [[row[key] for key in columns] for row in rows] == [
        ["" if row[key] is None else str(row[key]) for key in columns] for row in document["rows"]
    ]
    code = command(*words, "--show-code").out
    with redirect_stdout(io.StringIO()) as out:
        exec(code, {})  # noqa: S102 - same
    assert out.getvalue().strip() == numbers.read_text("utf-8").strip()


def test_several_candidates_are_drawn_against_the_first(command: Command) -> None:
    document = command.json("plot", "differences", B, C, B)
    assert [row["candidate"] for row in document["rows"]] == ["mockllm/candidate", "mockllm/base"]
    assert document["title"] == "Of 2 candidates against mockllm/base: 1 better, 1 cannot be decided"


def test_arms_of_one_table_are_drawn_against_the_first(command: Command, tmp_path: Path) -> None:
    log = tmp_path / "log.csv"
    rows = [f"q{n},{arm},{int((n * 7 + len(arm)) % 5 > 0)}" for n in range(40) for arm in ("a", "bb", "ccc")]
    log.write_text("case,arm,score\n" + "\n".join(rows), "utf-8")
    document = command.json("plot", "differences", str(log), "--arms", "a,bb,ccc")
    assert [row["candidate"] for row in document["rows"]] == ["bb", "ccc"]


@pytest.mark.usefixtures("folder")
def test_a_picture_of_a_registered_set_is_a_look(command: Command) -> None:
    shown = command("plot", "arms", "cand-1.jsonl").out
    assert "Ledger: look " in shown
    assert json.loads(command("plot", "arms", "cand-2.jsonl", "--json").out)["ledger"][0]["state"] == "recorded"
    assert "Ledger: this look is NOT recorded" in command("plot", "arms", "cand-3.jsonl", "--no-ledger").out
    wear = command.json("plot", "wear", "support")
    assert [row["kind"] for row in wear["rows"]] == ["register", "look", "look"]
    assert command("plot", "wear", "support", "--show-code").out.count("eg.ledger_history('support')") == 1


def test_what_is_there_is_not_overwritten(command: Command, tmp_path: Path) -> None:
    kept = tmp_path / "kept.svg"
    kept.write_text("mine", "utf-8")
    refused = command("plot", "arms", B, "-o", str(kept))
    assert refused.code == 2
    assert "--overwrite" in refused.err
    assert kept.read_text("utf-8") == "mine"
    assert command("plot", "arms", B, "-o", str(kept), "--overwrite", "--theme", "dark").code == 0
    assert "#0d1117" in kept.read_text("utf-8")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["arms", B, "-o", "x.gif"], "--output: got 'x.gif', allowed is a file name that ends in"),
        (["arms", B, "-o", "no/such/x.svg"], "Make the folder first"),
        (["pie"], "one of arms, variance"),
        (["flips", "47/50", "30/40"], "counts: got"),
        (["variance", "47/50"], "seen only with reps"),
        (["arms", B, "--theme", "pink"], "--theme"),
    ],
)
def test_what_cannot_be_drawn_is_refused(command: Command, words: list[str], said: str) -> None:
    refused = command("plot", *words)
    assert refused.code == 2
    assert said in refused.err
