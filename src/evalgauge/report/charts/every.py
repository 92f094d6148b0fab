"""Which chart shows which answer."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from evalgauge.errors import ArgumentError
from evalgauge.questions.compare import CompareAnswer
from evalgauge.questions.curves import OptimismCurve, PowerCurve, PrecisionCurve
from evalgauge.questions.ledger_cards import HistoryAnswer
from evalgauge.questions.measure import MeasureAnswer
from evalgauge.questions.plan_reps import PlanRepsAnswer
from evalgauge.questions.rank import RankAnswer

if TYPE_CHECKING:
    from evalgauge.report.charts.chart import Chart

# What each draws, and whether of several answers at once. The first kind of a type is its usual one.
KINDS: dict[str, tuple[type, bool]] = {
    "arms": (MeasureAnswer, True),
    "variance": (MeasureAnswer, True),
    "differences": (CompareAnswer, True),
    "flips": (CompareAnswer, False),
    "leaderboard": (RankAnswer, False),
    "reps": (PlanRepsAnswer, False),
    "precision": (PrecisionCurve, False),
    "power": (PowerCurve, False),
    "optimism": (OptimismCurve, False),
    "wear": (HistoryAnswer, False),
}


def chart(*answers: Any, kind: str | None = None) -> Chart:  # noqa: ANN401 - any answer, or what came in its place
    """Return the chart of an answer, or of several on one scale.

    Parameters
    ----------
    *answers
        Scores (``measure``), comparisons with one baseline (``compare``), a leaderboard (``rank``), a map of reps
        (``plan_reps``), a curve (``precision_curve``, ``power_curve``, ``optimism_curve``) or the history of a set
        (``ledger_history``).
    kind
        ``"arms"`` (the usual one) or ``"variance"`` for scores, ``"differences"`` (the usual one) or ``"flips"`` for
        comparisons, ``"leaderboard"``, ``"reps"``, ``"precision"``, ``"power"``, ``"optimism"``, ``"wear"``.

    Returns
    -------
    Chart
        Its ``spec`` is Vega-Lite, its ``rows`` are the numbers behind it; ``save`` writes it as SVG, PNG, PDF, JSON or
        CSV.

    Raises
    ------
    ArgumentError
        If there is no such chart of such answers.
    ScoreError
        If the answer holds nothing to draw.

    Examples
    --------
    >>> import evalgauge as eg
    >>> print(eg.chart(eg.measure(passed=47, of=50)).title)
    94.0 %: true rate likely 83.8 to 97.9 %
    """
    known = {name for name, (type_, _) in KINDS.items() if answers and all(isinstance(one, type_) for one in answers)}
    if not known:
        came = ", ".join(sorted({type(one).__name__ for one in answers})) or "nothing"
        wanted = ", ".join(sorted({type_.__name__ for type_, _ in KINDS.values()}))
        hint = "A plan is drawn along its cases: eg.chart(eg.precision_curve(plan)), eg.chart(eg.power_curve(plan))."
        raise ArgumentError("answers", came, f"answers of one kind: {wanted}", hint)
    usual = next(name for name in KINDS if name in known)
    asked: Any = usual if kind is None else kind
    if not isinstance(asked, str) or asked not in known:
        raise ArgumentError("kind", asked, f"one of {', '.join(name for name in KINDS if name in known)}")
    if len(answers) > 1 and not KINDS[asked][1]:
        raise ArgumentError("answers", f"{len(answers)} answers", f"one, for a chart of {asked}")
    home = import_module(f"evalgauge.report.charts.{asked}")
    made: Chart = getattr(home, f"{asked}_chart")(*answers)
    return made
