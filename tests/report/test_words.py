"""How numbers are written: units, halves, ends that stay apart, never a false 0 or 100 %."""

from __future__ import annotations

import pytest

from evalgauge.questions.units import ScoreRange
from evalgauge.report.words import Scale, count, decimals, df_text, interval_bar, level, listed, p_text, percent

PERCENT = Scale(ScoreRange((0.0, 1.0)))


@pytest.mark.parametrize(
    ("share", "text"),
    [(0.6625, "66.3 %"), (0.5, "50.0 %"), (1.0, "100.0 %"), (0.9999, "99.99 %"), (0.99999, "99.999 %"), (0.0, "0.0 %")],
)
def test_shares_are_percent_and_never_a_false_end(share: float, text: str) -> None:
    assert PERCENT.value(share) == text


def test_other_ranges_keep_their_unit() -> None:
    assert Scale(ScoreRange((1.0, 5.0))).value(0.5) == "3.000 on 1 to 5"
    assert Scale(ScoreRange((0.0, 100.0))).span(0.5, 0.75) == "50.0 to 75.0 on 0 to 100"
    assert Scale(None).span(1.5, 12.25) == "1.500 to 12.250"


def test_ends_that_differ_look_different() -> None:
    assert PERCENT.span(0.50001, 0.50002) == "50.001 to 50.002 %"
    assert PERCENT.change_span(-0.000011, 0.000011) == "-0.001 to +0.001"
    assert PERCENT.change_span(-0.1, 0.25) == "-10.0 to +25.0"


def test_signs_and_zero() -> None:
    assert PERCENT.change(0.054) == "+5.4"
    assert PERCENT.change(-0.00001) == "0.0"
    assert PERCENT.distance(-0.034) == "3.4 points"
    assert PERCENT.is_shown_as_0(0.0004)
    assert decimals(float("nan"), 100) == "unknown"


def test_small_words() -> None:
    assert percent(0.999999999999) == "99.9999999999 %"
    assert percent(0.95) == "95 %"
    assert (p_text(0.00001), p_text(0.0005), p_text(0.03)) == ("< 0.0001", "= 0.0005", "= 0.030")
    assert (count(1, "case"), count(1220, "case")) == ("1 case", "1,220 cases")
    assert listed(["a", "b", "c"], 2) == "a b … 1 more"
    assert (df_text(39), df_text(4.37), df_text(249999.0)) == ("39", "4.4", "249,999")


def test_a_picture_names_the_ends_of_its_range() -> None:
    bar = interval_bar(0.25, 0.5, 0.75, ("1", "5"), width=9)
    assert bar == "1 ──[━●━]── 5"


@pytest.mark.parametrize(
    ("share", "text"),
    [
        (0.95, "95 %"),
        (0.995, "99.5 %"),
        (0.29, "29 %"),
        (0.641666666667, "64.17 %"),
        (1 / 3, "33.33 %"),
        (0.9999, "99.99 %"),
        (0.9999999, "99.99999 %"),
        (1 - 1e-12, "99.9999999999 %"),
        (2e-9, "2e-07 %"),
        (0, "0 %"),
        (1, "100 %"),
    ],
)
def test_a_share_is_written_with_the_digits_that_matter(share: float, text: str) -> None:
    assert percent(share) == text


@pytest.mark.parametrize(("number", "text"), [(1e-7, "0.0"), (1.5e-9, "0.0"), (123456.789, "123456.8")])
def test_no_number_is_written_with_an_exponent(number: float, text: str) -> None:
    assert decimals(number, 100) == text
    assert "E" not in Scale(ScoreRange((0, 1))).value(number / 1e6)


@pytest.mark.parametrize(
    ("share", "text"),
    [
        (0.95, "95 %"),
        (1 - 0.05 / 12, "99.5833 %"),
        (0.999999, "99.9999 %"),
        (1 - 1e-9, "above 99.9999 %"),
        (1.0, "100 %"),
    ],
)
def test_a_level_is_never_a_false_certainty(share: float, text: str) -> None:
    assert level(share) == text
