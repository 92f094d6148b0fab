"""Expected values from R, exact enumeration and papers, read when a test runs.

The folder is provided from outside through ``EVALGAUGE_ORACLES``. Without it the rows are skipped, or fail where
``EVALGAUGE_REQUIRE_ALL=1`` says that everything must run.
"""

from __future__ import annotations

import csv
import functools
import os
import re
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, NoReturn

import pytest

if TYPE_CHECKING:
    from _pytest.mark import ParameterSet

_BESIDE = Path(__file__).resolve().parents[3] / "shared" / "oracles"
_PLAIN = re.compile(r"([A-Za-z_]\w*)=([-+.\deE]+)")


class OracleRow(NamedTuple):
    """One expected value: what the function gets, what it must give, and how near."""

    arguments: dict[str, float] | str
    expected: float
    tol: float


def _folder() -> Path:
    return Path(os.environ.get("EVALGAUGE_ORACLES") or _BESIDE)


def _parsed(arguments: str) -> dict[str, float] | str:
    parts = arguments.split()
    found = [_PLAIN.fullmatch(part) for part in parts]
    if parts and all(found):
        return {match[1]: float(match[2]) for match in found if match}
    return arguments


@functools.cache
def _table(file: str) -> dict[str, list[OracleRow]]:
    rows: dict[str, list[OracleRow]] = {}
    with (_folder() / file).open(encoding="utf-8", newline="") as source:
        for record in csv.DictReader(source):
            row = OracleRow(_parsed(record["arguments"]), float(record["expected"]), float(record["abs_tol"]))
            rows.setdefault(record["function"], []).append(row)
    return rows


def _absent() -> NoReturn:
    text = f"EVALGAUGE_ORACLES does not name a folder (tried {_folder()})"
    if os.environ.get("EVALGAUGE_REQUIRE_ALL") == "1":
        pytest.fail(text)
    pytest.skip(text)


def oracle_rows(function: str, *, file: str = "methods.csv") -> list[OracleRow]:
    """Return the rows of one function, for use inside a test.

    ``arguments`` is a dict of floats where the text is ``name=number name=number``, else the text itself.
    An unknown function name is an error: a test that loops over no row could never fail.
    """
    if not _folder().is_dir():
        _absent()
    return _table(file)[function]


def oracle_params(*functions: str, file: str = "methods.csv") -> list[ParameterSet]:
    """Return ``(function, row)`` parameters for ``pytest.mark.parametrize``, one per expected value.

    Without the folder each function gives one parameter whose row is ``None``; :func:`required` then skips or fails.
    """
    if not _folder().is_dir():
        return [pytest.param(function, None, id=function) for function in functions]
    return [
        pytest.param(function, row, id=f"{function}-{index}")
        for function in functions
        for index, row in enumerate(_table(file)[function])
    ]


def required(row: OracleRow | None) -> OracleRow:
    """Return the row of :func:`oracle_params`; skip (or fail, where everything must run) when there is none."""
    if row is None:
        _absent()
    return row
