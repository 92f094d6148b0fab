"""Exact lower bounds at tails too small to be written as a confidence level."""

from __future__ import annotations

import math

from scipy import special  # pyright: ignore[reportMissingTypeStubs]  # SciPy ships no stubs for its packages

from evalgauge.stats.checks import checked_counts

# Tails below exp(-650) are near the end of double precision; no number of cases certifies anything there.
LEAST_LOG_TAIL = -650.0


def clopper_pearson_lower(passed: float, n: float, log_tail: float) -> float:
    """Return the rate below which so many passes have a chance of less than exp(``log_tail``).

    Parameters
    ----------
    passed, n
        Passes and cases, 0 <= passed <= n.
    log_tail
        Natural logarithm of the one-sided chance, below 0.

    Returns
    -------
    float
        A share; 0 without a pass, and where the tail is below exp(-650).

    References
    ----------
    Clopper and Pearson 1934, Biometrika 26, 404-413.

    Examples
    --------
    >>> import math
    >>> round(clopper_pearson_lower(30, 30, math.log(0.025)), 3)
    0.884
    """
    passes, cases = checked_counts(passed, n)
    if passes == 0 or log_tail < LEAST_LOG_TAIL:
        return 0.0
    return float(special.betaincinv(passes, cases - passes + 1, math.exp(log_tail)))


def upper_quantile_of_log(log_tail: float) -> float:
    """Return the z that a standard normal score exceeds with a chance of exp(``log_tail``).

    Parameters
    ----------
    log_tail
        Natural logarithm of the chance, below 0; any size.

    Examples
    --------
    >>> import math
    >>> round(upper_quantile_of_log(math.log(0.025)), 6), round(upper_quantile_of_log(-2000.0), 1)
    (1.959964, 63.2)
    """
    return -float(special.ndtri_exp(log_tail))
