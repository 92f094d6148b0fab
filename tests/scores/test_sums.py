"""Per-case sums: exact where scores are a lattice, and the same in any order of the rows."""

from __future__ import annotations

from dataclasses import fields, replace
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalgauge.errors import ArgumentError, ScoreError
from evalgauge.scores.build import TableBuilder
from evalgauge.scores.sums import CaseSums, case_sums, merged, whole_parts
from evalgauge.scores.table import Run, ScoreTable, Status

if TYPE_CHECKING:
    from evalgauge.scores.table import RepKind


def run(arm: str = "base", *, rep_kind: RepKind = "run", file: str = "f") -> Run:
    return Run(run_id=file, set_name="s", arm=arm, framework="table", file=file, rep_kind=rep_kind)


def table(rows: list[tuple[str, float | None, Status]], *, rep_kind: RepKind = "run") -> ScoreTable:
    """Rows (case, score, status) of one arm and one metric."""
    builder = TableBuilder()
    index, metric = builder.add_run(run(rep_kind=rep_kind)), builder.metric_index("m")
    for rep, (case, score, status) in enumerate(rows, start=1):
        builder.add(run=index, case=builder.case_index(case), rep=rep, metric=metric, score=score, status=status)
    return builder.build()


def shuffled(one: ScoreTable, seed: int) -> ScoreTable:
    order = np.random.default_rng(seed).permutation(len(one))
    columns = {name: getattr(one, name)[order] for name in ("run", "case", "rep", "metric", "score", "status")}
    return replace(one, **columns)


def is_same(one: CaseSums, other: CaseSums) -> bool:
    return all(np.array_equal(getattr(one, field.name), getattr(other, field.name)) for field in fields(CaseSums))


SCORES = st.one_of(
    st.sampled_from([0.0, 1.0]),
    st.integers(0, 7).map(lambda parts: parts / 7),
    st.integers(0, 100).map(lambda parts: parts / 100),
    st.floats(-5, 5),
)
ROWS = st.lists(
    st.tuples(st.sampled_from("abcde"), SCORES, st.sampled_from([Status.OK, Status.OK, Status.ERROR, Status.NOT_RUN])),
    min_size=1,
    max_size=30,
)


@given(ROWS, st.integers(0, 99))
def test_the_order_of_the_rows_changes_no_digit(rows: list[tuple[str, float, Status]], seed: int) -> None:
    made = table(rows)  # type: ignore[arg-type]
    assert is_same(case_sums(made, metric=0), case_sums(shuffled(made, seed), metric=0))


@given(ROWS)
def test_sums_are_those_of_plain_python(rows: list[tuple[str, float, Status]]) -> None:
    made = table(rows)  # type: ignore[arg-type]
    sums = case_sums(made, metric=0)
    for at, index in enumerate(sums.case.tolist()):
        mine = [(score, status) for case, score, status in rows if case == made.cases.case_id[index]]
        scored = [Fraction(score) for score, status in mine if status == Status.OK]
        assert sums.n_planned[at] == len(mine)
        assert sums.n_scored[at] == len(scored)
        assert [int(sums.status_counts[at, one]) for one in Status] == [
            sum(status == one for _, status in mine) for one in Status
        ]
        assert sums.total[at] == pytest.approx(float(sum(scored)), rel=1e-12, abs=1e-12)
        assert sums.total_sq[at] == pytest.approx(float(sum(score**2 for score in scored)), rel=1e-12, abs=1e-12)
        if scored:
            assert sums.means[at] == pytest.approx(float(sum(scored) / len(scored)), rel=1e-12, abs=1e-12)
        else:
            assert np.isnan(sums.means[at])


@given(
    st.lists(st.tuples(st.sampled_from("abc"), st.integers(0, 9)), min_size=1, max_size=20),
    st.sampled_from([1, 3, 9, 100, 997]),
)
def test_a_lattice_is_summed_exactly(rows: list[tuple[str, int]], parts: int) -> None:
    made = table([(case, count / parts, Status.OK) for case, count in rows])
    sums = case_sums(made, metric=0)
    assert parts % sums.parts == 0
    for at, index in enumerate(sums.case.tolist()):
        mine = [Fraction(count, parts) for case, count in rows if case == made.cases.case_id[index]]
        assert sums.total[at] == float(sum(mine))
        assert sums.total_sq[at] == float(sum(score**2 for score in mine))
        assert sums.means[at] == float(sum(mine) / len(mine))


@given(ROWS, st.integers(2, 5))
def test_copying_every_rep_changes_no_mean(rows: list[tuple[str, float, Status]], times: int) -> None:
    once = case_sums(table(rows), metric=0)  # type: ignore[arg-type]
    many = case_sums(table(rows * times), metric=0)  # type: ignore[arg-type]
    assert (many.n_scored == times * once.n_scored).all()
    if once.parts:
        assert np.array_equal(many.means, once.means, equal_nan=True)
    else:
        np.testing.assert_allclose(many.means, once.means, rtol=1e-12, atol=1e-12)


