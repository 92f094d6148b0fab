"""What users of evals asked about reused sets, by the row of the list of demands; all through the command line."""

from __future__ import annotations

from contextlib import chdir
from typing import TYPE_CHECKING

import numpy as np
import pytest

from support.sets import asked_texts, coin, log_of
from support.tables import written

if TYPE_CHECKING:
    from pathlib import Path

    from support.command import Command

# Answers are given to a tenth of a point.
TENTH = 0.0006


def test_r01_a_holdout_that_chose_among_25(command: Command) -> None:
    expected = command.json("reuse", "--cases", 300, "--rate", "80%", "--looks", 25)
    assert expected["sigma"] == pytest.approx(0.0231, abs=5e-5)
    assert expected["optimism"]["blom"] == pytest.approx(0.045, abs=TENTH)
    assert expected["optimism"]["binomial"] == pytest.approx(0.044, abs=TENTH)
    seen = command.json("reuse", "258/300", "--looks", 25)
    interval = seen["interval"]
    plain = (interval["plain_low"], interval["plain_high"])
    assert plain == (pytest.approx(0.816, abs=TENTH), pytest.approx(0.895, abs=TENTH))
    corrected = (interval["low"], interval["symmetric_high"])
    assert corrected == (pytest.approx(0.787, abs=TENTH), pytest.approx(0.911, abs=TENTH))
    assert interval["confidence"] == pytest.approx(1 - 0.05 / 25, abs=1e-12)


def test_r02_a_tiny_holdout_that_is_spent_once(command: Command) -> None:
    answer = command.json("reuse", "8/12", "--looks", 1)
    interval = answer["interval"]
    assert (interval["low"], interval["high"]) == (pytest.approx(0.391, abs=TENTH), pytest.approx(0.862, abs=TENTH))
    assert answer["look_budget"]["shown"] == "1"
    second = command.json("reuse", "8/12", "--looks", 2)
    assert second["optimism"]["binomial"] > 0.05
    assert "BEYOND" in command("reuse", "8/12", "--looks", 2).out


def test_r01_a_ledger_knows_the_holdout_under_another_name(command: Command, tmp_path: Path) -> None:
    texts = asked_texts(300, seed=1)
    with chdir(tmp_path):
        log_of(tmp_path / "first.jsonl", texts, coin(0.8, 1), name="holdout")
        log_of(tmp_path / "renamed.jsonl", texts, coin(0.8, 2), arm="other", name="final-v2")
        command("ledger", "init")
        command("ledger", "register", "first.jsonl")
        command("measure", "first.jsonl")
        said = command("measure", "renamed.jsonl").out
    assert "at holdout recorded (exact scores shown; 2 looks so far" in said
    assert "the set was known again under another name" in said


def test_r02_a_second_look_is_the_second_in_the_ledger(command: Command, tmp_path: Path) -> None:
    texts = asked_texts(12, seed=1)
    with chdir(tmp_path):
        log_of(tmp_path / "first.jsonl", texts, lambda case: case < 8)
        log_of(tmp_path / "second.jsonl", texts, lambda case: case < 9, arm="second")
        command("ledger", "init")
        command("ledger", "register", "first.jsonl", "--name", "tiny")
        spent = command.json("measure", "first.jsonl")
        again = command.json("measure", "second.jsonl")
    assert (spent["low"], spent["high"]) == (pytest.approx(0.391, abs=TENTH), pytest.approx(0.862, abs=TENTH))
    assert [one["ledger"]["looks"] for one in (spent, again)] == [1, 2]


def test_r05_score_the_winner_on_a_set_the_optimiser_never_used(command: Command) -> None:
    tested = command.json("measure", "55/100")
    assert (tested["low"], tested["high"]) == (pytest.approx(0.452, abs=TENTH), pytest.approx(0.644, abs=TENTH))
    tuned = command.json("reuse", "14/20", "--looks", 16)
    assert tuned["observed"] == 0.7
    assert tuned["optimism"]["normal"] == pytest.approx(0.20, abs=0.01)
    assert tuned["optimism"]["binomial"] == pytest.approx(0.20, abs=0.01)


def test_r07_a_weight_that_was_swept_on_the_reported_questions(command: Command) -> None:
    answer = command.json("reuse", "--cases", 100, "--rate", "70%", "--looks", 20)
    assert answer["optimism"]["normal"] == pytest.approx(0.086, abs=TENTH)
    assert answer["optimism"]["binomial"] == pytest.approx(0.083, abs=TENTH)
    said = " ".join(answer["notes"])
    assert "an upper figure for correlated ones (neighbours on a sweep)" in said
    assert "a lower figure for tuning that builds on earlier looks" in said
    sweep = command.json("reuse", "--cases", 100, "--rate", "70%", "--looks", 20, "--correlation", "0.9")
    assert sweep["optimism"]["normal"] == pytest.approx(0.086 * 0.1**0.5, abs=TENTH)


def test_r09_is_the_first_of_134_really_first(command: Command, tmp_path: Path) -> None:
    answer = command.json("reuse", "--cases", 500, "--rate", "75%", "--looks", 134)
    assert answer["optimism"]["blom"] == pytest.approx(0.050, abs=TENTH)
    assert answer["optimism"]["binomial"] == pytest.approx(0.049, abs=TENTH)
    # The same question of the submissions themselves: 134 that are all as good, each with 375 passes by lot.
    stream = np.random.default_rng(9)
    passed = np.array([stream.permutation(500) < 375 for _ in range(134)]).T
    # Two cases more for one of them make it the first, by luck.
    passed[np.flatnonzero(~passed[:, 0])[:2], 0] = True
    header = ("case", *(f"s{arm:03d}" for arm in range(134)))
    rows = [(f"q{case}", *map(int, row)) for case, row in enumerate(passed)]
    log = written(tmp_path / "board.csv", header, rows)
    board = command.json("rank", log, "--wide-arms", ",".join(header[1:]))
    assert board["selection"]["if_independent"] == pytest.approx(0.049, abs=TENTH)
    assert board["selection"]["optimism"] == pytest.approx(0.050, abs=0.002)
    assert board["arms"][0]["name"] == "s000"
    assert board["verdict"] == "no order"
    assert (board["pairs"][0]["first"], board["pairs"][0]["verdict"]) == ("s000", "tied")
    assert "NO ORDER" in command("rank", log, "--wide-arms", ",".join(header[1:])).out
