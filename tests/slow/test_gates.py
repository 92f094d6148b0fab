"""How often simulated gates pass what they must not, and alarm where nothing is wrong: the rules themselves decide.

Every gate is judged by the functions that judge the user's; pass/fail logs of equal counts are judged once.
"""
# ruff: noqa: T201  # each cell prints its figures

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import pytest

from evalgauge.errors import ScoreError
from evalgauge.rules.gate import errors_of, gate_verdict, judged
from evalgauge.rules.gate_cases import case_alarms
from evalgauge.rules.gate_claims import Change, Score, drop_claim, gain_claim, rate_claim
from evalgauge.rules.looks import Look
from evalgauge.rules.paired_missing import ArmRuns
from slow.test_coverage_single import error, stream_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from evalgauge.rules.gate import Claim, GateVerdict
    from evalgauge.rules.looks import Bounds

pytestmark = pytest.mark.slow

GATES = 20_000
MARGIN = 0.02
SIZES = (10, 30, 100, 300)


def arm(passed: np.ndarray, reps: int) -> ArmRuns:
    """Runs of an arm in which every case was run so often."""
    runs = np.full(passed.size, reps)
    return ArmRuns(sums=passed.astype(float), scored=runs, planned=runs)


def verdict_of(claims: Iterable[Claim]) -> GateVerdict:
    """The verdict of a gate with one rule over the set."""
    return gate_verdict([one.verdict for one in judged(list(claims), errors_of(0.95, 1))])


@functools.cache
def flips_verdict(n: int, wins: int, losses: int) -> GateVerdict:
    base, cand = np.ones(n), np.ones(n)
    base[:wins], cand[wins : wins + losses] = 0, 0
    return verdict_of([drop_claim(Change(base=arm(base, 1), cand=arm(cand, 1)), max_drop=MARGIN)])


# Cases won beside those that are lost: none, as many as a noisy system flips, and the most.
@pytest.mark.parametrize("win", [0.0, 0.01, 0.03, 0.1, 0.3])
@pytest.mark.parametrize("n", SIZES)
def test_one_rep_passes_what_is_two_points_worse_rarely(n: int, win: float) -> None:
    draws = stream_of("gate", n, win).multinomial(n, [win, win + MARGIN, 1 - 2 * win - MARGIN], size=GATES)
    passed = np.mean([flips_verdict(n, wins, losses) == "pass" for wins, losses, _ in draws.tolist()])
    print(f"one rep n={n} wins {win:g}: {passed:.4f}")
    assert passed <= 0.031


@pytest.mark.parametrize("rate", [1.0, 0.995, 0.98, 0.9])
@pytest.mark.parametrize("n", SIZES)
def test_one_rep_near_the_ceiling(n: int, rate: float) -> None:
    stream = stream_of("ceiling", n, rate)
    flip = rate * (1 - rate)
    # Beside the breaks, both arms fail a run by chance.
    share = MARGIN / rate
    win = (1 - share) * flip + share * 0
    loss = win + MARGIN
    draws = stream.multinomial(n, [win, loss, 1 - win - loss], size=GATES)
    passed = np.mean([flips_verdict(n, wins, losses) == "pass" for wins, losses, _ in draws.tolist()])
    print(f"ceiling n={n} rate {rate:g}: {passed:.4f}")
    assert passed <= 0.031


@pytest.mark.parametrize(("rate", "reps"), [(0.95, 2), (0.98, 10), (0.99, 50), (0.995, 10)])
@pytest.mark.parametrize("n", SIZES)
def test_reps_that_hide_rare_breaks(n: int, rate: float, reps: int) -> None:
    stream = stream_of("reps", n, rate, reps)
    passed = 0
    for _ in range(GATES):
        broken = stream.random(n) < MARGIN / rate
        base, cand = stream.binomial(reps, rate, n), stream.binomial(reps, np.where(broken, 0, rate))
        change = Change(base=arm(base, reps), cand=arm(cand, reps))
        passed += verdict_of([drop_claim(change, max_drop=MARGIN)]) == "pass"
    print(f"reps n={n} rate {rate:g} R={reps}: {passed / GATES:.4f}")
    assert passed / GATES <= 0.055


