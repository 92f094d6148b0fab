"""What one cell of a table says: a number, nothing, or a word.

There is one cleaning for every kind of table (CSV, JSON, data frame, Parquet), so that a file and the frame that was
made of it give the same scores. It works on the distinct cells of a column, so its cost does not grow with the rows.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from evalgauge.formats.columns import Numbers, Words, texts
from evalgauge.scores.table import Status

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from numpy.typing import NDArray

    from evalgauge.formats.columns import Column

_NUMBER = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
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

# Words for a run that has no score, wherever they stand. "fail" and "failed" are not among them: a test that failed was
# run. Blanks, hyphens, underscores and a capital within a word are one, and what follows a colon is not looked at.
_NO_SCORE_WORDS: dict[str, Status] = {
    **dict.fromkeys(("error", "errored", "exception", "crash", "crashed", "failed to run", "run failed"), Status.ERROR),
    **dict.fromkeys(("api error", "internal error", "runtime error", "rate limit", "rate limited"), Status.ERROR),
    **dict.fromkeys(("rate limit error", "rate limit exceeded", "connection error", "oom"), Status.ERROR),
    **dict.fromkeys(("skipped", "skip"), Status.SKIPPED),
    **dict.fromkeys(("cancelled", "canceled", "cancelled error", "aborted", "interrupted"), Status.CANCELLED),
    **dict.fromkeys(("timeout", "time out", "timed out", "timeout error"), Status.LIMIT),
    **dict.fromkeys(("unscored", "not scored"), Status.UNSCORED),
    **dict.fromkeys(("not run", "pending"), Status.NOT_RUN),
}
_STATUS_WORDS: dict[str, Status] = {
    **dict.fromkeys(("", "ok", "success", "succeeded", "complete", "completed", "done", "finished"), Status.OK),
    **dict.fromkeys(("scored", "passed", "pass", "failed", "fail"), Status.OK),
    **_NO_SCORE_WORDS,
    "limit": Status.LIMIT,
    "invalid": Status.INVALID,
    "unreadable": Status.UNREADABLE,
}
_MARKS = re.compile(r"[\s_-]+|(?<=[a-z])(?=[A-Z])")
# A number with a comma, or with marks between its thousands: which of the two a comma is, differs between countries.
_COMMA = re.compile(r"[+-]?[0-9]*,[0-9]+(?:[eE][+-]?[0-9]+)?\s*%?")
_GROUPED = re.compile(r"[+-]?[0-9]{1,3}(?:[., '\u2019\u00a0\u202f][0-9]{3})+(?:[.,][0-9]+)?\s*%?")
_NO_ERROR = _MISSING | {"false", "no", "0", "0.0", "ok", "[]", "{}"}


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Scores:
    """The cells of one score column, one entry per row.

    Attributes
    ----------
    score
        float64; NaN where the cell has no number.
    status
        int8, the values of ``Status``: OK for numbers and for words, UNSCORED for nothing, INVALID for infinity, and
        what a word such as ``timeout`` says about its run.
    raw_codes, raw_values
        The literal of every cell that is not a plain number, encoded like a column: -1 where there is none.
    infinite
        How many cells were infinite.
    without
        Words for a run that has no score, as they stand in the file, by how many cells hold them.
    """

    score: NDArray[np.float64]
    status: NDArray[np.int8]
    raw_codes: NDArray[np.int32]
    raw_values: tuple[str, ...]
    infinite: int
    without: Mapping[str, int]


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
        Numbers that the user gave; they win. Words are compared without regard to case, and NaN says that a word is
        no score.

    Examples
    --------
    >>> score_words(["PASS", "fail", "both"])
    {'PASS': 1.0, 'fail': 0.0}
    >>> score_words(["C", "I"]), score_words(["A", "C"])
    ({'C': 1.0, 'I': 0.0}, {})
    """
    given = _given(words or {})
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


def _given(words: Mapping[str, float]) -> dict[str, float]:
    return {_key(word): number for word, number in words.items()}


def _given_numbers(words: Mapping[str, float]) -> dict[float, float]:
    """Return the words that are numbers, such as -1 in the place of a missing score."""
    read = {number_in(word): number for word, number in words.items()}
    return {meant: number for meant, number in read.items() if meant is not None}


def _key(word: str) -> str:
    return word.strip().casefold()


def status_in(text: str) -> Status | None:
    """Return what a word in the place of a score says about its run, or ``None`` where it may be a score.

    Examples
    --------
    >>> status_in("RateLimitError: 429"), status_in("timed_out"), status_in("failed")
    (<Status.ERROR: 1>, <Status.LIMIT: 5>, None)
    """
    return _NO_SCORE_WORDS.get(_spaced(text.partition(":")[0]))


def _spaced(text: str) -> str:
    return _MARKS.sub(" ", text.strip()).casefold()


def is_score_like(column: Column) -> bool:
    """Return whether a column holds numbers or known score words, and beside them only missing cells."""
    if isinstance(column, Numbers):
        return not column.is_empty
    if not all(isinstance(value, str) for value in column.values):
        return False
    cells = texts(column)
    unread = [cell for cell in cells if number_in(cell, decimal_comma=column.decimal_comma) is None]
    wordy = [cell for cell in unread if _is_open(cell, {})]
    return len(unread) - len(wordy) < len(cells) and len(score_words(wordy)) == len(wordy)


