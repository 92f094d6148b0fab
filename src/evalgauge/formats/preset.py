"""How the table of a platform is known, and what its columns are."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from evalgauge.formats.columns import Table


@dataclass(frozen=True, slots=True, kw_only=True)
class Preset:
    """How to know the table of a platform, and what its columns are.

    Attributes
    ----------
    framework
        Name of the platform, for ``Run.framework``.
    needs
        Columns that are all there.
    has
        Some column is called so, as a pattern.
    roles
        Role → names of columns, of which the first that is there is taken. A name that ends in ``.`` stands for
        itself without the point, or else for all columns that begin so, which are joined to one record.
    scores
        The columns that are scores, as a pattern.
    are_rest_scores
        Whether every column of numbers without a role is a score.
    dropped
        Columns that belong to the run and not to the case, as a pattern.
    prepare
        Further work on the table, done first.
    """

    framework: str
    needs: frozenset[str]
    has: str = ".*"
    roles: Mapping[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])
    scores: str = "(?!)"
    are_rest_scores: bool = False
    dropped: str = "(?!)"
    prepare: Callable[[Table], Table] | None = None

    def fits(self, names: Sequence[str]) -> bool:
        """Return whether a table with these columns is one of the platform's."""
        return self.needs <= set(names) and any(re.fullmatch(self.has, name, re.DOTALL) for name in names)
