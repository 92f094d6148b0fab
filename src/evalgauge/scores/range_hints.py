"""Which scale scores may be on, without saying it for the user."""

from __future__ import annotations

_SCALES = ((0.0, 1.0), (1.0, 5.0), (0.0, 5.0), (1.0, 10.0), (0.0, 10.0), (0.0, 100.0))


def likely_scale(least: float, most: float) -> tuple[float, float] | None:
    """Return the narrowest usual scale on which scores lie, or ``None`` where they lie on no usual one.

    Only a guess: the scores of a few cases need not reach the ends of their scale.

    Examples
    --------
    >>> likely_scale(2, 5), likely_scale(0, 3), likely_scale(1, 9), likely_scale(40, 100), likely_scale(-1, 1)
    ((1.0, 5.0), (0.0, 5.0), (1.0, 10.0), (0.0, 100.0), None)
    """
    return next((scale for scale in _SCALES if scale[0] <= least and most <= scale[1]), None)