@given(ROWS, st.integers(0, 30))
def test_sums_of_two_parts_add_to_the_sums_of_all(rows: list[tuple[str, float, Status]], cut: int) -> None:
    made = table(rows)  # type: ignore[arg-type]
    first = np.arange(len(made)) < cut
    halves = [
        replace(
            made, **{name: getattr(made, name)[part] for name in ("run", "case", "rep", "metric", "score", "status")}
        )
        for part in (first, ~first)
    ]
    whole = case_sums(made, metric=0)
    joined = merged(*(case_sums(half, metric=0) for half in halves))
    for name in ("case", "n_planned", "n_scored", "status_counts"):
        assert np.array_equal(getattr(joined, name), getattr(whole, name))
    if whole.parts and joined.parts == whole.parts:
        assert is_same(joined, whole)
    np.testing.assert_allclose(joined.total, whole.total, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(joined.total_sq, whole.total_sq, rtol=1e-12, atol=1e-12)
    assert is_same(joined, merged(*(case_sums(half, metric=0) for half in halves[::-1])))


def test_judgings_of_one_output_are_one_run() -> None:
    rows = [
        ("a", 1.0, Status.OK),
        ("a", 0.0, Status.OK),
        ("a", 0.5, Status.OK),
        ("b", None, Status.ERROR),
        ("b", 1.0, Status.OK),
    ]
    rows += [("c", None, Status.ERROR), ("c", None, Status.UNSCORED)]
    sums = case_sums(table(rows, rep_kind="judge"), metric=0)
    assert sums.judgings == 3
    assert sums.n_planned.tolist() == [1, 1, 1]
    assert sums.n_scored.tolist() == [1, 1, 0]
    assert sums.total.tolist() == [0.5, 1.0, 0.0]
    assert sums.status_counts[2, Status.ERROR] == 1
    assert case_sums(table(rows), metric=0).judgings == 0


def test_each_log_of_judgings_judged_its_own_output() -> None:
    builder = TableBuilder()
    metric, case = builder.metric_index("m"), builder.case_index("a")
    for file, scores in (("one", (1.0, 1.0, 1.0)), ("two", (0.0,))):
        index = builder.add_run(run(rep_kind="judge", file=file))
        for rep, score in enumerate(scores, start=1):
            builder.add(run=index, case=case, rep=rep, metric=metric, score=score)
    sums = case_sums(builder.build(), metric=0)
    assert (sums.n_scored.tolist(), sums.means.tolist()) == ([2], [0.5])


def test_an_arm_and_a_metric_are_chosen() -> None:
    builder = TableBuilder()
    for arm, score in (("base", 0.0), ("new", 1.0)):
        index = builder.add_run(run(arm, file=arm))
        for metric in ("m", "other"):
            at = builder.metric_index(metric)
            builder.add(run=index, case=builder.case_index("a"), rep=1, metric=at, score=score if at == 0 else 0.5)
    made = builder.build()
    assert case_sums(made, metric=0, arm="new").total.tolist() == [1.0]
    assert case_sums(made, metric=0, arm="base").total.tolist() == [0.0]
    assert case_sums(made, metric=1, arm="base").total.tolist() == [0.5]


def test_no_rows_give_no_sums() -> None:
    builder = TableBuilder()
    builder.add_run(run())
    builder.metric_index("m")
    empty = case_sums(builder.build(), metric=0)
    assert len(empty) == 0
    assert empty.status_counts.shape == (0, len(Status))
    assert is_same(merged(empty, empty), empty)


LATTICES = [
    ([], 1),
    ([0, 1, 1], 1),
    ([3, 100, -7], 1),
    ([0.5], 2),
    ([1 / 3, 0.5], 6),
    ([0.67, 0.1], 100),
    ([1 / 997], 997),
    ([1 / 1009], 0),
    ([2**0.5], 0),
    ([1 / 3 + 1e-15], 0),
    ([1e9], 0),
    ([39_999.5], 0),
]


@pytest.mark.parametrize(("scores", "parts"), LATTICES)
def test_whole_parts_are_the_least(scores: list[float], parts: int) -> None:
    assert whole_parts(np.asarray(scores, dtype=np.float64)) == parts


def word_table() -> ScoreTable:
    builder = TableBuilder()
    index, metric = builder.add_run(run()), builder.metric_index("side")
    builder.add(run=index, case=builder.case_index("a"), rep=1, metric=metric, score=None, raw="left")
    return builder.build()


def test_words_are_refused() -> None:
    with pytest.raises(
        ScoreError, match=r"metric 'side': some scores are words without a number\. Say what each is worth with --words"
    ):
        case_sums(word_table(), metric=0)


def test_what_is_not_in_the_table_is_refused() -> None:
    made = table([("a", 1.0, Status.OK)])
    with pytest.raises(ArgumentError, match="metric: got 3, allowed is an index from 0 to 0"):
        case_sums(made, metric=3)
    with pytest.raises(ArgumentError, match="arm: got 'new', allowed is one of 'base'"):
        case_sums(made, metric=0, arm="new")
    two = replace(made, runs=(run("base"), run("new")))
    with pytest.raises(ArgumentError, match="arm: got None, allowed is one of 'base', 'new'"):
        case_sums(two, metric=0)
