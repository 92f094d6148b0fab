"""Which tests of a JUnit file are reps of one test: what the endings of their names say.

pytest-repeat turns ``test_item[q-000]`` into ``test_item[q-000-1-3]``, ``…-2-3]``, ``…-3-3]``, and ``test_item`` into
``test_item[1-3]`` and so on. Whole-number parameters look alike, so an ending is believed only where it can be nothing
else: all endings of a test name one number of reps, and every rep is there.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

_ENDING = re.compile(r"(?P<base>.*)(?P<mark>[\[-])(?P<rep>[0-9]{1,6})-(?P<of>[0-9]{1,6})\]", re.DOTALL)


class Repeated(NamedTuple):
    """A test without its ending, which rep this run of it is, and of how many."""

    base: str
    rep: int
    of: int


class Reps(NamedTuple):
    """What was found.

    Attributes
    ----------
    of_test
        Per test its base and rep, or ``None`` where its name is its own.
    planned
        Reps by place and base, for the tests that have reps.
    unsure
        Names that end like reps of which some are missing, so that they were left as they are.
    """

    of_test: list[Repeated | None]
    planned: dict[tuple[Hashable, str], int]
    unsure: list[str]


def repeats(tests: Sequence[tuple[Hashable, str]]) -> Reps:
    """Return which tests are reps of which.

    Parameters
    ----------
    tests
        Per test where it stands (file, class) and its name.

    Returns
    -------
    Reps
        A test of which some reps are missing has reps where most tests with that number of reps are whole: a run that
        stops at a failure leaves the last ones out.

    Examples
    --------
    >>> found = repeats([("f", "test_a[x-1-2]"), ("f", "test_a[x-2-2]"), ("f", "test_b[1-2]"), ("f", "test_b[2-1]")])
    >>> found.of_test
    [Repeated(base='test_a[x]', rep=1, of=2), Repeated(base='test_a[x]', rep=2, of=2), None, None]
    """
    endings = [_ending(name) for _, name in tests]
    groups: defaultdict[tuple[Hashable, str], list[int]] = defaultdict(list)
    for number, ((place, _), ending) in enumerate(zip(tests, endings, strict=True)):
        if ending is not None:
            groups[place, ending.base].append(number)
    plain = set(tests)
    fitting = {
        key: found
        for key, found in groups.items()
        if key not in plain and _is_series([one for number in found if (one := endings[number]) is not None])
    }
    planned = {key: ending.of for key, found in fitting.items() if (ending := endings[found[0]]) is not None}
    whole = Counter(planned[key] for key, found in fitting.items() if len(found) == planned[key])
    partial = Counter(planned[key] for key, found in fitting.items() if len(found) < planned[key])
    of_test: list[Repeated | None] = [None] * len(tests)
    unsure: list[str] = []
    for key, found in fitting.items():
        of = planned[key]
        if len(found) == of or whole[of] > partial[of]:
            for number in found:
                of_test[number] = endings[number]
        else:
            unsure += [tests[number][1] for number in found]
            del planned[key]
    return Reps(of_test, planned, unsure)


def _ending(name: str) -> Repeated | None:
    found = _ENDING.fullmatch(name)
    if found is None:
        return None
    base = found["base"] + ("]" if found["mark"] == "-" else "")
    return Repeated(base, int(found["rep"]), int(found["of"]))


def _is_series(endings: Sequence[Repeated]) -> bool:
    """Return whether endings can be those of reps: one number of reps, no rep twice, none beyond it."""
    reps = {ending.rep for ending in endings}
    totals = {ending.of for ending in endings}
    if len(totals) != 1 or len(reps) < len(endings):
        return False
    return min(reps) >= 1 and max(2, *reps) <= min(totals)
