"""Pairing two logs: content before ids, copies kept, refusals that say what to do."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalgauge.errors import PairingError
from evalgauge.scores.identity import CaseView, fingerprints
from evalgauge.scores.pairing import TIERS, paired_cases
from evalgauge.scores.table import CaseContent, Cases
from scores.written_sets import articles, insults, retold

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from evalgauge.scores.pairing import Pairing
    from evalgauge.scores.table import Json


def cases(ids: Sequence[object], inputs: Sequence[Json] | None = None, targets: Sequence[Json] | None = None) -> Cases:
    names = tuple(map(str, ids))
    seen: dict[str, int] = {}
    dup = [seen[name] for name in names if not seen.update({name: seen.get(name, -1) + 1})]
    contents = None
    if inputs is not None:
        asked = inputs
        made = [
            None if text is None else CaseContent(input=text, target=None if targets is None else targets[at])
            for at, text in enumerate(asked)
        ]
        contents = lambda: made  # noqa: E731 # a field, not a function of its own
    return Cases(case_id=names, dup=np.asarray(dup, dtype=np.int32), contents=contents)


def pairs(found: Pairing) -> list[tuple[int, int]]:
    return list(zip(found.baseline.tolist(), found.candidate.tolist(), strict=True))


def is_whole(found: Pairing, one: Cases, two: Cases) -> bool:
    """Whether every case is in exactly one pair or one list of the rest."""
    left = sorted([*found.baseline.tolist(), *found.only_baseline.tolist()])
    right = sorted([*found.candidate.tolist(), *found.only_candidate.tolist()])
    return left == list(range(len(one))) and right == list(range(len(two)))


SETS = st.lists(st.sampled_from("abcdefgh"), min_size=1, max_size=12)


@given(SETS, SETS, st.randoms(use_true_random=False))
def test_equal_contents_pair_one_to_one_whatever_the_ids_and_the_order(one: list[str], two: list[str], random) -> None:  # type: ignore[no-untyped-def]  # noqa: ANN001 # Hypothesis' own Random
    expected = sum(min(one.count(text), two.count(text)) for text in set(one))
    ids = list(range(100, 100 + len(two)))
    random.shuffle(ids)
    base, cand = cases(range(len(one)), one), cases(ids, two)
    if not expected:
        with pytest.raises(PairingError, match="No case is in both logs"):
            paired_cases(base, cand)
        return
    found = paired_cases(base, cand)
    assert len(found) == expected
    assert all(one[mine] == two[his] for mine, his in pairs(found))
    assert is_whole(found, base, cand)
    assert found.by == "content"
    assert found.by_counts == {"content": expected}


@given(st.lists(st.tuples(st.sampled_from("abcd"), st.sampled_from("xyz")), min_size=1, max_size=10), st.data())
def test_the_order_of_the_rows_changes_no_pair(rows: list[tuple[str, str]], data: st.DataObject) -> None:
    ids = [f"q{at}" for at in range(len(rows))]
    base = cases(ids, [text for text, _ in rows], [target for _, target in rows])
    drawn = data.draw(st.permutations(range(len(rows))))
    moved = cases([ids[at] for at in drawn], [rows[at][0] for at in drawn], [rows[at][1] for at in drawn])
    found = paired_cases(base, moved)
    assert [(mine, drawn[his]) for mine, his in pairs(found)] == [(at, at) for at in range(len(rows))]
    assert found.ids_agree == len(rows)


@given(SETS, SETS, st.booleans())
def test_swapping_the_logs_mirrors_the_pairs(one: list[str], two: list[str], has_content: bool) -> None:  # noqa: FBT001 # drawn
    base = cases([f"n{at}" for at in range(len(one))], one if has_content else None)
    cand = cases([f"n{at}" for at in range(1, len(two) + 1)], two if has_content else None)
    try:
        found = paired_cases(base, cand)
    except PairingError:
        with pytest.raises(PairingError):
            paired_cases(cand, base)
        return
    mirrored = paired_cases(cand, base)
    assert sorted(pairs(found)) == sorted((his, mine) for mine, his in pairs(mirrored))
    assert found.by_counts == mirrored.by_counts
    assert found.only_baseline.tolist() == mirrored.only_candidate.tolist()


def test_copies_are_aligned_by_id_and_never_collapsed() -> None:
    base = cases(["a", "b", "c", "9", "10"], ["x", "x", "x", "y", "y"])
    cand = cases(["c", "a", "z", "110", "19"], ["x", "x", "x", "y", "y"])
    found = paired_cases(base, cand)
    assert pairs(found) == [(0, 1), (1, 2), (2, 0), (3, 4), (4, 3)]
    assert "3 cases were matched as copies of another case: copies are kept and paired one to one." in found.notes


def test_more_copies_on_one_side_leave_the_rest_unmatched() -> None:
    found = paired_cases(cases("abc", ["x", "x", "x"]), cases("bd", ["x", "y"]))
    assert pairs(found) == [(1, 0)]
    assert found.only_baseline.tolist() == [0, 2]
    assert found.only_candidate.tolist() == [1]


def test_814_rows_of_799_inputs_keep_all_814() -> None:
    texts = insults()
    assert (len(texts), len(set(texts))) == (814, 799)
    base = cases(range(1, 815), texts)
    order = np.random.default_rng(1).permutation(814).tolist()
    for ids in (range(1, 815), [at + 1 for at in order]):
        found = paired_cases(base, cases(ids, [texts[at] for at in order]))
        assert len(found) == 814
        assert all(texts[mine] == texts[order[his]] for mine, his in pairs(found))
        assert "15 cases were matched as copies of another case: copies are kept and paired one to one." in found.notes


@pytest.mark.parametrize("template", [0, 1, 2])
def test_a_twin_under_another_template_is_found_for_200_of_200(template: int) -> None:
    texts = articles(200)
    old = [f"Is this article about a new action? Answer yes or no only.\n\n{text}\n\nYour answer:" for text in texts]
    order = np.random.default_rng(template).permutation(200).tolist()
    new = [retold(texts[at], template, at) for at in order]
    base, cand = cases(range(1, 201), old), cases(range(1, 201), new)
    assert not set(fingerprints(base).case_fp) & set(fingerprints(cand).case_fp)
    found = paired_cases(base, cand)
    assert [order[his] for _, his in pairs(found)] == list(range(200))
    assert (found.by, found.by_counts) == ("near", {"near": 200})
    assert found.notes[0].startswith("200 cases were matched by near-equal text")


def test_814_copies_and_all_are_found_again_under_another_template() -> None:
    texts = insults()
    order = np.random.default_rng(2).permutation(814).tolist()
    found = paired_cases(
        cases(range(814), texts),
        cases(range(814), [f"Rude or not? {texts[at].rpartition('Text: ')[2]}" for at in order]),
    )
    assert len(found) == 814
    assert all(texts[mine] == texts[order[his]] for mine, his in pairs(found))


def test_ids_1_to_n_with_other_content_never_pair() -> None:
    base = cases(range(1, 201), articles(200))
    other = cases(range(1, 201), articles(200, seed=99))
    with pytest.raises(
        PairingError, match=r"200 ids are equal, but of the 200 whose content is known on both sides only 0"
    ):
        paired_cases(base, other)


@given(
    st.lists(st.sampled_from("abcd"), min_size=1, max_size=8), st.lists(st.sampled_from("efgh"), min_size=1, max_size=8)
)
def test_equal_ids_of_different_known_content_never_pair(one: list[str], two: list[str]) -> None:
    base, cand = cases(range(len(one)), one), cases(range(len(two)), two)
    with pytest.raises(PairingError, match="these ids are no identity"):
        paired_cases(base, cand)


def test_an_edited_case_stays_unmatched_though_its_id_is_equal() -> None:
    base = cases(range(10), [f"question {at}" for at in range(10)])
    cand = cases(range(10), [*(f"question {at}" for at in range(9)), "something else"])
    found = paired_cases(base, cand)
    assert (len(found), found.only_baseline.tolist(), found.only_candidate.tolist()) == (9, [9], [9])
    assert "1 id is equal in both logs but names different contents" in found.notes[0]


def test_a_corrected_label_keeps_the_case_and_is_said() -> None:
    found = paired_cases(cases("ab", ["x", "y"], ["1", "2"]), cases("ab", ["y", "x"], ["2", "3"]))
    assert pairs(found) == [(0, 1), (1, 0)]
    assert [TIERS[tier] for tier in found.tier] == ["input", "content"]
    (note,) = found.notes
    assert note == (
        "1 case was matched by input alone: the expected answer differs between the logs, and a changed label can "
        "look like a changed system."
    )


def test_near_misses_are_left_alone() -> None:
    """Two cases that differ in one number are two cases, also where the twin is gone."""
    story = "Tom has {} apples in his basket and gives {} of them to Ann before he walks home, how many are left"
    one = [story.format(number, number - 2) for number in range(10, 60)]
    two = ["Solve step by step. " + story.format(number, number - 3) for number in range(100, 150)]
    with pytest.raises(PairingError):
        paired_cases(cases(range(50), one), cases(range(50), two))


ID_TIER = [
    # baseline ids, candidate ids, pairs, first words of the note
    ("abc", "bcd", 2, "Cases were matched by id: no content was there"),
    (["1", "2", "3"], ["3", "1", "2"], 3, "Cases were matched by id: nothing but numbers"),
    (range(100), range(10, 20), 10, "Cases were matched by id: nothing but numbers"),
    (range(100), range(20, 120), 80, "Cases were matched by id: nothing but numbers"),
    (["a", "7"], ["7", "b"], 1, "Cases were matched by id: no content was there"),
]


@pytest.mark.parametrize(("one", "two", "n_pairs", "note"), ID_TIER)
def test_ids_pair_where_no_content_is_known_and_it_is_announced(
    one: Sequence[object], two: Sequence[object], n_pairs: int, note: str
) -> None:
    found = paired_cases(cases(one), cases(two))
    assert len(found) == n_pairs == found.ids_agree
    assert (found.by, found.by_counts) == ("id", {"id": n_pairs})
    assert found.notes[0].startswith(note)


def test_ids_serve_the_cases_without_content_where_the_others_agree() -> None:
    texts = [*(f"question number {at}" for at in range(8)), None, None]
    base = cases(range(10), texts)
    found = paired_cases(base, cases(range(10), [*texts[:8], "a new text", None]))
    assert found.by_counts == {"content": 8, "id": 2}
    assert found.by == "content"
    assert found.notes == ("Cases without content were matched by id; the ids of 8 others agree with their content.",)


def test_ids_are_not_believed_where_known_contents_disagree() -> None:
    base = cases(range(10), [*(f"question {at}" for at in range(5)), *[None] * 5])
    cand = cases(range(10), [*(f"question {at + 1}" for at in range(5)), *[None] * 5])
    found = paired_cases(base, cand)
    assert found.by_counts == {"content": 4}
    assert found.ids_agree == 0


def test_row_numbers_pair_only_logs_of_one_length() -> None:
    rows = replace(cases(range(1, 4)), id_is_row_number=True)
    found = paired_cases(rows, rows)
    assert pairs(found) == [(0, 0), (1, 1), (2, 2)]
    assert found.notes[0].startswith("Cases were matched by row number")
    with pytest.raises(PairingError, match=r"only row numbers, and the logs differ in length \(3 and 4 cases\)"):
        paired_cases(rows, replace(cases(range(1, 5)), id_is_row_number=True))


def test_source_hashes_of_one_scheme_settle_it_without_reading_contents() -> None:
    def unread() -> Sequence[CaseContent]:
        raise AssertionError

    one = replace(cases("ab"), source_hash=("h1", "h2"), source_hash_scheme="doc", contents=unread)
    two = replace(cases("xy"), source_hash=("h2", "h1"), source_hash_scheme="doc", contents=unread)
    found = paired_cases(one, two)
    assert (pairs(found), found.by, found.by_counts) == ([(0, 1), (1, 0)], "content", {"source hash": 2})


@pytest.mark.parametrize("scheme", ["other", ""])
def test_source_hashes_of_two_schemes_say_nothing(scheme: str) -> None:
    one = replace(cases("ab"), source_hash=("h1", "h2"), source_hash_scheme="doc" if scheme else "")
    with pytest.raises(PairingError):
        paired_cases(one, replace(cases("xy"), source_hash=("h1", "h2"), source_hash_scheme=scheme))


def test_source_hashes_add_what_content_left() -> None:
    one = replace(cases("ab", ["x", None]), source_hash=("h1", "h2"), source_hash_scheme="doc")
    two = replace(cases("cd", ["x", None]), source_hash=("h9", "h2"), source_hash_scheme="doc")
    assert paired_cases(one, two).by_counts == {"content": 1, "source hash": 1}


def test_carried_fingerprints_pair_without_contents() -> None:
    prints = fingerprints(cases("ab", ["x", "y"]))
    bare = replace(cases("cd"), case_fp=prints.case_fp[::-1], input_fp=prints.input_fp[::-1])
    assert pairs(paired_cases(cases("ab", ["x", "y"]), bare)) == [(0, 1), (1, 0)]


def test_a_view_reads_contents_once_for_many_pairings() -> None:
    calls = []
    base = cases("ab", ["x", "y"])
    read: Callable[[], Sequence[CaseContent | None]] = base.contents  # type: ignore[assignment]
    view = CaseView(replace(base, contents=lambda: calls.append(1) or read()))
    for _ in range(3):
        assert len(paired_cases(view, cases("cd", ["y", "x"]))) == 2
    assert calls == [1]


def test_c18_no_overlap_is_refused_with_both_lists_and_the_way_out() -> None:
    with pytest.raises(PairingError) as caught:
        paired_cases(cases("abc"), cases("de"))
    assert str(caught.value) == (
        "No case is in both logs: the baseline has 3 cases (a, b, c) and the candidate has 2 cases (d, e); nothing was "
        "matched by content or by id. If the same cases have other names there, say which column holds them: "
        "--map base:case=COLUMN,cand:case=COLUMN. If they are different cases, compare with --unpaired."
    )


def test_a_partial_overlap_gets_both_lists() -> None:
    found = paired_cases(cases("abc"), cases("cdefghij"))
    assert (found.only_baseline.tolist(), found.only_candidate.tolist()) == ([0, 1], list(range(1, 8)))
    assert str(found) == "1 of 8 cases matched by id"


REFUSED = [
    (range(100), range(30, 130), "The ids are plain numbers, and only 70 of them are in both logs"),
    ([], "ab", r"the baseline has 0 cases and the candidate has 2 cases \(a, b\)"),
    ("ab", [], r"the baseline has 2 cases \(a, b\) and the candidate has 0 cases"),
]


@pytest.mark.parametrize(("one", "two", "text"), REFUSED)
def test_what_cannot_be_paired_is_refused(one: Sequence[object], two: Sequence[object], text: str) -> None:
    with pytest.raises(PairingError, match=text):
        paired_cases(cases(one), cases(two))
