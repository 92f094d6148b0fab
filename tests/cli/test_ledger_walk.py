"""A new user's way: a set registered, twelve candidates through the gate, the card, half of it refreshed, and on."""

from __future__ import annotations

import shlex
from contextlib import chdir
from typing import TYPE_CHECKING

import pytest

from support.sets import asked_texts, coin, log_of

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from support.command import Command, Seen

N = 440
PUT_IN = {"LOG": "base.jsonl", "NEW_LOG": "refreshed.jsonl", "BASELINE": "base.jsonl", "CANDIDATE": "cand-1.jsonl"}
PUT_IN |= {"NAME": "support", "SET": "support"}


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    texts = asked_texts(N, seed=1)
    log_of(tmp_path / "base.jsonl", texts, coin(0.7, seed=0))
    for number in range(1, 16):
        good = 0.9 if number in (7, 12, 14) else 0.7
        log_of(tmp_path / f"cand-{number}.jsonl", texts, coin(good, seed=number), arm=f"prompt-{number}")
    with chdir(tmp_path):
        yield tmp_path


def headline(seen: Seen) -> str:
    assert seen.code == 0, seen.err
    return seen.out.splitlines()[0]


def next_command(seen: Seen) -> list[str]:
    """Return the command after Next, with the user's files in the place of the capitals."""
    line = next(line for line in seen.out.splitlines() if line.strip().startswith("Next: "))
    program, *words = shlex.split(line.strip().removeprefix("Next: "))
    assert program == "evalgauge"
    return [PUT_IN.get(word, word) for word in words]


def compare(number: int, baseline: str = "base.jsonl") -> list[str]:
    return ["compare", baseline, f"cand-{number}.jsonl", "--holdout", "--margin", "2pp"]


def gate(number: int, baseline: str = "base.jsonl") -> list[str]:
    return ["gate", baseline, f"cand-{number}.jsonl", "--max-drop", "2pp", "--holdout"]


def refreshed(folder: Path, seed: int) -> None:
    """Put new cases in the place of those that were drawn from the first set."""
    retired = set((folder / "retired.txt").read_text(encoding="utf-8").split())
    stays = [text for number, text in enumerate(asked_texts(N, seed=1)) if f"q{number}" not in retired]
    texts = [*stays, *asked_texts(N - len(stays), seed=seed)]
    log_of(folder / "refreshed.jsonl", texts, coin(0.7, seed=30))
    for number in (13, 14):
        good = 0.9 if number == 14 else 0.7
        log_of(folder / f"cand-{number}.jsonl", texts, coin(good, seed=number), arm=f"prompt-{number}")


def test_an_open_set_is_looked_at_refreshed_and_looked_at_again(command: Command, folder: Path) -> None:
    assert headline(command("ledger", "init")) == "New ledger: .evalgauge/ledger.db"
    command("ledger", "register", "base.jsonl", "--name", "support", "--rate", "70%")
    lines = [headline(command(*compare(number))) for number in range(1, 13)]
    assert [line.split(":")[0] for line in lines] == ["NO PASS"] * 6 + ["PASS"] + ["NO PASS"] * 4 + ["PASS"]

    seen = command("ledger", "status")
    said = "PASS OR FAIL ONLY: 12 looks at support flatter the best by 3.5 points, BEYOND the 2 points"
    assert headline(seen).startswith(said)
    assert "such verdicts stay true. Replace 44 % of the cases at random before a score is shown again." in seen.out
    assert "The next verdict is look 13, after 2 passed and 0 scores shown: it claims at " in seen.out
    seen = command("ledger", "refresh", "base.jsonl", "--share", "50%", "-o", "retired.txt")
    assert headline(seen).startswith("Replace 220 cases of 440 of support, drawn by seed ")
    refreshed(folder, seed=2)
    seen = command(*next_command(seen))
    assert headline(seen) == "Refreshed support: 220 new cases of 440 (50 %)"

    seen = command(*next_command(seen))
    assert headline(seen).startswith("PASS OR FAIL ONLY: 12 looks at support flatter the best by 1.8 points, within")
    assert headline(command(*compare(13, "refreshed.jsonl"))).startswith("NO")
    seen = command(*compare(14, "refreshed.jsonl"))
    assert headline(seen).startswith("PASS: prompt-14")
    seen = command(*next_command(seen))
    assert headline(seen).startswith("Recorded: ship prompt-14 (look ")
    seen = command(*next_command(seen))
    assert "May still be claimed: prompt-14 (shipped, look " in seen.out
    assert "is no worse by 2 points (95 % over all looks); its score is sealed" in seen.out
    assert command("ledger", "check").code == 0
    history = command("ledger", "history").out
    assert "220 cases drawn by seed" in history
    assert "440 cases, 220 of them new" in history


