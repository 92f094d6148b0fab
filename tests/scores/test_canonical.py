"""Canonical bytes and texts: equal for equal contents, different for different ones."""

from __future__ import annotations

import json
import unicodedata
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalgauge.scores.canonical import (
    canonical_bytes,
    case_fingerprint,
    input_fingerprint,
    normal_text,
    plain_text,
    target_fingerprint,
)
from evalgauge.scores.table import CaseContent

if TYPE_CHECKING:
    from evalgauge.scores.table import Json

JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)

EQUAL = [
    ("é", "e\u0301"),
    ("two\r\nlines", "two\nlines"),
    ("  much \t\n space ", "much space"),
    (1, 1.0),
    (0.0, -0.0),
    (0.1, np.float64(0.1)),
    (10**20, 1e20),
    ({"a": 1, "b": 2}, {"b": 2, "a": 1}),
    (("x", "y"), ["x", "y"]),
    ([{"role": "user", "content": "2+2?", "id": "Xw3"}], "2+2?"),
    (
        [{"role": "system", "content": "s", "id": "1", "source": "input"}, {"role": "user", "content": "u"}],
        [
            {"role": "system", "content": "s"},
            {"role": "user", "content": [{"type": "text", "text": "u"}], "model": "m"},
        ],
    ),
    ("data:image/png;base64,iVBO Rw0K", "data:image/png;base64,iVBORw0K"),
    (
        [{"role": "user", "content": [{"type": "image", "image": "data:image/png;base64,AA==", "detail": "auto"}]}],
        [{"role": "user", "content": [{"type": "image", "image": "data:image/png;base64,AA==", "internal": None}]}],
    ),
    (
        [
            {
                "role": "assistant",
                "content": "",
                "tool_calls": [{"id": "call_1", "function": "f", "arguments": {"x": 1}}],
            }
        ],
        [
            {
                "role": "assistant",
                "content": "",
                "tool_calls": [{"id": "call_2", "function": "f", "arguments": {"x": 1}}],
            }
        ],
    ),
]

DIFFERENT = [
    ("a", "A"),
    (1, "1"),
    (1, True),
    (0, False),
    (None, ""),
    (None, []),
    ([], {}),
    (["ab", "c"], ["a", "bc"]),
    ([["a"], "b"], [["a", "b"]]),
    ({"a": "b"}, ["a", "b"]),
    (10**20, 10**20 + 1),
    (0.1, 0.1 + 2**-55),
    ("data: 3, 4. What is the mean?", "data: 5, 4. What is the mean?"),
    ("data:image/png;base64,AA==", "data:image/png;base64,AB=="),
    ("https://x.org/1.png", "https://x.org/2.png"),
    ([{"role": "nurse", "content": "x", "ward": "1"}], [{"role": "nurse", "content": "x", "ward": "2"}]),
    ([{"role": "user", "content": "x"}], [{"role": "system", "content": "x"}]),
    (
        [{"role": "assistant", "content": "", "tool_calls": [{"function": "f", "arguments": {"id": 1}}]}],
        [{"role": "assistant", "content": "", "tool_calls": [{"function": "f", "arguments": {"id": 2}}]}],
    ),
    ([{"role": "user", "content": "a b"}], [{"role": "user", "content": "a"}, {"role": "user", "content": "b"}]),
    ([{"role": ["user"], "content": "x"}], [{"role": ["user"], "content": "y"}]),
]


@pytest.mark.parametrize(("one", "other"), EQUAL)
def test_equal_contents_have_equal_bytes(one: Json, other: Json) -> None:
    assert canonical_bytes(one) == canonical_bytes(other)


@pytest.mark.parametrize(("one", "other"), DIFFERENT)
def test_different_contents_have_different_bytes(one: Json, other: Json) -> None:
    assert canonical_bytes(one) != canonical_bytes(other)


def test_the_form_never_changes() -> None:
    """Ledgers keep these bytes' hashes for years: a change of the form would lose every holdout."""
    value = {"q": ["2+2?", 4, 0.5, None, True], "a": "é"}
    assert canonical_bytes(value) == b"m2:s1:as2:\xc3\xa9s1:ql5:s4:2+2?i4;d0.5;nt"
    content = CaseContent(input="2+2?", choices=("3", "4"), target="4")
    assert case_fingerprint(content) == "76af4e15b072abd593f5a2dfb42554e4"
    assert input_fingerprint(content) == "9dee8c9a9d6a0b684c65ea0d00aec5af"
    assert target_fingerprint(content) == "14bd21682298ade9e71c50f9b95a5612"


