"""Near matches and sketches against plain Python sets."""

from __future__ import annotations

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalgauge.scores.minhash import near_matches, similar_sketches, sketches
from scores.written_sets import articles, words


def shingles(text: str) -> set[tuple[str, ...]]:
    """The word 5-grams of a text without marks, in plain Python."""
    row = re.findall(r"\w+", text.lower())
    return {tuple(row[at : at + 5]) for at in range(max(len(row) - 4, 1))}


def containment(one: str, other: str) -> float:
    left, right = shingles(one), shingles(other)
    return len(left & right) / min(len(left), len(right))


def test_containment_is_the_exact_share_of_the_smaller_text() -> None:
    text = " ".join(f"w{at}" for at in range(40))
    cut = " ".join(f"w{at}" if at < 36 else f"x{at}" for at in range(40)) + " and more words after it"
    found = near_matches([text], [cut])
    assert found.containment.tolist() == [containment(text, cut)] == [32 / 36]


def test_the_least_containment_counts_itself() -> None:
    text = " ".join(f"w{at}" for at in range(44))
    for changed, n_found in ((8, 1), (9, 0)):
        other = " ".join(f"w{at}" if at < 44 - changed else f"x{at}" for at in range(44))
        assert containment(text, other) == (40 - changed) / 40
        assert near_matches([text], [other]).baseline.size == n_found
        assert near_matches([text], [other], least=0.7).baseline.size == 1


def test_a_short_case_is_found_inside_a_long_prompt() -> None:
    case = "is the harbour of the old town open on sundays in winter"
    prompt = " ".join(words(300, seed=1)) + " " + case + " " + " ".join(words(300, seed=2))
    assert near_matches([case], [prompt]).containment.tolist() == [1.0]


def test_very_few_words_inside_a_long_text_are_chance() -> None:
    prompt = " ".join(words(300, seed=1)) + " which of these is true about it"
    assert near_matches(["which of these is true"], [prompt]).baseline.size == 0
    assert near_matches(["which of these is true"], ["Say: which of these is true"]).baseline.size == 1


def test_short_texts_match_when_what_the_template_leaves_is_equal() -> None:
    asked = [f"What is {left} {sign} {right}?" for left in range(6) for sign in "+-*" for right in range(2)]
    bare = [text.removeprefix("What is ") for text in reversed(asked)]
    found = near_matches(asked, bare)
    assert found.candidate.tolist() == list(range(len(asked)))[::-1]


@pytest.mark.parametrize("text", ["", "?!", "  "])
def test_texts_without_words_match_nothing(text: str) -> None:
    assert near_matches([text], [text]).baseline.size == 0
    assert near_matches([], [text]).baseline.size == near_matches([text], []).baseline.size == 0


def test_two_equally_good_matches_are_no_match() -> None:
    case = "the ferry to the island leaves at nine from the second pier"
    prompts = [f"{case} and comes back at {hour} with all the people who went" for hour in ("noon", "dusk")]
    assert near_matches([case], prompts).baseline.size == 0
    assert near_matches([case], prompts[:1]).baseline.size == 1


def test_a_case_inside_another_case_does_not_hide_its_twin() -> None:
    long = " ".join(words(60, seed=3))
    short = " ".join(long.split()[20:40])
    found = near_matches([long, short], [f"Read: {short}", f"Read: {long}"])
    assert found.candidate.tolist() == [1, 0]


def test_a_template_in_the_middle_says_nothing_about_a_case() -> None:
    middle = "decide with care whether the following post by a member of the forum breaks one of the rules of the house"
    old = [f"Post {at}. {middle} {text}" for at, text in enumerate(articles(60, seed=1))]
    new = [f"Number {at}: {middle} {text}" for at, text in enumerate(articles(60, seed=2))]
    assert near_matches(old, new).baseline.size == 0


def test_scripts_without_spaces_have_words() -> None:
    one, two = "東京の古い港は日曜日に開いていますか", "大阪の新しい駅は何時に閉まりますか"
    assert near_matches([one, two], [f"質問 {two}", f"質問 {one}"]).candidate.tolist() == [1, 0]


def test_context_shows_the_template() -> None:
    template = "Say whether this short post by an unknown writer is rude."
    others = [f"{template} {text}" for text in articles(40, seed=4)]
    left, right = f"{template} Go home you fool", "Go home you fool"
    assert near_matches([left], [right]).baseline.size == 0
    assert near_matches([left], [right], baseline_context=others).baseline.size == 1


TEXTS = st.lists(
    st.lists(st.sampled_from("abcdefghijklmnop"), min_size=6, max_size=30).map(" ".join),
    min_size=1,
    max_size=8,
    unique=True,
)


@given(TEXTS, TEXTS, st.randoms(use_true_random=False))
def test_matches_are_mirrored_ordered_and_one_to_one(one: list[str], two: list[str], random: object) -> None:
    found = near_matches(one, two)
    mirrored = near_matches(two, one)
    pairs = list(zip(found.baseline.tolist(), found.candidate.tolist(), strict=True))
    assert sorted((his, mine) for mine, his in pairs) == sorted(
        zip(mirrored.baseline.tolist(), mirrored.candidate.tolist(), strict=True)
    )
    assert len(set(found.baseline.tolist())) == len(set(found.candidate.tolist())) == len(pairs)
    drawn = list(range(len(two)))
    random.shuffle(drawn)  # type: ignore[attr-defined]
    moved = near_matches(one, [two[at] for at in drawn])
    assert [
        (mine, drawn[his]) for mine, his in zip(moved.baseline.tolist(), moved.candidate.tolist(), strict=True)
    ] == pairs


