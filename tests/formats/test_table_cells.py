"""Plain tables: what a cell says."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalgauge.formats import ReadOptions, read
from evalgauge.formats.cells import cleaned_scores, number_in
from evalgauge.formats.columns import encoded_texts, encoded_values, groups, occurrences
from evalgauge.scores.table import Status
from support.read_tables import written

if TYPE_CHECKING:
    from pathlib import Path


# Cells


@pytest.mark.parametrize(
    ("cell", "number"),
    [
        ("1", 1.0),
        ("1.0", 1.0),
        ("0", 0.0),
        ("+.5", 0.5),
        ("85%", 0.85),
        ("85 %", 0.85),
        ("1e5", 1e5),
        ("\u22120.5", -0.5),
        ("73", 73.0),
        ("1,234", None),
        ("0,85", None),
        ("1_000", None),
        ("\u0663", None),
        ("0x10", None),
        ("both", None),
        ("", None),
    ],
)
def test_number_in_a_cell(cell: str, number: float | None) -> None:
    assert number_in(cell) == number


@pytest.mark.parametrize(("cell", "number"), [("0,85", 0.85), ("1,234", 1.234), ("1.234,5", None), ("1,2,3", None)])
def test_decimal_comma_is_read_and_a_thousands_separator_is_not(cell: str, number: float | None) -> None:
    assert number_in(cell, decimal_comma=True) == number


@pytest.mark.parametrize("cell", ["", "  ", "NA", "NaN", "nan", "-", "null", "None", "n/a", "N/A", "#N/A", "<NA>"])
def test_what_says_nothing_is_unscored(cell: str) -> None:
    cells = cleaned_scores(encoded_texts("score", [cell, "1"]))
    assert cells.status.tolist() == [Status.UNSCORED, Status.OK]
    assert math.isnan(cells.score[0])
    assert cells.raw_codes.tolist() == [-1, -1]


@pytest.mark.parametrize(
    ("yes", "no"),
    [
        ("1", "0"),
        ("true", "False"),
        ("YES", "no"),
        ("pass", "fail"),
        ("Passed", "failed"),
        ("correct", "incorrect"),
        ("C", "I"),
        ("Y", "N"),
        ("T", "F"),
    ],
)
def test_pairs_of_words(yes: str, no: str) -> None:
    assert cleaned_scores(encoded_texts("score", [yes, no, yes])).score.tolist() == [1, 0, 1]


def test_inspect_letters_count_only_among_themselves() -> None:
    assert cleaned_scores(encoded_texts("score", ["C", "P", "I", "N"])).score.tolist() == [1, 0.5, 0, 0]
    # Answers to multiple-choice cases: C is the third option, not "correct".
    assert np.isnan(cleaned_scores(encoded_texts("score", ["A", "B", "C", "D"])).score).all()


def test_infinity_is_no_score() -> None:
    cells = cleaned_scores(encoded_texts("score", ["inf", "-Infinity", "1e999", "1"]))
    assert cells.status.tolist() == [Status.INVALID] * 3 + [Status.OK]
    assert cells.infinite == 3
    numbers = cleaned_scores(encoded_values("score", [math.inf, 1.0, -math.inf]))
    assert numbers.status.tolist() == [Status.INVALID, Status.OK, Status.INVALID]
    assert [numbers.raw_values[code] for code in numbers.raw_codes.tolist() if code >= 0] == ["inf", "-inf"]


def test_unknown_words_make_a_categorical_metric_until_they_are_mapped(tmp_path: Path) -> None:
    path = written(tmp_path, "case,score\na,both\nb,left\nc,right\nd,both\n")
    table = read(path)
    assert table.metrics[0].kind == "categorical"
    assert table.metrics[0].words == ("both", "left", "right")
    assert table.raw == ("both", "left", "right", "both")
    assert (table.status == Status.OK).all()
    mapped = read(path, ReadOptions(words={"Both": 0.5, "left": 1, "right": 0}))
    assert mapped.score.tolist() == [0.5, 1, 0, 0.5]
    assert mapped.metrics[0].kind == "continuous"


def test_scores_of_0_to_100_are_read_as_they_are(tmp_path: Path) -> None:
    table = read(written(tmp_path, "case,score\na,85\nb,70.5\n"))
    assert table.score.tolist() == [85, 70.5]
    assert table.metrics[0].kind == "continuous"


@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1, max_size=30))
def test_text_and_numbers_give_the_same_scores(values: list[float]) -> None:
    as_text = cleaned_scores(encoded_texts("score", [repr(value) for value in values]))
    as_numbers = cleaned_scores(encoded_values("score", list(values)))
    assert as_text.score.tolist() == as_numbers.score.tolist()
    assert as_text.status.tolist() == as_numbers.status.tolist()


# Columns


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(-1, 2), st.integers(0, 2)), min_size=1, max_size=40))
def test_groups_and_occurrences_match_a_plain_count(keys: list[tuple[int, int, int]]) -> None:
    group, first = groups(*(np.array([key[part] for key in keys]) for part in range(3)))
    seen: dict[tuple[int, int, int], list[int]] = {}
    for row, key in enumerate(keys):
        seen.setdefault(key, []).append(row)
    assert first.tolist() == [found[0] for found in seen.values()]
    assert group.tolist() == [list(seen).index(key) for key in keys]
    assert occurrences(group).tolist() == [seen[key].index(row) for row, key in enumerate(keys)]
