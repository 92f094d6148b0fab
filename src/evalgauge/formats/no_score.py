"""Tables that show what stands in place of a score: refused with what to do about it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evalgauge.errors import LogError
from evalgauge.formats import aliases
from evalgauge.formats.columns import Words

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evalgauge.formats.columns import Column, Table


def refuse_what_holds_no_score(table: Table, free: Sequence[Column], *, has_numbers: bool) -> None:
    """Refuse a table without a column that is called a score, where it shows what it holds in its place.

    Parameters
    ----------
    table
        The table.
    free
        Its columns that play no role.
    has_numbers
        Whether some of them may be scores.

    Raises
    ------
    LogError
        A column of scores holds lists; or there are labels beside predictions, and no numbers.
    """
    lists = next((one for one in free if aliases.is_score_name(one.name) and _is_of_lists(one)), None)
    if lists is not None:
        raise LogError(
            table.file,
            "holds lists, and which of the numbers counts is not said.",
            field=lists.name,
            hint=f"Write one row a rep, each with one score, such as with pandas: frame.explode({lists.name!r}).",
        )
    said = next((one for one in table.columns if aliases.plain_name(one.name) in aliases.PREDICTED), None)
    true = next((one for one in free if aliases.plain_name(one.name) in aliases.TRUE_LABEL), None)
    if said is not None and true is not None and not has_numbers:
        raise LogError(
            table.file,
            f"holds what was predicted ({said.name!r}) and what is true ({true.name!r}), and no score.",
            hint=f"Add a column 'correct' that says whether {said.name!r} is right, and read the table again.",
        )


def _is_of_lists(column: Column) -> bool:
    return isinstance(column, Words) and any(isinstance(value, list) for value in column.values)