def test_sketches_know_a_text_again_under_another_template() -> None:
    texts = articles(200)
    old = sketches([f"Is this rude? {text}" for text in texts], key=b"salt")
    order = np.random.default_rng(0).permutation(200)
    new = sketches([f"{texts[at]} Answer with one word, please." for at in order], key=b"salt")
    found = similar_sketches(new, old)
    assert found.baseline.tolist() == list(range(200))
    assert (found.candidate == order).all()


def test_an_estimated_containment_is_near_the_exact_one() -> None:
    errors = []
    for at in range(60):
        row = [f"w{at}x{number}" for number in range(104)]
        text = " ".join(row)
        other = " ".join([*row[:54], *(f"y{number}" for number in range(50))])
        found = similar_sketches(sketches([text]), sketches([other]), least=0.0)
        errors.append(found.containment[0] - containment(text, other))
    # J = 1/3: the standard error of J is 0.042, that of containment 2J/(1+J) 0.047.
    assert abs(np.mean(errors)) < 4 * 0.047 / np.sqrt(60)
    assert 0.6 < np.std(errors) / 0.047 < 1.4


def test_sketches_of_two_keys_have_nothing_in_common() -> None:
    texts = articles(20)
    assert similar_sketches(sketches(texts, key=b"one"), sketches(texts, key=b"two"), least=0.0).baseline.size == 0


def test_a_sketch_is_the_same_in_every_process() -> None:
    """A ledger keeps sketches for years."""
    made = sketches(["the quick brown fox jumps over the lazy dog"], key=b"salt")
    assert made.minima.dtype == np.uint32
    assert made.minima.shape == (1, 128)
    assert made.minima[0, :3].tolist() == [3093501619, 607090225, 1020651783]


def test_sketches_of_nothing() -> None:
    empty = sketches([])
    assert empty.minima.shape == (0, 128)
    assert similar_sketches(empty, empty).baseline.size == 0
    blank = sketches(["", "a b c d e f g h i"])
    assert blank.n_shingles.tolist() == [0, 5]
    assert similar_sketches(blank, blank).baseline.tolist() == [1]


def test_texts_that_share_most_of_their_words_are_told_apart() -> None:
    row = words(200, seed=8)
    texts = [" ".join([*row, f"n{at}", f"m{at}", *row[:5], f"k{at}"]) for at in range(600)]
    found = near_matches(texts, [f"Again: {text}" for text in texts])
    assert (found.candidate == np.arange(600)).all()


NAME = st.text("abcdefghij", min_size=3, max_size=8)
TEMPLATE = st.lists(st.text("klmnopqrst", min_size=3, max_size=8), min_size=3, max_size=12, unique=True)


@given(TEMPLATE, TEMPLATE, st.lists(st.one_of(st.integers(0, 999).map(str), NAME), min_size=2, unique=True), st.data())
def test_sets_that_share_only_numbers_or_single_words_never_pair(
    one: list[str], two: list[str], values: list[str], data: st.DataObject
) -> None:
    two = [f"u{word}" for word in two]
    places = [data.draw(st.integers(0, len(template))) for template in (one, two)]
    left, right = (
        [" ".join([*template[:place], value, *template[place:]]) for value in values]
        for template, place in zip((one, two), places, strict=True)
    )
    assert near_matches(left, right).baseline.size == 0
    # The same cases under a template that only adds to the old one are known again.
    assert near_matches(left, [f"answer this {text}" for text in left]).candidate.tolist() == list(range(len(values)))


def test_a_lone_number_is_no_case() -> None:
    capitals = [f"what is the capital of country {number}?" for number in range(60)]
    others = [f"quite different text number {7 * number}" for number in range(60)]
    assert near_matches(capitals, others).baseline.size == 0
    assert near_matches(capitals, [str(number) for number in range(60)]).baseline.size == 0
    assert near_matches(capitals, [f"Please say: {text}" for text in capitals]).baseline.size == 60


@pytest.mark.parametrize(("n_words", "n_found"), [(3, 0), (4, 0), (5, 12), (8, 12)])
def test_enough_words_of_its_own_identify_a_case_under_any_template(n_words: int, n_found: int) -> None:
    cases = [" ".join(words(n_words, seed=seed)) for seed in range(12)]
    one = [f"Classify the following ticket: {case}" for case in cases]
    two = [f"You sort mail for a shop. Read this: {case}. Name its queue." for case in cases]
    assert near_matches(one, two).baseline.size == n_found


def test_sketches_of_texts_that_say_too_little_match_nothing() -> None:
    capitals = sketches([f"what is the capital of country {number}?" for number in range(60)])
    others = sketches([f"quite different text number {7 * number}" for number in range(60)])
    assert similar_sketches(capitals, others).baseline.size == 0
    assert not capitals.n_shingles.any()
