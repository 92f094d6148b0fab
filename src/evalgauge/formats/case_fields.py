"""Which parts of a record can serve as a slice or a cluster, and fields that are read only when somebody asks."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, TypeAlias

from evalgauge.formats.json_text import is_object

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

MAX_FIELD_CHARS = 256
"""A longer text names no group of cases."""

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


class FieldCollector:
    """Turn the records of cases into columns; a case may come several times (its reps).

    A field is case-level: one whose value changes between the reps of a case is left out and named in ``varying``.
    A field that holds a long text anywhere is left out: it is content, no slice.

    Examples
    --------
    >>> collector = FieldCollector()
    >>> collector.add(0, {"topic": "login", "source": {"page": 3}, "tags": ["a"], "turns": 2})
    >>> collector.add(0, {"topic": "login", "source": {"page": 3}, "tags": ["a"], "turns": 5})
    >>> collector.add(1, {"topic": "billing"})
    >>> collector.columns(2)
    {'topic': ('login', 'billing'), 'source.page': ('3', None)}
    >>> sorted(collector.varying)
    ['turns']
    """

    def __init__(self) -> None:
        self._values: dict[str, dict[int, str]] = {}
        self._long: set[str] = set()
        self.varying: set[str] = set()

    def add(self, case: int, record: Mapping[str, object]) -> None:
        """Take the scalar members of a record; those of an object inside are named ``outer.inner``."""
        for name, value in record.items():
            if is_object(value):
                for key, inner in value.items():
                    self._take(case, f"{name}.{key}", inner)
            else:
                self._take(case, name, value)

    def columns(self, n_cases: int) -> Columns:
        """Return the fields as columns over the cases 0, 1, …, ``n_cases`` - 1."""
        left_out = self._long | self.varying
        return {
            name: tuple(values.get(case) for case in range(n_cases))
            for name, values in self._values.items()
            if name not in left_out
        }

    def _take(self, case: int, name: str, value: object) -> None:
        text = field_text(value)
        if text is None:
            return
        if len(text) > MAX_FIELD_CHARS:
            self._long.add(name)
        elif self._values.setdefault(name, {}).setdefault(case, text) != text:
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
