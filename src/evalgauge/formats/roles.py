"""Which column of a table plays which role: what the user said first, then the words that frameworks use."""

from __future__ import annotations

import difflib
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from evalgauge.errors import ArgumentError, LogError, UnknownFormatError
from evalgauge.formats import aliases
from evalgauge.formats.aliases import is_index_name, is_known_metric, is_possible_score, is_score_name, plain_name
from evalgauge.formats.cells import cleaned_scores, is_score_like, status_in, status_words
from evalgauge.formats.columns import Numbers, Words, encoded, texts
from evalgauge.formats.no_score import refuse_what_holds_no_score
from evalgauge.scores.table import Problem

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

    from evalgauge.formats.columns import Column, Table
    from evalgauge.formats.presets import NamedRoles
    from evalgauge.formats.protocol import ReadOptions

_ROLES = ("case", "rep", "metric", "arm", "set", "input", "target", "choices", "error", "status", "cluster", "score")
_ID_ENDS = ("id", "case")
_MAP_HINT = "Say which column is the score: --map score=COLUMN (several: score=A|B)."


@dataclass(slots=True, kw_only=True)
class Roles:
    """The columns by role; a table that lacks a role has ``None`` or nothing there.

    Attributes
    ----------
    scores
        One column; several where the table is wide.
    arms
        Columns that together name the arm.
    wide
        What the score columns of a wide table are: ``"metrics"``, ``"arms"`` or ``"reps"``.
    slices
        Per-case columns by the name of the field.
    asked
        The slices that the user named.
    has_others
        Whether some column plays none of the roles that rows need: it may name the case.
    """

    case: Column | None = None
    index: Column | None = None
    rep: Column | None = None
    metric: Column | None = None
    arms: tuple[Column, ...] = ()
    set: Column | None = None
    inputs: tuple[Column, ...] = ()
    target: Column | None = None
    choices: Column | None = None
    error: Column | None = None
    status: Column | None = None
    scores: tuple[Column, ...] = ()
    wide: Literal["metrics", "arms", "reps"] = "metrics"
    slices: dict[str, Column] = field(default_factory=dict[str, "Column"])
    asked: frozenset[str] = frozenset()
    has_others: bool = False
    problems: tuple[Problem, ...] = ()


def roles_of(table: Table, options: ReadOptions, preset: NamedRoles | None = None) -> Roles:
    """Return the roles of a table's columns.

    Parameters
    ----------
    table
        The table.
    options
        ``columns``, ``wide_arms`` and ``wide_reps`` are looked at; what they say wins over names.
    preset
        What the platform says that the table comes from, for roles that the user does not name.

    Raises
    ------
    LogError
        If a named column is not there, or no column is recognised as a score.
    ArgumentError
        If the options contradict each other.
    """
    return _Search(table, options, preset or {}).roles()


