"""A PostgreSQL of our own for a test run: a cluster in a temporary folder, started and stopped here."""

from __future__ import annotations

import os
import pwd
import shutil
import subprocess
import tempfile
import uuid
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator


def _programs() -> Path | None:
    """Return the folder of PostgreSQL's programs."""
    found = shutil.which("initdb")
    if found:
        return Path(found).resolve().parent
    return max(Path("/usr/lib/postgresql").glob("*/bin"), default=None)


def _absent(text: str) -> None:
    if os.environ.get("EVALGAUGE_REQUIRE_ALL") == "1":
        pytest.fail(text)
    pytest.skip(text)


class Cluster:
    """A running server that is reached through a socket in its folder."""

    def __init__(self, folder: Path, programs: Path, account: str | None) -> None:
        self._folder, self._programs, self._account = folder, programs, account

    def run(self, program: str, *words: str) -> None:
        """Run one of PostgreSQL's programs; it refuses to be run by root."""
        command = [str(self._programs / program), *words]
        subprocess.run(command, check=True, capture_output=True, cwd=self._folder, user=self._account, timeout=120)

    def new_database(self) -> str:
        """Return the URL of a new, empty database."""
        name = f"t{uuid.uuid4().hex}"
        self.run("createdb", "-h", str(self._folder), "-U", "tester", name)
        return f"postgresql://tester@/{name}?host={self._folder}"


@contextmanager
def cluster() -> Iterator[Cluster]:
    """Give a running PostgreSQL; skip without it, or fail where everything is required."""
    programs = _programs()
    if programs is None:
        _absent("PostgreSQL is not installed (apt-get install postgresql)")
    try:
        import psycopg  # noqa: F401, PLC0415 - only to see whether it is there
    except ModuleNotFoundError:
        _absent("psycopg is not installed (pip install 'evalgauge[postgres]')")
    account = None
    if os.geteuid() == 0:
        names = {entry.pw_name for entry in pwd.getpwall()}
        account = "postgres" if "postgres" in names else "nobody"
    assert programs is not None
    folder = Path(tempfile.mkdtemp(prefix="eg-pg-"))
    try:
        if account:
            shutil.chown(folder, account)
        server = Cluster(folder, programs, account)
        data = str(folder / "data")
        server.run("initdb", "-D", data, "-U", "tester", "--auth=trust", "--no-sync", "-E", "UTF8", "--locale=C")
        settings = f"-c listen_addresses='' -c unix_socket_directories={folder} -c fsync=off -c max_connections=80"
        server.run("pg_ctl", "-D", data, "-w", "-l", str(folder / "log"), "-o", settings, "start")
        try:
            yield server
        finally:
            server.run("pg_ctl", "-D", data, "-m", "immediate", "-w", "stop")
    finally:
        shutil.rmtree(folder, ignore_errors=True)
