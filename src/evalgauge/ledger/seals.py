"""Scores that nobody is to see yet: kept so that no eye falls on them by chance.

A seal keeps a score out of sight, of a person who opens the file and of a tool that prints it. It is no lock: the salt
that opens it is in the same ledger, so that any copy can reveal. Only a recorded reveal is allowed to.
"""

from __future__ import annotations

import hashlib
import json
import secrets
import zlib
from typing import TYPE_CHECKING, Any

import numpy as np

from evalgauge.errors import LedgerError
from evalgauge.ledger.chain import canonical_json

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

UNKNOWN = 255
_TOP = 254
_NONCE = 16


def sealed(value: Mapping[str, Any], *, salt: bytes) -> str:
    """Return a result as text that says nothing to a reader.

    Examples
    --------
    >>> unsealed(sealed({"score": 0.8}, salt=b"s" * 32), salt=b"s" * 32)
    {'score': 0.8}
    """
    return _crossed(canonical_json(value).encode(), secrets.token_bytes(_NONCE), salt).hex()


def unsealed(text: str, *, salt: bytes) -> dict[str, Any]:
    """Return the result behind a seal.

    Raises
    ------
    LedgerError
        If the text is no seal of this ledger.
    """
    try:
        data = bytes.fromhex(text)
        return json.loads(_crossed(data[_NONCE:], data[:_NONCE], salt)[_NONCE:])
    except ValueError as error:
        raise LedgerError("A sealed score of this ledger cannot be opened. Say: evalgauge ledger check") from error


def sealed_results(means: NDArray[np.float64], *, salt: bytes) -> bytes:
    """Return the mean result of each case, in steps of 1/254, as sealed bytes; NaN where a case has none."""
    codes = np.where(np.isnan(means), UNKNOWN, np.rint(np.clip(np.nan_to_num(means), 0, 1) * _TOP)).astype(np.uint8)
    return _crossed(zlib.compress(codes.tobytes(), 6), secrets.token_bytes(_NONCE), salt)


def unsealed_results(data: bytes, *, salt: bytes) -> NDArray[np.uint8]:
    """Return the codes of the results: 0 to 254, and ``UNKNOWN``."""
    codes = zlib.decompress(_crossed(data[_NONCE:], data[:_NONCE], salt)[_NONCE:])
    return np.frombuffer(codes, dtype=np.uint8)


def _crossed(data: bytes, nonce: bytes, salt: bytes) -> bytes:
    """Return the nonce, and the data crossed with the stream that salt and nonce make; twice gives the data back."""
    stream = hashlib.shake_256(b"seal" + salt + nonce).digest(len(data))
    return nonce + (int.from_bytes(data, "big") ^ int.from_bytes(stream, "big")).to_bytes(len(data), "big")
