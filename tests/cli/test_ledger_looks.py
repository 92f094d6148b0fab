"""Looks that record themselves: before a command shows a score of a registered set, the ledger knows of it."""

from __future__ import annotations

import json
from contextlib import chdir
from typing import TYPE_CHECKING

import pytest

from evalgauge.report.text import RENDERERS
from support.holdouts import TEXTS, card, rows
from support.sets import coin, log_of

if TYPE_CHECKING:
    from pathlib import Path

    from support.command import Command

GATE = ["--max-drop", "5pp", "--sims", "20"]


@pytest.mark.usefixtures("folder")
def test_a_look_records_itself_and_says_so(command: Command) -> None:
    seen = command("measure", "cand-1.jsonl")
    assert "Ledger: look " in seen.out
    assert "at support recorded (exact scores shown; 1 look so far, " in seen.out
    seen = command("measure", "cand-1.jsonl")
    assert "Ledger: no new look at support, this was shown before" in seen.out
    assert card(command)["looks"] == 1


@pytest.mark.usefixtures("folder")
def test_every_command_that_shows_scores_records(command: Command) -> None:
    command("measure", "cand-1.jsonl")
    command("compare", "cand-1.jsonl", "cand-2.jsonl")
    command("compare", "cand-3.jsonl", "cand-2.jsonl", "--unpaired")
    seen = command("best-of", "cand-1.jsonl", "cand-4.jsonl", "cand-5.jsonl")
    assert "at support recorded" in seen.out
    found = card(command)
    assert (found["looks"], found["candidates"], found["displays"]) == (5, 5, {"exact": 5})
    assert found["effective_looks"] is not None


