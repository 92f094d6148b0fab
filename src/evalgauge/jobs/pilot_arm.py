"""The one arm of a log that a plan or a study takes its numbers from."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

from evalgauge.errors import ScoreError
from evalgauge.jobs.arms import arms_of
from evalgauge.jobs.reading import asked_table
from evalgauge.questions.measure import MeasureRequest

if TYPE_CHECKING:
    from evalgauge.jobs.arms import Arm
    from evalgauge.jobs.reading import Side
    from evalgauge.questions.units import Columns, Names, ScoreRange, Words


class PilotQuestion(Protocol):
    """What the options that name scores of a pilot log have in common."""

    @property
    def columns(self) -> Columns: ...  # noqa: D102 - as in the options
    @property
    def words(self) -> Words: ...  # noqa: D102 - same
    @property
    def wide_arms(self) -> Names: ...  # noqa: D102 - same
    @property
    def wide_reps(self) -> Names: ...  # noqa: D102 - same
    @property
    def tolerant(self) -> bool: ...  # noqa: D102 - same
    @property
    def metric(self) -> str | None: ...  # noqa: D102 - same
    @property
    def task(self) -> str | None: ...  # noqa: D102 - same
    @property
    def arm(self) -> str | None: ...  # noqa: D102 - same
    @property
    def score_range(self) -> ScoreRange | None: ...  # noqa: D102 - same


def pilot_arm(asked: PilotQuestion, log: Any, side: Side | None, *, purpose: str) -> Arm:  # noqa: ANN401 - a path, a frame or a table
    """Return the arm that a pilot log holds.

    Parameters
    ----------
    asked
        Which scores to use.
    log
        The log, or a table that was read before.
    side
        Which of two logs it is.
    purpose
        What needs it, for a refusal: "a plan".

    Raises
    ------
    ScoreError
        If the log holds several arms and none is named, or its scores have no range.
    """
    reading = MeasureRequest(
        columns=asked.columns,
        words=asked.words,
        wide_arms=asked.wide_arms,
        wide_reps=asked.wide_reps,
        tolerant=asked.tolerant,
        metric=asked.metric,
        task=asked.task,
        score_range=asked.score_range,
    )
    arms = arms_of(asked_table(log, reading, side), reading, asked.arm)
    if len(arms) != 1:
        found = "; ".join(f"--arm {one.source.arm!r} --task {one.source.set_name!r}" for one in arms)
        raise ScoreError(f"The pilot log holds {len(arms)} scores and {purpose} needs one. Name one of: {found}.")
    if arms[0].score_range is None:
        raise ScoreError(
            f"{purpose[0].upper()}{purpose[1:]} needs scores with a lowest and a highest value: name them with "
            "--range, such as 0:100."
        )
    return arms[0]
