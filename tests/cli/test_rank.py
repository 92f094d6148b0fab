"""``evalgauge rank`` and ``eg.rank``: leaderboards as users have them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd
import pytest

import evalgauge as eg
from evalgauge.scores.build import TableBuilder
from evalgauge.scores.table import Run
from support.tables import written

if TYPE_CHECKING:
    from pathlib import Path

    from support.command import Command

CASES = range(300)


@pytest.fixture
def logs(tmp_path: Path) -> list[Path]:
    """Four arms: two good ones that are alike, a middling one and a bad one."""
    steps = {"a": 10, "b": 9, "c": 4, "d": 2}
    return [
        written(
            tmp_path / f"{arm}.csv", ("case", "score", "doc"), [(f"q{i}", int(i % step > 0), i // 3) for i in CASES]
        )
        for arm, step in steps.items()
    ]


def test_ties_at_the_top_come_first(command: Command, logs: list[Path]) -> None:
    seen = command("rank", *logs)
    first, basis, *_ = seen.out.splitlines()
    assert first == "TIE at the top: 2 of 4 arms may be the best: a, b"
    assert "300 cases, the same for all arms; 5 of 6 pairs told apart (95 % together)" in basis
    assert "1 to 2  a  " in seen.out
    assert "4       d  " in seen.out
    assert max(map(len, seen.out.splitlines()[:8])) <= 90
    assert "a against b: not told apart, +1.3 points" in seen.out


def test_one_arm_is_first_only_where_all_pairs_show_it(command: Command, logs: list[Path]) -> None:
    seen = command("rank", *logs[1:])
    assert seen.out.startswith("FIRST: b is better than each of the other 2 arms")
    assert "Next: evalgauge compare" in seen.out
    two = command("rank", logs[0], logs[3])
    assert two.out.startswith("FIRST: a is better than the other arm")
    alike = command("rank", *logs[:2])
    assert alike.out.startswith("NO ORDER: no two of the 2 arms are told apart; any may be the best")
    assert "Were both arms equally good" in alike.out


def test_the_document_says_what_the_screen_says(command: Command, logs: list[Path]) -> None:
    answer = command.json("rank", *logs)
    assert answer["verdict"] == "tie"
    assert answer["best"] == ["a", "b"]
    assert [(arm["best_rank"], arm["worst_rank"]) for arm in answer["arms"]] == [(1, 2), (1, 2), (3, 3), (4, 4)]
    assert [arm["rank"] for arm in answer["arms"]] == [1, 2, 3, 4]
    assert answer["groups"] == [["a", "b"], ["c"], ["d"]]
    assert [arm["groups"] for arm in answer["arms"]] == [[1], [1], [2], [3]]
    assert (answer["n_pairs"], answer["n_apart"], answer["pairs_of"], len(answer["pairs"])) == (6, 5, 4, 6)
    for pair in answer["pairs"]:
        assert (pair["verdict"] == "better") == (pair["p_holm"] < 0.05)
        assert pair["low"] < pair["difference"] < pair["high"]
        assert pair["p_value"] <= pair["p_holm"]
    for arm in answer["arms"]:
        assert arm["together"]["low"] < arm["low"] < arm["estimate"] < arm["high"] < arm["together"]["high"]
    assert 1 < answer["selection"]["effective_looks"] <= 4


def test_two_arms_agree_with_compare(command: Command, logs: list[Path]) -> None:
    pair = command.json("rank", logs[1], logs[2])["pairs"][0]
    compared = command.json("compare", logs[2], logs[1])["difference"]
    assert (pair["low"], pair["high"]) == pytest.approx((compared["low"], compared["high"]), abs=1e-9)
    assert pair["p_value"] == pytest.approx(compared["p_value"])


def test_clusters_widen_and_are_counted(command: Command, logs: list[Path]) -> None:
    plain, clustered = command.json("rank", *logs), command.json("rank", *logs, "--cluster", "doc")
    assert (plain["n_units"], clustered["n_units"]) == (300, 100)
    assert clustered["method"] == "clustered effective-n wilson t"
    seen = command("rank", *logs, "--cluster", "doc")
    assert "300 cases in 100 clusters" in seen.out
    assert "--cluster doc" in seen.out.splitlines()[-1] or "best-of" not in seen.out.splitlines()[-1]


def test_reps_are_not_cases(command: Command, tmp_path: Path) -> None:
    def rows(times: int) -> list[tuple[object, ...]]:
        return [
            (f"q{i}", arm, rep, i % step > 0)
            for i in range(60)
            for arm, step in (("a", 9), ("b", 5), ("c", 2))
            for rep in range(1, times + 1)
        ]

    header = ("case", "arm", "rep", "score")
    once = command.json("rank", written(tmp_path / "once.csv", header, rows(1)))
    many = command.json("rank", written(tmp_path / "many.csv", header, rows(5)))
    assert once["arms"] == [
        {**arm, "source": {**arm["source"], "files": [str(tmp_path / "once.csv")]}} for arm in many["arms"]
    ]
    assert [one["p_holm"] for one in once["pairs"]] == [one["p_holm"] for one in many["pairs"]]


def test_missing_and_unshared_cases_are_said_per_arm(command: Command, logs: list[Path], tmp_path: Path) -> None:
    hole = written(
        tmp_path / "hole.csv", ("case", "score"), [(f"q{i}", "" if i % 10 == 0 else int(i % 4 > 0)) for i in range(250)]
    )
    seen = command("rank", logs[0], logs[1], hole)
    assert "Cases without a score: hole 25." in seen.out
    assert "Cases that not all arms have, left out: a 50, b 50." in seen.out
    assert "25 missing scores on 25 cases count as failed (--missing drop leaves them out)." in seen.out
    answer = command.json("rank", logs[0], logs[1], hole, "--missing", "drop")
    assert [(arm["name"], arm["missing"], arm["left_out"]) for arm in answer["arms"]] == [
        ("a", 0, 50),
        ("b", 0, 50),
        ("hole", 25, 0),
    ]
    assert answer["n_cases"] == 225


def test_copies_are_said_and_never_told_apart() -> None:
    rows = [(f"q{i}", arm, i % 3 > 0) for i in range(100) for arm in ("x", "y", "z")]
    answer = eg.rank(pd.DataFrame(rows, columns=["case", "arm", "score"]))
    assert answer.verdict == "no order"
    assert "The same score on every case: x, y, z." in answer.notes
    assert {arm.rank for arm in answer.arms} == {1}
    assert answer.selection.effective_looks == pytest.approx(1, abs=0.01)
    assert answer.selection.optimism == pytest.approx(0, abs=1e-6)


def test_a_list_of_logs_and_graded_scores() -> None:
    frames = [
        pd.DataFrame({"case": [f"q{i}" for i in range(80)], "score": [(i * step % 11) / 10 * top for i in range(80)]})
        for step, top in ((1, 1.0), (3, 0.95), (5, 0.4))
    ]
    answer = eg.rank(frames)
    assert answer.verdict == "tie"
    assert answer.arms[-1].best_rank == 3
    assert answer.method == "effective-n wilson t"
    assert str(answer) == str(eg.rank(*frames))
    assert str(answer).startswith("tie of 3: ")


def lower_is_better_table() -> object:
    builder = TableBuilder()
    errors = builder.metric_index("errors", higher_is_better=False, low=0.0, high=1.0)
    for arm, step in (("few", 10), ("many", 2)):
        run = builder.add_run(Run(run_id=arm, set_name="faq", arm=arm, framework="table", file=f"{arm}.csv"))
        for i in range(200):
            score = None if arm == "few" and i == 1 else float(i % step == 0)
            builder.add(run=run, case=builder.case_index(f"q{i}"), rep=1, metric=errors, score=score)
    return builder.build()


def test_where_lower_is_better_the_lowest_is_first() -> None:
    answer = eg.rank(lower_is_better_table())
    assert answer.best == ("few",)
    first, second = answer.arms
    # The missing score counts as the worst one.
    assert (first.name, first.estimate, second.estimate) == ("few", pytest.approx(0.105), pytest.approx(0.5))
    assert first.low < first.estimate < first.high
    assert first.together.low < first.low
    (pair,) = answer.pairs
    assert pair.difference == pytest.approx(-0.395)
    assert pair.low < pair.difference < pair.high < 0
    assert any(note.startswith("Lower is better for errors") for note in answer.notes)


def test_more_arms_than_are_shown(command: Command, tmp_path: Path) -> None:
    names = [f"arm{number:02d}" for number in range(25)]
    rows = [(f"q{i}", *(int((i * 7 + arm) % (3 + arm) > 0) for arm in range(25))) for i in range(200)]
    log = written(tmp_path / "wide.csv", ("case", *names), rows)
    asked = ("rank", log, "--wide-arms", ",".join(names))
    answer = command.json(*asked)
    assert (answer["pairs_of"], len(answer["pairs"]), answer["n_pairs"]) == (20, 190, 300)
    seen = command(*asked)
    assert "… 5 more (--json shows all)" in seen.out
    assert "Pairs are listed among the first 20 arms; ranks and groups rest on all pairs." in seen.out


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["rank"], "logs: got 'no log', allowed is two candidates or more."),
        (["rank", "a.csv"], "For one arm say: evalgauge measure LOG"),
        (["rank", "a.csv", "a.csv"], "each log once: a copy is no candidate"),
        (["rank", "a.csv", "other.csv"], "have no case in common"),
        (["rank", "a.csv", "b.csv", "--cluster", "dog"], "Did you mean doc?"),
        (["rank", "a.csv", "b.csv", "--missing", "bounds"], 'Choose from: "fail", "drop".'),
    ],
    ids=" ".join,
)
def test_refusals(
    command: Command, logs: list[Path], monkeypatch: pytest.MonkeyPatch, words: list[str], said: str
) -> None:
    written(logs[0].parent / "other.csv", ("case", "score"), [(f"z{i}", 1) for i in range(9)])
    monkeypatch.chdir(logs[0].parent)
    assert said in command.refusal(*words)


def test_the_same_in_python(command: Command, logs: list[Path]) -> None:
    seen = command("rank", logs[0], logs[1], "--cluster", "doc", "--confidence", "90%", "--show-code")
    assert f"print(eg.rank('{logs[0]}', '{logs[1]}', confidence=0.9, cluster='doc'))" in seen.out
    assert str(eg.rank(*logs, confidence=0.9)).endswith("5 of 6 pairs told apart, 300 cases")
