"""Make a log the baseline that later candidates are judged against."""

from dataclasses import dataclass, field
from typing import ClassVar

from evalgauge.questions.parts import ReadingOptions
from evalgauge.shown import ShownInNotebooks


@dataclass(frozen=True, slots=True, kw_only=True)
class BlessOptions(ReadingOptions):
    """How to bless.

    Attributes
    ----------
    arm
        Which system, when the log holds several.
    task
        Which eval set (task), when the log holds several.
    note
        Why this run is the baseline, for those who read the file.
    overwrite
        Replace the baseline that is there.
    """

    arm: str | None = None
    task: str | None = None
    note: str = ""
    overwrite: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class BlessRequest(BlessOptions):
    """A wish for a baseline.

    Attributes
    ----------
    logs
        The log, table or folder; several are taken as further reps.
    output
        File to write: baseline.json.
    """

    verb: ClassVar[str] = "bless"
    logs: tuple[str, ...] = ()
    output: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class BlessAnswer(ShownInNotebooks):
    """What was blessed.

    Attributes
    ----------
    output
        The file.
    arm, set_name
        The system and the eval set.
    cases, rows, scored
        Cases, planned runs by metric, and those with a score.
    metrics, fields
        The scores that it holds, and the fields that can be slices or clusters.
    hashed
        Cases whose content is known, as a hash; the others are paired by their ids.
    set_hash
        Hash of the set.
    replaced
        Whether a baseline was there before.
    notes, problems
        Plain sentences.
    """

    verb: ClassVar[str] = "bless"
    output: str
    arm: str
    set_name: str
    cases: int
    rows: int
    scored: int
    metrics: tuple[str, ...]
    fields: tuple[str, ...]
    hashed: int
    set_hash: str
    replaced: bool
    notes: tuple[str, ...] = ()
    problems: tuple[str, ...] = ()
    request: BlessRequest = field(default_factory=BlessRequest)

    def __str__(self) -> str:
        return f"blessed {self.output}: {self.cases:,} cases, {self.scored:,} of {self.rows:,} scores"
