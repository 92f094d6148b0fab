"""What a reader is: the contract for the readers of this room and for those of third parties.

A third party adds one by an entry point in the group ``evalgauge.readers`` whose object is a ``Reader``.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from evalgauge.engine.watching import tell

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping
    from pathlib import Path

    from evalgauge.scores.table import ScoreTable


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """A file or folder that is to be read.

    Attributes
    ----------
    path
        Where it is.
    head
        Its first 8,192 bytes; empty for a folder.
    is_folder
        Whether it is a folder.
    label
        What messages call it where ``path`` is a copy that was unpacked or taken from stdin; ``""`` otherwise.
    """

    path: Path
    head: bytes
    is_folder: bool
    label: str = ""

    @property
    def name(self) -> str:
        """The path as the user wrote it, for messages."""
        return self.label or str(self.path)

    @property
    def suffix(self) -> str:
        """The file name's ending, lower case, with its dot."""
        return self.path.suffix.lower()


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadOptions:
    """How to read, as far as a file cannot say it itself.

    Attributes
    ----------
    columns
        Which column plays which role: ``{"case": "id", "score": "passed"}``; roles are case, score, rep, arm, metric,
        set, cluster, input, target, choices, error, status, and anything else is taken as a slice. Several scores are
        ``"a|b"``.
    words
        Numbers for score words: ``{"both": 0.5}``; NaN says that a word is no score.
    wide_arms, wide_reps
        Columns of a wide table that are arms, or reps.
    tolerant
        Keep what can be read and list the problems, in place of refusing the file.
    is_counted
        Whether a question is answered from sums: a large table may then be reduced where it lies, and what it holds is
        listed in the order of its ids.
    fields
        Fields of the cases that the question asks for; ``None`` for all of them.
    engine
        Where the tables lie, as an address; ``""`` for files.
    progress
        Called with (done, total) in bytes or members.
    """

    columns: Mapping[str, str] = field(default_factory=dict[str, str])
    words: Mapping[str, float] = field(default_factory=dict[str, float])
    wide_arms: tuple[str, ...] = ()
    wide_reps: tuple[str, ...] = ()
    tolerant: bool = False
    is_counted: bool = False
    fields: frozenset[str] | None = None
    engine: str = ""
    progress: Callable[[int, int], None] = tell


class Reader(Protocol):
    """Reads one format."""

    name: str
    """Short name, such as ``"inspect"``."""
    title: str
    """What users call it, such as ``"Inspect AI log"``."""

    def claims(self, source: Source) -> bool:
        """Return whether this is a file (or folder) of the format, from its bytes more than from its name."""
        ...

    def read(self, source: Source, options: ReadOptions) -> ScoreTable:
        """Return its scores, or raise ``LogError`` naming file, record and field."""
        ...


@runtime_checkable
class FolderReader(Reader, Protocol):
    """A reader that takes folders too, and says which files of a folder it leaves to others."""

    def files(self, folder: Path) -> Collection[Path]:
        """Return the files in a folder and below that ``read`` takes, and those that go with them."""
        ...
