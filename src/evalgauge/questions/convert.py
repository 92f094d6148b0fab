"""Write the scores of any log as a plain table."""

from dataclasses import dataclass, field
from typing import ClassVar

from evalgauge.questions.parts import ReadingOptions
from evalgauge.shown import ShownInNotebooks


@dataclass(frozen=True, slots=True, kw_only=True)
class ConvertOptions(ReadingOptions):
    """How to convert.

    Attributes
    ----------
    overwrite
        Replace the output file if it exists.
    with_content
        Write what the cases ask and expect as text, beside their hashes: who has the file then has the eval set.
    arm
        Which arm to write, when the logs hold several; Every Eval Ever keeps one model a file.
    """

    overwrite: bool = False
    with_content: bool = False
    arm: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ConvertRequest(ConvertOptions):
    """A wish for a plain table.

    Attributes
    ----------
    logs
        Logs, tables or folders.
    output
        File to write: .parquet, .csv, .jsonl, or .json for Every Eval Ever with intervals.
    """

    verb: ClassVar[str] = "convert"
    logs: tuple[str, ...] = ()
    output: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ConvertAnswer(ShownInNotebooks):
    """What was written.

    Attributes
    ----------
    output
        The file.
    rows, cases
        How many.
    arms, sets, metrics, fields
        What is in it; the fields are those that can be slices or clusters, and are written in plain text.
    contents
        How many cases have their content in the file as text; 0 where only hashes are written.
    problems
        What the reader met.
    """

    verb: ClassVar[str] = "convert"
    output: str
    rows: int
    cases: int
    arms: tuple[str, ...]
    sets: tuple[str, ...]
    metrics: tuple[str, ...]
    fields: tuple[str, ...]
    contents: int = 0
    problems: tuple[str, ...] = ()
    request: ConvertRequest = field(default_factory=ConvertRequest)

    def __str__(self) -> str:
        return f"wrote {self.output}: {self.rows:,} rows, {self.cases:,} cases"
