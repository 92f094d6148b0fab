"""A request takes every honest form of a value, and refuses everything else by the name of its field."""

from __future__ import annotations

import math
from dataclasses import fields
from types import NoneType
from typing import Any, get_args

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalgauge.errors import ArgumentError, EvalgaugeError
from evalgauge.questions.compare import CompareRequest
from evalgauge.questions.counts import Count, Number, count_from_text
from evalgauge.questions.every import Request
from evalgauge.questions.measure import MeasureRequest
from evalgauge.questions.plan import PlanRequest
from evalgauge.questions.plan_reps import PlanRepsRequest
from evalgauge.questions.units import Points, Share

FIELDS = [
    pytest.param(kind, field.name, field.type, id=f"{kind.__name__}-{field.name}")
    for kind in get_args(Request)
    for field in fields(kind)
]
NUMBERS = (Count, Number, Points, Share)


def unit_of(annotation: Any) -> Any:
    """Return the unit of a field that may be left out."""
    return next((one for one in get_args(annotation) if one is not NoneType), annotation)


@pytest.mark.parametrize(("kind", "field", "annotation"), FIELDS)
def test_numbers_have_units_that_round_nothing(kind: Any, field: str, annotation: Any) -> None:
    # The command line rounds what is annotated as int, and lets NaN into what is annotated as float.
    assert unit_of(annotation) not in (int, float), f"{kind.__name__}.{field}: say Count, Number, Share or Points"


@pytest.mark.parametrize(("kind", "field", "annotation"), FIELDS)
def test_nonsense_is_refused_under_the_name_of_the_field(kind: Any, field: str, annotation: Any) -> None:
    flags = (True, False) if unit_of(annotation) is not bool else (1, "yes")
    none = () if NoneType in get_args(annotation) else (None,)
    for value in (*flags, *none, math.nan, math.inf, -math.inf, 10**400, 10**5000, 1j, b"x", object(), [None], print):
        with pytest.raises(ArgumentError) as refusal:
            kind(**{field: value})
        assert refusal.value.argument == field
        assert str(refusal.value).startswith(f"{field}: got ")
        assert len(str(refusal.value)) < 500


NUMBER_FIELDS = [place for place in FIELDS if unit_of(place.values[2]) in NUMBERS]


@pytest.mark.parametrize(("kind", "field", "annotation"), NUMBER_FIELDS)
def test_numbers_of_every_library_are_numbers(kind: Any, field: str, annotation: Any) -> None:
    values = [np.int8(1), np.uint64(1), np.float32(1), np.float16(1), np.array(1), np.longdouble(1), "1"]
    for value in values:
        found = getattr(kind(**{field: value}), field)
        assert found == 1
        assert type(found) is unit_of(annotation)


anything = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    st.text(),
    st.binary(),
    st.complex_numbers(),
    st.lists(st.one_of(st.none(), st.integers(), st.text(), st.floats())),
    st.dictionaries(st.one_of(st.text(), st.integers()), st.one_of(st.none(), st.text(), st.floats())),
)


@given(st.sampled_from([(kind, field.name) for kind in get_args(Request) for field in fields(kind)]), anything)
def test_only_our_own_errors_come_out(place: tuple[Any, str], value: object) -> None:
    kind, field = place
    try:
        found = kind(**{field: value})
    except EvalgaugeError:
        return
    # What is taken settles once: made again from what it holds, a request is the same.
    assert repr(kind(**{field: getattr(found, field)})) == repr(found)


def test_a_single_precision_number_means_what_was_written() -> None:
    margin = CompareRequest(margin=np.float32(0.02)).margin  # type: ignore[arg-type]
    assert margin == 0.02


