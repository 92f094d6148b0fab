"""Changes of one or several candidates against a baseline, with the margin that matters."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from evalgauge.report.charts.chart import Chart, Column
from evalgauge.report.charts.marks import interval_rows, place_axis, row_form, row_texts, share_axis, threshold
from evalgauge.report.charts.style import ACCENT, BAD, GOOD, around, change_label, vega_lite
from evalgauge.report.text.compare import headline
from evalgauge.report.words import Scale, count, percent

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evalgauge.questions.compare import CompareAnswer
    from evalgauge.report.charts.chart import Spec

COLUMNS = (
    Column("candidate", "Candidate"),
    Column("verdict", "Verdict"),
    Column("estimate", "Change", "change"),
    Column("low", "From", "change"),
    Column("high", "To", "change"),
    Column("guarded_low", "Guarded from", "change"),
    Column("guarded_high", "Guarded to", "change"),
    Column("p_value", "p", "number"),
    Column("n_cases", "Cases", "count"),
)
_NAME_LIMIT, _LETTERS = 100, 15
_VERDICTS = ["better", "worse", "equivalent", "no worse", "inconclusive"]


class _Change(NamedTuple):
    candidate: str
    verdict: str
    estimate: float
    low: float
    high: float
    guarded_low: float
    guarded_high: float
    p_value: float
    n_cases: int


def differences_chart(*answers: CompareAnswer) -> Chart:
    """Return the changes of candidates against their baseline.

    Parameters
    ----------
    *answers
        Comparisons with one baseline on one scale, in the order in which they are to stand.
    """
    first, scale = answers[0], Scale(answers[0].range)
    changes = [_change(one) for one in answers]
    title = _title(answers, scale)
    level = percent(first.confidence)
    description = f"{title}. Changes against {first.baseline.source.arm} with {level} intervals."
    form = row_form((one.candidate for one in changes), letters=_LETTERS, limit=_NAME_LIMIT)
    shown = [
        {
            **one._asdict(),
            "place": place,
            "name": form.name(one.candidate),
            "label": f"{_word(one.verdict)} {scale.change(one.estimate)} ({scale.change_span(one.low, one.high)})",
        }
        for place, one in enumerate(changes)
    ]
    margins = [] if first.margin is None else [-first.margin, first.margin]
    ends = [end for one in changes for end in (one.low, one.high, one.guarded_low, one.guarded_high)]
    x = share_axis(around([0.0, *ends, *margins]), change_label(scale), _axis_title(scale))
    return Chart(
        kind="differences",
        title=title,
        description=description,
        columns=COLUMNS,
        rows=tuple(one._asdict() for one in changes),
        scale=scale,
        spec=vega_lite(
            title=title,
            subtitle=_subtitle(first, level, scale),
            description=description,
            rows=shown,
            layer=[
                threshold("x", 0.0, is_dashed=False),
                *(threshold("x", margin) for margin in margins),
                _guarded(x),
                *interval_rows(x, color=_colour(), shape=_shape()),
                *row_texts("name", "label", form),
            ],
            height=form.height * len(changes),
        ),
    )


def _title(answers: Sequence[CompareAnswer], scale: Scale) -> str:
    if len(answers) == 1:
        return headline(answers[0], scale).text
    told = {verdict: sum(one.verdict == verdict for one in answers) for verdict in _VERDICTS}
    words = ", ".join(
        f"{n:,} {'cannot be decided' if verdict == 'inconclusive' else verdict}" for verdict, n in told.items() if n
    )
    return f"Of {count(len(answers), 'candidate')} against {answers[0].baseline.source.arm}: {words}"


def _word(verdict: str) -> str:
    return {"inconclusive": "CANNOT DECIDE"}.get(verdict, verdict.upper())


def _subtitle(first: CompareAnswer, level: str, scale: Scale) -> str:
    margin = "" if first.margin is None else f" Dashed: margin of {scale.distance(first.margin)}."
    better = " Lower is better." if first.lower_is_better else ""
    return (
        f"Thick: {level} interval of the change. Thin: guarded interval, which decides no worse and equivalent."
        f"{margin}{better}"
    )


def _axis_title(scale: Scale) -> str:
    return f"change{',' if scale.points else ''}{scale.points}"


def _change(one: CompareAnswer) -> _Change:
    return _Change(
        candidate=one.candidate.source.arm,
        verdict=one.verdict,
        estimate=one.difference.estimate,
        low=one.difference.low,
        high=one.difference.high,
        guarded_low=one.guarded.low,
        guarded_high=one.guarded.high,
        p_value=one.difference.p_value,
        n_cases=one.candidate.n_cases,
    )


def _guarded(x: Spec) -> Spec:
    return {
        "mark": {"type": "rule", "strokeWidth": 1.5, "yOffset": 7},
        "encoding": {
            "x": {"field": "guarded_low", **x},
            "x2": {"field": "guarded_high"},
            "y": place_axis(),
            "color": _colour(),
        },
    }


def _colour() -> Spec:
    scale = {"domain": _VERDICTS, "range": [GOOD, BAD, GOOD, GOOD, ACCENT]}
    return {"field": "verdict", "type": "nominal", "scale": scale, "legend": None}


def _shape() -> Spec:
    shapes = ["triangle-right", "triangle-left", "circle", "circle", "diamond"]
    return {"field": "verdict", "type": "nominal", "scale": {"domain": _VERDICTS, "range": shapes}, "legend": None}
