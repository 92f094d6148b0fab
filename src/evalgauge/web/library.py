"""The folder that is served: what can be chosen in it, and no path out of it."""

from __future__ import annotations

import hashlib
import os
import re
import secrets
import shutil
import tempfile
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from evalgauge.errors import ArgumentError

if TYPE_CHECKING:
    from collections.abc import Iterator

MOST_LISTED = 500
MOST_BYTES = 200_000_000
"""Size of a log that is dropped in."""
MOST_DROPPED_BYTES = 2_000_000_000
"""Size of all that are dropped in, together: they are kept until the server ends."""
_DEPTH, _SHOWN_LETTERS = 4, 80
_ENDINGS = (".eval", ".json", ".jsonl", ".csv", ".tsv", ".parquet", ".xml", ".db", ".ndjson", ".gz")
_DROPPED = "dropped:"
_MOST_RULES, _MOST_RULES_BYTES = 200, 100_000
_RULES_FILE = "evalgauge.toml"


class Library:
    """The logs of one folder, and those that were dropped into a page.

    Parameters
    ----------
    folder
        What is served. Its names are read from it, also where the process works elsewhere.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder.resolve()
        self._dropped = Path(tempfile.mkdtemp(prefix="evalgauge-"))
        self._names: dict[str, Path] = {}
        self._rules: dict[str, Path] = {}
        self.dropped_bytes = 0

    def close(self) -> None:
        """Forget what was dropped in."""
        shutil.rmtree(self._dropped, ignore_errors=True)

    def names(self) -> list[str]:
        """Return what can be chosen: dropped logs first, then the folder's by name."""
        return [*self._names, *self._listed(_ENDINGS)]

    def rules(self) -> list[str]:
        """Return the files of the folder that may hold rules of a gate."""
        return [name for name in self._listed((".toml",)) if Path(name).name != "pyproject.toml"]

    def rules_text(self, name: str) -> str:
        """Return what a file of rules says.

        Raises
        ------
        ArgumentError
            If it is not in the folder, or cannot be read as text.
        """
        target = self.folder / name
        allowed = "a file of rules in the folder that is served"
        if not name.endswith(".toml") or not self._holds(target) or not target.is_file():
            raise ArgumentError("rules", name[:_SHOWN_LETTERS], allowed)
        try:
            with target.open("rb") as file:
                return file.read(_MOST_RULES_BYTES).decode()
        except (OSError, UnicodeDecodeError) as error:
            raise ArgumentError("rules", name[:_SHOWN_LETTERS], allowed) from error

    def keep_rules(self, text: str) -> str:
        """Keep rules that were written into a page, for the jobs to read, and return where."""
        called = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]
        path = self._dropped / f"rules-{called}" / _RULES_FILE
        if called not in self._rules:
            path.parent.mkdir(exist_ok=True)
            path.write_bytes(text.encode("utf-8", "surrogatepass"))
            self._rules[called] = path
            for oldest in [*self._rules][:-_MOST_RULES]:
                shutil.rmtree(self._rules.pop(oldest).parent, ignore_errors=True)
        return str(path)

    def path_of(self, name: str) -> str:
        """Return the path of a log that was chosen, as the jobs take it.

        Raises
        ------
        ArgumentError
            If it is not in the folder, or leads out of it.
        """
        if name in self._names:
            return str(self._names[name])
        target = self.folder / name
        if not self._holds(target):
            raise ArgumentError("logs", name[:_SHOWN_LETTERS], "a log of the folder that is served")
        if target.is_dir() and (link := self._link_out(target)):
            allowed = "a folder without links that lead out of what is served"
            raise ArgumentError("logs", name, allowed, f"This does: {link}. Choose its logs one by one.")
        return name

    def _holds(self, target: Path) -> bool:
        """Return whether a path exists and, with its links followed, lies in the folder."""
        try:
            found = target.resolve(strict=True)
        except (OSError, ValueError, RuntimeError):
            # Missing, a link to itself, or a name that no system takes.
            return False
        return found.is_relative_to(self.folder)

    def _link_out(self, folder: Path) -> str:
        """Return a link under a folder that leads out of what is served: readers of folders follow links."""
        for place, folders, files in os.walk(folder):
            for one in (*folders, *files):
                link = Path(place) / one
                if link.is_symlink() and not self._holds(link):
                    return str(link.relative_to(self.folder))
        return ""

    def drop(self, name: str, content: bytes) -> str:
        """Keep a log that was dropped in until the server ends, and return what it is called."""
        plain = "".join(sign if sign.isalnum() or sign in "._- " else "_" for sign in Path(name).name)[-80:]
        place = self._dropped / secrets.token_hex(8)
        place.mkdir()
        target = place / (plain.lstrip(".") or "log")
        target.write_bytes(content)
        self.dropped_bytes += len(content)
        called = f"{_DROPPED}{target.name}"
        number = 2
        while called in self._names:
            called, number = f"{_DROPPED}{number}-{target.name}", number + 1
        self._names[called] = target
        return called

    def shown(self, text: str) -> str:
        """Return words without the places where dropped logs are kept."""
        for called, path in self._names.items():
            text = text.replace(str(path), called)
        return re.sub(rf"{re.escape(str(self._dropped))}/rules-[0-9a-f]+/", "", text)

    def _listed(self, endings: tuple[str, ...]) -> list[str]:
        return sorted(islice(self._walk(endings), MOST_LISTED))

    def _walk(self, endings: tuple[str, ...]) -> Iterator[str]:
        for place, folders, files in os.walk(self.folder):
            here = Path(place)
            depth = len(here.relative_to(self.folder).parts)
            folders[:] = sorted(one for one in folders if not one.startswith(".") and depth < _DEPTH)
            for file in sorted(files):
                target = here / file
                if file.endswith(endings) and not file.startswith(".") and not target.is_symlink():
                    yield str(target.relative_to(self.folder))
