"""What users of evals asked about two runs, by the row of the list of demands; all through the command line."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from support.tables import paired_tables, reps_table, written

if TYPE_CHECKING:
    from pathlib import Path

    from support.command import Command

TENTH = 0.0006


def ends(answer: dict[str, Any]) -> tuple[float, float]:
    """Return the interval of the change."""
    return answer["difference"]["low"], answer["difference"]["high"]


def alternative(answer: dict[str, Any], method: str) -> tuple[float, float]:
    """Return the interval of a named rule."""
    return next((one["low"], one["high"]) for one in answer["alternatives"] if one["method"] == method)


def test_c01_pairing_finds_what_the_unpaired_test_misses(command: Command, tmp_path: Path) -> None:
    base, cand = paired_tables(tmp_path, both=150, only_base=9, only_cand=22, neither=59)
    answer = command.json("compare", base, cand)
    assert answer["verdict"] == "better"
    assert answer["difference"]["estimate"] == pytest.approx(0.054, abs=TENTH)
    assert ends(answer) == pytest.approx((0.009, 0.103), abs=TENTH)
    assert answer["difference"]["method"] == "tango"
    assert answer["difference"]["p_values"]["exact"] == pytest.approx(0.029, abs=TENTH)
    assert answer["unpaired_p_value"] == pytest.approx(0.200, abs=TENTH)
    assert "Treating the arms as unrelated would miss it (p = 0.200)" in command("compare", base, cand).out


def test_c03_epochs_are_averaged_before_pairing(command: Command, tmp_path: Path) -> None:
    base = reps_table(tmp_path / "base.csv", {f"q{i}": "000" for i in range(1, 9)})
    changed = {"q3": "111", "q6": "110", "q8": "100"}
    cand = reps_table(tmp_path / "cand.csv", {f"q{i}": changed.get(f"q{i}", "000") for i in range(1, 9)})
    answer = command.json("compare", base, cand)
    assert answer["difference"]["estimate"] == pytest.approx(0.25)
    assert alternative(answer, "paired t") == pytest.approx((-0.075, 0.575), abs=TENTH)
    assert answer["difference"]["p_values"]["t"] == pytest.approx(0.11, abs=0.005)
    assert answer["verdict"] == "inconclusive"


@pytest.mark.parametrize(
    ("wins", "losses", "of", "exact"),
    [(27, 18, 45, 0.233), (270, 180, 450, 2.6e-05), (7, 0, 7, 0.0156), (20, 8, 50, 0.036)],
)
def test_c05_head_to_head_counts(command: Command, wins: int, losses: int, of: int, exact: float) -> None:
    answer = command.json("compare", "--wins", wins, "--losses", losses, "--of", of)
    assert answer["difference"]["p_values"]["exact"] == pytest.approx(exact, rel=0.02)


def test_c05_ties_stay_in_the_denominator(command: Command) -> None:
    answer = command.json("compare", "--wins", 20, "--losses", 8, "--of", 50)
    assert answer["difference"]["estimate"] == pytest.approx(0.24)
    assert ends(answer) == pytest.approx((0.034, 0.425), abs=TENTH)
    assert answer["ties"] == 22


def test_c18_sets_without_a_case_in_common_are_refused(command: Command, tmp_path: Path) -> None:
    base = written(tmp_path / "base.csv", ("id", "score"), [("a", 1), ("b", 0), ("c", 1)])
    cand = written(tmp_path / "cand.csv", ("id", "score"), [("d", 1), ("e", 0)])
    refusal = command.refusal("compare", base, cand)
    assert "3 cases (a, b, c)" in refusal
    assert "2 cases (d, e)" in refusal
    assert "--unpaired" in refusal


def test_c18_a_partial_overlap_gets_a_verdict_and_both_lists(command: Command, tmp_path: Path) -> None:
    base = written(tmp_path / "base.csv", ("id", "score"), [("a", 1), ("b", 0), ("c", 1), ("x", 1)])
    cand = written(tmp_path / "cand.csv", ("id", "score"), [("b", 1), ("c", 0), ("x", 1), ("d", 1), ("e", 0)])
    answer = command.json("compare", base, cand)
    assert answer["pairing"]["matched"] == 3
    assert answer["pairing"]["by"] == "id"
    assert answer["pairing"]["only_baseline"] == ["a"]
    assert answer["pairing"]["only_candidate"] == ["d", "e"]


def test_c20_overlapping_bars_are_no_verdict(command: Command) -> None:
    answer = command.json("compare", "175/250", "197/250", "--unpaired")
    assert answer["difference"]["p_values"]["z"] == pytest.approx(0.024, abs=TENTH)
    assert answer["difference"]["estimate"] == pytest.approx(0.088)
    assert alternative(answer, "newcombe") == pytest.approx((0.011, 0.163), abs=TENTH)
    assert answer["verdict"] == "better"


def test_c22_two_leaders_are_tied(command: Command, tmp_path: Path) -> None:
    second, first = paired_tables(tmp_path, both=390, only_base=7, only_cand=13, neither=90)
    answer = command.json("compare", second, first)
    assert answer["candidate"]["estimate"] == pytest.approx(0.806)
    assert answer["baseline"]["estimate"] == pytest.approx(0.794)
    assert answer["difference"]["p_values"]["exact"] == pytest.approx(0.26, abs=0.005)
    assert ends(answer) == pytest.approx((-0.006, 0.032), abs=TENTH)
    assert answer["verdict"] == "inconclusive"
    board = command.json("rank", second, first)
    (pair,) = board["pairs"]
    assert board["groups"] == [[pair["first"], pair["second"]]]
    assert (pair["first"], pair["verdict"]) == (board["arms"][0]["name"], "tied")
    assert (pair["low"], pair["high"]) == pytest.approx((-0.006, 0.032), abs=TENTH)
    assert [(arm["best_rank"], arm["worst_rank"]) for arm in board["arms"]] == [(1, 2), (1, 2)]


def test_c31_the_machine_readable_verdict(command: Command, tmp_path: Path) -> None:
    base, cand = paired_tables(tmp_path, both=150, only_base=9, only_cand=22, neither=59)
    answer = command.json(base, cand)
    assert (answer["pairing"]["matched"], answer["losses"], answer["wins"]) == (240, 9, 22)
    assert answer["verdict"] == "better"
    assert ends(answer) == pytest.approx((0.009, 0.103), abs=TENTH)
    assert command(base, cand).code == 0
    first_line = command(base, cand).out.splitlines()[0]
    assert first_line.startswith("BETTER: +5.4 points (95 % interval +0.9 to +10.3)")
