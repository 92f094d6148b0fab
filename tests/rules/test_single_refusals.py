"""One score: names of rules, refusals, and that every option counts."""

from __future__ import annotations

import numpy as np
import pytest

from evalgauge.errors import ArgumentError, EvalgaugeError, ScoreError
from evalgauge.rules.naming import SCORE_RULES, rule_name
from evalgauge.rules.single import score_interval

GRADED = [0.2, 0.9, 0.75, 0.4, 1.0, 0.66, 0.8, 0.31, 0.95, 0.5]


@pytest.mark.parametrize(
    ("typed", "name"),
    [("Wilson", "wilson"), ("clopper_pearson", "clopper-pearson"), ("effective n wilson T", "effective-n wilson t")],
)
def test_names_are_read_however_typed(typed: str, name: str) -> None:
    assert rule_name(typed) == name


NAMES = "auto, " + ", ".join(SCORE_RULES)
APPLY = (
    "Rules for counts need every case mean at an end of the range and no clusters; 'cr2 t' needs clusters; "
    "'within-case t' needs target='these-cases'."
)


@pytest.mark.parametrize(
    ("scores", "options", "error", "text"),
    [
        (
            [1.0],
            {"rule": "wilsen"},
            ArgumentError,
            f"rule: got 'wilsen', allowed is {NAMES}. Did you mean 'wilson'?",
        ),
        ([1.0], {"rule": "bayes"}, ArgumentError, f"rule: got 'bayes', allowed is {NAMES}."),
        (
            GRADED,
            {"rule": "wilson"},
            ArgumentError,
            (
                f"rule: got 'wilson', allowed is for these data and new-cases: auto, effective-n wilson t, t, wald. "
                f"{APPLY}"
            ),
        ),
        (
            [0.5],
            {"target": "these-cases", "reps": [2], "pass_fail": True, "rule": "t"},
            ArgumentError,
            f"rule: got 't', allowed is for these data and these-cases: auto, within-case t. {APPLY}",
        ),
        (
            [0.5],
            {"target": "all"},
            ArgumentError,
            "target: got 'all', allowed is 'new-cases' or 'these-cases'.",
        ),
        (
            [0.5, 0.7],
            {"target": "these-cases", "reps": [3, 3]},
            ScoreError,
            (
                "target 'these-cases': how the runs of a case differ is not known from case means. Give "
                "sums_of_squares, "
                "or pass_fail=True for pass/fail scores."
            ),
        ),
        (
            [1.0, 0.0],
            {"target": "these-cases", "reps": [5, 5], "pass_fail": True},
            ScoreError,
            (
                "within-case t: the reps of every case agree, so the interval for exactly these cases would "
                "have no width. "
                "Check that reps are not served from a cache; else ask for new cases (target='new-cases') "
                "or run more reps."
            ),
        ),
        (
            [0.5, 0.7],
            {"reps": [3, 3], "pass_fail": True},
            ArgumentError,
            (
                "pass_fail: got True, allowed is False for case means that are no whole number of passes "
                "out of their reps."
            ),
        ),
        (
            [4.0],
            {"score_range": None},
            ScoreError,
            ("t: one case shows nothing of how cases differ. Declare the range of the score (--range), or add cases."),
        ),
        (
            [4.0, 4.0],
            {"score_range": None},
            ScoreError,
            (
                "t: all 2 case means equal 4, so a t interval would have no width and claim certainty. "
                "Declare the range of the score (--range) to get an interval that stays honest, or "
                "add cases."
            ),
        ),
        (
            [1.0, 1.0],
            {"rule": "wald"},
            ScoreError,
            (
                "wald: 2 of 2 passed, and the Wald interval has no width there, which would claim certainty. "
                "Use wilson or clopper-pearson."
            ),
        ),
        (
            [1.0] * 12,
            {"clusters": [0] * 8 + [1, 1, 2, 2]},
            ScoreError,
            (
                "clusters: 3 clusters weigh like 2.00 of equal size, and below 3 no interval for new clusters can be "
                "trusted. Add clusters, use a finer cluster field, or leave clusters out if the cases are independent."
            ),
        ),
        (
            [1.0, 60.0],
            {},
            ArgumentError,
            (
                "case_means: got 'scores from 1 to 60', allowed is scores from 0 to 1, the declared range. "
                "Declare the true range (--range), or give no range to get a t interval."
            ),
        ),
        (
            [1.0],
            {"confidence": 95},
            ArgumentError,
            "confidence: got 95, allowed is a share between 0 and 1, such as 0.95. Did you mean 0.95?",
        ),
    ],
)
def test_refusals(scores: list[float], options: dict[str, object], error: type[EvalgaugeError], text: str) -> None:
    with pytest.raises(error) as caught:
        score_interval(scores, **options)  # type: ignore[arg-type]
    assert str(caught.value) == text


def test_named_refuses_what_does_not_apply() -> None:
    with pytest.raises(ArgumentError, match=r"method: got 'wilson', allowed is a rule that applies .* t, t, wald"):
        score_interval(GRADED).named("wilson")


SQUARES = np.array([2.0] * 5 + [1.0] * 5)


@pytest.mark.parametrize(
    ("without", "change"),
    [
        ({}, {"confidence": 0.9}),
        ({}, {"target": "these-cases"}),
        ({}, {"rule": "t"}),
        ({"pass_fail": False}, {"score_range": (0.0, 2.0)}),
        ({}, {"clusters": np.arange(10) // 2}),
        ({}, {"reps": [2] * 9 + [20]}),
        ({"pass_fail": False}, {"sums_of_squares": SQUARES}),
        ({}, {"pass_fail": False}),
    ],
)
def test_no_option_is_dead(without: dict[str, object], change: dict[str, object]) -> None:
    scores, plain = [1.0] * 5 + [0.5] * 5, {"reps": [2] * 10, "pass_fail": True} | without
    assert score_interval(scores, **(plain | change)) != score_interval(scores, **plain)  # type: ignore[arg-type]
