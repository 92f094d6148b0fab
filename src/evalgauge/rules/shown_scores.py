"""What shown scores cost a holdout whose gate was priced for pass and fail alone."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from evalgauge.errors import ArgumentError
from evalgauge.stats.checks import is_whole

if TYPE_CHECKING:
    from collections.abc import Sequence


def log_shown_scores(looks: int, levels: Sequence[int]) -> float:
    """Answer "by how much more must each look pay, since some looks before it showed a score?", as a logarithm.

    A pass/fail gate spends alpha over the histories that pass and fail can make. A score that was shown opens more of
    them: C(j-1, e) places of the e scores, and their values. They share a second alpha, the half of it for e = 1, a
    quarter for e = 2, and so on. So all claims made before a score was shown hold together at alpha, and all claims
    made after it at another alpha.

    Parameters
    ----------
    looks
        Place j of the look, from 1; with a declared number of looks, that number.
    levels
        For each score that was shown, how many values it could have had: n + 1 where it was exact.

    Returns
    -------
    float
        ln of C(j-1, e) · 2^e · the product of the levels; 0 where no score was shown.

    Raises
    ------
    ArgumentError
        If more scores were shown than looks came before, or a number of levels is below 2.

    References
    ----------
    Union bound over transcripts, as in ``evalgauge.rules.spending``.

    Examples
    --------
    >>> log_shown_scores(5, ()), round(log_shown_scores(5, (1001,)), 3)
    (0.0, 8.988)
    """
    shown = len(levels)
    if not is_whole(looks, 1) or shown > looks - 1:
        raise ArgumentError("levels", shown, f"at most one score for each of the {max(looks - 1, 0)} looks before")
    if not all(is_whole(one, 2) for one in levels):
        raise ArgumentError("levels", tuple(levels), "whole numbers of values, 2 or more each")
    places = math.lgamma(looks) - math.lgamma(shown + 1) - math.lgamma(looks - shown)
    return places + shown * math.log(2) + math.fsum(map(math.log, levels)) if shown else 0.0
