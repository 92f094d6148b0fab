"""How many different cases several arms have between them."""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import TYPE_CHECKING

from evalgauge.scores.identity import fingerprints

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evalgauge.scores.table import Cases
    from evalgauge.scores.units import Unit


def distinct_cases(found: Sequence[Unit]) -> int:
    """Return the number of cases over all sets, a case that several arms of one set have counted once.

    A case is known again by equal content, or by its id where its content is not known. Copies within an arm are cases
    of their own. Content that was put into another template counts as another case: ``pairing`` knows better, and
    costs more.

    Parameters
    ----------
    found
        What each arm did on each set.

    Examples
    --------
    >>> from evalgauge.scores.build import TableBuilder
    >>> from evalgauge.scores.table import Run
    >>> from evalgauge.scores.units import units
    >>> builder = TableBuilder()
    >>> for arm, ids in (("old", "ab"), ("new", "bc")):
    ...     run = builder.add_run(Run(run_id=arm, set_name="s", arm=arm, framework="x", file="x"))
    ...     for one in ids:
    ...         case = builder.case_index(one)
    ...         builder.add(run=run, case=case, rep=1, metric=builder.metric_index("m"), score=1.0)
    >>> distinct_cases(units(builder.build()))
    3
    """
    by_set: defaultdict[str, list[Unit]] = defaultdict(list)
    for unit in found:
        by_set[unit.set_name].append(unit)
    return sum(_of_set(arms) for arms in by_set.values())


def _of_set(arms: Sequence[Unit]) -> int:
    if len(arms) == 1:
        # Nothing to compare with: hashing every text of a large log would be for nothing.
        return len(arms[0].cases)
    most: Counter[tuple[str, str]] = Counter()
    for unit in arms:
        most |= _keys(unit.cases)
    return most.total()


def _keys(cases: Cases) -> Counter[tuple[str, str]]:
    known = fingerprints(cases)
    return Counter(
        ("content", content) if content is not None else ("id", name)
        for content, name in zip(known.case_fp, cases.case_id, strict=True)
    )
