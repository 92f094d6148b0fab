"""Fingerprints of the cases of a table, and matching by equal names."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from evalgauge.scores.identity import CaseView, case_keys, equal_names, fingerprints
from evalgauge.scores.table import CaseContent, Cases

if TYPE_CHECKING:
    from collections.abc import Sequence


def made(contents: Sequence[CaseContent | None], **carried: tuple[str | None, ...]) -> Cases:
    names = tuple(map(str, range(len(contents))))
    return Cases(case_id=names, dup=np.zeros(len(names), np.int32), contents=lambda: contents, **carried)  # type: ignore[arg-type]


def test_a_case_without_content_is_unknown_and_the_others_are_not() -> None:
    found = fingerprints(made([CaseContent(input="x", choices=("b", "a"), target="t"), None]))
    assert found.texts == ("x b a", None)
    for prints in (found.case_fp, found.input_fp, found.target_fp):
        assert prints[0] is not None
        assert len(prints[0]) == 32
        assert prints[1] is None


def test_carried_fingerprints_stand_and_gaps_are_filled() -> None:
    plain = fingerprints(made([CaseContent(input="x"), CaseContent(input="y")]))
    found = fingerprints(made([CaseContent(input="x"), CaseContent(input="y")], case_fp=("ff", None)))
    assert found.case_fp == ("ff", plain.case_fp[1])
    assert found.input_fp == plain.input_fp


def test_without_contents_nothing_is_known_but_what_is_carried() -> None:
    bare = Cases(case_id=("a",), dup=np.zeros(1, np.int32))
    assert fingerprints(bare).case_fp == (None,)
    assert not CaseView(bare).has_content
    assert CaseView(bare).is_known().tolist() == [False]
    carried = Cases(case_id=("a",), dup=np.zeros(1, np.int32), input_fp=("ab",))
    assert CaseView(carried).is_known().tolist() == [True]
    assert len(fingerprints(carried)) == 1


def test_keys_keep_cases_of_equal_id_apart() -> None:
    assert case_keys(Cases(case_id=("a", "b"), dup=np.zeros(2, np.int32))) == ("a", "b")
    assert case_keys(Cases(case_id=("a", "a"), dup=np.array([0, 1], np.int32))) == ("a", ("a", 1))


NAMES = st.lists(st.sampled_from(["a", "b", "c", "d", None, 1, 2]), max_size=10)


@given(NAMES, NAMES, st.sets(st.integers(0, 9)), st.booleans())
def test_equal_names_are_paired_one_to_one_among_the_free(
    one: list[str | int | None],
    two: list[str | int | None],
    held: set[int],
    is_same: bool,  # noqa: FBT001 # drawn
) -> None:
    if is_same:
        two = list(one)
    keys = tuple(f"k{at}" for at in range(len(one))), tuple(f"k{at}" for at in range(len(two)))
    free = tuple(np.array([at for at in range(len(names)) if at not in held], dtype=np.intp) for names in (one, two))
    first, second, copies = equal_names(one, two, free=(free[0], free[1]), keys=keys)
    left, right = (
        Counter(names[at] for at in among.tolist() if names[at] is not None)
        for names, among in zip((one, two), free, strict=True)
    )
    common = left & right
    assert first.size == second.size == common.total()
    assert copies == common.total() - len(common)
    assert (np.diff(first) > 0).all()
    assert len(set(second.tolist())) == second.size
    assert all(one[mine] == two[his] for mine, his in zip(first.tolist(), second.tolist(), strict=True))
    assert set(first.tolist()) <= set(free[0].tolist())
    assert set(second.tolist()) <= set(free[1].tolist())


class Colliding(str):
    """A text whose hash says nothing."""

    __slots__ = ()

    def __hash__(self) -> int:
        return 7 if self < "c" else 8

    def __eq__(self, other: object) -> bool:
        return str(self) == str(other)


def test_names_of_equal_hash_are_not_taken_for_one() -> None:
    one, two = [Colliding("a"), Colliding("c")], [Colliding("c"), Colliding("b")]
    everything = np.arange(2), np.arange(2)
    first, second, copies = equal_names(one, two, free=everything, keys=(("a", "c"), ("c", "b")))
    assert (first.tolist(), second.tolist(), copies) == ([1], [0], 0)
