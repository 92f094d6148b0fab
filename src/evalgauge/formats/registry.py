"""The readers: those of frameworks, those of third parties, and last the plain tables that take what no other does."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache
from importlib import import_module
from importlib.metadata import entry_points
from typing import TYPE_CHECKING, cast

from evalgauge.errors import EvalgaugeError
from evalgauge.formats.protocol import FolderReader
from evalgauge.scores.table import Problem, ScoreTable

if TYPE_CHECKING:
    from pathlib import Path

    from evalgauge.formats.protocol import Reader, ReadOptions, Source

GROUP = "evalgauge.readers"
"""The group of entry points in which a third party names its ``Reader``."""

_FRAMEWORKS = (
    *("inspect_ai", "lm_eval", "promptfoo", "promptfoo_database", "junit", "pydantic_evals", "deepeval", "phoenix"),
    *("blessed", "driftproof", "alpaca_eval", "swe_bench", "skill_creator", "helm", "every_eval_ever"),
    *("openai_evals", "tau_bench", "lighteval"),
)
_PLAIN = ("parquet_table", "jsonl_table", "json_table", "csv_table")


@dataclass(frozen=True, slots=True, kw_only=True)
class Plugin:
    """A reader of a third party, or the reason why it cannot be loaded.

    Attributes
    ----------
    name
        The entry point.
    reader
        ``None`` where loading it failed.
    fault
        What went wrong; ``""`` where nothing did.
    """

    name: str
    reader: Reader | None
    fault: str


def framework_readers() -> tuple[Reader, ...]:
    """Return the built-in readers of frameworks' logs."""
    return tuple(_built_in(name) for name in _FRAMEWORKS)


def plain_readers() -> tuple[Reader, ...]:
    """Return the built-in readers of plain tables."""
    return tuple(_built_in(name) for name in _PLAIN)


def plugins() -> tuple[Plugin, ...]:
    """Return the readers of third parties that are installed, broken ones with their fault."""
    found: list[Plugin] = []
    for entry in sorted(entry_points(group=GROUP), key=lambda entry: entry.name):
        try:
            reader = cast("object", entry.load())
        except Exception as error:  # noqa: BLE001 (a broken plugin must not stop the reading of other logs)
            found.append(Plugin(name=entry.name, reader=None, fault=f"{type(error).__name__}: {error}"))
            continue
        lacks = [part for part in ("name", "title", "claims", "read") if not hasattr(reader, part)]
        fault = f"it has no {', '.join(lacks)}" if lacks else ""
        found.append(Plugin(name=entry.name, reader=None if lacks else cast("Reader", reader), fault=fault))
    return tuple(found)


def known_formats() -> tuple[str, ...]:
    """Return what can be read, as users call it."""
    named = (plugin.reader for plugin in plugins())
    extra = (reader for reader in named if reader is not None)
    return tuple(reader.title for reader in (*framework_readers(), *extra, *plain_readers()))


def table_of_source(source: Source, options: ReadOptions) -> ScoreTable | None:
    """Return the scores by the reader that claims the source, or ``None`` if none does.

    Readers of frameworks are asked first, then those of third parties, then plain tables. What went wrong with a third
    party's reader, and two readers that claim one file, become problems of the table.

    Raises
    ------
    LogError
        If the reader that claims the source cannot read it.
    """
    problems: list[Problem] = []
    built_in = [reader for reader in framework_readers() if reader.claims(source)]
    added = _claiming_plugins(source, problems)
    plain = next((reader for reader in plain_readers() if reader.claims(source)), None)
    claiming = [*built_in, *(plugin.reader for plugin in added if plugin.reader), *([plain] if plain else [])]
    rivals = claiming if added else built_in
    if len(rivals) > 1:
        names = " and ".join(repr(reader.name) for reader in rivals)
        text = f"{len(rivals)} readers claim this log: {names}. It was read as {rivals[0].title}."
        problems.append(Problem(text=text, file=source.name))
    third_party = {id(plugin.reader) for plugin in added}
    for reader in claiming:
        try:
            table = reader.read(source, options)
        except EvalgaugeError:
            raise
        except Exception as error:
            if id(reader) not in third_party:
                raise
            text = f"The reader {reader.name!r} of a third party failed ({type(error).__name__}: {error})"
            problems.append(Problem(text=f"{text}; the next one was asked.", file=source.name))
            continue
        return replace(table, problems=(*problems, *table.problems)) if problems else table
    return None


def tables_of_folder(source: Source, options: ReadOptions) -> tuple[list[ScoreTable], frozenset[Path] | None]:
    """Return the scores of a folder by the readers that claim it, and the files that these readers take.

    Returns
    -------
    tuple
        One table per framework whose logs are there; the files are ``None`` where a reader takes the folder whole.

    Raises
    ------
    LogError
        If a reader that claims the folder cannot read it.
    """
    frameworks = [reader for reader in framework_readers() if reader.claims(source)]
    if len(frameworks) > 1:
        tables = [reader.read(source, options) for reader in frameworks]
    else:
        table = table_of_source(source, options)
        tables = [] if table is None else [table]
    if tables and not frameworks:
        return tables, None
    return tables, frozenset(
        path for reader in frameworks if isinstance(reader, FolderReader) for path in reader.files(source.path)
    )


def is_framework_log(source: Source) -> bool:
    """Return whether a reader of a framework or of a third party claims a file."""
    return any(reader.claims(source) for reader in framework_readers()) or bool(_claiming_plugins(source, []))


def _claiming_plugins(source: Source, problems: list[Problem]) -> list[Plugin]:
    claiming: list[Plugin] = []
    for plugin in plugins():
        fault = plugin.fault
        try:
            if plugin.reader is not None and plugin.reader.claims(source):
                claiming.append(plugin)
        except Exception as error:  # noqa: BLE001 (a broken plugin must not stop the reading of other logs)
            fault = f"{type(error).__name__}: {error}"
        if fault:
            text = f"The reader {plugin.name!r} of a third party was left out: {fault}."
            problems.append(Problem(text=text, file=source.name))
    return claiming


@cache
def _built_in(name: str) -> Reader:
    return cast("Reader", import_module(f"evalgauge.formats.{name}").READER)