def test_every_option_can_be_written_as_on_the_command_line() -> None:
    request: Any = MeasureRequest
    found = request(
        confidence="90%",
        weights="web=60%,phone=40%",
        columns="case=id,score=passed",
        words="both=0.5,dunno=missing",
        wide_reps="r1,r2",
        score_range="0:100",
        of="1,000",
    )
    assert (found.confidence, found.weights, found.columns) == (
        0.9,
        {"web": 0.6, "phone": 0.4},
        {"case": "id", "score": "passed"},
    )
    assert found.words["both"] == 0.5
    assert math.isnan(found.words["dunno"])
    assert (found.wide_reps, found.score_range, found.of) == (("r1", "r2"), (0.0, 100.0), 1000)


def test_arrays_are_as_good_as_lists() -> None:
    request: Any = MeasureRequest
    found = request(wide_reps=np.array(["r1", "r2"]), score_range=np.array([0, 5]), words={"left": np.int64(1)})
    assert (found.wide_reps, found.score_range, found.words) == (("r1", "r2"), (0.0, 5.0), {"left": 1.0})


REFUSALS: list[tuple[Any, dict[str, Any], str]] = [
    (PlanRequest, {"rate": 90}, "rate: got 90, allowed is a share from 0 % to 100 %. Did you mean 90% (0.9)?"),
    (PlanRequest, {"slices": 2.5}, "slices: got 2.5, allowed is a whole number, 0 or more."),
    (PlanRequest, {"own": True}, "own: got True, allowed is a whole number, 0 or more."),
    (PlanRequest, {"own": 10**13}, "own: got 10000000000000, allowed is a whole number up to 1,000,000,000,000."),
    (PlanRequest, {"own": "1.000"}, "own: got '1.000', allowed is a whole number, 0 or more. Did you mean 1000?"),
    (PlanRequest, {"design": "pared"}, "one of held-reference, paired, independent-arms. Did you mean paired?"),
    (PlanRequest, {"slice_shares": {"a": 0.5, "b": 0.6}}, "slice_shares: got {'a': 0.5, 'b': 0.6}, allowed is shares"),
    (PlanRepsRequest, {"budget": math.nan}, "budget: got nan, allowed is a number, such as 0.4 or 1000."),
    (CompareRequest, {"missing": "x"}, "missing: got 'x', allowed is one of bounds, fail, drop."),
    (CompareRequest, {"arms": 5}, "arms: got 5, allowed is a list of names, such as ('base', 'new')."),
    (CompareRequest, {"score_range": (1, 0)}, "score_range: got (1, 0), allowed is the lowest and the highest"),
    (CompareRequest, {"score_range": (0, 1e200)}, "score_range: got (0, 1e+200), allowed is the lowest"),
    (CompareRequest, {"words": {"both": "half"}}, "words both: got 'half', allowed is a number, as in both=0.5"),
    (CompareRequest, {"columns": ["case"]}, "columns: got ['case'], allowed is columns by role"),
    (CompareRequest, {"flips": "no"}, "flips: got 'no', allowed is True or False."),
    (CompareRequest, {"metric": 5}, "metric: got 5, allowed is text."),
]


@pytest.mark.parametrize(("kind", "values", "text"), REFUSALS)
def test_refusals_say_what_is_allowed(kind: Any, values: dict[str, Any], text: str) -> None:
    with pytest.raises(ArgumentError) as refusal:
        kind(**values)
    assert text in str(refusal.value)


@pytest.mark.parametrize(
    ("text", "number"), [("1000", 1000), ("1,000", 1000), ("1_000_000", 10**6), ("1e3", 1000), (" 5 ", 5), ("5.0", 5)]
)
def test_a_whole_number_is_read_in_every_common_form(text: str, number: int) -> None:
    assert count_from_text(text, "own") == number


@pytest.mark.parametrize(
    "text", ["2.5", "1,5", "1,00", "1.000", "0x10", "-5", "nan", "inf", "9" * 5000, "1e99", "ten", ""]
)
def test_what_is_no_whole_number_is_refused(text: str) -> None:
    with pytest.raises(ArgumentError, match="whole number"):
        count_from_text(text, "own")