@given(JSON_VALUES)
def test_bytes_survive_json_and_key_order(value: Json) -> None:
    again = json.loads(json.dumps(value, sort_keys=True))
    assert canonical_bytes(again) == canonical_bytes(value)


def _normal(value: Json) -> object:
    """A value of which two are equal exactly when their bytes must be: an oracle of other make."""
    if isinstance(value, str):
        return "s", normal_text(value)
    if isinstance(value, bool) or value is None:
        return "b", value
    if isinstance(value, int | float):
        return "n", float(value)
    if isinstance(value, dict):
        return "m", tuple(sorted(repr((normal_text(key), _normal(entry))) for key, entry in value.items()))
    return "l", tuple(map(_normal, value))


SMALL = st.recursive(
    st.sampled_from([None, True, False, 0, 1, 1.0, 0.5, "", "a", " a", "b", "1", "n", "l0:", "s1:a"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["a", "b"]), inner, max_size=2),
    max_leaves=6,
)


@given(SMALL, SMALL)
def test_bytes_are_equal_exactly_when_the_contents_are(one: Json, other: Json) -> None:
    assert (canonical_bytes(one) == canonical_bytes(other)) == (_normal(one) == _normal(other))


@given(st.text())
def test_normal_text_is_stable_and_keeps_the_words(text: str) -> None:
    once = normal_text(text)
    assert normal_text(once) == once
    assert once.split() == unicodedata.normalize("NFC", text).split()


def test_half_a_surrogate_pair_is_still_a_text() -> None:
    assert canonical_bytes("\ud800") != canonical_bytes("\ud801")


def test_what_is_no_json_value_is_refused() -> None:
    with pytest.raises(
        TypeError, match="a content holds text, numbers, truth values, null, lists and mappings, not set"
    ):
        canonical_bytes({1, 2})  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ({"b": "two  words", "a": 3}, "3 two words"),
        (
            [
                {
                    "role": "user",
                    "content": [{"type": "text", "text": "Look"}, {"type": "image", "image": "data:x/y,AA"}],
                }
            ],
            "Look",
        ),
        ("data:image/png;base64,AA==", ""),
        (None, ""),
        (["a", None, True, "b"], "a b"),
        ([{"role": "assistant", "content": None, "tool_calls": [{"function": "f"}]}], ""),
    ],
)
def test_plain_text_is_the_words_alone(value: Json, text: str) -> None:
    assert plain_text(value) == text


def test_an_input_survives_a_corrected_label_and_shuffled_choices() -> None:
    asked = CaseContent(input="Which?", choices=("x", "y"), target="A")
    corrected = CaseContent(input="Which?", choices=("x", "y"), target="B")
    shuffled = CaseContent(input="Which?", choices=("y", "x"), target="B")
    other = CaseContent(input="Which?", choices=("x", "z"), target="A")
    assert input_fingerprint(asked) == input_fingerprint(corrected) == input_fingerprint(shuffled)
    assert input_fingerprint(asked) != input_fingerprint(other)
    assert len({case_fingerprint(content) for content in (asked, corrected, shuffled, other)}) == 4


@pytest.mark.parametrize(
    ("content", "known"),
    [
        (None, (False, False, False)),
        (CaseContent(input=None), (False, False, False)),
        (CaseContent(input=""), (False, False, False)),
        (CaseContent(input={}), (False, False, False)),
        (CaseContent(input="", target="4"), (True, False, True)),
        (CaseContent(input="", choices=("a",)), (True, True, False)),
        (CaseContent(input=0), (True, True, False)),
    ],
)
def test_nothing_to_hash_is_unknown(content: CaseContent | None, known: tuple[bool, ...]) -> None:
    made = case_fingerprint(content), input_fingerprint(content), target_fingerprint(content)
    assert tuple(one is not None for one in made) == known


def test_a_case_without_target_is_not_its_bare_input() -> None:
    content = CaseContent(input="x")
    assert case_fingerprint(content) != input_fingerprint(content)