def test_without_a_ledger_nothing_is_said(
    command: Command, folder: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    with chdir(tmp_path_factory.mktemp("elsewhere")):
        assert "Ledger" not in command("measure", folder / "cand-1.jsonl").out


@pytest.mark.usefixtures("folder")
def test_a_comparison_shows_no_case_of_a_registered_set(command: Command) -> None:
    found = command.json("compare", "base.jsonl", "cand-1.jsonl")
    assert found["flips"] == []
    assert any("Changed cases are not listed" in note for note in found["notes"])
    assert card(command)["displays"] == {"exact": 2}
    seen = command("compare", "base.jsonl", "cand-1.jsonl", "--flips")
    assert "Lost:" in seen.out
    assert card(command)["action"] == "fresh set"


def test_a_new_run_of_a_candidate_is_a_new_look(command: Command, folder: Path) -> None:
    log_of(folder / "again.jsonl", TEXTS, coin(0.7, 77), arm="prompt-1")
    command("measure", "cand-1.jsonl")
    command("measure", "again.jsonl")
    found = card(command)
    assert (found["looks"], found["candidates"]) == (2, 1)


def test_reps_that_were_declared_are_one_look(command: Command, folder: Path) -> None:
    for number in (2, 3, 4):
        log_of(folder / f"rep-{number}.jsonl", TEXTS, coin(0.7, 70 + number), arm="prompt-1")
    seen = command("ledger", "look", "cand-1.jsonl", "--reps", "3")
    assert seen.code == 0
    command("measure", "rep-2.jsonl")
    seen = command("ledger", "look", "rep-3.jsonl")
    assert "a further rep, or attempt, of a look before it" in seen.out
    assert card(command)["looks"] == 1
    command("measure", "rep-4.jsonl")
    assert card(command)["looks"] == 2


# Every question whose answer says something of the scores in a log.
SHOWS = [
    ("measure", ["measure", "cand-1.jsonl"]),
    ("compare", ["compare", "base.jsonl", "cand-1.jsonl"]),
    ("compare", ["compare", "base.jsonl", "cand-1.jsonl", "--unpaired"]),
    ("gate", ["gate", "base.jsonl", "cand-1.jsonl", "--max-drop", "30pp"]),
    ("gate_check", ["gate", "--check", "base.jsonl", "cand-1.jsonl", "--max-drop", "30pp"]),
    ("best_of", ["best-of", "base.jsonl", "cand-1.jsonl"]),
    ("rank", ["rank", "base.jsonl", "cand-1.jsonl"]),
    ("reuse", ["reuse", "cand-1.jsonl", "--looks", "3"]),
    ("plan", ["plan", "--like", "cand-1.jsonl"]),
    ("plan_design", ["plan", "design", "--like", "base.jsonl", "--like", "cand-1.jsonl"]),
    ("plan_reps", ["plan", "reps", "cand-1.jsonl"]),
    ("verify", ["verify", "--like", "cand-1.jsonl", "--sims", "200"]),
    ("verify", ["verify", "--like", "base.jsonl", "--like", "cand-1.jsonl", "--sims", "200"]),
    ("verify_gate", ["verify", "gate", "--like", "cand-1.jsonl", *GATE, "--discordance", "10%"]),
    ("verify_gate", ["verify", "gate", "--like", "base.jsonl", "--like", "cand-1.jsonl", *GATE]),
]
# These show no score, or have the ledger's own rules; bless and convert copy scores as a copy of the log would.
# A report asks measure, compare and rank, which record their looks.
SHOWS_NOTHING = {"report", "look_at", "convert", "bless", "holdout"}


def test_every_question_is_known_to_show_scores_or_not() -> None:
    asked = {verb for verb in RENDERERS if not verb.startswith("ledger_")}
    assert {verb for verb, _ in SHOWS} | SHOWS_NOTHING == asked


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(("verb", "words"), SHOWS, ids=[" ".join(words) for _, words in SHOWS])
def test_no_command_shows_a_score_that_is_not_on_record(command: Command, verb: str, words: list[str]) -> None:
    assert "Ledger: this look is NOT recorded (--no-ledger)" in command(*words, "--no-ledger").out
    assert card(command)["looks"] == 0
    answer = command.json(*words)
    assert (answer["question"], answer["ledger"]["state"]) == (verb, "recorded")
    assert "Ledger: no new look at support, this was shown before" in command(*words).out
    looks = sum(word.endswith(".jsonl") for word in words)
    found = card(command)
    assert (found["looks"], found["displays"]) == (looks, {"exact": looks})


@pytest.mark.usefixtures("folder")
def test_a_declared_display_is_kept(command: Command) -> None:
    command("ledger", "declare", "support", "--looks", "8")
    for _, words in SHOWS:
        refusal = command.refusal(*words)
        assert "no score is shown: support is declared to show pass or fail at most" in refusal
        assert "--holdout" in refusal
        assert "--no-ledger" in refusal
    assert "declared to show pass or fail at most" in command.refusal(
        "ledger", "look", "cand-1.jsonl", "--display", "exact"
    )
    seen = command("ledger", "look", "cand-1.jsonl")
    assert "score sealed" in seen.out
    assert card(command)["looks"] == 0
    look = rows(command)[-1]
    assert (look["display"], look["score"]) == ("nothing", None)
    revealed = command.json("ledger", "reveal", look["id"])["scores"][0]
    truth = command.json("measure", "cand-1.jsonl", "--no-ledger")
    assert revealed["score"] == pytest.approx(truth["estimate"])
    assert (revealed["low"], revealed["high"]) == (pytest.approx(truth["low"]), pytest.approx(truth["high"]))
    assert revealed["certified_low"] < revealed["low"]
    found = card(command)
    assert (found["looks"], found["revealed"]) == (1, 1)
    assert not command.json("ledger", "reveal", look["id"])["scores"][0]["was_sealed"]
    assert card(command)["revealed"] == 1


@pytest.mark.usefixtures("folder")
def test_rounded_scores(command: Command) -> None:
    command("ledger", "declare", "support", "--display", "rounded", "--step", "5pp")
    seen = command("ledger", "look", "cand-1.jsonl")
    score = command.json("measure", "cand-1.jsonl", "--no-ledger")["estimate"]
    assert f"{5 * round(20 * score):g} % in steps of 5 points" in seen.out
    assert "declared to show steps of 5 points or more" in command.refusal(
        "ledger", "look", "cand-2.jsonl", "--display", "rounded", "--step", "1pp"
    )


@pytest.mark.usefixtures("folder")
def test_the_sealed_score_of_a_verdict_is_the_one_that_was_compared(command: Command) -> None:
    found = command.json("compare", "base.jsonl", "cand-1.jsonl", "--holdout", "--margin", "30pp")
    assert found["passed"]
    assert found["confidence"] == pytest.approx(1 - 0.05 / 2.2857656656801293 / 2)
    assert "score" not in json.dumps(found).replace("scores", "")
    truth = command.json("measure", "cand-1.jsonl", "--no-ledger")["estimate"]
    assert command.json("ledger", "reveal", found["look"])["scores"][0]["score"] == pytest.approx(truth)


@pytest.mark.usefixtures("folder")
def test_void_looks_stay_and_what_was_shown_stays_paid(command: Command) -> None:
    command("measure", "cand-1.jsonl")
    look = rows(command)[-1]["id"]
    seen = command("ledger", "void", look, "--reason", "the wrong model")
    assert "What was shown cannot be unseen" in seen.out
    found = card(command)
    assert (found["looks"], found["voided"], found["next_look"]["look"], found["next_look"]["scores"]) == (0, 1, 2, 1)
    assert rows(command)[-2]["is_void"]
    assert "is void already: the wrong model" in command.refusal("ledger", "void", look, "--reason", "twice")
