"""Units: attempts, further reps, joined cases; and the choice of a metric."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest

from evalgauge.errors import ScoreError
from evalgauge.scores.build import TableBuilder
from evalgauge.scores.sums import case_sums
from evalgauge.scores.table import CaseContent, Run, ScoreTable, Status
from evalgauge.scores.units import chosen_metric, unit_table, units


@dataclass(frozen=True, kw_only=True)
class Log:
    """A log of one arm: per case id its score (None: errored) and its content."""

    file: str
    scores: dict[str, float | None]
    arm: str = "base"
    attempt_of: str = ""
    created: str = ""
    run_id: str = ""
    contents: dict[str, str] | None = None


def joined_table(*logs: Log) -> ScoreTable:
    """As a folder of logs is read: each log brings its own list of cases."""
    builder = TableBuilder()
    metric = builder.metric_index("m")
    for number, log in enumerate(logs):
        index = builder.add_run(
            Run(
                run_id=log.run_id or log.file,
                set_name="faq",
                arm=log.arm,
                framework="table",
                file=log.file,
                attempt_of=log.attempt_of,
                created=log.created,
            )
        )
        for case_id, score in log.scores.items():
            content = CaseContent(input=log.contents[case_id]) if log.contents else None
            # A table of several logs holds equal ids; the dup number tells them apart until they are joined.
            case = builder.case_index(case_id, dup=1_000 * number, content=content, fields={"log": log.file})
            status = Status.ERROR if score is None else Status.OK
            builder.add(run=index, case=case, rep=1, metric=metric, score=score, status=status)
    made = builder.build()
    made.cases.dup[:] %= 1_000
    return made


def means(made: ScoreTable) -> dict[str, float]:
    (unit,) = units(made)
    own = unit_table(made, unit)
    sums = case_sums(own, metric=0)
    return {own.cases.case_id[case]: mean for case, mean in zip(sums.case.tolist(), sums.means.tolist(), strict=True)}


def test_one_log_is_its_own_unit() -> None:
    made = joined_table(Log(file="a", scores={"q1": 1.0, "q2": None}))
    (unit,) = units(made)
    assert unit.cases is made.cases
    assert (unit.rows.tolist(), unit.case.tolist(), unit.rep.tolist(), unit.notes) == ([0, 1], [0, 1], [1, 1], ())
    assert unit_table(made, unit).runs == made.runs


def test_a_later_attempt_replaces_what_it_did_again() -> None:
    first = Log(file="1.eval", scores={"q1": 1.0, "q2": None, "q3": None}, attempt_of="t", created="2026-01-01")
    second = Log(file="2.eval", scores={"q1": 0.0, "q2": 1.0}, attempt_of="t", created="2026-01-02")
    for logs in ((first, second), (second, first)):
        made = joined_table(*logs)
        (unit,) = units(made)
        assert sorted(unit.cases.case_id) == ["q1", "q2", "q3"]
        assert unit.rep.tolist() == [1, 1, 1]
        assert means(made)["q1"] == 0.0
        assert means(made)["q2"] == 1.0
        assert np.isnan(means(made)["q3"])
        (note,) = unit.notes
        assert note == (
            "base on faq: 2 logs are attempts at the same work (1.eval, 2.eval); 2 scores of earlier attempts were "
            "replaced by later ones."
        )


def test_an_attempt_that_broke_off_replaces_no_score() -> None:
    first = Log(file="1.eval", scores={"q1": 1.0}, attempt_of="t", created="2026-01-01")
    broken = Log(file="2.eval", scores={"q1": None}, attempt_of="t", created="2026-01-02")
    assert means(joined_table(first, broken)) == {"q1": 1.0}


def test_a_log_that_is_named_twice_is_said_to_count_once() -> None:
    log = Log(file="x.json", scores={"q1": 1.0, "q2": 0.0}, run_id="same")
    (unit,) = units(joined_table(log, log))
    assert unit.rows.size == 2
    assert unit.notes == ("base on faq: x.json was named 2 times and counts once.",)


def test_a_log_read_twice_counts_once() -> None:
    log = Log(file="x.json", scores={"q1": 1.0, "q2": 0.0}, run_id="same")
    made = joined_table(log, Log(file="x.eval", scores=log.scores, run_id="same"))
    (unit,) = units(made)
    assert unit.rows.size == 2


def test_an_attempt_at_a_named_run_replaces_it() -> None:
    first = Log(file="1", scores={"q1": 1.0}, run_id="r")
    again = Log(file="2", scores={"q1": 0.0}, run_id="r-2", attempt_of="r")
    assert means(joined_table(first, again)) == {"q1": 0.0}


def test_a_unit_has_the_metrics_that_it_was_scored_by() -> None:
    builder = TableBuilder()
    for name in ("first", "second"):
        run = builder.add_run(Run(run_id=name, set_name=name, arm="a", framework="table", file="f"))
        builder.add(run=run, case=builder.case_index(name), rep=1, metric=builder.metric_index(name), score=0.5)
    made = builder.build()
    for unit, name in zip(units(made), ("first", "second"), strict=True):
        own = unit_table(made, unit)
        assert [metric.name for metric in own.metrics] == [name]
        assert own.metric.tolist() == [0]
        assert own.cases.case_id == (name,)


def test_further_logs_are_further_reps() -> None:
    made = joined_table(
        *(Log(file=f"{day}.csv", scores={"q1": score, "q2": 1.0}) for day, score in enumerate((1.0, 0.0, 0.0)))
    )
    (unit,) = units(made)
    assert unit.rep.tolist() == [1, 1, 2, 2, 3, 3]
    assert unit.cases.case_id == ("q1", "q2")
    assert means(made) == {"q1": 1 / 3, "q2": 1.0}
    assert unit.notes == ("base on faq: 3 logs were taken as further reps of the same cases (0.csv, 1.csv, 2.csv).",)
    own = unit_table(made, unit)
    assert len(own.runs) == 1
    assert own.runs[0].file == "0.csv, 1.csv, 2.csv"
    assert len(own) == len(made)


def test_logs_of_different_cases_are_joined_and_it_is_said() -> None:
    made = joined_table(Log(file="a", scores={"q1": 1.0}), Log(file="b", scores={"q2": 0.0}))
    (unit,) = units(made)
    assert unit.cases.case_id == ("q1", "q2")
    assert unit.notes == ("base on faq: 2 logs were joined: they hold different cases (a, b).",)


def test_renumbered_cases_are_joined_by_content() -> None:
    made = joined_table(
        Log(file="a", scores={"1": 1.0, "2": 0.0}, contents={"1": "hot?", "2": "cold?"}),
        Log(file="b", scores={"1": 0.0, "2": 1.0}, contents={"1": "cold?", "2": "hot?"}),
    )
    assert means(made) == {"1": 1.0, "2": 0.0}


def test_equal_ids_of_other_content_are_kept_apart() -> None:
    made = joined_table(
        Log(file="a", scores={"1": 1.0}, contents={"1": "hot?"}),
        Log(file="b", scores={"1": 0.0}, contents={"1": "cold?"}),
    )
    (unit,) = units(made)
    assert unit.cases.case_id == ("1", "1")
    assert unit.cases.dup.tolist() == [0, 1]
    assert unit.cases.contents is not None
    assert [content.input for content in unit.cases.contents() if content] == ["hot?", "cold?"]
    assert unit.cases.fields == {"log": ("a", "b")}


def test_arms_are_units_of_their_own_and_contents_are_read_once() -> None:
    made = joined_table(
        Log(file="a", arm="base", scores={"1": 1.0}, contents={"1": "hot?"}),
        Log(file="b", arm="new", scores={"1": 0.0}, contents={"1": "hot?"}),
    )
    calls = []
    read = made.cases.contents
    assert read is not None
    object.__setattr__(made.cases, "contents", lambda: calls.append(1) or read())
    found = units(made)
    assert [(unit.arm, unit.cases.case_id) for unit in found] == [("base", ("1",)), ("new", ("1",))]
    for unit in found:
        assert unit.cases.contents is not None
        assert len(unit.cases.contents()) == 1
    assert calls == [1]


def test_judgings_of_several_logs_stay_apart() -> None:
    builder = TableBuilder()
    metric, case = builder.metric_index("m"), builder.case_index("a")
    for file, scores in (("1", (1.0, 1.0)), ("2", (0.0,))):
        run = Run(run_id=file, set_name="s", arm="x", framework="driftproof", file=file, rep_kind="judge")
        index = builder.add_run(run)
        for rep, score in enumerate(scores, start=1):
            builder.add(run=index, case=case, rep=rep, metric=metric, score=score, raw=str(score))
    made = builder.build()
    (unit,) = units(made)
    own = unit_table(made, unit)
    assert own.raw == ("1.0", "1.0", "0.0")
    assert case_sums(own, metric=0).means.tolist() == [0.5]


def metrics(*names: str) -> ScoreTable:
    builder = TableBuilder()
    for name in names:
        builder.metric_index(name)
    return builder.build()


CHOSEN = [
    (("acc",), None, 0),
    (("f1,none", "acc,none"), "acc", 1),
    (("acc", "acc,none"), "acc", 0),
    (("Acc", "acc"), "acc", 1),
    (("match", "model_graded/fact"), "MODEL_GRADED", 1),
    (("match", "Judge/Quality"), "judge/quality", 1),
]


@pytest.mark.parametrize(("names", "name", "index"), CHOSEN)
def test_a_metric_is_known_by_what_users_write(names: tuple[str, ...], name: str | None, index: int) -> None:
    assert chosen_metric(metrics(*names), name) == index


REFUSED = [
    ((), None, "The log holds no metric: nothing was scored. Map the score column with --map score=COLUMN."),
    (
        ("acc", "f1"),
        None,
        "The log holds 2 metrics and none is named. Choose one of 'acc', 'f1', such as --metric 'acc'.",
    ),
    (
        ("accuracy", "f1"),
        "acuracy",
        (
            "metric 'acuracy': no metric of that name. Did you mean 'accuracy'? Choose one of 'accuracy', 'f1', "
            "such as --metric 'accuracy'."
        ),
    ),
    (("a", "b"), "zzz", "metric 'zzz': no metric of that name. Choose one of 'a', 'b', such as --metric 'a'."),
    (
        ("acc,none", "acc,strict", "f1"),
        "acc",
        "metric 'acc': 2 metrics of that name. Choose one of 'acc,none', 'acc,strict', such as --metric 'acc,none'.",
    ),
    (
        ("ACC", "Acc"),
        "acc",
        "metric 'acc': 2 metrics of that name. Choose one of 'ACC', 'Acc', such as --metric 'ACC'.",
    ),
]


@pytest.mark.parametrize(("names", "name", "text"), REFUSED)
def test_an_unclear_metric_is_refused(names: tuple[str, ...], name: str | None, text: str) -> None:
    with pytest.raises(ScoreError) as caught:
        chosen_metric(metrics(*names), name)
    assert str(caught.value) == text


def test_a_metric_of_words_is_refused_with_the_words() -> None:
    builder = TableBuilder()
    run = builder.add_run(Run(run_id="r", set_name="s", arm="a", framework="inspect", file="f"))
    metric = builder.metric_index("bias")
    for rep, word in enumerate(("both", "left", "both"), start=1):
        builder.add(run=run, case=builder.case_index("q"), rep=rep, metric=metric, score=None, raw=word)
    with pytest.raises(ScoreError) as caught:
        chosen_metric(builder.build())
    assert str(caught.value) == (
        "metric 'bias': some scores are words without a number ('both', 'left'). Say what each is worth with "
        "--words both=1 or --words both=0, or a number between, or both=missing if it is no score."
    )
