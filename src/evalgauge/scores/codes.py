"""Codes: whole numbers per row that point into a side table."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray


def renumbered(codes: NDArray[np.int32] | NDArray[np.int64], size: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return which codes are used, and where each row's code stands among them; no row is sorted.

    Parameters
    ----------
    codes
        Per row an index from 0 to ``size - 1``.
    size
        Length of the side table.

    Returns
    -------
    tuple
        The used codes, ascending; and per row the index into them.

    Examples
    --------
    >>> used, index = renumbered(np.array([4, 1, 4]), 6)
    >>> used.tolist(), index.tolist()
    ([1, 4], [1, 0, 1])
    """
    used = np.flatnonzero(np.bincount(codes, minlength=size))
    if used.size == size:
        return used, codes.astype(np.int64)
    place = np.zeros(size, dtype=np.int64)
    place[used] = np.arange(used.size)
    return used, place[codes]