def test_a_declared_set_retires_and_comes_back(command: Command, folder: Path) -> None:
    seen = command(*next_command(command("ledger", "init")))
    assert headline(seen) == "Registered support: 440 cases"
    seen = command(*next_command(seen))
    assert headline(seen) == "Declared for support: at most 12 looks; retires at 1 pass"
    assert "What was declared holds from the first look on." in command("ledger", "status").out
    assert "Each look claims at 99.5833 % (2.87 standard errors)" in seen.out
    seen = command(*next_command(seen))
    assert (seen.code, seen.out.splitlines()[0]) == (1, "FAIL: the rule does not hold")
    assert "recorded (pass or fail shown; 1 of 12 looks declared)" in seen.out
    assert all(command(*gate(number)).code == 1 for number in range(2, 7))
    seen = command(*gate(7))
    assert headline(seen) == "PASS: the rule holds"
    assert "with it the set retired" in command.refusal(*gate(8))
    assert "evalgauge gate BASELINE CANDIDATE --max-drop 2pp --holdout" in command.refusal("measure", "cand-8.jsonl")
    said = "keeps to max-drop 2 points (95 % over all looks); its score is sealed"
    assert said in command("ledger", "status").out
    again = command(*gate(7))
    assert headline(again).startswith("PASS")
    assert "The same results were judged before, and nothing new was spent." in again.out

    card = command.json("ledger", "status", "support")["cards"][0]
    assert (card["looks"], card["candidates"], card["displays"]) == (7, 7, {"pass-fail": 7})
    assert (card["action"], card["claims"][0]["score"]) == ("refresh", None)
    command("ledger", "refresh", "base.jsonl", "--share", "50%", "-o", "retired.txt")
    refreshed(folder, seed=2)
    assert command("ledger", "refresh", "refreshed.jsonl").code == 0
    # The seven verdicts make 8 histories or so, and a new promise shares its error among them.
    seen = command("ledger", "declare", "support", "--looks", "5")
    assert "at most 5 looks; retires at 1 pass" in headline(seen)
    first = command(*compare(13, "refreshed.jsonl"))
    assert headline(first).startswith("NO PASS: prompt-13")
    assert "4 declared looks left" in first.out
    assert "at 99.9" in command.refusal(*gate(14, "refreshed.jsonl"))
    assert headline(command(*compare(14, "refreshed.jsonl"))).startswith("PASS")


def test_twelve_candidates_through_the_gate_of_an_open_set(command: Command, folder: Path) -> None:
    command("ledger", "init")
    command("ledger", "register", "base.jsonl", "--name", "support", "--rate", "70%")
    passed: list[int] = []
    for number in range(1, 13):
        # Always the command that the card names: the level that is left bears ever larger drops alone.
        words = next_command(command("ledger", "status", "support"))
        if number == 1:
            words = gate(number)
        assert words[:3] == ["gate", "base.jsonl", "cand-1.jsonl"]
        words[2] = f"cand-{number}.jsonl"
        seen = command(*words)
        assert seen.code in (0, 1), seen.err
        passed += [number] if seen.code == 0 else []
    assert passed == [7, 12]
    refusal = command.refusal(*gate(11))
    assert "At that level the cases can rule out a drop of " in refusal
    card = command.json("ledger", "status", "support")["cards"][0]
    assert card["looks"] == 12
    least = card["next_look"]["least_drop"]
    assert f"rule out a drop of {100 * least:g} points at best" in refusal

    command("ledger", "refresh", "base.jsonl", "--share", "50%", "-o", "retired.txt")
    refreshed(folder, seed=2)
    assert command("ledger", "refresh", "refreshed.jsonl").code == 0
    words = next_command(command("ledger", "status", "support"))
    words[1:3] = ["refreshed.jsonl", "cand-14.jsonl"]
    assert command(*words).code == 0


def test_replacing_every_case_begins_anew(command: Command, folder: Path) -> None:
    command("ledger", "init")
    command("ledger", "register", "base.jsonl", "--name", "support")
    command("compare", "base.jsonl", "cand-1.jsonl", "--flips")
    seen = command("ledger", "status")
    assert headline(seen).startswith("FRESH SET: 2 looks at support")
    assert "Results of single cases were shown, so no correction helps" in seen.out
    assert "the tuner has seen the cases" in command.refusal(*compare(2))
    seen = command(*next_command(seen))
    assert headline(seen).startswith("Replace 440 cases of 440")
    log_of(folder / "refreshed.jsonl", asked_texts(N, seed=3), coin(0.7, seed=31))
    seen = command(*next_command(seen))
    assert headline(seen) == "Refreshed support: 440 new cases of 440 (100 %)"
    seen = command(*next_command(seen))
    assert headline(seen) == "GO ON: support is fresh, 440 cases that nobody has looked at"
    assert headline(command(*next_command(seen))).startswith("Declared for support")
