"""Pieces that several requests and answers are made of.

The annotations of this room are real types, not text: the command line reads them through inheritance.
"""

from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from evalgauge.questions.given import settle
from evalgauge.questions.units import Columns, Names, ScoreRange, Share, Words

Missing: TypeAlias = Literal["bounds", "fail", "drop"]
Target: TypeAlias = Literal["new-cases", "these-cases"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadingOptions:
    """How to read logs, as far as they cannot say it themselves.

    Attributes
    ----------
    columns
        Which column plays which role: case=id,score=passed. Roles: case, score, rep, arm, metric, cluster, input,
        target. For one side of a comparison: base:case=qid,cand:case=id.
    words
        Numbers for score words: both=0.5,left=1,right=0; dunno=missing for a word that is no score.
    wide_arms
        Columns of one table that are arms: base,new.
    wide_reps
        Columns of one table that are reps: r1,r2,r3.
    tolerant
        Read what can be read of a damaged log and list the problems.
    """

    columns: Columns = field(default_factory=Columns)
    words: Words = field(default_factory=Words)
    wide_arms: Names = Names()  # noqa: RUF009 - Names is an immutable tuple
    wide_reps: Names = Names()  # noqa: RUF009 - same
    tolerant: bool = False

    def __post_init__(self) -> None:
        """Settle what was given, here and in every request."""
        settle(self)


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoringOptions(ReadingOptions):
    """Which scores of a log to use, and at which level to speak.

    Attributes
    ----------
    metric
        Which score to use, when a log holds several.
    task
        Which eval set (task) to use, when a log or folder holds several.
    by
        Field that splits the cases into slices, such as topic.
    cluster
        Field that says which cases share a source, such as doc.
    score_range
        Lowest and highest possible score, such as 0:100; none for a score without limits. Default 0:1.
    missing
        What missing scores count as: bounds (both ways, the honest default), fail (0), or drop (left out).
    confidence
        Level of every interval, two-sided.
    """

    metric: str | None = None
    task: str | None = None
    by: str | None = None
    cluster: str | None = None
    score_range: ScoreRange | None = None
    missing: Missing = "bounds"
    confidence: Share = Share(0.95)  # noqa: RUF009 - a Share is an immutable float


@dataclass(frozen=True, slots=True, kw_only=True)
class LedgerNote:
    """What the ledger has to say beside an answer.

    Attributes
    ----------
    state
        ``"recorded"`` a new look, ``"known"`` results that were shown before, ``"off"`` because that was asked for, or
        ``"contains"`` a registered set among many other cases.
    set_name, look, display
        The set, the short name of the look, and what was shown.
    looks, left
        Looks that count by now, and how many are left at the set's tolerance (``None`` where they are no problem).
    place, declared
        Place of the look among those that were declared, and their number; ``None`` where none was declared.
    known_as
        How the set was known again, where something about it had changed.
    """

    state: Literal["recorded", "known", "off", "contains"]
    set_name: str = ""
    look: str = ""
    display: str = ""
    looks: int = 0
    left: int | None = None
    place: int | None = None
    declared: int | None = None
    known_as: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ends:
    """Low and high of something, in shares."""

    low: float
    high: float


@dataclass(frozen=True, slots=True, kw_only=True)
class NamedInterval:
    """An interval by the name of its rule.

    Attributes
    ----------
    method
        Name of the rule.
    low, high
        Its ends, in shares (score units for a score without limits).
    """

    method: str
    low: float
    high: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Counts:
    """What became of the planned runs.

    Attributes
    ----------
    planned, scored, errored
        Runs; ``errored`` holds every planned run without a score for a reason of its own (error, limit, cancelled …).
    by_status
        Number of runs by status word.
    cases_planned, cases_scored, cases_partly
        Cases, those with at least one score, and those with a score for some reps but not all.
    """

    planned: int
    scored: int
    errored: int
    by_status: dict[str, int]
    cases_planned: int
    cases_scored: int
    cases_partly: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """Where scores came from.

    Attributes
    ----------
    files
        The files that were read.
    framework
        Who wrote them.
    set_name, arm
        The eval set and the system, as the log names them.
    metric
        The score that was used.
    """

    files: tuple[str, ...]
    framework: str
    set_name: str
    arm: str
    metric: str
