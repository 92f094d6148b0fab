"""A hint for score words never turns a fail into a pass."""

from __future__ import annotations

import re
import shlex

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalgauge.questions.units import words_from_text
from evalgauge.scores.word_hints import words_hint

NEGATIVE = ["n", "N", "no", "No", "F", "fail", "Failed", "WRONG", "incorrect", "not ok", "no match", "ko", "rejected"]


def suggested(hint: str) -> list[dict[str, float]]:
    """Return what each --words of a hint would say, read as the command line reads it."""
    words = shlex.split(hint.replace(";", " ").replace(", or", " or"))
    return [dict(words_from_text(words[at + 1], "words")) for at, word in enumerate(words) if word == "--words"]


@pytest.mark.parametrize("word", NEGATIVE)
@pytest.mark.parametrize("others", [[], ["both"], ["left", "right"]])
def test_a_word_that_says_no_is_suggested_as_0_alone(word: str, others: list[str]) -> None:
    for order in ([word, *others], [*others, word]):
        assert suggested(words_hint(order)) == [{word: 0.0}]


@pytest.mark.parametrize("word", ["both", "left", "unsure", "nobody", "normal", "note", "fair", "it's so", "maybe not"])
def test_any_other_word_is_shown_both_ways(word: str) -> None:
    assert suggested(words_hint([word])) == [{word: 1.0}, {word: 0.0}]


@given(st.lists(st.text(alphabet="anoé 'Z\"$*=,"), max_size=4))
def test_what_is_suggested_can_be_pasted(words: list[str]) -> None:
    for said in suggested(words_hint(words)):
        assert all(word in {"WORD", *(one.strip() for one in words)} for word in said)


def test_words_that_cannot_be_written_are_not_suggested() -> None:
    assert re.search("a,b|c=d", words_hint(["a,b", "c=d"])) is None
