"""One event after the other: canonical text, hashes, and times that never go back."""

from __future__ import annotations

import hashlib
import json
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalgauge.ledger.chain import Event, canonical_json, parsed_event, written_event

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=8,
)


def event(prev: Event | None, now: datetime | None = None, **data: object) -> Event:
    return written_event(prev=prev, kind="look", subject="s", data=data, actor="me", tool="t", now=now)


@given(VALUES)
def test_canonical_text_is_one_and_holds_the_value(value: object) -> None:
    text = canonical_json(value)
    assert json.loads(text) == value
    assert canonical_json(json.loads(text)) == text
    assert text.isascii()


@given(st.dictionaries(st.text(max_size=4), VALUES, max_size=3))
def test_an_event_is_named_by_the_hash_of_its_text(data: dict[str, object]) -> None:
    made = event(None, **{f"k{key}": value for key, value in data.items()})
    assert made.hash == hashlib.sha256(made.body.encode()).hexdigest()
    assert parsed_event(made.body) == made


def test_times_go_on_even_where_a_clock_goes_back() -> None:
    first = event(None, datetime(2026, 5, 1, tzinfo=UTC))
    second = event(first, datetime(2026, 4, 1, tzinfo=UTC))
    third = event(second, datetime(2026, 4, 1, tzinfo=UTC) + timedelta(hours=1))
    assert first.at < second.at < third.at
    assert second.prev == first.hash


@pytest.mark.parametrize(
    "body",
    ["", "x", "[]", "{}", '{"v":1}', canonical_json({**json.loads(event(None).body), "more": 1}), "null"],
)
def test_what_is_no_event_is_refused(body: str) -> None:
    with pytest.raises(ValueError, match="no event"):
        parsed_event(body)


def test_an_event_of_another_form_is_refused() -> None:
    for change in ({"v": 2}, {"data": []}, {"at": 3}):
        with pytest.raises(ValueError, match="no event"):
            parsed_event(canonical_json({**json.loads(event(None).body), **change}))
