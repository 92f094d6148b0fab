"""``evalgauge verify gate``: against exact chances, against the gate itself, and what it refuses."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from scipy import stats

import evalgauge as eg
from support.tables import written

if TYPE_CHECKING:
    from pathlib import Path

    from support.command import Command


def log_of(path: Path, passed: np.ndarray[Any, Any], *, topics: int = 0) -> Path:
    """Write a log: rows are cases, columns reps."""
    columns = ("case", "rep", "score", *(("topic",) if topics else ()))
    rows = [
        (f"q{case}", rep, int(score), *((f"t{case % topics}",) if topics else ()))
        for case, runs in enumerate(passed.reshape(len(passed), -1))
        for rep, score in enumerate(runs, start=1)
    ]
    return written(path, columns, rows)


@pytest.fixture
def once(tmp_path: Path) -> Path:
    return log_of(tmp_path / "once.csv", np.arange(100) < 84)


@pytest.fixture
def thrice(tmp_path: Path) -> Path:
    rng = np.random.default_rng(3)
    return log_of(tmp_path / "thrice.csv", rng.random((60, 3)) < rng.beta(4, 1, 60)[:, None], topics=3)


def test_alarms_of_a_floor_are_the_exact_ones(command: Command, once: Path) -> None:
    answer = command.json(
        *("verify", "gate", "--like", once, "--min-rate", "84%", "--discordance", "20%"),
        *("--confidence", "70%", "--drop", "10pp", "--sims", "4000"),
    )
    # Cases that passed fail with chance a, and the others pass as often: the rate stays, and 20 % differ.
    a = next(
        a for a in np.linspace(0, 0.16, 160_001) if 2 * 0.84 * a * (1 - a) + 0.32 * (b := a * 5.25) * (1 - b) >= 0.2
    )
    law = np.convolve(stats.binom.pmf(range(85), 84, 1 - a), stats.binom.pmf(range(17), 16, 5.25 * a))
    counts = np.arange(101)
    z = stats.norm.ppf(0.85)
    wilson = (counts + z * z / 2 + z * np.sqrt(counts * (100 - counts) / 100 + z * z / 4)) / (100 + z * z)
    exact = np.where(counts < 100, stats.beta.ppf(0.85, counts + 1, np.maximum(100 - counts, 1)), 1)
    chance = law[(wilson < 0.84) & (exact < 0.84)].sum()
    null, worse = answer["scenarios"]
    assert null["failed"] == pytest.approx(chance, abs=4 * (chance * (1 - chance) / 4000) ** 0.5 + 1e-9)
    assert null["failed_range"]["low"] < null["failed"] < null["failed_range"]["high"]
    assert chance > 0.01
    assert (worse["drop"], worse["failed"] > 0.5) == (0.1, True)
    assert answer["discordance"] == pytest.approx(0.2, abs=1e-6)


def test_the_gate_itself_says_the_same(thrice: Path) -> None:
    from evalgauge.jobs.gate_rules import bare_verdicts, rule_verdicts  # noqa: PLC0415 - same
    from evalgauge.jobs.gate_settings import settings_of  # noqa: PLC0415 - same
    from evalgauge.jobs.gate_trials import Trial, drawn_subjects  # noqa: PLC0415 - the insides, here alone
    from evalgauge.jobs.reading import asked_table  # noqa: PLC0415 - same
    from evalgauge.jobs.verify_gate import _noise, _subjects  # noqa: PLC0415 - same
    from evalgauge.questions.verify_gate import VerifyGateRequest  # noqa: PLC0415 - same
    from evalgauge.rules.gate import errors_of  # noqa: PLC0415 - same

    request = VerifyGateRequest(like=(str(thrice),), max_drop=0.1, min_rate=0.7, by="topic", better_than=0.0)
    settings = settings_of(request)
    errors = errors_of(0.95, settings.groups)
    table = asked_table(str(thrice), settings.options)
    subjects = _subjects(settings, table)
    noises = [_noise(request, settings, 0, subjects[0], [table])]
    stream = np.random.default_rng(1)
    for drop in (0.0, 0.3):
        trial = Trial(
            subjects=tuple(subjects), rates=(noises[0].rates,), noise=(noises[0].noise,), errors=errors, drop=drop
        )
        for _ in range(10):
            (drawn,) = drawn_subjects(trial, stream)
            full = [(row.rule, row.part, row.verdict) for row in rule_verdicts(drawn, errors).verdicts]
            bare = [(row.rule, row.part, row.verdict) for row in bare_verdicts(drawn, errors)]
            assert bare[: len(full)] == full
            assert {row[0] for row in bare[len(full) :]} == {"min-scored", "min-overlap"}


def test_a_drop_at_the_margin_is_passed_rarely_and_a_large_one_found(command: Command, thrice: Path) -> None:
    answer = command.json("verify", "gate", "--like", thrice, "--max-drop", "15pp")
    null, limit, twice = answer["scenarios"]
    assert [one["drop"] for one in answer["scenarios"]] == pytest.approx([0, 0.15, 0.3])
    assert null["failed_range"]["low"] <= 0.05
    assert limit["passed"] <= 0.055 + 4 * (0.055 / 1000) ** 0.5
    assert twice["failed"] > limit["failed"] > null["failed"]
    for one in answer["scenarios"]:
        assert one["passed"] + one["failed"] + one["inconclusive"] == pytest.approx(1)


def test_workers_give_the_same_answer(thrice: Path) -> None:
    asked = {"like": str(thrice), "max_drop": 0.1, "min_rate": 0.7, "by": "topic", "sims": 120, "seed": 5}
    one, two = (eg.verify_gate(**asked, jobs=jobs) for jobs in (1, 2))
    assert one.scenarios == two.scenarios
    assert eg.verify_gate(**{**asked, "seed": 6}).scenarios != one.scenarios


def test_runs_of_one_system_are_put_before_the_gate_too(command: Command, tmp_path: Path) -> None:
    rng = np.random.default_rng(8)
    rates = rng.beta(4, 1, 80)
    logs = [log_of(tmp_path / f"run-{run}.csv", rng.random(80) < rates) for run in range(5)]
    words = [word for log in logs for word in ("--like", log)]
    answer = command.json("verify", "gate", *words, "--max-drop", "10pp", "--sims", "50")
    pairs = answer["null_pairs"]
    verdicts = [eg.gate(*map(str, logs[place : place + 2]), max_drop=0.1, allow_blind=True).verdict for place in (0, 2)]
    assert (pairs["pairs"], pairs["alarms"], pairs["passes"]) == (2, verdicts.count("fail"), verdicts.count("pass"))
    assert pairs["alarm_range"]["high"] == pytest.approx(1 - 0.025 ** (1 / 2))
    # No alarm in n pairs shows at most 5 % where 0.95^n falls below 2.5 %.
    assert 0.95 ** pairs["pairs_needed"] <= 0.025 < 0.95 ** (pairs["pairs_needed"] - 1)
    assert 0.05 < answer["discordance"] < 0.4
    assert "Real runs of one system: 0 of 2 pairs failed" in command("verify", "gate", *words, "--max-drop", "10pp").out


def test_rules_that_the_log_breaks_are_no_false_alarms(command: Command, thrice: Path) -> None:
    asked = ["verify", "gate", "--like", thrice, "--min-rate", "99%", "--sims", "20"]
    seen = command(*asked)
    assert seen.out.startswith("THE LOG BREAKS ITS OWN RULES: the gate fails ")
    assert "--min-rate 99 %: the log itself scores 7" in seen.out
    assert command.json(*asked)["unkept"] != []


def test_graded_scores_of_any_range(command: Command, tmp_path: Path) -> None:
    rng = np.random.default_rng(4)
    scores = np.clip(rng.normal(70, 15, (80, 1)) + rng.normal(0, 8, (80, 3)), 0, 100).round(1)
    rows = [(f"q{case}", rep, score) for case, runs in enumerate(scores) for rep, score in enumerate(runs, start=1)]
    log = written(tmp_path / "graded.csv", ("case", "rep", "score"), rows)
    asked = ["verify", "gate", "--like", log, "--range", "0:100", "--max-drop", "10pp", "--sims", "200"]
    answer = command.json(*asked)
    assert (answer["discordance"], answer["rate"]) == (None, pytest.approx(scores.mean() / 100, abs=1e-6))
    null, limit, twice = answer["scenarios"]
    assert null["failed_range"]["low"] <= 0.05
    assert limit["passed_range"]["low"] <= 0.055
    assert twice["failed"] > limit["failed"]


def test_lines_fit_a_page(command: Command, thrice: Path) -> None:
    seen = command("verify", "gate", "--like", thrice, "--max-drop", "10pp", "--by", "topic", "--sims", "20")
    first = seen.out.splitlines()[0]
    assert re.match(r"QUIET, BUT SELDOM DECIDES: the gate fails \d+\.\d % of runs in which nothing changed \(", first)
    assert "slice-drop topic=t0 (score)" in seen.out


@pytest.mark.parametrize(
    ("words", "text"),
    [
        ([], "--like: got 'nothing', allowed is a log whose cases are put before the gate."),
        (["--like", "{once}"], "rules: got 'none', allowed is at least one, such as --max-drop 2pp"),
        (["--like", "{once}", "--max-drop", "2pp"], "or the share of cases that flip: --discordance 10%."),
        (["--like", "{once}", "--max-drop", "2pp", "--discordance", "40%"], "at most 26.88% at a rate of 84 %"),
        (
            ["--like", "{thrice}", "--max-drop", "2pp", "--discordance", "4%"],
            "left out: the logs show it",
        ),
        (["--like", "{thrice}", "--max-drop", "2pp", "--drop", "90pp"], "no more can be lost"),
        (["--like", "{thrice}", "--max-drop", "2pp", "--holdout"], "left out: the runs are simulated"),
        (["--like", "{thrice}", "--max-drop", "2pp", "--sims", "0"], "--sims"),
        (
            ["--like", "{thrice}", "--max-drop", "2pp", "--by", "nope"],
            "--by: got 'nope', allowed is a field",
        ),
        (["--like", "{all}", "--max-drop", "2pp"], "Every run of the log scored 100 %, so it shows no noise."),
    ],
)
def test_refusals(command: Command, once: Path, thrice: Path, tmp_path: Path, words: list[str], text: str) -> None:
    places = {"once": once, "thrice": thrice, "all": log_of(tmp_path / "all.csv", np.ones((20, 2)))}
    assert text in command.refusal("verify", "gate", *(word.format(**places) for word in words))
