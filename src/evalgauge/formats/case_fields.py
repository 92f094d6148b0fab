"""Which fields of a case can serve as a slice or a cluster, and fields that are read only when somebody asks.

A slice groups cases, and a converted log, which holds the fields, must not give the eval set away. One rule for all
formats, ``grouping_fields``: a field is left out

* if its name, or a part of its path, is that of an input, a target, choices or an answer;
* if it holds the target of its case wherever both are known;
* if a value has more than 120 characters;
* if it is free text that hardly repeats: some value has a blank, more than 40 characters or a script that is written
  without blanks, and more than half of the cases that have the field have different values.

Numbers, whole or not, and short names are kept. A column that the user maps is always kept.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, TypeAlias

from evalgauge.formats.aliases import LONG_TEXT, is_content_name
from evalgauge.formats.json_text import is_array, is_object

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Sequence

_NAME_CHARS = 40
# Kana, Han, Hangul and Thai: a sentence in them may have no blank.
_UNSPACED = re.compile("[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\u0e00-\u0e7f]{5}")

Columns: TypeAlias = "dict[str, tuple[str | None, ...]]"


def field_text(value: object) -> str | None:
    """Return a JSON scalar as text, or ``None`` for null, an array or an object.

    Examples
    --------
    >>> field_text(True), field_text(3), field_text("web"), field_text([1])
    ('true', '3', 'web', None)
    """
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (int, float)):
        return repr(value)
    return value if isinstance(value, str) else None


def grouping_fields(
    columns: Columns, *, targets: Sequence[object] | None = None, asked: Collection[str] = ()
) -> Columns:
    """Return the columns that can group cases; the module says which those are.

    Parameters
    ----------
    columns
        One value per case, or ``None``.
    targets
        What each case expects, where that is known: text, a number, or a list of answers.
    asked
        Columns that the user named: they are kept whatever they hold.

    Examples
    --------
    >>> found = grouping_fields({
    ...     "topic": ("log in", "log in", "bill", "bill"), "ticket": ("No access", "Where?", "Too high", "So dear"),
    ...     "queue": ("it", "it", "cash", "it"), "cost": ("0.1", "0.2", "0.3", "0.4"),
    ... }, targets=("it", "it", "cash", "it"))
    >>> list(found)
    ['topic', 'cost']
    """
    expected = [_answers(target) for target in targets or ()]
    return {
        name: values
        for name, values in columns.items()
        if name in asked or not (is_content_name(name) or _is_target(values, expected) or _is_content(values))
    }


def _answers(target: object) -> frozenset[str]:
    several = target if is_array(target) else [target]
    return frozenset(text.strip() for text in map(field_text, several) if text is not None)


def _is_target(values: Sequence[str | None], expected: Sequence[frozenset[str]]) -> bool:
    pairs = [(value, answers) for value, answers in zip(values, expected, strict=False) if value and answers]
    # Where all cases share one value, that it is the target too says nothing.
    return len({value for value, _ in pairs}) > 1 and all(value.strip() in answers for value, answers in pairs)


def _is_content(values: Sequence[str | None]) -> bool:
    distinct = {value for value in values if value is not None}
    if any(len(value) > LONG_TEXT for value in distinct):
        return True
    known = len(values) - values.count(None)
    return 2 * len(distinct) > known > 1 and any(map(_is_free_text, distinct))


def _is_free_text(value: str) -> bool:
    return len(value) > _NAME_CHARS or " " in value.strip() or _UNSPACED.search(value) is not None


class FieldCollector:
    """Turn the records of cases into columns; a case may come several times (its reps).

    A field is case-level: one whose value changes between the reps of a case is left out and named in ``varying``.

    Examples
    --------
    >>> collector = FieldCollector()
    >>> collector.add(0, {"topic": "login", "source": {"page": 3}, "tags": ["a"], "turns": 2})
    >>> collector.add(0, {"topic": "login", "source": {"page": 3}, "tags": ["a"], "turns": 5})
    >>> collector.add(1, {"topic": "billing", "question": "How much?"})
    >>> collector.columns(2)
    {'topic': ('login', 'billing'), 'source.page': ('3', None)}
    >>> sorted(collector.varying)
    ['turns']
    """

    def __init__(self) -> None:
        self._values: dict[str, dict[int, str]] = {}
        self._targets: dict[int, object] = {}
        self.varying: set[str] = set()

    def add(self, case: int, record: Mapping[str, object], target: object = None) -> None:
        """Take the scalar members of a record; those of an object inside are named ``outer.inner``.

        Parameters
        ----------
        case
            Index of the case.
        record
            What the log says about it.
        target
            What the case expects, where the log says it.
        """
        if target is not None:
            self._targets.setdefault(case, target)
        for name, value in record.items():
            if is_object(value):
                for key, inner in value.items():
                    self._take(case, f"{name}.{key}", inner)
            else:
                self._take(case, name, value)

    def columns(self, n_cases: int) -> Columns:
        """Return the fields that can group cases as columns over the cases 0, 1, …, ``n_cases`` - 1."""
        columns = {
            name: tuple(values.get(case) for case in range(n_cases))
            for name, values in self._values.items()
            if name not in self.varying
        }
        return grouping_fields(columns, targets=[self._targets.get(case) for case in range(n_cases)])

    def _take(self, case: int, name: str, value: object) -> None:
        text = field_text(value)
        if text is None:
            return
        if self._values.setdefault(name, {}).setdefault(case, text) != text:
            self.varying.add(name)


class LazyFields(Mapping[str, "tuple[str | None, ...]"]):
    """Fields that are read from the log at the first look: a score needs none of them.

    Parameters
    ----------
    load
        Reads the columns; called once.
    """

    def __init__(self, load: Callable[[], Columns]) -> None:
        self._load = load
        self._columns: Columns | None = None

    def _read(self) -> Columns:
        if self._columns is None:
            self._columns = self._load()
        return self._columns

    def __getitem__(self, name: str) -> tuple[str | None, ...]:
        return self._read()[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._read())

    def __len__(self) -> int:
        return len(self._read())
