"""Where a ledger is: named, in the environment, or in a folder above, the way git finds its own."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from evalgauge.errors import ArgumentError

VARIABLE = "EVALGAUGE_LEDGER"
FOLDER, FILE = ".evalgauge", "ledger.db"
# One slash too few is a slip in an address; one letter and a colon is a drive.
_SCHEME = re.compile(r"^[A-Za-z][A-Za-z0-9+.-]+:/|^(sqlite|postgres(ql)?(\+\w+)?):")
_ALLOWED = "a file, or postgresql://user@host/database"
_POSTGRES = ("postgresql", "postgres", "postgresql+psycopg")


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where a ledger is.

    Attributes
    ----------
    path
        The file of an embedded ledger; ``None`` for a server.
    url
        The server's address; ``""`` for a file.
    shown
        What it is called on screen: never with a password.
    """

    path: Path | None = None
    url: str = ""
    shown: str = ""


def found_place(named: str | None = None, *, start: Path | None = None) -> Place | None:
    """Return where the ledger is; ``None`` where none was named and no folder above holds one.

    Parameters
    ----------
    named
        A file, or the URL of a PostgreSQL database; the variable EVALGAUGE_LEDGER stands for it when left out.
    start
        Folder to look upwards from; the working folder when left out.

    Raises
    ------
    ArgumentError
        If the URL is of a kind that no ledger lives in.
    """
    named = named or os.environ.get(VARIABLE)
    if named:
        return named_place(named)
    here = (start or Path.cwd()).absolute()
    for folder in (here, *here.parents):
        path = folder / FOLDER / FILE
        if path.is_file():
            return _file(path)
    return None


def new_place(named: str | None = None) -> Place:
    """Return where a new ledger goes: the place that was named, or the working folder."""
    named = named or os.environ.get(VARIABLE)
    return named_place(named) if named else _file(Path.cwd() / FOLDER / FILE)


def named_place(named: str) -> Place:
    """Return the place that a name stands for.

    Raises
    ------
    ArgumentError
        If it is a URL of a kind that no ledger lives in.

    Examples
    --------
    >>> named_place("postgresql://me:secret@host/evals").shown
    'postgresql://me@host/evals'
    """
    if not _SCHEME.match(named):
        return _file(Path(named))
    if named.startswith("sqlite:///"):
        return _file(Path(named.removeprefix("sqlite:///")))
    kind, slashes, address = named.partition("://")
    if kind not in _POSTGRES or not slashes:
        # What follows the kind can hold a password.
        raise ArgumentError("ledger", f"{kind.partition(':')[0]}{slashes or ':'}…", _ALLOWED)
    try:
        parts = urlsplit(named)
        _ = parts.port
    except ValueError as error:
        # What a parser says of it can hold a part of the password.
        hint = "This address cannot be read. In a password write @ : / as %40 %3A %2F."
        raise ArgumentError("ledger", f"{kind}://…", _ALLOWED, hint) from error
    host = parts.netloc.rpartition("@")[2]
    user = f"{parts.username}@" if parts.username else ""
    query = "" if not parts.query or "password" in parts.query else f"?{parts.query}"
    return Place(url=f"postgresql+psycopg://{address}", shown=f"postgresql://{user}{host}{parts.path}{query}")


def _file(path: Path) -> Place:
    try:
        shown = path.absolute().relative_to(Path.cwd())
    except ValueError:
        shown = path
    return Place(path=path, shown=str(shown))
