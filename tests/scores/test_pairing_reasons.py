"""Why each case was matched as it was: every case is there once, and the reason is the one that was built in."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from evalgauge.scores.identity import CaseView
from evalgauge.scores.pairing import TIERS, paired_cases
from evalgauge.scores.pairing_reasons import PairReason, pair_reasons
from evalgauge.scores.table import CaseContent, Cases
from support.tables import written

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from support.command import Command

STORY = "the old man walked along the river {} and counted the white birds on the water until it was dark"


def view(cases: Sequence[tuple[str, CaseContent | None]], **more: Any) -> CaseView:
    contents = tuple(content for _, content in cases)
    return CaseView(
        Cases(
            case_id=tuple(name for name, _ in cases),
            dup=np.zeros(len(cases), dtype=np.int32),
            contents=(lambda: contents) if any(contents) else None,
            **more,
        )
    )


def asked(text: str, target: str | None = None, choices: tuple[str, ...] | None = None) -> CaseContent:
    return CaseContent(input=text, target=target, choices=choices)


def explained(one: CaseView, two: CaseView) -> tuple[PairReason, ...]:
    return pair_reasons(one, two, paired_cases(one, two))


def test_what_kept_content_from_matching() -> None:
    one = view(
        [
            ("same", asked("a", "1")),
            ("label", asked("b", "1")),
            ("shuffled", asked("c", "1", ("x", "y"))),
            ("unlabelled", asked("d", "1")),
            ("near", asked(STORY.format("slowly every evening"))),
        ]
    )
    two = view(
        [
            ("same", asked("a", "1")),
            ("label", asked("b", "2")),
            ("shuffled", asked("c", "1", ("y", "x"))),
            ("unlabelled", asked("d")),
            ("near", asked(f"Read this. {STORY.format('slowly every evening')} Is it sad?")),
        ]
    )
    found = {one.cases.case_id[each.baseline or 0]: (each.tier, each.reason) for each in explained(one, two)}
    assert found == {
        "same": ("content", ""),
        "label": ("input", "the expected answer differs"),
        "shuffled": ("input", "the choices are in another order"),
        "unlabelled": ("input", "the expected answer is not known in the candidate"),
        "near": ("near", "the inputs are not equal: words or a template around them differ"),
    }


def test_ids_alone_say_which_log_lacks_the_content() -> None:
    bare = view([("a", None), ("b", None)])
    full = view([("a", asked("x")), ("b", asked("y"))])
    assert {each.reason for each in explained(bare, bare)} == {"its content is in neither log"}
    assert {each.reason for each in explained(full, bare)} == {"its content is not in the candidate"}
    assert {each.reason for each in explained(bare, full)} == {"its content is not in the baseline"}


def test_hashes_of_the_framework() -> None:
    scheme = {"source_hash": ("h1", "h2"), "source_hash_scheme": "s"}
    one = view([("a", asked("x")), ("b", asked("y"))], **scheme)
    two = view([("a", asked("x")), ("b", asked("z"))], **scheme)
    bare = view([("a", None), ("b", None)], **scheme)
    same, other = explained(one, two)
    assert same.tier == other.tier == "source hash"
    assert "equal too" in same.reason
    assert "differ" in other.reason
    assert {each.reason for each in explained(one, bare)} == {"its content is not in the candidate"}


def test_cases_without_a_partner() -> None:
    one = view([("a", asked("x")), ("b", asked("twice")), ("c", asked("twice")), ("d", asked("own")), ("1", None)])
    two = view([("a", asked("x")), ("b", asked("twice")), ("d", asked("another")), ("e", None)])
    found = explained(one, two)
    singles: dict[tuple[str, str], str] = {}
    for each in found:
        if each.tier:
            continue
        if each.baseline is not None:
            singles["baseline", one.cases.case_id[each.baseline]] = each.reason
        if each.candidate is not None:
            singles["candidate", two.cases.case_id[each.candidate]] = each.reason
    assert singles == {
        ("baseline", "c"): "its content is in the candidate too, but less often, and each copy there has a partner",
        ("baseline", "d"): "the case of its id in the candidate has another content",
        ("baseline", "1"): "its content is not known, and no case in the candidate has its id",
        ("candidate", "d"): "the case of its id in the baseline has another content",
        ("candidate", "e"): "its content is not known, and no case in the baseline has its id",
    }


def test_ids_that_were_refused_say_why() -> None:
    one = view([(str(n), asked(f"question {n}") if n < 10 else None) for n in range(12)])
    two = view([(str(n), asked(f"question {n + 5}") if n < 10 else None) for n in range(12)])
    reasons = {each.reason for each in explained(one, two) if each.baseline in {10, 11}}
    (reason,) = reasons
    assert "these ids are no identity" in reason
    known = [each for each in explained(one, two) if each.baseline == 0]
    assert known[0].reason == "the case of its id in the candidate has another content"


@given(
    st.lists(st.sampled_from("abcdef"), min_size=1, max_size=8),
    st.lists(st.sampled_from("abcdef"), min_size=1, max_size=8),
)
def test_every_case_is_explained_once(first: list[str], second: list[str]) -> None:
    shared = ("z", asked("in both"))
    one, two = (
        view([shared, *((f"{name}{place}", asked(name)) for place, name in enumerate(names))])
        for names in (first, second)
    )
    found = explained(one, two)
    left = [each.baseline for each in found if each.baseline is not None]
    right = [each.candidate for each in found if each.candidate is not None]
    assert sorted(left) == list(range(len(first) + 1))
    assert sorted(right) == list(range(len(second) + 1))
    assert all(each.tier in {"", *TIERS} for each in found)
    assert all(bool(each.reason) == (each.tier != "content") for each in found)


def test_the_command_explains_every_case(command: Command, tmp_path: Path) -> None:
    header = ("id", "input", "score")
    base = written(
        tmp_path / "base.csv", header, [("a", "one", 1), ("b", "two", 0), ("c", "three", 1), ("x", "own", 1)]
    )
    cand = written(tmp_path / "cand.csv", header, [("k", "one", 1), ("b", "two", 1), ("c", "three", 1)])
    answer = command.json("compare", base, cand, "--explain-pairing")
    assert answer["pairing"]["explained"] == [
        {"baseline": "a", "candidate": "k", "tier": "content", "reason": ""},
        {"baseline": "b", "candidate": "b", "tier": "content", "reason": ""},
        {"baseline": "c", "candidate": "c", "tier": "content", "reason": ""},
        {
            "baseline": "x",
            "candidate": None,
            "tier": "",
            "reason": "nothing in the candidate has its content or nearly its text, and no case there has its id",
        },
    ]
    text = command("compare", base, cand, "--explain-pairing").out
    assert "by content, 3 cases: a → k, b, c\n" in text
    assert "no partner, only in the baseline, 1 case; nothing in the candidate has its content" in text
    assert command.json("compare", base, cand)["pairing"]["explained"] == []
    unpaired = command("compare", base, cand, "--unpaired", "--explain-pairing").out
    assert "No pairing to explain" in unpaired
