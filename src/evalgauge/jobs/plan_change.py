"""What ``plan`` and ``plan design`` share: the pilot log, the rate, and the change that is to be shown."""

from __future__ import annotations

from os import PathLike
from typing import TYPE_CHECKING, Any, cast

from evalgauge.errors import ArgumentError
from evalgauge.planning.checks import checked_rate
from evalgauge.planning.detection import Change
from evalgauge.planning.slices import slice_plan

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evalgauge.jobs.plan_pilot import Piloted
    from evalgauge.planning.results import SlicePlan
    from evalgauge.questions.plan import ChangeOptions, PilotOptions

USUAL_RATE, USUAL_DROP = 0.9, 0.1


def listed(like: Any) -> tuple[Any, ...]:  # noqa: ANN401 - a path, a data frame, a table, or several of them
    """Return the pilot logs as a tuple, whether one or several were named."""
    return tuple(cast("Sequence[Any]", like)) if isinstance(like, (tuple, list)) else (like,)


def named(sources: Sequence[Any]) -> tuple[str, ...]:
    """Return what the pilot logs are called in a request: their paths, or the kinds of objects they are."""
    return tuple(
        str(cast("PathLike[str] | str", source)) if isinstance(source, (str, PathLike)) else type(source).__name__
        for source in sources
    )


def read_pilot(asked: PilotOptions, sources: Sequence[Any], *, by: str | None = None) -> Piloted | None:
    """Return what the pilot logs tell, or nothing where there are none."""
    if not sources:
        return None
    # Readers are loaded only when there is something to read: a plan from numbers alone starts without them.
    from evalgauge.jobs.plan_pilot import piloted  # noqa: PLC0415 - see above

    return piloted(asked, sources, by=by)


def asked_rate(asked: ChangeOptions, found: Piloted | None) -> float:
    """Return the expected rate: as named, else that of the pilot log, else 90 %."""
    if asked.rate is not None:
        return checked_rate(asked.rate)
    return USUAL_RATE if found is None else found.pilot.rate


def asked_slices(asked: ChangeOptions, found: Piloted | None) -> SlicePlan:
    """Return how the set is split, and at which level a slice is judged; a field of the pilot log may tell."""
    if asked.by is not None and found is None:
        raise ArgumentError("by", asked.by, "a field of a pilot log", "Name the log with --like.")
    return slice_plan(
        slices=asked.slices,
        shares=asked.slice_shares or (found.shares if found is not None else None),
        smallest_share=asked.smallest_share,
        confidence=asked.confidence,
    )


def asked_change(asked: ChangeOptions, rate: float, found: Piloted | None, *, confidence: float) -> Change:
    """Return the change that is to be shown, at the level of one slice.

    Raises
    ------
    ArgumentError
        If a drop and a rise are both named, a discordance and a correlation are, or one is out of range.
    """
    if asked.drop is not None and asked.rise is not None:
        raise ArgumentError("rise", asked.rise, "a drop or a rise, not both", "Ask once for each.")
    if asked.discordance is not None and asked.correlation is not None:
        allowed = "a discordance or a correlation, not both"
        raise ArgumentError("correlation", asked.correlation, allowed, "One follows from the other.")
    rising = asked.rise is not None
    size = asked.rise if asked.rise is not None else (USUAL_DROP if asked.drop is None else asked.drop)
    return Change(
        rate=rate,
        size=size,
        direction="rise" if rising else "drop",
        power=asked.power,
        confidence=confidence,
        rule=asked.rule,
        discordance=_discordance(asked, size, found),
        correlation=0.0 if asked.correlation is None else asked.correlation,
    )


def _discordance(asked: ChangeOptions, size: float, found: Piloted | None) -> float | None:
    if asked.discordance is not None or asked.correlation is not None or found is None:
        return asked.discordance
    seen = found.pilot.discordance
    # Two arms that differ by the change asked about differ on at least so many cases, whatever the pilot showed.
    return None if seen is None else max(seen, size)
