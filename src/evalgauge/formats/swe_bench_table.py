"""What became of the instances of a SWE-bench run, as a ``ScoreTable`` whose denominator is said."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING

from evalgauge.formats.wording import counted
from evalgauge.scores.build import TableBuilder
from evalgauge.scores.table import Run, Status

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from evalgauge.scores.table import Problem, ScoreTable


class InstanceOutcome(Enum):
    """What became of an instance."""

    RESOLVED = "resolved"
    UNRESOLVED = "unresolved"
    EMPTY_PATCH = "empty patch"
    ERROR = "error"
    NOT_SUBMITTED = "not submitted"


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcomes:
    """A run that was read.

    Attributes
    ----------
    file, model, run
        Where it was read, who wrote the patches, and the name of the run.
    of_instance
        Each instance of the set that the source names.
    total
        Size of the set where a report of the run says it; ``None`` for a tree of reports, which does not.
    submitted
        How many instances of the set had a patch, empty ones counted; ``None`` where nobody says.
    outside
        Patches for instances that are not in the set.
    broken_machine, perhaps_broken
        How many failures SWE-bench lays to the machine, and how many perhaps.
    """

    file: str
    model: str
    run: str
    of_instance: Mapping[str, InstanceOutcome]
    total: int | None = None
    submitted: int | None = None
    outside: int = 0
    broken_machine: int = 0
    perhaps_broken: int = 0


_SCORES = {InstanceOutcome.RESOLVED: 1.0, InstanceOutcome.UNRESOLVED: 0.0, InstanceOutcome.EMPTY_PATCH: 0.0}
_STATUSES = {InstanceOutcome.ERROR: Status.ERROR, InstanceOutcome.NOT_SUBMITTED: Status.NOT_RUN}


def table_of_outcomes(outcomes: Outcomes, problems: Sequence[Problem] = ()) -> ScoreTable:
    """Return the table of a run: metric ``resolved``, field ``repo``.

    An empty patch is an answer that resolves nothing: 0. An instance whose evaluation failed, or that was never
    submitted, has no score; what it counts for is for the question to say.
    """
    builder = TableBuilder()
    for problem in problems:
        builder.problem(problem.text, file=problem.file)
    detail = {"model": outcomes.model, "run": outcomes.run}
    run = builder.add_run(
        Run(
            run_id=f"{outcomes.model}/{outcomes.run}",
            set_name="SWE-bench",
            arm=outcomes.model,
            arm_detail={key: value for key, value in detail.items() if value},
            framework="swe-bench",
            file=outcomes.file,
            planned_cases=outcomes.total,
        )
    )
    metric = builder.metric_index("resolved", low=0.0, high=1.0, higher_is_better=True)
    for name, outcome in outcomes.of_instance.items():
        builder.add(
            run=run,
            case=builder.case_index(name, fields={"repo": _repo(name)}),
            rep=1,
            metric=metric,
            score=_SCORES.get(outcome),
            status=_STATUSES.get(outcome, Status.OK),
            raw=outcome.value,
        )
    for text, count in _denominators(outcomes):
        builder.problem(text, file=outcomes.file, count=count)
    return builder.build()


def _repo(name: str) -> str | None:
    """Return the repository that an instance is of: ``django__django-11099`` is of ``django/django``."""
    owner, parts, rest = name.partition("__")
    repo, number, _ = rest.rpartition("-")
    return f"{owner}/{repo}" if parts and number else None


def _denominators(outcomes: Outcomes) -> list[tuple[str, int]]:
    """Return what has to be said of the denominator: a rate of resolved instances has three."""
    count = Counter(outcomes.of_instance.values())
    resolved, named = count[InstanceOutcome.RESOLVED], len(outcomes.of_instance)
    tested = resolved + count[InstanceOutcome.UNRESOLVED]
    said: list[tuple[str, int]] = []
    if outcomes.total is None:
        text = (
            f"The reports of {counted(named, 'instance', 'instances')} do not say how large the set is: instances that "
            "were never submitted are not here. The report of the run, <model>.<run>.json, says it."
        )
        said.append((text, named))
    elif tested < outcomes.total:
        shares = [f"{_share(resolved, outcomes.total)} of all {outcomes.total:,} instances"]
        if outcomes.submitted is not None and outcomes.submitted < outcomes.total:
            shares.append(f"{_share(resolved, outcomes.submitted)} of {outcomes.submitted:,} submitted")
        shares.append(f"{_share(resolved, tested)} of {tested:,} tested")
        text = (
            f"{resolved:,} resolved: {', '.join(shares)}. Leaderboards divide by all; --missing fail does so too, "
            "--missing drop leaves out what was not tested."
        )
        said.append((text, outcomes.total - tested))
    if outcomes.total is not None and named != outcomes.total:
        text = f"The set has {outcomes.total:,} instances, the report names {named:,}: the others are not counted."
        said.append((text, abs(outcomes.total - named)))
    return said + _remarks(outcomes, count)


def _remarks(outcomes: Outcomes, count: Counter[InstanceOutcome]) -> list[tuple[str, int]]:
    remarks = (
        (count[InstanceOutcome.EMPTY_PATCH], "{} empty: counted as not resolved.", "patch is", "patches are"),
        (outcomes.outside, "{} of another set: left out.", "patch is for an instance", "patches are for instances"),
        (
            outcomes.broken_machine,
            "SWE-bench lays {} to the machine, not to the patch; where it counted one as not resolved, so does this.",
            "failure",
            "failures",
        ),
        (outcomes.perhaps_broken, "SWE-bench lays {} perhaps to the machine.", "failure", "failures"),
    )
    return [(text.format(counted(n, one, several)), n) for n, text, one, several in remarks if n]


def _share(count: int, of: int) -> str:
    return f"{100 * count / of:.1f} %" if of > 0 else "none"