@pytest.mark.parametrize(
    ("groups", "size", "reps"), [(10, 10, 1), (10, 10, 10), (30, 10, 10), (300, 2, 1), (300, 2, 10)]
)
def test_whole_clusters_that_break(groups: int, size: int, reps: int) -> None:
    gates = GATES if groups < 300 else GATES // 4
    stream, labels, rate = stream_of("clusters", groups, size, reps), np.repeat(np.arange(groups), size), 0.98
    passed = 0
    for _ in range(gates):
        broken = np.repeat(stream.random(groups) < MARGIN / rate, size)
        base = stream.binomial(reps, rate, labels.size)
        cand = stream.binomial(reps, np.where(broken, 0, rate))
        change = Change(base=arm(base, reps), cand=arm(cand, reps), clusters=(labels, labels), is_pass_fail=True)
        passed += verdict_of([drop_claim(change, max_drop=MARGIN)]) == "pass"
    print(f"clusters {groups} × {size} R={reps}: {passed / gates:.4f} of {gates}")
    assert passed / gates <= 0.055


class Config(NamedTuple):
    """A gate whose rules are all kept exactly: rates are the floors, the candidate is the baseline run again."""

    max_drop: float | None = None
    better_than: float | None = None
    min_rate: bool = False
    slices: int = 0
    slice_drop: float | None = None
    slice_rate: bool = False
    case_rate: bool = False

    @property
    def groups(self) -> int:
        asked = (self.max_drop is not None, self.better_than is not None, self.slice_drop is not None)
        return sum((*asked, self.min_rate, self.slice_rate, self.case_rate))


CONFIGS = {
    "max-drop": Config(max_drop=0.02),
    "better-than": Config(better_than=0.0),
    "max-drop, min-rate": Config(max_drop=0.02, min_rate=True),
    "max-drop, five slices": Config(max_drop=0.02, slices=5, slice_drop=0.1),
    "min-rate, five slices": Config(min_rate=True, slices=5, slice_rate=True),
    "case-rate": Config(case_rate=True),
    "all": Config(0.02, 0.0, True, 5, 0.1, True, True),  # noqa: FBT003
}


def null_verdict(config: Config, stream: np.random.Generator, n: int, reps: int, rate: float) -> GateVerdict:
    """The verdict of a gate over two runs of one system whose cases all pass with ``rate``."""
    base, cand = (stream.binomial(reps, rate, n) for _ in range(2))
    errors = errors_of(0.95, config.groups)
    slices = [np.arange(n) % config.slices == one for one in range(config.slices)]
    everything = [np.ones(n, dtype=bool)]

    def change(mask: np.ndarray) -> Change:
        return Change(base=arm(base[mask], reps), cand=arm(cand[mask], reps))

    def score(mask: np.ndarray) -> Score:
        return Score(runs=arm(cand[mask], reps), squares=cand[mask].astype(float))

    families: list[list[Claim]] = []
    if config.max_drop is not None:
        families.append([drop_claim(change(mask), max_drop=config.max_drop) for mask in everything])
    if config.better_than is not None:
        families.append([gain_claim(change(mask), gain=config.better_than) for mask in everything])
    if config.slice_drop is not None:
        families.append([drop_claim(change(mask), max_drop=config.slice_drop) for mask in slices])
    if config.min_rate:
        families.append([rate_claim(score(mask), min_rate=rate) for mask in everything])
    if config.slice_rate:
        families.append([rate_claim(score(mask), min_rate=rate) for mask in slices])
    verdicts = [one.verdict for family in families for one in judged(family, errors)]
    if config.case_rate:
        found = case_alarms(arm(cand, reps), rate=rate, error=errors.alarm)
        verdicts.append("fail" if found.is_broken.any() else "pass")
    return gate_verdict(verdicts)


