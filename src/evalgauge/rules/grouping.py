"""Clusters as the rules read them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from evalgauge.errors import ArgumentError, ScoreError

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray


def shared_clusters(clusters: ArrayLike | None, n: int) -> NDArray[np.int64] | None:
    """Return cluster numbers from 0, or ``None`` where no two cases share a cluster.

    Parameters
    ----------
    clusters
        One label per case, numbers or words; ``None`` where there is no cluster field.
    n
        Number of cases.

    Raises
    ------
    ArgumentError
        If there is not one label per case.
    ScoreError
        If all cases, two or more, belong to one cluster.

    Examples
    --------
    >>> shared_clusters(["a", "b", "a"], 3).tolist()
    [0, 1, 0]
    >>> shared_clusters(["a", "b", "c"], 3) is None
    True
    """
    if clusters is None:
        return None
    _, codes = np.unique(np.asarray(clusters), return_inverse=True)
    if codes.shape != (n,):
        raise ArgumentError("clusters", f"an array of shape {codes.shape}", f"one label per case ({n})")
    count = int(codes.max()) + 1
    if count == 1 and n > 1:
        raise ScoreError(
            f"clusters: all {n} cases belong to one cluster, so nothing shows how clusters differ. "
            "Use a finer cluster field, or leave clusters out if the cases are independent."
        )
    return None if count == n else codes.astype(np.int64)
