"""Names for the arms of an import: short where a model's name is enough, longer where it is not."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

MAX_VALUE_CHARS = 40
"""A longer value is cut when it becomes part of an arm's name."""


def arm_names(details: Sequence[tuple[str, Mapping[str, str]]]) -> list[str]:
    """Return a name per run: its model, and what else differs among the runs of that model on that set.

    Parameters
    ----------
    details
        Per run the name of its set and its ``arm_detail``.

    Examples
    --------
    >>> arm_names([("faq", {"model": "m/a", "task_args": "{}"}), ("faq", {"model": "m/b", "task_args": "{}"})])
    ['m/a', 'm/b']
    >>> arm_names([("faq", {"model": "m/a", "solver": "cot"}), ("faq", {"model": "m/a", "solver": "plain"})])
    ['m/a (solver=cot)', 'm/a (solver=plain)']
    """
    rivals: dict[tuple[str, str], list[Mapping[str, str]]] = defaultdict(list)
    for set_name, detail in details:
        rivals[set_name, detail.get("model", "")].append(detail)
    names: list[str] = []
    given: dict[tuple[str, str], list[Mapping[str, str]]] = defaultdict(list)
    for set_name, detail in details:
        model = detail.get("model", "")
        group = rivals[set_name, model]
        differing = sorted(
            key for key in {key for other in group for key in other} if len({other.get(key) for other in group}) > 1
        )
        parts = [f"{key}={_short(detail[key])}" for key in differing if key in detail]
        name = f"{model or 'unnamed'} ({', '.join(parts)})" if parts else model or "unnamed"
        # Two long values may be cut to the same text: a number keeps their arms apart.
        same_name = given[set_name, name]
        if detail not in same_name:
            same_name.append(detail)
        number = same_name.index(detail)
        names.append(name if number == 0 else f"{name} #{number + 1}")
    return names


def _short(text: str) -> str:
    return text if len(text) <= MAX_VALUE_CHARS else text[: MAX_VALUE_CHARS - 1] + "…"