NULL_GATES = 2000


@pytest.mark.parametrize(("n", "reps", "rate"), [(60, 1, 0.9), (60, 10, 0.8), (300, 1, 0.9), (300, 5, 0.95)])
@pytest.mark.parametrize("name", CONFIGS)
def test_gates_over_nothing_raise_few_alarms(name: str, n: int, reps: int, rate: float) -> None:
    stream = stream_of("null", name, n, reps)
    verdicts = [null_verdict(CONFIGS[name], stream, n, reps, rate) for _ in range(NULL_GATES)]
    alarms = verdicts.count("fail") / NULL_GATES
    print(f"null {name} n={n} R={reps} rate {rate:g}: {alarms:.4f}, ± {error(max(alarms, 0.01), NULL_GATES):.4f}")
    assert alarms <= 0.05


@functools.cache
def look_verdict(n: int, wins: int, losses: int, look: Look) -> GateVerdict:
    base, cand = np.ones(n), np.ones(n)
    base[:wins], cand[wins : wins + losses] = 0, 0
    claim = drop_claim(Change(base=arm(base, 1), cand=arm(cand, 1)), max_drop=MARGIN)
    return gate_verdict([one.verdict for one in judged([claim], errors_of(0.95, 1, look=look))])


@pytest.mark.parametrize("win", [0.0, 0.02, 0.1])
@pytest.mark.parametrize("n", [500, 1000])
@pytest.mark.parametrize("bounds", ["obrien-fleming", "pocock"])
def test_five_looks_pass_and_fail_what_lies_on_the_line_as_rarely_as_one(bounds: Bounds, n: int, win: float) -> None:
    gates, looks = 4000, 5
    stream = stream_of("looks", bounds, n, win)
    chances = [win, win + MARGIN, 1 - 2 * win - MARGIN]
    draws = stream.multinomial(n // looks, chances, size=(gates, looks)).cumsum(axis=1)
    found = {"pass": 0, "fail": 0, "inconclusive": 0}
    for steps in draws.tolist():
        for at, (wins, losses, _) in enumerate(steps, start=1):
            verdict = look_verdict(n // looks * at, wins, losses, Look(number=at, of=looks, bounds=bounds))
            if verdict != "inconclusive" or at == looks:
                found[verdict] += 1
                break
    passed, failed = found["pass"] / gates, found["fail"] / gates
    print(f"{bounds} n={n} wins {win:g}: passed {passed:.4f}, failed {failed:.4f}")
    assert passed <= 0.025 + 4 * error(0.025, gates)
    # The upper end of a score interval errs more often than the lower one where nothing is won.
    assert failed <= 0.031 + 4 * error(0.031, gates)


@pytest.mark.parametrize("win", [0.0, 0.02, 0.1])
@pytest.mark.parametrize("n", [100, 1000])
def test_looking_after_every_case_passes_what_lies_on_the_line_rarely(n: int, win: float) -> None:
    gates = 2000
    stream = stream_of("anytime", n, win)
    found: list[str] = []
    for _ in range(gates):
        changes = stream.choice([1.0, -1.0, 0.0], size=n, p=[win, win + MARGIN, 1 - 2 * win - MARGIN])
        base, cand = arm(np.maximum(-changes, 0), 1), arm(np.maximum(changes, 0), 1)
        try:
            found.append(verdict_of([drop_claim(Change(base=base, cand=cand, is_anytime=True), max_drop=MARGIN)]))
        except ScoreError:
            found.append("refused")
    shares = {word: found.count(word) / gates for word in ("pass", "fail", "refused")}
    print(f"anytime n={n} wins {win:g}: {shares}")
    assert shares["pass"] <= 0.025 + 4 * error(0.025, gates)
    assert shares["fail"] <= 0.025 + 4 * error(0.025, gates)
    assert shares["refused"] <= 0.001 + 4 * error(0.001, gates)
