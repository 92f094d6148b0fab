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

# Words for a run that has no score, wherever they stand. "fail" and "failed" are not among them: a test that failed was
# run. Blanks, hyphens and underscores are one.
_NO_SCORE_WORDS: dict[str, Status] = {
    **dict.fromkeys(("error", "errored", "exception", "crash", "crashed", "failed to run", "run failed"), Status.ERROR),
    **dict.fromkeys(("api error", "internal error", "runtime error", "rate limit", "rate limited"), Status.ERROR),
    **dict.fromkeys(("rate limit error", "rate limit exceeded", "connection error", "oom"), Status.ERROR),
    **dict.fromkeys(("skipped", "skip"), Status.SKIPPED),
    **dict.fromkeys(("cancelled", "canceled", "aborted", "interrupted"), Status.CANCELLED),
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
}
_MARKS = re.compile(r"[\s_-]+")
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
    return {word.strip().casefold(): number for word, number in words.items()}


def status_in(text: str) -> Status | None:
    """Return what a word in the place of a score says about its run, or ``None`` where it may be a score.

    Examples
    --------
    >>> status_in("Rate-Limited"), status_in("failed")
    (<Status.ERROR: 1>, None)
    """
    return _NO_SCORE_WORDS.get(_spaced(text))


def _spaced(text: str) -> str:
    return _MARKS.sub(" ", text.strip().casefold())


def is_score_like(column: Column) -> bool:
    """Return whether a column holds numbers or known score words, and beside them only missing cells."""
    if isinstance(column, Numbers):
        return not column.is_empty
    if not all(isinstance(value, str) for value in column.values):
        return False
    present = [value for value in texts(column) if not is_missing(value) and status_in(value) is None]
    wordy = [value for value in present if number_in(value, decimal_comma=column.decimal_comma) is None]
    return bool(present) and len(score_words(wordy)) == len(wordy)


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
    present = [value for value in texts(column) if not is_missing(value) and status_in(value) is None]
    commas = [value for value in present if _COMMA.fullmatch(value)]
    rest = [value for value in present if not _COMMA.fullmatch(value)]
    clear = any(not _GROUPED.fullmatch(value) or value.lstrip("+-").startswith("0") for value in commas)
    return clear and all("." not in value and number_in(value) is not None for value in rest)


def unclear_number(column: Words, words: Mapping[str, float]) -> int | None:
    """Return the place of the first cell whose number can be read in two ways, where all cells are numbers of a kind.

    Examples
    --------
    >>> from evalgauge.formats.columns import encoded_texts
    >>> unclear_number(encoded_texts("score", ["0.5", "1,234"]), {})
    1
    """
    given = _given(words)
    cells = [(place, value) for place, value in enumerate(texts(column)) if value.strip().casefold() not in given]
    cells = [(place, value) for place, value in cells if not is_missing(value) and status_in(value) is None]
    comma = column.decimal_comma
    odd = [place for place, value in cells if number_in(value, decimal_comma=comma) is None]
    if comma and any(_COMMA.fullmatch(value) for _, value in cells):
        # Beside 0,5 a point may stand between thousands: 1.234.
        odd += [place for place, value in cells if "." in value and place not in odd]
    by_place = dict(cells)
    if odd and all(_COMMA.fullmatch(by_place[place]) or _GROUPED.fullmatch(by_place[place]) or number_in(by_place[place]) is not None for place in odd):
        return min(odd)
    return None


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
    # A number can be a word too: -1 in the place of a missing score.
    for word, number in words.items():
        if (meant := number_in(word)) is not None:
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


def _of_words(column: Words, words: Mapping[str, float]) -> Scores:
    cells = texts(column)
    given = _given(words)
    asked = [given.get(cell.strip().casefold()) for cell in cells]
    numbers = [
        number_in(cell, decimal_comma=column.decimal_comma) if own is None else None
        for cell, own in zip(cells, asked, strict=True)
    ]
    said = [
        status_in(cell) if own is None and number is None else None
        for cell, own, number in zip(cells, asked, numbers, strict=True)
    ]
    wordy = [
        cell
        for cell, own, number, meant in zip(cells, asked, numbers, said, strict=True)
        if own is not None or (number is None and meant is None and not is_missing(cell))
    ]
    known = score_words(wordy, words)
    # The last entry of each list is what the code -1, a missing cell, points to.
    score = [*numbers, None]
    status = [Status.OK] * len(cells) + [Status.UNSCORED]
    raw: list[str] = []
    raw_of = [-1] * (len(cells) + 1)
    for place, (cell, number) in enumerate(zip(cells, numbers, strict=True)):
        meant = said[place]
        if number is not None and not math.isfinite(number):
            score[place], status[place] = None, Status.INVALID
        elif meant is not None:
            status[place] = meant
        elif number is None and (cell not in known if is_missing(cell) else math.isnan(known.get(cell, 0.0))):
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
        without=_counted(column, cells, said),
    )


def _counted(column: Words, cells: Sequence[str], said: Sequence[Status | None]) -> dict[str, int]:
    if not any(meant is not None for meant in said):
        return {}
    counts: list[int] = np.bincount(column.codes[column.codes >= 0], minlength=len(cells)).tolist()
    return {cell: counts[place] for place, cell in enumerate(cells) if said[place] is not None and counts[place]}


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
