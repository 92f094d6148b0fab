"""What is in this log, and what can be asked of it?"""

from dataclasses import dataclass, field
from typing import ClassVar, Literal, TypeAlias

from evalgauge.questions.parts import ReadingOptions
from evalgauge.shown import ShownInNotebooks

Identity: TypeAlias = Literal["content", "source hash", "id", "row number"]
FieldUse: TypeAlias = Literal["slice", "cluster", "too few", "constant", "own value each"]


@dataclass(frozen=True, slots=True, kw_only=True)
class LookAtRequest(ReadingOptions):
    """A question about what logs hold.

    Attributes
    ----------
    logs
        Logs, tables or folders.
    """

    verb: ClassVar[str] = "look_at"
    logs: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class SeenScores:
    """The scores of one arm by one metric.

    Attributes
    ----------
    metric
        Its name.
    cases, planned, scored
        Cases planned; runs planned, and runs with a score.
    least_reps, most_reps
        Runs planned per case.
    by_status
        Number of runs by status word.
    low, high
        Lowest and highest score, in units of the score; ``None`` where none is scored.
    repeated_cases
        Cases with several scored reps.
    every_rep_identical
        Whether all reps of each such case have one score: perhaps served from a cache.
    """

    metric: str
    cases: int
    planned: int
    scored: int
    least_reps: int
    most_reps: int
    by_status: dict[str, int]
    low: float | None
    high: float | None
    repeated_cases: int
    every_rep_identical: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class SeenArm:
    """All that one arm did on one set.

    Attributes
    ----------
    arm, set_name
        What it is.
    detail
        What tells it apart from other arms: model, prompt, arguments.
    framework, files, states, created
        Who wrote its logs, which they are, how they ended, and when the first was made.
    rep_source, rep_kind
        Whether reps are numbered in the log (explicit), were found (inferred) or are none; and whether they repeat the
        run, only its judging, or the prompt.
    cases
        Number of cases.
    identity
        How its cases can be known again: by content, by the framework's own hash, by id alone or by row number alone.
    known_contents
        Cases whose content is in the log, or a hash of it.
    content_copies, id_copies
        Cases whose content, and whose id, an earlier case of the log has.
    scores
        By metric.
    notes
        What has to be said of its logs.
    """

    arm: str
    set_name: str
    detail: dict[str, str]
    framework: str
    files: tuple[str, ...]
    states: tuple[str, ...]
    created: str
    rep_source: str
    rep_kind: str
    cases: int
    identity: Identity
    known_contents: int
    content_copies: int
    id_copies: int
    scores: tuple[SeenScores, ...]
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class SeenMetric:
    """One kind of score.

    Attributes
    ----------
    name, kind
        Its name; binary, ordinal, continuous or categorical.
    low, high
        The possible range where the log declares one.
    higher_is_better
        ``None`` where the log does not say.
    words
        Words without a number, most frequent first.
    """

    name: str
    kind: str
    low: float | None
    high: float | None
    higher_is_better: bool | None
    words: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class SeenField:
    """A field of the cases of one set.

    Attributes
    ----------
    set_name
        The set.
    name
        As ``--by`` and ``--cluster`` take it.
    values
        How many different values it has.
    known
        How many cases have it.
    most
        The most frequent values, by number of cases.
    use
        What it can serve as: a slice (few values with several cases each), a cluster (several values that cases share),
        or nothing (too few cases or values, constant, own value each).
    """

    set_name: str
    name: str
    values: int
    known: int
    most: dict[str, int]
    use: FieldUse


@dataclass(frozen=True, slots=True, kw_only=True)
class LookAtAnswer(ShownInNotebooks):
    """What logs hold.

    Attributes
    ----------
    rows, cases
        Rows of the table (a run, case, rep and metric each), and cases over all sets: one that several arms of a set
        have counts once.
    arms
        Every arm on every set, with its scores.
    metrics
        Every kind of score.
    fields
        Fields of the cases, set by set, those that can be slices first, then clusters.
    problems
        What the reader met.
    """

    verb: ClassVar[str] = "look_at"
    rows: int
    cases: int
    arms: tuple[SeenArm, ...]
    metrics: tuple[SeenMetric, ...]
    fields: tuple[SeenField, ...]
    problems: tuple[str, ...] = ()
    request: LookAtRequest = field(default_factory=LookAtRequest)

    def __str__(self) -> str:
        names = ", ".join(dict.fromkeys(arm.arm for arm in self.arms))
        return f"{self.cases:,} cases, arms: {names}; metrics: {', '.join(one.name for one in self.metrics)}"
