"""The golden set: slices, prescriptions, owned sets, clusters, certificates; by property and at their edges."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evalgauge.errors import ArgumentError
from evalgauge.planning.clusters import cluster_half_width, cluster_plan
from evalgauge.planning.designs import design_rows, recommended
from evalgauge.planning.detection import Change, detectable_change, detection, discordance, power_of
from evalgauge.planning.golden_set import detection_plan, owned_set, precision_plan, prescription, safe_count
from evalgauge.planning.limits import floor_plan, never_pass, no_worse_plan
from evalgauge.planning.looks import looks_plan
from evalgauge.planning.slices import per_slice_of, slice_plan, total_of
from evalgauge.rules.paired import paired_counts
from evalgauge.stats.no_worse_power import no_worse_power
from evalgauge.stats.proportion import wilson_interval
from evalgauge.stats.two_proportions import miettinen_nurminen_interval

if TYPE_CHECKING:
    from collections.abc import Callable

    from evalgauge.planning.results import Design

ONE = slice_plan()
DESIGNS: list[Design] = ["held-reference", "paired", "independent-arms"]
designs = st.sampled_from(DESIGNS)


@st.composite
def splits(draw: st.DrawFn) -> Any:
    count = draw(st.integers(1, 8))
    share = draw(st.one_of(st.none(), st.floats(0.02, 1).map(lambda part: part / count * 0.999)))
    return slice_plan(slices=count, smallest_share=share)


@given(splits(), st.integers(1, 5000))
def test_the_total_holds_the_count_in_every_slice_and_one_case_fewer_does_not(plan: Any, count: int) -> None:
    total = total_of(count, plan)
    assert per_slice_of(total, plan) >= count
    assert per_slice_of(total - 1, plan) < count


@pytest.mark.parametrize("share", [0.1, 0.05, 0.2, 0.3, 0.7 - 0.6])
def test_decimal_shares_are_counted_as_written(share: float) -> None:
    plan = slice_plan(slices=2, smallest_share=share)
    assert total_of(21, plan) == round(21 / share + 0.4999)
    assert per_slice_of(round(21 / share), plan) == (
        21 if (21 / share) == round(21 / share) else 20 + (share == 0.7 - 0.6)
    )


@settings(deadline=None, max_examples=40)
@given(st.floats(0.2, 0.95), st.floats(0.03, 0.15), st.floats(0.3, 0.9), splits(), designs)
def test_a_set_as_large_as_prescribed_needs_nothing_more(
    rate: float, margin: float, part: float, split: Any, design: Design
) -> None:
    change = Change(rate=rate, size=max(part * rate, 0.05), confidence=split.confidence)
    precision = precision_plan(rate, margin, split)
    total = prescription(precision, detection_plan(change, split), split, design=design)
    own = owned_set(total.total, total, precision, change, split, rate=rate, design=design)
    assert (own.meets_margin, own.meets_drop, own.add) == (True, True, 0)
    if total.per_slice > 17:
        less = owned_set(
            total_of(total.per_slice - 1, split), total, precision, change, split, rate=rate, design=design
        )
        # One case a slice fewer: what decided the count is no longer met.
        assert less.meets_drop is False if total.because == "detection" else less.meets_margin is False
        assert less.add == total.total - less.total


@settings(deadline=None, max_examples=30)
@given(st.floats(0.2, 0.95), st.floats(0.3, 0.9), designs, st.floats(0.4, 1))
def test_a_smaller_change_never_asks_for_fewer_cases(rate: float, part: float, design: Design, smaller: float) -> None:
    large = Change(rate=rate, size=max(part * rate, 0.1))
    small = replace(large, size=max(large.size * smaller, 0.05))
    # The grading rule is the same, and a smaller change is harder to see at every count.
    assert detection(design, small).safe_n >= detection(design, large).safe_n


@pytest.mark.parametrize("design", DESIGNS)
@pytest.mark.parametrize("exact", [False, True])
def test_solving_for_the_change_undoes_solving_for_the_count(design: Design, *, exact: bool) -> None:
    change = Change(rate=0.85, size=0.1)
    found = detection(design, change)
    n = found.safe_n if exact else found.n
    size = detectable_change(design, change, n, exact=exact)
    assert size is not None
    assert 0.09 < size <= 0.1 + 1e-9
    if exact:
        assert float(power_of(design, replace(change, size=size), n)) == pytest.approx(0.8, abs=1e-6)
    else:
        assert detection(design, replace(change, size=size)).n == n


def test_a_rise_is_planned_like_the_drop_of_the_failures() -> None:
    rise = detection_plan(Change(rate=0.3, size=0.06, direction="rise"), ONE)
    drop = detection_plan(Change(rate=0.7, size=0.06), ONE)
    assert rise.held_reference == drop.held_reference
    assert rise.independent_arms == drop.independent_arms
    assert rise.paired == drop.paired
    assert rise.rate_to == pytest.approx(0.36)


def test_small_sets_cannot_show_even_a_change_to_nothing() -> None:
    assert detectable_change("independent-arms", Change(rate=0.5, size=0.1), 3) is None
    own = owned_set(
        3,
        prescription(precision_plan(0.5, 0.1, ONE), detection_plan(Change(rate=0.5, size=0.1), ONE), ONE),
        precision_plan(0.5, 0.1, ONE),
        Change(rate=0.5, size=0.1),
        ONE,
        rate=0.5,
        design="independent-arms",
    )
    assert own.detectable_drop is None
    assert own.add > 0


@given(st.floats(0.02, 0.98), st.floats(0, 1))
def test_correlated_arms_differ_less(rate: float, part: float) -> None:
    size = rate * (0.1 + 0.8 * part)
    apart = discordance(Change(rate=rate, size=size))
    assert size - 1e-12 <= apart <= 1
    # Positive correlation never adds discordant cases.
    assert discordance(Change(rate=rate, size=size, correlation=1e-6)) <= apart


@pytest.mark.parametrize(("floor", "confidence", "least"), [(0.9, 0.95, 35), (0.9, 0.9, 25), (0.8, 0.95, 16)])
def test_the_least_count_of_a_certificate_is_where_the_interval_clears(
    floor: float, confidence: float, least: int
) -> None:
    found = floor_plan(0.99, floor, confidence=confidence, own=least - 1)
    assert found.least == least
    assert found.own_can_pass is False
    assert wilson_interval(least, least, confidence=confidence).low > floor
    assert wilson_interval(least - 1, least - 1, confidence=confidence).low < floor


def test_a_rate_below_the_floor_is_never_certified() -> None:
    found = floor_plan(0.85, 0.9, own=500)
    assert (found.n, found.power_at_n, found.safe_n, found.own_chance) == (None, None, None, None)
    assert found.own_can_pass is True


@pytest.mark.parametrize(("max_drop", "hard_floor"), [(0.02, 183), (0.05, 72), (0.1, 36)])
def test_below_the_least_count_no_unchanged_log_passes_the_gate(max_drop: float, hard_floor: int) -> None:
    found = no_worse_plan(max_drop, discordance=0.1, own=10)
    assert found.own_passes_unchanged is False
    # Nearly none, but not none: four gains without a loss are better, and therefore no worse.
    assert found.own_chance is not None
    assert 0 < found.own_chance < 0.01
    assert float(no_worse_power(found.safe_n, 0.1, max_drop)) >= 0.8
    assert float(no_worse_power(found.safe_n - 1, 0.1, max_drop)) < 0.8
    assert paired_counts(0, 0, found.least).guarded.low > -max_drop
    assert paired_counts(0, 0, found.least - 1).guarded.low <= -max_drop
    assert found.hard_floor == hard_floor


def test_a_gate_on_arms_that_never_differ_needs_the_least_count() -> None:
    found = no_worse_plan(0.02, discordance=0)
    assert (found.safe_n, found.power_at_n) == (found.least, 1.0)


@pytest.mark.parametrize("gap", [0.001, 0.0005, 0.0001, 0.00001])
def test_a_certificate_near_the_expected_rate_needs_the_more_cases_the_nearer_it_is(gap: float) -> None:
    found = floor_plan(0.9, 0.9 - gap)
    assert found.safe_n is not None
    # z(a) + z(b) squared, times the variance of one case, over the squared gap.
    assert found.safe_n == pytest.approx(7.849 * 0.09 / gap**2, rel=0.02)


@pytest.mark.parametrize("design", DESIGNS)
def test_sets_too_large_to_enumerate_have_the_power_of_the_formula(design: Design) -> None:
    change = Change(rate=0.9, size=0.001, discordance=0.1)
    found = detection(design, change)
    for factor in (0.5, 1.0, 1.5, 1e6):
        n = int(found.raw * factor)
        near = float(power_of(design, replace(change, size=0.001 * 2), max(1, n // 4)))
        # A quarter of the cases for twice the change: the same power, but for the rates' own variance.
        assert float(power_of(design, change, n)) == pytest.approx(near, abs=0.01)
    assert detectable_change(design, change, 10**12) is not None


@pytest.mark.parametrize("rate", [0.0, 1.0])
def test_a_rate_at_its_end_is_planned_in_the_direction_that_is_open(rate: float) -> None:
    change = Change(rate=rate, size=0.1, direction="drop" if rate else "rise")
    precision = precision_plan(rate, 0.05, ONE)
    asked = prescription(precision, detection_plan(change, ONE), ONE)
    mine = owned_set(30, asked, precision, change, ONE, rate=rate)
    assert (mine.detectable_drop is None, mine.detectable_rise is None) == (rate == 0, rate == 1)


def test_below_the_least_counts_the_most_extreme_data_show_nothing() -> None:
    least = never_pass(Change(rate=0.9, size=0.1))
    assert wilson_interval(0, least.held_reference).high < 0.9
    arms = least.independent_arms
    assert miettinen_nurminen_interval(arms, arms, 0, arms).high < 0
    assert miettinen_nurminen_interval(arms - 1, arms - 1, 0, arms - 1).high >= 0
    assert paired_counts(0, least.flips, 50).interval.high < 0
    assert paired_counts(0, least.flips - 1, 50).interval.high >= 0
    high = never_pass(Change(rate=0.05, size=0.01))
    assert wilson_interval(0, high.held_reference).high < 0.05 <= wilson_interval(0, high.held_reference - 1).high


def test_clusters_are_graded_by_the_interval_over_clusters() -> None:
    plan = cluster_plan(size=10, icc=0.2, rate=0.9, margin=0.05, cases=89, slices=ONE)
    width = cluster_half_width(plan.precision_clusters, size=10, icc=0.2, rate=0.9, confidence=0.95)
    wider = cluster_half_width(plan.precision_clusters - 1, size=10, icc=0.2, rate=0.9, confidence=0.95)
    assert width <= 0.05 < wider
    # Design effect 2.8: 24.9 clusters by normal quantiles, two more for Student's.
    assert plan.detection_clusters == 27
    assert plan.total == 450


def test_unrelated_cases_in_clusters_still_pay_for_the_t_quantile() -> None:
    plan = cluster_plan(size=2, icc=0.0, rate=0.5, margin=0.05, cases=200, slices=ONE)
    assert plan.design_effect == 1
    assert 100 < plan.detection_clusters <= 103


def test_planned_looks_cost_what_their_bounds_inflate() -> None:
    plan = looks_plan(5, cases=1000)
    assert [one.n for one in plan.bounds] == [1029, 1229]
    assert plan.uncorrected_error == pytest.approx(0.142, abs=5e-4)


def test_where_arms_disagree_on_most_cases_pairing_is_not_recommended() -> None:
    # All cases flip one way or the other: pairing needs nearly as many cases, and the runs of both arms on each.
    rows = design_rows(Change(rate=0.6, size=0.2, discordance=1.0), cost_case=0.0, cost_run=1.0)
    assert recommended(rows) == "independent-arms"


def test_the_safe_count_of_each_design_is_the_one_prescribed() -> None:
    change = Change(rate=0.9, size=0.05, discordance=0.1)
    found = detection_plan(change, ONE)
    assert [safe_count(found, design) for design in DESIGNS] == [334, 291, 682]
    loose = precision_plan(0.9, 0.2, ONE)
    for design in DESIGNS:
        total = prescription(loose, found, ONE, design=design)
        assert (total.per_slice, total.because) == (safe_count(found, design), "detection")


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda: slice_plan(slices=0), "slices: got 0, allowed is a whole number of slices, 1 or more."),
        (lambda: slice_plan(shares={"web": 0.6, "api": 0.3}), "shares that add up to 100 %. These add up to 90 %."),
        (lambda: slice_plan(shares={"web": 1.0, "api": 0.0}), "shares above 0. Leave out slices without traffic."),
        (lambda: slice_plan(slices=3, shares={"web": 0.6, "api": 0.4}), "one way to say how the set is split."),
        (lambda: slice_plan(slices=5, smallest_share=0.3), "smallest_share: got 0.3, allowed is at most 20 % with 5"),
        (lambda: slice_plan(smallest_share=10), "smallest_share: got 10, allowed is a share between 0 and 1, such as"),
        (
            lambda: Change(rate=90, size=0.1),
            "rate: got 90, allowed is a share from 0 to 1 (0 % to 100 %). Did you mean",
        ),
        (lambda: Change(rate=0.05, size=0.1), "drop: got 0.1, allowed is at most 5 points, because the rate is 5 %."),
        (lambda: Change(rate=0.95, size=0.1, direction="rise"), "rise: got 0.1, allowed is at most 5 points, because"),
        (lambda: Change(rate=1, size=0.1, direction="rise"), "because the rate is 100 %. Name another --rate."),
        (lambda: Change(rate=0.9, size=0), "drop: got 0, allowed is points above 0, such as 5pp (0.05). No finite"),
        (lambda: Change(rate=0.9, size=10), "drop: got 10, allowed is points from 0.0001 to below 100"),
        (lambda: Change(rate=0.9, size=0.1, power=0.3), "power: got 0.3, allowed is a share from 0.5 to below 1."),
        (lambda: Change(rate=0.9, size=0.1, power=80), "Did you mean 80 % (0.8)?"),
        (
            lambda: detection("paired", Change(rate=0.9, size=0.1, discordance=0.05)),
            "discordance: got 0.05, allowed is from 10 % to 30 %, with rates of 90 % and 80 %.",
        ),
        (lambda: design_rows(Change(rate=0.9, size=0.1), cost_case=-1), "cost_case: got -1, allowed is a price of 0"),
        (
            lambda: design_rows(Change(rate=0.9, size=0.1), cost_case=0),
            "allowed is a price above 0 for cases, for runs",
        ),
        (
            lambda: cluster_plan(size=1, icc=0.1, rate=0.9, margin=0.05, cases=9, slices=ONE),
            "cluster_size: got 1, allowed is a whole number of cases, 2 or more.",
        ),
        (
            lambda: cluster_plan(size=5, icc=2, rate=0.9, margin=0.05, cases=9, slices=ONE),
            "icc: got 2, allowed is a share from 0 to 1.",
        ),
        (lambda: looks_plan(1, cases=9), "looks: got 1, allowed is a whole number of looks, 2 or more."),
        (lambda: floor_plan(0.95, 90), "min_rate: got 90, allowed is a share between 0 and 1, such as 85% (0.85)."),
        (lambda: no_worse_plan(0, discordance=0.1), "max_drop: got 0, allowed is points from 0.0001"),
    ],
)
def test_refusals(call: Callable[[], object], text: str) -> None:
    with pytest.raises(ArgumentError, match=re.escape(text)):
        call()
