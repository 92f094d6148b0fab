"""``measure --judge-labels``: scores that a judge gave, with labels on some of the cases."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
import pytest

import evalgauge as eg
from evalgauge.stats.judged import Verdicts, guarded_ppi, lang_reiczigel
from evalgauge.stats.proportion import wilson_interval
from support.tables import written

if TYPE_CHECKING:
    from pathlib import Path

    from support.command import Command

pytestmark = pytest.mark.usefixtures("folder")

N = 600


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A log of 600 judged cases, labels on every sixth, and other label files."""
    stream = np.random.default_rng(8)
    truth = stream.random(N) < 0.8
    verdict = np.where(truth, stream.random(N) < 0.95, stream.random(N) < 0.1)
    lenient = truth | (stream.random(N) < 0.6)
    labelled = range(0, N, 6)
    files: dict[str, tuple[tuple[str, ...], list[tuple[object, ...]]]] = {
        "judged.csv": (("case", "score"), [(f"q{i}", int(verdict[i])) for i in range(N)]),
        "lenient.csv": (("case", "score"), [(f"q{i}", int(lenient[i])) for i in range(N)]),
        "graded.csv": (("case", "score"), [(f"q{i}", (verdict[i] * 3 + 1) / 5) for i in range(N)]),
        "holes.csv": (("case", "score"), [(f"q{i}", "" if i % 10 == 3 else int(verdict[i])) for i in range(N)]),
        "reps.csv": (("case", "rep", "score"), [(f"q{i}", r, int(verdict[i - r])) for i in range(N) for r in (1, 2)]),
        "arms.csv": (("case", "arm", "score"), [(f"q{i}", a, int(verdict[i])) for i in range(N) for a in "ab"]),
        "labels.csv": (("case", "label"), [(f"q{i}", int(truth[i])) for i in labelled]),
        "words.csv": (("id", "label"), [(f"q{i}", "pass" if truth[i] else "fail") for i in labelled]),
        "few.csv": (("case", "label"), [(f"q{i}", int(truth[i])) for i in range(0, N, 20)]),
        "most.csv": (("case", "label"), [(f"q{i}", int(truth[i])) for i in range(400)]),
        "all.csv": (("case", "label"), [(f"q{i}", int(truth[i])) for i in range(N)]),
        "same.csv": (("case", "label"), [(f"q{i}", int(verdict[i])) for i in labelled]),
        "passes.csv": (("case", "label"), [(f"q{i}", 1) for i in range(N) if truth[i]][:60]),
        "more.csv": (("case", "label"), [(f"q{i}", int(truth[i % N])) for i in range(500, 640)]),
        "elsewhere.csv": (("case", "label"), [(f"z{i}", 1) for i in range(60)]),
        "grades.csv": (("case", "label"), [(f"q{i}", 1 + i % 5) for i in labelled]),
        "halves.csv": (("case", "label"), [(f"q{i}", i // 3 % 3 / 2) for i in range(0, N, 3)]),
        "tiny.csv": (("case", "label"), [(f"q{i}", 1) for i in range(4)]),
        "runs.csv": (("case", "rep", "label"), [(f"q{i}", 2, int(truth[i - 2])) for i in labelled]),
    }
    for name, (header, rows) in files.items():
        written(tmp_path / name, header, rows)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def counted(folder: Path, labels: str) -> tuple[int, int, Verdicts]:
    """Return by a join of the two tables: passed cases without a label, how many, and the judge's record."""
    both = pd.read_csv(folder / "judged.csv").merge(pd.read_csv(folder / labels), on="case", how="left")
    rest, known = both[both["label"].isna()], both[both["label"].notna()]
    table = pd.crosstab(known["label"], known["score"])
    verdicts = Verdicts(
        caught=int(table.loc[1, 1]),
        passes=int(table.loc[1].sum()),
        cleared=int(table.loc[0, 0]),
        fails=int(table.loc[0].sum()),
    )
    return int(rest["score"].sum()), len(rest), verdicts


@pytest.mark.parametrize("labels", ["labels.csv", "few.csv"])
def test_the_headline_is_the_corrected_score(command: Command, folder: Path, labels: str) -> None:
    answer = command.json("measure", "judged.csv", "--judge-labels", labels)
    passed, n, verdicts = counted(folder, labels)
    expected = guarded_ppi(passed, n, verdicts)
    assert answer["method"] == "guarded ppi"
    assert (answer["estimate"], answer["low"], answer["high"]) == pytest.approx(
        (expected.estimate, expected.interval.low, expected.interval.high)
    )
    found = answer["judge"]
    assert (found["n_judged"], found["n_labels"]) == (n, verdicts.n)
    assert (found["passes"]["right"], found["passes"]["of"]) == (verdicts.caught, verdicts.passes)
    assert (found["fails"]["right"], found["fails"]["of"]) == (verdicts.cleared, verdicts.fails)
    only = wilson_interval(verdicts.passes, verdicts.n)
    alone = found["labelled_only_interval"]
    assert (found["labelled_only"], alone["low"], alone["high"]) == pytest.approx(
        (verdicts.passes / verdicts.n, only.low, only.high)
    )
    others = {one["method"]: one for one in found["alternatives"]}
    assert set(others) == {"ppi", "lang-reiczigel", "rogan-gladen", "rogan-gladen known"}
    small = lang_reiczigel(passed, n, verdicts).interval
    assert (others["lang-reiczigel"]["low"], others["lang-reiczigel"]["high"]) == pytest.approx((small.low, small.high))
    plain = command.json("measure", "judged.csv")
    assert found["uncorrected"] == plain["estimate"]
    assert (found["uncorrected_interval"]["low"], found["uncorrected_interval"]["high"]) == (
        plain["low"],
        plain["high"],
    )
    assert plain["judge"] is None
    seen = command("measure", "judged.csv", "--judge-labels", labels).out
    assert ("(Lang-Reiczigel)" in seen) == (labels == "few.csv")


def test_whether_it_matters_is_said(command: Command) -> None:
    seen = command("measure", "lenient.csv", "--judge-labels", "labels.csv")
    first, _, matters, *_ = seen.out.splitlines()
    assert "with the judge's errors taken out" in first
    assert matters.startswith("  IT MATTERS: the judge says ")
    assert "is too lenient: labels move it by -" in matters
    calm = command("measure", "judged.csv", "--judge-labels", "labels.csv").out
    assert "no bias is shown: labels move it by" in calm
    assert "the judge narrows that by" in calm
    assert command.json("measure", "lenient.csv", "--judge-labels", "labels.csv")["judge"]["bias"] == "too lenient"


def test_words_and_other_names_of_columns_are_known(command: Command) -> None:
    one = command.json("measure", "judged.csv", "--judge-labels", "labels.csv")
    two = command.json("measure", "judged.csv", "--judge-labels", "words.csv")
    assert {**one["judge"], "labels": ""} == {**two["judge"], "labels": ""}


def test_labels_that_all_agree_leave_width(command: Command, folder: Path) -> None:
    answer = command.json("measure", "judged.csv", "--judge-labels", "same.csv")
    assert answer["judge"]["agreement"] == 1
    assert answer["judge"]["shift"] == 0
    plain = command.json("measure", "judged.csv")
    assert answer["low"] < plain["low"]
    assert answer["high"] > plain["high"]
    perfect = [(f"q{i}", 1) for i in range(100)]
    written(folder / "perfect.csv", ("case", "score"), perfect)
    written(folder / "right.csv", ("case", "label"), perfect[:40])
    found = eg.measure("perfect.csv", judge_labels="right.csv")
    assert found.estimate == found.high == 1
    assert found.low == pytest.approx(1 - math.hypot(3.8414588 / 63.8414588, 3.8414588 / 43.8414588), abs=1e-6)


def test_one_kind_of_label_is_answered_and_said(command: Command) -> None:
    answer = command.json("measure", "judged.csv", "--judge-labels", "passes.csv")
    assert "All labelled cases pass: nothing shows how the judge errs on failures. Label some." in answer["notes"]
    assert [one["method"] for one in answer["judge"]["alternatives"]] == ["ppi"]
    assert "met no true failures" in command("measure", "judged.csv", "--judge-labels", "passes.csv").out


@pytest.mark.parametrize("labels", ["most.csv", "all.csv"])
def test_with_more_labels_than_other_cases_the_judge_is_left_out(command: Command, folder: Path, labels: str) -> None:
    answer = command.json("measure", "judged.csv", "--judge-labels", labels)
    table = pd.read_csv(folder / labels)
    expected = wilson_interval(int(table["label"].sum()), len(table))
    assert answer["judge"]["is_by_labels_alone"] is True
    assert (answer["low"], answer["high"], answer["method"]) == pytest.approx(
        (expected.low, expected.high, "wilson"), abs=1e-12
    )
    assert "so the judge is left out" in command("measure", "judged.csv", "--judge-labels", labels).out


def test_graded_verdicts_and_several_labels_a_case(command: Command) -> None:
    answer = command.json("measure", "graded.csv", "--judge-labels", "labels.csv")
    both = pd.read_csv("graded.csv").merge(pd.read_csv("labels.csv"), on="case", how="left")
    rest, known = both[both["label"].isna()], both[both["label"].notna()]
    expected = rest["score"].mean() + (known["label"] - known["score"]).mean()
    assert answer["estimate"] == pytest.approx(expected)
    assert answer["judge"]["passes"] is None
    assert answer["judge"]["alternatives"] == []
    assert "label and verdict are equal on" in command("measure", "graded.csv", "--judge-labels", "labels.csv").out
    twice = pd.concat([pd.read_csv("labels.csv"), pd.read_csv("labels.csv").assign(label=1)])
    mean = eg.measure("judged.csv", judge_labels=twice)
    assert mean.judge is not None
    assert mean.judge.n_labels == 100
    assert mean.judge.labelled_only == pytest.approx((pd.read_csv("labels.csv")["label"].mean() + 1) / 2)


def test_missing_scores_widen(command: Command) -> None:
    asked = ("measure", "holes.csv", "--judge-labels", "labels.csv")
    bounds, fail, drop = (command.json(*asked, "--missing", policy) for policy in ("bounds", "fail", "drop"))
    assert bounds["estimate"] == drop["estimate"]
    assert bounds["low"] == pytest.approx(0.9 * drop["low"])
    assert bounds["high"] == pytest.approx(0.9 * drop["high"] + 0.1)
    assert (fail["estimate"], fail["high"]) == pytest.approx((0.9 * drop["estimate"], 0.9 * drop["high"]))
    assert "The interval holds whether the missing runs fail or pass." in command(*asked).out


def test_labels_of_runs_are_joined_by_case_and_rep(command: Command) -> None:
    answer = command.json("measure", "reps.csv", "--judge-labels", "runs.csv")
    both = pd.read_csv("reps.csv").merge(pd.read_csv("runs.csv"), on=["case", "rep"])
    log = pd.read_csv("reps.csv")
    rest = log[~log["case"].isin(both["case"])].groupby("case")["score"].mean()
    assert answer["judge"]["n_labels"] == 100
    assert answer["estimate"] == pytest.approx(rest.mean() + (both["label"] - both["score"]).mean())


def test_labels_of_cases_that_are_not_there_are_said(command: Command) -> None:
    answer = command.json("measure", "judged.csv", "--judge-labels", "more.csv")
    assert answer["judge"]["n_labels"] == 100
    assert "40 of 140 labelled cases are not in the log; they are left out." in answer["notes"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["judged.csv", "--judge-labels", "elsewhere.csv"], "No labelled case is in the log: the log has q0, q1, q2"),
        (["judged.csv", "--judge-labels", "grades.csv"], "got 'labels from 1 to 5', allowed is one label a case: 0"),
        (["judged.csv", "--judge-labels", "halves.csv"], "got 'a label of 0.5', allowed is one label a case: 0"),
        (["judged.csv", "--judge-labels", "tiny.csv"], "got 'labels of 4 cases of the log', allowed is 5 or more"),
        (["judged.csv", "--judge-labels", "arms.csv"], "got 'labels of 2 arms (a, b)', allowed is labels of one arm"),
        (["judged.csv", "--judge-labels", "nowhere.csv"], "nowhere.csv"),
        (["reps.csv", "--judge-labels", "labels.csv"], "the labels do not say of which run they speak"),
        (["arms.csv", "--judge-labels", "labels.csv"], "Name one arm and task with --arm and --task."),
        (["47/50", "--judge-labels", "labels.csv"], "got 'labels with counts', allowed is labels of the cases of one"),
        (["judged.csv", "--judge-labels", "labels.csv", "--by", "x"], "x"),
        (["judged.csv", "--judge-labels", "labels.csv", "--rule", "t"], "The corrected score has a rule of its own"),
        (["reps.csv", "--judge-labels", "runs.csv", "--pass-k", "2"], "got 'labels together with pass_k'"),
        (["judged.csv", "--judge-labels", "labels.csv", "--range", "none"], "Say its limits with --range."),
    ],
    ids=" ".join,
)
def test_refusals(command: Command, words: list[str], said: str) -> None:
    assert said in command.refusal("measure", *words)


def test_python_takes_frames_and_shows_its_code(command: Command) -> None:
    frame = eg.measure(pd.read_csv("judged.csv"), judge_labels=pd.read_csv("labels.csv"))
    path = eg.measure("judged.csv", judge_labels="labels.csv")
    assert (frame.low, frame.high) == (path.low, path.high)
    assert "guarded ppi" in str(path)
    seen = command("measure", "judged.csv", "--judge-labels", "labels.csv", "--show-code")
    assert "print(eg.measure('judged.csv', judge_labels='labels.csv'))" in seen.out
