"""The long table: one row per (run, case, rep, metric), in columns; runs, cases and metrics are described beside it."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import IntEnum
from typing import TYPE_CHECKING, Literal, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray

Kind: TypeAlias = Literal["binary", "ordinal", "continuous", "categorical"]
RepSource: TypeAlias = Literal["explicit", "inferred", "none"]
RepKind: TypeAlias = Literal["run", "judge", "prompt"]
Json: TypeAlias = "str | int | float | bool | Sequence[Json] | Mapping[str, Json] | None"


class Status(IntEnum):
    """What became of one planned run. Only ``OK`` rows carry a score."""

    OK = 0
    ERROR = 1
    UNSCORED = 2
    SKIPPED = 3
    CANCELLED = 4
    LIMIT = 5
    INVALID = 6
    NOT_RUN = 7
    UNREADABLE = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """One log of one arm on one set.

    Attributes
    ----------
    run_id
        The log's own id, or a hash of the file.
    set_name, set_version
        The eval set as the source names it; ``""`` where it has no name.
    arm
        The system that was scored, unique within one import.
    arm_detail
        Model, prompt, solver, arguments, revision: whatever tells arms apart.
    framework
        ``"inspect"``, ``"lm-eval"``, ``"promptfoo"``, ``"table"`` …
    file
        The file that was read.
    state
        ``"complete"``, ``"partial"``, ``"cancelled"``, ``"error"``, as far as the log says.
    attempt_of
        Logs that share this id are attempts at the same work (a retry): the last finished run of a case counts.
    created
        Time of the log as an ISO string, used to order attempts; ``""`` where unknown.
    rep_source, rep_kind
        Whether the log numbers its reps, and what a rep repeats: the run, only the judging, or the prompt draw.
    planned_cases, planned_reps
        What was to be run, where the log says so.
    """

    run_id: str
    set_name: str
    arm: str
    framework: str
    file: str
    set_version: str = ""
    arm_detail: Mapping[str, str] = field(default_factory=dict[str, str])
    framework_version: str = ""
    state: str = "complete"
    attempt_of: str = ""
    created: str = ""
    rep_source: RepSource = "none"
    rep_kind: RepKind = "run"
    planned_cases: int | None = None
    planned_reps: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Metric:
    """One kind of score.

    Attributes
    ----------
    name
        ``scorer``, ``scorer/key``, ``metric,filter`` or a column name.
    kind
        ``"binary"`` when every score is 0 or 1; ``"categorical"`` when some score is a word without a number.
    low, high
        The possible range where the source declares one.
    higher_is_better
        ``None`` where the source does not say.
    words
        For a categorical metric: the words that could not be read as numbers, most frequent first.
    """

    name: str
    kind: Kind
    low: float | None = None
    high: float | None = None
    higher_is_better: bool | None = None
    words: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseContent:
    """What a case asks and expects: the ground of its identity.

    Attributes
    ----------
    input
        Text, a list of chat messages, or any JSON value (a record of variables).
    choices
        Options of a multiple-choice case.
    target
        The expected answer or answers.
    """

    input: Json
    choices: tuple[str, ...] | None = None
    target: Json = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Cases:
    """The cases of a table, in columns of equal length.

    Attributes
    ----------
    case_id
        The source's id as text; a row number where the source has none (``id_is_row_number``). A table of several sets
        writes ``set/id``, so that ids of different sets do not meet.
    dup
        0, 1, … within cases of equal id: keeps real duplicates apart.
    fields
        Per-case columns that can serve as slice or cluster; ``None`` where a case lacks the field.
    contents
        Called at most once per question, when identity is needed: reading a log for its scores need not keep its texts.
    source_hash, source_hash_scheme
        The framework's own content hash where the log holds one; comparable only within one scheme.
    case_fp, input_fp
        Fingerprints that the source already carries (a converted log), as hex.
    """

    case_id: Sequence[str]
    dup: NDArray[np.int32]
    fields: Mapping[str, tuple[str | None, ...]] = field(default_factory=dict[str, tuple[str | None, ...]])
    contents: Callable[[], Sequence[CaseContent | None]] | None = None
    source_hash: tuple[str | None, ...] | None = None
    source_hash_scheme: str = ""
    case_fp: tuple[str | None, ...] | None = None
    input_fp: tuple[str | None, ...] | None = None
    id_is_row_number: bool = False

    def __len__(self) -> int:
        return len(self.case_id)


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """Something a reader met and could not take as it was; nothing is dropped without one.

    Attributes
    ----------
    text
        A sentence for the user, with the way out where there is one.
    file, record
        Where it was met.
    count
        How many records it concerns.
    """

    text: str
    file: str = ""
    record: str = ""
    count: int = 1


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ScoreTable:
    """Every planned run of every case, with its score or the reason why there is none.

    The row columns have one entry per (run, case, rep, metric); the key is unique. In a large table a row may stand for
    several reps of equal result: ``count`` says of how many, and ``rep`` is the first of them. ``score`` is NaN exactly
    where ``status`` is not ``Status.OK``, or where the metric is categorical and the word has no number.

    Attributes
    ----------
    runs, metrics, cases
        Side tables; the row columns point into them.
    run, case, metric
        Index into the side tables, int32.
    rep
        1-based, int32.
    score
        float64.
    status
        int8, the values of ``Status``.
    raw
        The source's literal per row, where the reader kept it.
    problems
        What the reader could not take as it was.
    count
        Reps that each row stands for, int64; ``None`` where every row is one.
    """

    runs: tuple[Run, ...]
    metrics: tuple[Metric, ...]
    cases: Cases
    run: NDArray[np.int32]
    case: NDArray[np.int32]
    rep: NDArray[np.int32]
    metric: NDArray[np.int32]
    score: NDArray[np.float64]
    status: NDArray[np.int8]
    raw: tuple[str | None, ...] | None = None
    problems: tuple[Problem, ...] = ()
    count: NDArray[np.int64] | None = None

    def __len__(self) -> int:
        return self.score.size

    def __str__(self) -> str:
        arms = sorted({run.arm for run in self.runs})
        scored = int((self.status == Status.OK).sum())
        return (
            f"{len(self.cases):,} cases, {len(self):,} rows ({scored:,} scored), "
            f"arms: {', '.join(arms)}; metrics: {', '.join(metric.name for metric in self.metrics)}"
        )