class _Search:
    def __init__(self, table: Table, options: ReadOptions, preset: NamedRoles) -> None:
        self._table = table
        self._options = options
        self._taken: set[str] = set()
        self._problems: list[Problem] = []
        self._named = self._explicit()
        for role, columns in preset.items():
            self._named.setdefault(role, columns)
            self._take(columns)

    def roles(self) -> Roles:
        found = Roles()
        found.scores, found.wide = self._wide()
        self._take(found.scores)
        found.scores = found.scores or self._named.get("score", ())
        found.case = self._one("case", self._case_names(), _is_id)
        found.index = next((column for column in self._free() if is_index_name(column.name)), None)
        self._take([found.index] if found.index else [])
        found.rep = None if found.wide == "reps" else self._one("rep", aliases.REP, _is_rep)
        found.metric = self._metric(found)
        found.arms = () if found.wide == "arms" else self._arms()
        found.set = self._one("set", aliases.SET, _is_text_label)
        found.inputs = self._inputs()
        found.target = self._one("target", aliases.TARGET, lambda _column: True)
        found.choices = self._one("choices", aliases.CHOICES, lambda column: isinstance(column, Words))
        found.error = self._one("error", aliases.ERROR, lambda _column: True)
        found.status = self._status(has_score=bool(found.scores))
        found.scores = found.scores or self._scores(found)
        found.asked = frozenset(role for role in self._named if role not in _ROLES or role == "cluster")
        found.slices = self._slices(found)
        found.has_others = any(isinstance(column, Words) for column in self._free())
        if found.case is None and not found.inputs and found.set is not None and "set" not in self._named:
            self._refuse_unclear_set(found.set)
        found.problems = tuple(self._problems)
        return found

    def _case_names(self) -> tuple[str, ...]:
        # A frame of Inspect's samples names every run in sample_id and the case in id.
        is_inspect = {"sample_id", "id", "epoch"} <= {plain_name(name) for name in self._table.names}
        return ("id", *aliases.CASE) if is_inspect else aliases.CASE

    def _explicit(self) -> dict[str, tuple[Column, ...]]:
        named: dict[str, tuple[Column, ...]] = {}
        for role, value in self._options.columns.items():
            several = [value] if value in self._table.names or role != "score" else value.replace("|", ",").split(",")
            named[role.strip().lower() if role.strip().lower() in _ROLES else role] = tuple(
                self._required(name.strip(), f"--map {role}={name.strip()}") for name in several
            )
        self._take(column for role, columns in named.items() if role in _ROLES for column in columns)
        both = self._case_and_slice(named)
        self._take(column for columns in named.values() for column in columns if column is not both)
        return named

    def _case_and_slice(self, named: Mapping[str, tuple[Column, ...]]) -> Column | None:
        """Return the column that the user named as a slice and that names the case too, where nothing else does.

        Its rows would be taken for as many cases otherwise. A name such as ``doc`` may well be that of a slice alone.
        """
        if "case" in named or "input" in named:
            return None
        names = self._case_names()
        slices = [columns[0] for role, columns in named.items() if role not in _ROLES]
        others = [column for column in self._free() if column not in slices]
        if any((_is_in(one, names) and _is_id(one)) or _is_in(one, aliases.INPUT) for one in others):
            return None
        fitting = [column for column in slices if _is_in(column, names) and plain_name(column.name).endswith(_ID_ENDS)]
        return next((column for column in fitting if _is_id(column)), None)

    def _required(self, name: str, argument: str) -> Column:
        names = self._table.names
        if name in names:
            return self._table.column(name)
        by_plain = [other for other in names if plain_name(other) == plain_name(name)]
        if len(by_plain) == 1:
            return self._table.column(by_plain[0])
        close = difflib.get_close_matches(name, names, n=1)
        hint = f"Did you mean {close[0]!r}? " if close else ""
        raise LogError(self._table.file, f"{argument} names no column.", hint=f"{hint}Columns: {_listed(names)}.")

    def _wide(self) -> tuple[tuple[Column, ...], Literal["metrics", "arms", "reps"]]:
        arms, reps = self._options.wide_arms, self._options.wide_reps
        if arms and reps:
            allowed = "one of --wide-arms and --wide-reps"
            raise ArgumentError("wide_reps", ",".join(reps), allowed, "A column is an arm or a rep.")
        if not (arms or reps):
            return (), "metrics"
        chosen = arms or reps
        wide: Literal["arms", "reps"] = "arms" if arms else "reps"
        if "score" in self._named:
            came = f"score={self._options.columns['score']}"
            raise ArgumentError("columns", came, f"no score column beside --wide-{wide}", "Leave score=… out.")
        return tuple(self._required(name, f"--wide-{wide} {name}") for name in chosen), wide

    def _take(self, columns: Iterable[Column]) -> None:
        self._taken.update(column.name for column in columns)

    def _free(self) -> list[Column]:
        return [column for column in self._table.columns if column.name not in self._taken]

    def _one(self, role: str, names: Sequence[str], fits: Callable[[Column], bool]) -> Column | None:
        if role in self._named:
            return self._named[role][0]
        found = self._all(names, fits)
        self._take(found[:1])
        return found[0] if found else None

    def _all(self, names: Sequence[str], fits: Callable[[Column], bool]) -> list[Column]:
        by_name = [(names.index(plain_name(column.name)), column) for column in self._free() if _is_in(column, names)]
        return [column for _, column in sorted(by_name, key=lambda pair: pair[0]) if fits(column)]

    def _metric(self, found: Roles) -> Column | None:
        """Return the column that names the metric: there is none where several columns hold scores."""
        if found.wide != "metrics" or len(found.scores) < 2:
            return self._one("metric", aliases.METRIC, _is_text_label)
        if "metric" in self._named:
            came = f"a metric beside the scores {_listed([one.name for one in found.scores])}"
            raise ArgumentError("--map", came, "one score in each row then", "Leave metric=… out, or name one score.")
        return None

    def _arms(self) -> tuple[Column, ...]:
        if "arm" in self._named:
            return self._named["arm"]
        candidates = self._all(aliases.ARM, _is_arm)
        varying = [column for column in candidates if len(encoded(column).values) > 1]
        # Two columns that both vary name the arm together: taking one of them would read the rows of two arms as reps.
        chosen = tuple(varying or candidates[:1])
        self._take(chosen)
        return chosen

    def _inputs(self) -> tuple[Column, ...]:
        if "input" in self._named:
            return self._named["input"]
        found = self._all(aliases.INPUT, lambda column: not column.is_empty)
        pair = [column for column in found if plain_name(column.name) in {"input", "instruction"}]
        chosen = pair if len(pair) == 2 else found[:1]
        if not chosen:
            prefixes = ("inputs.", "input.", "vars.")
            chosen = [column for column in self._free() if column.name.lower().startswith(prefixes)]
        self._take(chosen)
        return tuple(chosen)

    def _status(self, *, has_score: bool) -> Column | None:
        if "status" in self._named:
            column = self._named["status"][0]
            _, unknown = status_words(texts(encoded(column)))
            if unknown:
                raise LogError(
                    self._table.file,
                    f"holds words that are no status: {_listed(unknown[:5])}.",
                    field=column.name,
                    hint="Known are ok, error, unscored, skipped, cancelled, limit, timeout, invalid, not_run.",
                )
            return column
        for column in self._all(aliases.STATUS, _is_text_label):
            is_status = not status_words(texts(encoded(column)))[1]
            # A column of nothing but pass and fail is the score itself where there is no other.
            is_only_score = _is_outcome(column) and not (has_score or self._score_columns())
            if is_status and not is_only_score:
                self._take([column])
                return column
        return None

    def _score_columns(self) -> list[Column]:
        found = [column for column in self._candidates() if is_score_name(column.name) and _is_score(column)]
        # A label or grade beside a score is the class of the case more often than a second metric.
        return [column for column in found if plain_name(column.name) not in aliases.WEAK_SCORE] or found

    def _candidates(self) -> list[Column]:
        """Return the free columns that may be scores: beside what a classifier said, its labels are the truth."""
        free = self._free()
        if not any(_is_in(column, aliases.PREDICTED) for column in self._table.columns):
            return free
        classes = {*aliases.PREDICTED, *aliases.TRUE_LABEL}
        return [column for column in free if not _is_in(column, classes)]

    def _candidates_of_numbers(self) -> list[Column]:
        return [
            column
            for column in self._candidates()
            if is_possible_score(column.name) and is_score_like(column) and not aliases.is_content_name(column.name)
        ]

    def _scores(self, found: Roles) -> tuple[Column, ...]:
        named = self._score_columns()
        if named and found.metric is not None:
            order = [plain_name(column.name) for column in named]
            best = min(range(len(named)), key=lambda place: _rank(order[place]))
            named = [named[best]]
        elif not named:
            named = self._unnamed_score(found)
        elif all(is_known_metric(column.name) for column in named):
            # A metric that we know by its name says nothing against one beside it that we do not know.
            beside = [column for column in self._free() if is_possible_score(column.name) and _is_fraction(column)]
            together = {column.name for column in (*named, *beside)}
            if len(together) > len(named):
                named = self._several([column for column in self._free() if column.name in together])
        self._take(named)
        if len(named) > 1:
            named = [column for column in named if not column.is_empty] or named
        return tuple(named)

    def _unnamed_score(self, found: Roles) -> list[Column]:
        candidates = self._candidates_of_numbers()
        refuse_what_holds_no_score(self._table, self._free(), has_numbers=bool(candidates))
        if found.metric is not None and len(candidates) > 1:
            names = _listed([column.name for column in candidates])
            problem = f"the metric stands in a column, and any of these may hold its score: {names}."
            raise UnknownFormatError(self._table.file, problem, field=found.metric.name, hint=_MAP_HINT)
        if len(candidates) == 1:
            name = candidates[0].name
            text = f"No column is called a score; {name!r} is the only column of numbers and was taken."
            self._problem(f"{text} If it is not the score, name the score: --map score=COLUMN.")
            return candidates
        if not self._table.names:
            hint = 'One record a score, such as: {"case": "q1", "score": 1}'
            raise UnknownFormatError(self._table.file, "its records have no fields.", hint=hint)
        if not candidates:
            hint = f"{_MAP_HINT} Columns: {_listed(self._table.names)}."
            raise UnknownFormatError(self._table.file, "no column is recognised as the score.", hint=hint)
        return self._several(candidates)

    def _several(self, candidates: list[Column]) -> list[Column]:
        names = _listed([column.name for column in candidates])
        text = f"No column is called a score; each of {len(candidates)} columns of numbers was taken as one: {names}."
        self._problem(f"{text} If they are arms or reps of a wide table, name them with --wide-arms or --wide-reps.")
        return candidates

    def _problem(self, text: str) -> None:
        self._problems.append(Problem(text=text, file=self._table.file))

    def _slices(self, found: Roles) -> dict[str, Column]:
        slices = {role: self._named[role][0] for role in sorted(found.asked)}
        named = {column.name for column in slices.values()}
        for column in self._free():
            if column.name in named or not _is_slice(column):
                continue
            leaf = column.name.split("metadata.", 1)[-1]
            name = leaf if leaf not in slices and leaf not in self._table.names else column.name
            slices.setdefault(name, column)
        return slices

    def _refuse_unclear_set(self, column: Column) -> None:
        if len(encoded(column).values) > 1:
            raise LogError(
                self._table.file,
                "may name the case or the eval set, and no other column names the case.",
                field=column.name,
                hint=f"Say which: --map case={column.name} or --map set={column.name}.",
            )


