"""What people write for shares, points and maps, and what is refused with which words."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalgauge.errors import ArgumentError
from evalgauge.questions import units

if TYPE_CHECKING:
    from collections.abc import Callable


@pytest.mark.parametrize(
    ("text", "share"),
    [
        ("90%", 0.9),
        ("90 %", 0.9),
        ("0.9", 0.9),
        (".9", 0.9),
        ("1", 1.0),
        ("0", 0.0),
        ("99.5 percent", 0.995),
        ("1e-1", 0.1),
    ],
)
def test_a_share_is_read_in_every_common_form(text: str, share: float) -> None:
    assert units.share_from_text(text, "rate") == pytest.approx(share, abs=1e-15)


@pytest.mark.parametrize(
    ("text", "points"), [("5pp", 0.05), ("5 points", 0.05), ("1 point", 0.01), ("5%", 0.05), ("0.05", 0.05)]
)
def test_points_are_read_in_every_common_form(text: str, points: float) -> None:
    assert units.points_from_text(text, "margin") == pytest.approx(points, abs=1e-15)


def test_maps_names_and_ranges_are_read() -> None:
    assert units.weights_from_text("web=60%, phone=0.4", "weights") == {"web": 0.6, "phone": 0.4}
    assert units.weights_from_text("equal", "weights") == {}
    assert units.words_from_text("both=0.5,left=1", "words") == {"both": 0.5, "left": 1.0}
    assert units.columns_from_text("case=id,score=passed", "map") == {"case": "id", "score": "passed"}
    assert units.names_from_text("base, new", "arms") == ("base", "new")
    assert units.range_from_text("0:100", "range") == (0.0, 100.0)
    assert units.range_from_text("-1:1", "range") == (-1.0, 1.0)
    assert units.range_from_text("none", "range").is_unlimited
    assert units.passed_of_total("47/50") == (47, 50)
    assert units.passed_of_total("logs/50") is None


REFUSALS: list[tuple[Callable[[str, str], object], str, str]] = [
    (units.share_from_text, "90", "Did you mean 90% (0.9)?"),
    (units.share_from_text, "250", "allowed is a share from 0 % to 100 %"),
    (units.share_from_text, "-3%", "allowed is a share from 0 % to 100 %"),
    (units.share_from_text, "high", "written 5% or 0.05"),
    (units.share_from_text, "nan", "written 5% or 0.05"),
    (units.points_from_text, "5", "Did you mean 5pp (0.05)?"),
    (units.points_from_text, "101pp", "from 0pp to 100pp"),
    (units.weights_from_text, "web=60%,phone=30%", "These add up to 90 %."),
    (units.weights_from_text, "web", "name=value pairs"),
    (units.weights_from_text, "web=50%,web=50%", "'web' comes twice"),
    (units.words_from_text, "both=maybe", "a number, as in both=0.5"),
    (units.columns_from_text, "case:id", "name=value pairs"),
    (units.names_from_text, "a,,b", "names separated by commas"),
    (units.range_from_text, "100", "low:high"),
    (units.range_from_text, "1:0", "low:high"),
    (units.range_from_text, "0:inf", "low:high"),
    (units.range_from_text, "-1e300:1e300", "low:high"),
    (units.range_from_text, "a:b", "low:high"),
]


@pytest.mark.parametrize(("parser", "text", "words"), REFUSALS)
def test_a_refusal_says_what_is_allowed(parser: Callable[[str, str], object], text: str, words: str) -> None:
    with pytest.raises(ArgumentError) as refusal:
        parser(text, "option")
    assert str(refusal.value).startswith("option")
    assert words in str(refusal.value)


@given(st.integers(0, 10_000))
def test_percent_and_share_mean_the_same(basis_points: int) -> None:
    as_percent = units.share_from_text(f"{basis_points / 100}%", "rate")
    as_share = units.share_from_text(f"{basis_points / 10_000}", "rate")
    assert as_percent == pytest.approx(as_share, abs=1e-12)