def has_decimal_commas(column: Words) -> bool:
    """Return whether a column writes its decimals with a comma, and no cell of it can be read in another way.

    ``1,234`` alone could be a thousand, so some cell must be clearer, such as ``0,5``.

    Examples
    --------
    >>> from evalgauge.formats.columns import encoded_texts
    >>> [has_decimal_commas(encoded_texts("score", cells)) for cells in (["0,5", "1"], ["1,234"], ["0,5", "0.7"])]
    [True, False, False]
    """
    if not any(isinstance(value, str) and "," in value for value in column.values):
        return False
    present = [cell for cell in texts(column) if _is_open(cell, {})]
    commas = [cell for cell in present if _COMMA.fullmatch(cell)]
    others = [cell for cell in present if not _COMMA.fullmatch(cell)]
    is_clear = any(not _GROUPED.fullmatch(cell) or cell.lstrip("+-").startswith("0") for cell in commas)
    return is_clear and all("." not in cell and number_in(cell) is not None for cell in others)


def unclear_number(column: Words, words: Mapping[str, float]) -> int | None:
    """Return the place of the first cell whose number can be read in two ways, where all cells are numbers of a kind.

    Examples
    --------
    >>> from evalgauge.formats.columns import encoded_texts
    >>> unclear_number(encoded_texts("score", ["0.5", "1,234"]), {})
    1
    """
    given = _given(words)
    comma = column.decimal_comma
    cells = [(place, cell) for place, cell in enumerate(texts(column)) if _is_open(cell, given)]
    unread = [one for one in cells if number_in(one[1], decimal_comma=comma) is None]
    if not all(_COMMA.fullmatch(cell) or _GROUPED.fullmatch(cell) for _, cell in unread):
        # Other words are there: the column holds labels, or the question says what it does not know.
        return None
    if comma and any(_COMMA.fullmatch(cell) for _, cell in cells):
        # Beside 0,5 a point may stand between thousands: 1.234.
        unread += [(place, cell) for place, cell in cells if "." in cell and _GROUPED.fullmatch(cell)]
    return min((place for place, _ in unread), default=None)


def _is_open(cell: str, given: Mapping[str, float]) -> bool:
    """Return whether a cell must be a number or a word that has one: it is not missing, and not explained."""
    return not is_missing(cell) and status_in(cell) is None and _key(cell) not in given


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
    return _of_numbers(column, words or {}) if isinstance(column, Numbers) else _of_words(column, words or {})


def _of_numbers(column: Numbers, words: Mapping[str, float]) -> Scores:
    numbers = column.numbers.astype(np.float64)
    score = numbers.copy()
    for meant, number in _given_numbers(words).items():
        score[numbers == meant] = number
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
        without={},
    )


class _Cell(NamedTuple):
    """One distinct cell: its number, what it says about its run, and whether its literal is kept."""

    score: float | None
    status: Status
    is_kept: bool


_NOTHING = _Cell(None, Status.UNSCORED, is_kept=False)


def _of_words(column: Words, words: Mapping[str, float]) -> Scores:
    cells = texts(column)
    given = _given(words)
    numbers = [
        None if given and _key(cell) in given else number_in(cell, decimal_comma=column.decimal_comma) for cell in cells
    ]
    if marks := _given_numbers(words):
        numbers = [number if number is None else marks.get(number, number) for number in numbers]
    unread = [cell for cell, number in zip(cells, numbers, strict=True) if number is None]
    known = score_words([cell for cell in unread if _key(cell) in given or _is_open(cell, given)], words)
    read = [_read(cell, number, known) for cell, number in zip(cells, numbers, strict=True)]
    kept = [place for place, cell in enumerate(read) if cell.is_kept]
    # The last entry of each array is what the code -1, a missing cell, points to.
    raw_of = np.full(len(read) + 1, -1, dtype=np.int32)
    raw_of[kept] = np.arange(len(kept))
    read.append(_NOTHING)
    statuses = np.asarray([cell.status for cell in read], dtype=np.int8)[column.codes]
    return Scores(
        score=np.asarray([cell.score for cell in read], dtype=np.float64)[column.codes],
        status=statuses,
        raw_codes=raw_of[column.codes],
        raw_values=tuple(cells[place].strip() for place in kept),
        infinite=int((statuses == Status.INVALID).sum()),
        without=_counted(column, {cell: status_in(cell) for cell in unread if cell not in known}),
    )


def _read(cell: str, number: float | None, known: Mapping[str, float]) -> _Cell:
    is_literal = number is None or cell.rstrip().endswith("%")
    value = known.get(cell) if number is None else number
    if value is None:
        meant = status_in(cell)
        return _NOTHING if meant is None and is_missing(cell) else _Cell(None, meant or Status.OK, is_kept=True)
    if math.isnan(value):
        return _NOTHING
    if math.isinf(value):
        return _Cell(None, Status.INVALID, is_kept=True)
    return _Cell(value, Status.OK, is_kept=is_literal)


def _counted(column: Words, said: Mapping[str, Status | None]) -> dict[str, int]:
    without = {cell for cell, status in said.items() if status is not None}
    if not without:
        return {}
    cells = texts(column)
    counts: list[int] = np.bincount(column.codes[column.codes >= 0], minlength=len(cells)).tolist()
    return {cell: count for cell, count in zip(cells, counts, strict=True) if cell in without and count}


def status_words(values: Sequence[str]) -> tuple[list[Status], list[str]]:
    """Return what each status word says (OK where it says nothing known), and the words that are not known."""
    found = [_STATUS_WORDS.get(_spaced(value)) for value in values]
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