def _is_in(column: Column, names: Collection[str]) -> bool:
    return plain_name(column.name) in names


def _rank(name: str) -> int:
    return aliases.SCORE.index(name) if name in aliases.SCORE else len(aliases.SCORE)


def _is_text(column: Column) -> bool:
    return isinstance(column, Words) and all(isinstance(value, str) for value in column.values)


def _longest(column: Column) -> int:
    return max(map(len, texts(column)), default=0) if isinstance(column, Words) else 0


def _is_id(column: Column) -> bool:
    if column.is_empty:
        return False
    if isinstance(column, Numbers):
        whole = column.numbers.dtype.kind == "i"
        return whole or (column.numbers.dtype.kind == "f" and all("." not in text for text in texts(encoded(column))))
    return _is_text(column)


def _is_label(column: Column) -> bool:
    return isinstance(column, Numbers) or (_is_text(column) and _longest(column) <= aliases.LONG_TEXT)


def _is_shared_text(column: Column) -> bool:
    """Return whether long texts stand in several rows each: a system's name or prompt, and nothing that it said."""
    return _is_text(column) and 2 * len(encoded(column).values) <= len(column)


def _is_text_label(column: Column) -> bool:
    return not column.is_empty and _is_text(column) and _longest(column) <= aliases.LONG_TEXT


