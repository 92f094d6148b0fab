"""Knowing a case when it comes back: by fingerprints of its content, and by its id only where ids can be trusted."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import count
from operator import eq
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from evalgauge.scores.canonical import case_fingerprint, input_fingerprint, plain_text, target_fingerprint
from evalgauge.scores.number_ids import are_numbers

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    from numpy.typing import NDArray

    from evalgauge.scores.table import CaseContent, Cases

CaseKey: TypeAlias = "str | tuple[str, int]"

# Share of the ids, and share of the contents behind equal ids, that must agree before ids alone make a pair.
_LEAST_AGREEMENT = 0.8


@dataclass(frozen=True, slots=True, kw_only=True)
class Fingerprints:
    """What identifies each case of a table, in the order of its cases.

    Attributes
    ----------
    case_fp
        Hash of input, choices and target: 32 hexadecimal digits (BLAKE2b, 128 bits). ``None``: content unknown.
    input_fp
        Hash of the input and of the choices in any order: it survives a corrected label and shuffled choices.
        ``None``: nothing is asked, or unknown.
    target_fp
        Hash of the target alone. ``None``: no target, or unknown.
    texts
        Words of the input and the choices for near matching; kept in memory only.
    """

    case_fp: tuple[str | None, ...]
    input_fp: tuple[str | None, ...]
    target_fp: tuple[str | None, ...]
    texts: tuple[str | None, ...]

    def __len__(self) -> int:
        return len(self.case_fp)


class CaseView:
    """Cases whose fingerprints are made at most once, and only when somebody asks.

    Pair one baseline with many candidates through one view, and its contents are read once.

    Parameters
    ----------
    cases
        The cases of a table.
    """

    def __init__(self, cases: Cases) -> None:
        self.cases = cases

    @property
    def has_content(self) -> bool:
        """Whether the source holds contents, or fingerprints of them."""
        return self.cases.contents is not None or self.cases.case_fp is not None or self.cases.input_fp is not None

    @cached_property
    def fingerprints(self) -> Fingerprints:
        """The fingerprints of the cases."""
        return fingerprints(self.cases)

    def is_known(self) -> NDArray[np.bool_]:
        """Return per case whether its content is known."""
        if not self.has_content:
            return np.zeros(len(self.cases), dtype=np.bool_)
        found = zip(self.fingerprints.case_fp, self.fingerprints.input_fp, strict=True)
        return np.fromiter((pair != (None, None) for pair in found), dtype=np.bool_, count=len(self.cases))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class UsableIds:
    """Cases of two logs that may be paired by id.

    Attributes
    ----------
    one, two
        Indices of the cases with equal ids, as far as no content contradicts.
    notes
        Sentences that say what an id is worth here.
    refusal
        Why equal ids were not used; ``""`` when they were, or when there are none.
    """

    one: NDArray[np.intp]
    two: NDArray[np.intp]
    notes: tuple[str, ...] = ()
    refusal: str = ""


def fingerprints(cases: Cases) -> Fingerprints:
    """Return what identifies each case.

    Fingerprints that the source carries are taken as they are; the rest comes from the contents, which are asked for
    once.

    Parameters
    ----------
    cases
        The cases of a table.

    Returns
    -------
    Fingerprints
        One entry per case; ``None`` where the source holds no content.

    Examples
    --------
    >>> import numpy as np
    >>> from evalgauge.scores.table import CaseContent, Cases
    >>> asked = (CaseContent(input="2+2?", target="4"), CaseContent(input=" 2+2? ", target="5"))
    >>> found = fingerprints(Cases(case_id=("a", "b"), dup=np.zeros(2, np.int32), contents=lambda: asked))
    >>> found.input_fp[0] == found.input_fp[1], found.case_fp[0] == found.case_fp[1]
    (True, False)
    """
    nothing: tuple[str | None, ...] = (None,) * len(cases)
    if cases.contents is None:
        return Fingerprints(
            case_fp=cases.case_fp or nothing, input_fp=cases.input_fp or nothing, target_fp=nothing, texts=nothing
        )
    contents = cases.contents()
    return Fingerprints(
        case_fp=_filled(cases.case_fp, [case_fingerprint(content) for content in contents]),
        input_fp=_filled(cases.input_fp, [input_fingerprint(content) for content in contents]),
        target_fp=tuple(target_fingerprint(content) for content in contents),
        texts=tuple(_text(content) for content in contents),
    )


def _filled(carried: Sequence[str | None] | None, made: Sequence[str | None]) -> tuple[str | None, ...]:
    if carried is None:
        return tuple(made)
    return tuple(old if old is not None else new for old, new in zip(carried, made, strict=True))


def _text(content: CaseContent | None) -> str | None:
    if content is None:
        return None
    return " ".join(part for part in (plain_text(content.input), plain_text(content.choices)) if part) or None


def case_keys(cases: Cases) -> Sequence[CaseKey]:
    """Return what names each case within its log: the id, with its number where an id stands more than once."""
    if not cases.dup.any():
        return cases.case_id
    dups: list[int] = cases.dup.tolist()
    return tuple((case_id, dup) if dup else case_id for case_id, dup in zip(cases.case_id, dups, strict=True))


def distinct_dups(ids: Sequence[str], dups: Sequence[int]) -> NDArray[np.int32]:
    """Return the numbers within equal ids, a new one where two different cases came with the same id and number."""
    taken: set[tuple[str, int]] = set()
    found: list[int] = []
    for case_id, dup in zip(ids, dups, strict=True):
        found.append(next(number for number in count(dup) if (case_id, number) not in taken))
        taken.add((case_id, found[-1]))
    return np.asarray(found, dtype=np.int32)


def equal_names(
    one: Sequence[Hashable],
    two: Sequence[Hashable],
    *,
    free: tuple[NDArray[np.intp], NDArray[np.intp]],
    keys: tuple[Sequence[CaseKey], Sequence[CaseKey]],
) -> tuple[NDArray[np.intp], NDArray[np.intp], int]:
    """Return the cases of two logs that have the same name (a fingerprint, a hash, an id), one to one.

    Parameters
    ----------
    one, two
        A name per case; ``None`` is no name.
    free
        Indices, ascending, of the cases to match on either side.
    keys
        What names the cases within their logs: copies of equal key are paired first, the rest in the order of keys.

    Returns
    -------
    tuple
        Indices into ``one`` (ascending), the partners in ``two``, and how many pairs are copies of another pair.
    """
    left, right = _named(one, free[0]), _named(two, free[1])
    if one == two and keys[0] == keys[1] and np.array_equal(left, right):
        # One set in one order: copies, too, are beside their partners.
        return left, right, 0 if one is keys[0] else left.size - len({one[index] for index in _listed(left)})
    hashes = [_hashes(names, at) for names, at in ((one, left), (two, right))]
    repeated = np.union1d(*map(_repeated, hashes))
    found = _equal_once(one, two, (left, right), hashes, repeated)
    if found is None:
        # Two different names have one hash.
        return _equal_copies(one, two, (left, right), keys)
    if not repeated.size:
        return *found, 0
    twice = [at[np.isin(column, repeated)] for at, column in zip((left, right), hashes, strict=True)]
    first, second, copies = _equal_copies(one, two, (twice[0], twice[1]), keys)
    first, second = np.concatenate([found[0], first]), np.concatenate([found[1], second])
    order = np.argsort(first)
    return first[order], second[order], copies


def _named(names: Sequence[Hashable], free: NDArray[np.intp]) -> NDArray[np.intp]:
    if None not in names:
        return free
    return free[np.fromiter((names[index] is not None for index in _listed(free)), dtype=np.bool_, count=free.size)]


def _hashes(names: Sequence[Hashable], at: NDArray[np.intp]) -> NDArray[np.int64]:
    chosen = names if at.size == len(names) else [names[index] for index in _listed(at)]
    return np.fromiter(map(hash, chosen), dtype=np.int64, count=at.size)


def _repeated(hashes: NDArray[np.int64]) -> NDArray[np.int64]:
    ordered = np.sort(hashes)
    return ordered[1:][ordered[1:] == ordered[:-1]]


def _equal_once(
    one: Sequence[Hashable],
    two: Sequence[Hashable],
    at: tuple[NDArray[np.intp], NDArray[np.intp]],
    hashes: Sequence[NDArray[np.int64]],
    repeated: NDArray[np.int64],
) -> tuple[NDArray[np.intp], NDArray[np.intp]] | None:
    """Return the cases of equal name among names that stand once, or ``None`` when different names have one hash.

    Sorting the hashes of the names reads memory in order; a look-up per name in a dictionary would not.
    """
    order = np.argsort(hashes[0]), np.argsort(hashes[1])
    mine, theirs = hashes[0][order[0]], hashes[1][order[1]]
    place = np.minimum(np.searchsorted(theirs, mine), max(theirs.size - 1, 0))
    equal = theirs[place] == mine if theirs.size else np.zeros(mine.size, dtype=np.bool_)
    if repeated.size:
        equal &= ~np.isin(mine, repeated)
    partner = np.full(len(one), -1, dtype=np.intp)
    partner[at[0][order[0][equal]]] = at[1][order[1][place[equal]]]
    first = np.flatnonzero(partner >= 0)
    second = partner[first]
    # Ascending, so that all of them are the names themselves.
    mine_named = one if first.size == len(one) else [one[index] for index in _listed(first)]
    theirs_named = [two[index] for index in _listed(second)]
    return (first, second) if all(map(eq, mine_named, theirs_named)) else None


def _equal_copies(
    one: Sequence[Hashable],
    two: Sequence[Hashable],
    at: tuple[NDArray[np.intp], NDArray[np.intp]],
    keys: tuple[Sequence[CaseKey], Sequence[CaseKey]],
) -> tuple[NDArray[np.intp], NDArray[np.intp], int]:
    groups: dict[Hashable, tuple[list[int], list[int]]] = {}
    for index in _listed(at[0]):
        groups.setdefault(one[index], ([], []))[0].append(index)
    for index in _listed(at[1]):
        if (group := groups.get(two[index])) is not None:
            group[1].append(index)
    pairs: list[tuple[int, int]] = []
    copies = 0
    for group in groups.values():
        paired = list(zip(*(group if max(map(len, group)) == 1 else _aligned(*group, keys)), strict=False))
        copies += max(len(paired) - 1, 0)
        pairs += paired
    first, second = np.asarray(sorted(pairs), dtype=np.intp).reshape(-1, 2).T
    return first, second, copies


def _aligned(
    mine: list[int], theirs: list[int], keys: tuple[Sequence[CaseKey], Sequence[CaseKey]]
) -> tuple[list[int], list[int]]:
    """Return the copies of one case in the order in which they are paired."""
    left = {keys[0][index]: index for index in mine}
    right = {keys[1][index]: index for index in theirs}
    equal = sorted(left.keys() & right.keys(), key=_shortlex)
    rest = sorted(left.keys() - right.keys(), key=_shortlex), sorted(right.keys() - left.keys(), key=_shortlex)
    return [left[key] for key in [*equal, *rest[0]]], [right[key] for key in [*equal, *rest[1]]]


def _shortlex(key: CaseKey) -> tuple[int, str, int]:
    """Order ids so that 9 comes before 10, whatever the order of the log."""
    case_id, dup = key if isinstance(key, tuple) else (key, 0)
    return len(case_id), case_id, dup


def _listed(indices: NDArray[np.intp]) -> list[int]:
    return indices.tolist()


def usable_ids(
    one: CaseView,
    two: CaseView,
    *,
    keys: tuple[Sequence[CaseKey], Sequence[CaseKey]],
    partner: NDArray[np.intp],
) -> UsableIds:
    """Return the cases that equal ids may pair, and what has to be said about it.

    Cases whose content is known on both sides are for content to pair. Where such cases have equal ids, four in five
    must agree in content before ids are believed for the others.

    Parameters
    ----------
    one, two
        The cases of the two logs.
    keys
        Their keys, see ``case_keys``.
    partner
        Per case of ``one`` the case of ``two`` that content has paired it with, or -1.

    Returns
    -------
    UsableIds
        Without any pair when ids cannot be trusted; ``refusal`` then says why.
    """
    everything = np.arange(len(keys[0])), np.arange(len(keys[1]))
    first, second, _ = equal_names(*keys, free=everything, keys=keys)
    both = one.is_known()[first] & two.is_known()[second]
    n_both = int(both.sum())
    n_agree = int(_agree(one, two, first[both], second[both], partner).sum()) if n_both else 0
    nothing = np.zeros(0, dtype=np.intp)
    if n_agree < _LEAST_AGREEMENT * n_both:
        return UsableIds(
            one=nothing,
            two=nothing,
            refusal=(
                f"{first.size:,} ids are equal, but of the {n_both:,} whose content is known on both sides only "
                f"{n_agree:,} have the same content: these ids are no identity."
            ),
        )
    notes: list[str] = []
    if n_agree < n_both:
        differ = n_both - n_agree
        ids = (
            "1 id is equal in both logs but names" if differ == 1 else f"{differ:,} ids are equal in both logs but name"
        )
        notes.append(f"{ids} different contents: different cases, not matched.")
    first, second = first[~both], second[~both]
    if not first.size:
        return UsableIds(one=nothing, two=nothing, notes=tuple(notes))
    said, refusal = _worth_of_ids(one.cases, two.cases, overlap=first.size + n_both, n_agree=n_agree)
    if refusal:
        return UsableIds(one=nothing, two=nothing, notes=tuple(notes), refusal=refusal)
    return UsableIds(one=first, two=second, notes=(*notes, said))


def _agree(
    one: CaseView, two: CaseView, first: NDArray[np.intp], second: NDArray[np.intp], partner: NDArray[np.intp]
) -> NDArray[np.bool_]:
    mine, theirs = one.fingerprints, two.fingerprints
    equal = (
        None is not mine.case_fp[left] == theirs.case_fp[right]
        or None is not mine.input_fp[left] == theirs.input_fp[right]
        for left, right in zip(first.tolist(), second.tolist(), strict=True)
    )
    return (partner[first] == second) | np.fromiter(equal, dtype=np.bool_, count=first.size)


def _worth_of_ids(one: Cases, two: Cases, *, overlap: int, n_agree: int) -> tuple[str, str]:
    """Return what has to be said when cases are paired by id, or why they must not be."""
    sizes = f"{len(one):,} and {len(two):,} cases"
    if one.id_is_row_number or two.id_is_row_number:
        if len(one) != len(two) or overlap != len(one):
            return "", f"The cases have no ids, only row numbers, and the logs differ in length ({sizes})."
        return (
            "Cases were matched by row number: nothing else says that both logs list the same cases in one order.",
            "",
        )
    if are_numbers(one.case_id) and (one.case_id is two.case_id or are_numbers(two.case_id)):
        if overlap < _LEAST_AGREEMENT * min(len(one), len(two)):
            return "", f"The ids are plain numbers, and only {overlap:,} of them are in both logs ({sizes})."
        if not n_agree:
            return "Cases were matched by id: nothing but numbers says that these are the same cases.", ""
    if n_agree:
        return f"Cases without content were matched by id; the ids of {n_agree:,} others agree with their content.", ""
    return "Cases were matched by id: no content was there to check that equal ids are equal cases.", ""
