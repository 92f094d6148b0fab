"""What one cell of a table says: a number, nothing, or a word.

There is one cleaning for every kind of table (CSV, JSON, data frame, Parquet), so that a file and the frame that was
made of it give the same scores. It works on the distinct cells of a column, so its cost does not grow with the rows.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from evalgauge.formats.columns import Numbers, Words, texts
from evalgauge.scores.table import Status

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from numpy.typing import NDArray

    from evalgauge.formats.columns import Column

_NUMBER = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_INFINITE = frozenset({"inf", "infinity"})
_MISSING = frozenset({"", "na", "n/a", "#n/a", "<na>", "nan", "null", "none", "-", "–", "—"})
_TRUE = ("true", "yes", "pass", "passed", "correct", "success", "succeeded")
_FALSE = ("false", "no", "fail", "failed", "incorrect", "failure", "wrong")
_WORDS: dict[str, float] = {**dict.fromkeys(_TRUE, 1.0), **dict.fromkeys(_FALSE, 0.0)}
# Single letters are read only where every word of the column belongs to one of these sets: a column that also holds
# A or B lists answers to multiple-choice cases, and there C does not mean "correct".
_LETTERS: tuple[dict[str, float], ...] = (
    {"C": 1.0, "I": 0.0, "P": 0.5, "N": 0.0},
    {"Y": 1.0, "N": 0.0},
    {"T": 1.0, "F": 0.0},
    {"P": 1.0, "F": 0.0},
)

_STATUS_WORDS: dict[str, Status] = {
    **dict.fromkeys(("", "ok", "success", "succeeded", "complete", "completed", "done", "finished"), Status.OK),
    **dict.fromkeys(("scored", "passed", "pass", "failed", "fail"), Status.OK),
    **dict.fromkeys(("error", "errored", "exception", "crash", "crashed"), Status.ERROR),
    "unscored": Status.UNSCORED,
    **dict.fromkeys(("skipped", "skip"), Status.SKIPPED),
    **dict.fromkeys(("cancelled", "canceled"), Status.CANCELLED),
    **dict.fromkeys(("limit", "timeout", "timed out", "timed_out"), Status.LIMIT),
    "invalid": Status.INVALID,
    **dict.fromkeys(("not_run", "not run", "pending"), Status.NOT_RUN),
}
_NO_ERROR = _MISSING | {"false", "no", "0", "0.0", "ok", "[]", "{}"}


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Scores:
    """The cells of one score column, one entry per row.

    Attributes
    ----------
    score
        float64; NaN where the cell has no number.
    status
        int8, the values of ``Status``: OK for numbers and for words, UNSCORED for nothing, INVALID for infinity.
    raw_codes, raw_values
        The literal of every cell that is not a plain number, encoded like a column: -1 where there is none.
    infinite
        How many cells were infinite.
    """

    score: NDArray[np.float64]
    status: NDArray[np.int8]
    raw_codes: NDArray[np.int32]
    raw_values: tuple[str, ...]
    infinite: int


def is_missing(text: str) -> bool:
    """Return whether a score cell says that there is no score: blank, NA, NaN, n/a, null, None or a dash."""
    return text.strip().casefold() in _MISSING


def number_in(text: str, *, decimal_comma: bool = False) -> float | None:
    """Return the number that a cell holds, or ``None`` where it holds none; 85% is 0.85.

    Parameters
    ----------
    text
        The cell.
    decimal_comma
        Read 0,85 as 0.85, as spreadsheets write where the delimiter is a semicolon or a tab. A thousands separator is
        never read: 1,234 could be either.

    Returns
    -------
    float or None
        Infinite where the cell says so or where it is too large for a float.

    Examples
    --------
    >>> number_in("85%"), number_in("1e-3"), number_in("0,85"), number_in("0,85", decimal_comma=True)
    (0.85, 0.001, None, 0.85)
    """
    word = text.strip().replace("\u2212", "-")
    divisor = 1.0
    if word.endswith("%"):
        word, divisor = word[:-1].rstrip(), 100.0
    if decimal_comma and word.count(",") == 1 and "." not in word:
        word = word.replace(",", ".")
    if _NUMBER.fullmatch(word):
        return float(word) / divisor
    if word.lstrip("+-").casefold() in _INFINITE:
        return -math.inf if word.startswith("-") else math.inf
    return None


def score_words(values: Iterable[str], words: Mapping[str, float] | None = None) -> dict[str, float]:
    """Return the number of each word of a column that has one.

    Parameters
    ----------
    values
        The distinct cells of the column that are neither missing nor numbers.
    words
        Numbers that the user gave; they win. Words are compared without regard to case.

    Examples
    --------
    >>> score_words(["PASS", "fail", "both"])
    {'PASS': 1.0, 'fail': 0.0}
    >>> score_words(["C", "I"]), score_words(["A", "C"])
    ({'C': 1.0, 'I': 0.0}, {})
    """
    given = {word.strip().casefold(): number for word, number in (words or {}).items()}
    found: dict[str, float] = {}
    unread: list[str] = []
    for value in values:
        word = value.strip()
        number = given.get(word.casefold(), _WORDS.get(word.casefold()))
        if number is None:
            unread.append(value)
        else:
            found[value] = number
    letters = {word.strip() for word in unread}
    family = next((one for one in _LETTERS if letters <= one.keys()), None)
    if family is not None:
        found.update((word, family[word.strip()]) for word in unread)
    return found


def is_score_like(column: Column) -> bool:
    """Return whether a column holds nothing but numbers, known score words and missing cells, and not only the last."""
    if isinstance(column, Numbers):
        return not column.is_empty
    if not all(isinstance(value, str) for value in column.values):
        return False
    present = [value for value in texts(column) if not is_missing(value)]
    wordy = [value for value in present if number_in(value, decimal_comma=column.decimal_comma) is None]
    return bool(present) and len(score_words(wordy)) == len(wordy)


def cleaned_scores(column: Column, words: Mapping[str, float] | None = None) -> Scores:
    """Return the scores of a column.

    Parameters
    ----------
    column
        A column of numbers, or of text with the literals of the file.
    words
        Numbers for words that have none of their own.

    Examples
    --------
    >>> from evalgauge.formats.columns import encoded_texts
    >>> cells = cleaned_scores(encoded_texts("passed", ["yes", "no", "n/a", "0.5", "both"]))
    >>> cells.score.tolist(), cells.status.tolist(), cells.raw_values
    ([1.0, 0.0, nan, 0.5, nan], [0, 0, 2, 0, 0], ('yes', 'no', 'both'))
    """
    return _of_numbers(column) if isinstance(column, Numbers) else _of_words(column, words or {})


def _of_numbers(column: Numbers) -> Scores:
    score = column.numbers.astype(np.float64)
    if column.missing is not None:
        score[column.missing] = np.nan
    infinite = np.isinf(score)
    status = np.where(np.isnan(score), Status.UNSCORED, np.where(infinite, Status.INVALID, Status.OK)).astype(np.int8)
    raw_codes = np.full(score.size, -1, dtype=np.int32)
    raw_codes[infinite] = (score[infinite] < 0).astype(np.int32)
    score[infinite] = np.nan
    return Scores(
        score=score,
        status=status,
        raw_codes=raw_codes,
        raw_values=("inf", "-inf") if infinite.any() else (),
        infinite=int(infinite.sum()),
    )


def _of_words(column: Words, words: Mapping[str, float]) -> Scores:
    cells = texts(column)
    numbers = [number_in(cell, decimal_comma=column.decimal_comma) for cell in cells]
    wordy = [cell for cell, number in zip(cells, numbers, strict=True) if number is None and not is_missing(cell)]
    known = score_words(wordy, words)
    # The last entry of each list is what the code -1, a missing cell, points to.
    score = [*numbers, None]
    status = [Status.OK] * len(cells) + [Status.UNSCORED]
    raw: list[str] = []
    raw_of = [-1] * (len(cells) + 1)
    for place, (cell, number) in enumerate(zip(cells, numbers, strict=True)):
        if number is not None and not math.isfinite(number):
            score[place], status[place] = None, Status.INVALID
        elif number is None and is_missing(cell):
            status[place] = Status.UNSCORED
            continue
        elif number is None:
            score[place] = known.get(cell)
        elif not cell.rstrip().endswith("%"):
            continue
        raw_of[place] = len(raw)
        raw.append(cell.strip())
    statuses = np.asarray(status, dtype=np.int8)[column.codes]
    return Scores(
        score=np.asarray(score, dtype=np.float64)[column.codes],
        status=statuses,
        raw_codes=np.asarray(raw_of, dtype=np.int32)[column.codes],
        raw_values=tuple(raw),
        infinite=int((statuses == Status.INVALID).sum()),
    )


def status_words(values: Sequence[str]) -> tuple[list[Status], list[str]]:
    """Return what each status word says (OK where it says nothing known), and the words that are not known."""
    found = [_STATUS_WORDS.get(value.strip().casefold()) for value in values]
    unknown = [value for value, status in zip(values, found, strict=True) if status is None]
    return [Status.OK if status is None else status for status in found], unknown


def has_error(column: Column) -> NDArray[np.bool_] | None:
    """Return the rows on which a column reports an error, or ``None`` if its numbers are no flags of 0 and 1."""
    if isinstance(column, Numbers):
        numbers = column.numbers.astype(np.float64)
        present = ~np.isnan(numbers) if column.missing is None else ~(np.isnan(numbers) | column.missing)
        if not np.isin(numbers[present], (0.0, 1.0)).all():
            return None
        return present & (numbers != 0)
    cells = texts(column)
    kept = [number_in(cell) for cell in cells]
    if cells and any(number not in {None, 0.0, 1.0} for number in kept):
        return None
    flags = [cell.strip().casefold() not in _NO_ERROR for cell in cells]
    return np.asarray([*flags, False], dtype=np.bool_)[column.codes]