def _is_rep(column: Column) -> bool:
    if column.is_empty or not _is_label(column):
        return False
    return plain_name(column.name) not in aliases.SERIES_REP or len(encoded(column).values) > 1


def _is_arm(column: Column) -> bool:
    if column.is_empty or not (_is_label(column) or _is_shared_text(column)):
        return False
    return plain_name(column.name) in aliases.NUMERIC_ARM or not is_score_like(column)


def _is_score(column: Column) -> bool:
    plain = plain_name(column.name)
    if isinstance(column, Words) and not _is_text(column):
        return False
    if plain in aliases.SCORE and plain not in aliases.WEAK_SCORE:
        return True
    # Letters and labels of a few kinds are kept as words: the question says how to map them.
    return column.is_empty or is_score_like(column) or (isinstance(column, Words) and 0 < len(column.values) <= 20)


def _is_fraction(column: Column) -> bool:
    """Return whether a column holds shares, some of them between 0 and 1: a score, and no slice with two values."""
    if not is_score_like(column):
        return False
    score = cleaned_scores(column).score
    known = score[score == score]  # noqa: PLR0124 (NaN differs from itself)
    return bool(((known >= 0) & (known <= 1)).all() and ((known > 0) & (known < 1)).any())


def _is_outcome(column: Column) -> bool:
    """Return whether a column of states says how each test ended, and not only which runs came to their end."""
    ended = {text.casefold() for text in texts(encoded(column)) if status_in(text) is None}
    return is_score_like(column) and not ended <= {"success", "succeeded"}


def _is_slice(column: Column) -> bool:
    if column.is_empty or aliases.is_content_name(column.name) or not _is_label(column):
        return False
    return not is_score_name(column.name) or plain_name(column.name) in aliases.WEAK_SCORE


def _listed(names: Sequence[str]) -> str:
    shown = ", ".join(repr(name) for name in names[:30]) or "none"
    return f"{shown} and {len(names) - 30} more" if len(names) > 30 else shown
