"""What a ledger keeps of a set: salted hashes of its cases and sketches of their words, never the words themselves.

The set's own name is a Merkle root over the hashes of its cases in sorted order: it says nothing about the order of a
log, and one case can be shown to belong to a set without showing the others.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

import msgspec
import numpy as np

from evalgauge.errors import LedgerError
from evalgauge.scores.minhash import SKETCH_SIZE, Sketches, sketches

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from evalgauge.scores.identity import CaseView

Identity: TypeAlias = Literal["content", "id"]
HASH_BYTES = 16
NO_CASE = b"\0" * HASH_BYTES
# Sketches are half a kilobyte each; of a larger set so many cases, drawn by their hash, are enough to know it again.
MOST_SKETCHES = 1024
_NUMBER = re.compile(r"\d+")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SetPrint:
    """A set as a ledger knows it.

    Attributes
    ----------
    identity
        ``"content"``, or ``"id"`` where the log holds no content: then a rename of its cases loses it.
    root
        Merkle root over ``case``, hexadecimal.
    order
        Hash of the cases in the order of the log, hexadecimal.
    case
        Salted hash of each case (input, choices, target; or id), shape (n,), 16 bytes each, in the order of the log.
    asked
        Salted hash of what is asked alone: it survives a corrected answer. ``NO_CASE`` where unknown.
    name
        What the log calls the set.
    is_generic
        For identity by id: whether the ids are mere numbers, which name any set.
    """

    identity: Identity
    root: str
    order: str
    case: NDArray[np.void]
    asked: NDArray[np.void]
    name: str
    is_generic: bool = False

    def __len__(self) -> int:
        return self.case.size

    def kept(self) -> bytes:
        """Return the hashes as bytes, for the ledger."""
        return msgspec.msgpack.encode([self.case.tobytes(), self.asked.tobytes()])


class _Stored(msgspec.Struct, array_like=True):
    case: bytes
    asked: bytes


def stored_hashes(data: bytes) -> tuple[NDArray[np.void], NDArray[np.void]]:
    """Return the hashes of cases, and of what they ask, from the bytes that a ledger kept."""
    found = msgspec.msgpack.decode(data, type=_Stored)
    return as_hashes(found.case), as_hashes(found.asked)


def as_hashes(data: bytes) -> NDArray[np.void]:
    """Return bytes as hashes of one case each."""
    return np.frombuffer(data, dtype=f"V{HASH_BYTES}")


def set_print(view: CaseView, *, salt: bytes, name: str = "") -> SetPrint:
    """Return what a ledger with this salt knows a set by.

    Parameters
    ----------
    view
        The cases.
    salt
        The ledger's: prints under different salts cannot be compared.
    name
        What the log calls the set; it is part of the identity only where ids are mere numbers.

    Raises
    ------
    LedgerError
        If there is no case.
    """
    cases = view.cases
    if not len(cases):
        raise LedgerError("The log holds no case, so there is no set to know again.")
    known = view.is_known()
    identity: Identity = "content" if known.any() else "id"
    is_generic = identity == "id" and (cases.id_is_row_number or all(map(_NUMBER.fullmatch, cases.case_id)))
    prefix = f"{name}\n" if is_generic else ""
    ids = [f"{prefix}{case_id}" for case_id in cases.case_id]
    if identity == "content":
        found = view.fingerprints
        case = [
            _salted(salt, b"case", one or f"id\n{case_id}") for one, case_id in zip(found.case_fp, ids, strict=True)
        ]
        asked = [NO_CASE if one is None else _salted(salt, b"asked", one) for one in found.input_fp]
    else:
        case, asked = [_salted(salt, b"id", case_id) for case_id in ids], [NO_CASE] * len(ids)
    return SetPrint(
        identity=identity,
        root=merkle_root(case),
        order=hashlib.sha256(b"".join(case)).hexdigest(),
        case=as_hashes(b"".join(case)),
        asked=as_hashes(b"".join(asked)),
        name=name,
        is_generic=is_generic,
    )


def merkle_root(leaves: Sequence[bytes]) -> str:
    """Return the Merkle root of hashes in sorted order; a node without a partner is handed up.

    References
    ----------
    Merkle 1987; leaves and nodes are told apart by their first byte, as in RFC 6962.

    Examples
    --------
    >>> merkle_root([b"b" * 16, b"a" * 16]) == merkle_root([b"a" * 16, b"b" * 16])
    True
    """
    level = [hashlib.sha256(b"\0" + leaf).digest() for leaf in sorted(leaves)]
    while len(level) > 1:
        pairs = [hashlib.sha256(b"\1" + one + two).digest() for one, two in zip(level[::2], level[1::2], strict=False)]
        level = [*pairs, level[-1]] if len(level) % 2 else pairs
    return level[0].hex()


def kept_sketches(view: CaseView, found: SetPrint, *, salt: bytes) -> bytes | None:
    """Return the sketches of a set's texts as bytes for the ledger; ``None`` where it has no text."""
    if found.identity == "id" or not any(view.fingerprints.texts):
        return None
    made = set_sketches(view, salt=salt)
    rows = np.argsort(found.case.view(f"S{HASH_BYTES}"), kind="stable")[:MOST_SKETCHES]
    return msgspec.msgpack.encode([made.minima[rows].tobytes(), made.n_shingles[rows].astype("<i8").tobytes()])


def set_sketches(view: CaseView, *, salt: bytes) -> Sketches:
    """Return the sketches of all texts of a set, under the ledger's salt."""
    return sketches([text or "" for text in view.fingerprints.texts], key=salt)


def stored_sketches(data: bytes) -> Sketches:
    """Return sketches from the bytes that a ledger kept."""
    minima, sizes = msgspec.msgpack.decode(data, type=tuple[bytes, bytes])
    return Sketches(
        minima=np.frombuffer(minima, dtype=np.uint32).reshape(-1, SKETCH_SIZE),
        n_shingles=np.frombuffer(sizes, dtype="<i8").astype(np.int64),
    )


def _salted(salt: bytes, kind: bytes, text: str) -> bytes:
    return hashlib.blake2b(
        text.encode("utf-8", "surrogatepass"), digest_size=HASH_BYTES, key=salt, person=kind
    ).digest()
