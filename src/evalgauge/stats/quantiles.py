"""Normal and Student quantiles and tail probabilities, the same everywhere.

Tails are taken from the lower end: ``1 - cdf`` loses every digit where a p-value matters most.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, overload

import numpy as np
from scipy import special  # pyright: ignore[reportMissingTypeStubs]  # SciPy ships no stubs for its packages

from evalgauge.stats.checks import checked_confidence

if TYPE_CHECKING:
    from numpy.typing import NDArray

# No data prove a hypothesis impossible: a tail that underflows is reported as the smallest number that is not 0.
_LEAST_P = float(np.finfo(np.float64).tiny)


def normal_quantile(confidence: float) -> float:
    """Return the critical value z of a two-sided normal interval.

    Parameters
    ----------
    confidence
        Two-sided level, a share: 0.95 gives 1.959964.

    Raises
    ------
    ArgumentError
        If ``confidence`` is not strictly between 0 and 1.

    Examples
    --------
    >>> round(normal_quantile(0.95), 6)
    1.959964
    """
    return -float(special.ndtri((1 - checked_confidence(confidence)) / 2))


@overload
def t_quantile(confidence: float, df: float) -> float: ...
@overload
def t_quantile(confidence: float, df: NDArray[np.float64]) -> NDArray[np.float64]: ...
def t_quantile(confidence: float, df: float | NDArray[np.float64]) -> float | NDArray[np.float64]:
    """Return the critical value t of a two-sided Student interval.

    Parameters
    ----------
    confidence
        Two-sided level, a share.
    df
        Degrees of freedom above 0, not necessarily whole; ``inf`` gives the normal quantile. One number or an array.

    Raises
    ------
    ArgumentError
        If ``confidence`` is not strictly between 0 and 1.

    Examples
    --------
    >>> round(t_quantile(0.95, 7), 4)
    2.3646
    >>> t_quantile(0.95, float("inf")) == normal_quantile(0.95)
    True
    """
    normal = normal_quantile(confidence)
    # The Student routine misses its normal limit by an ulp; two names for one interval must agree to the last digit.
    quantile = np.where(np.isinf(df), normal, -special.stdtrit(df, (1 - confidence) / 2))
    return quantile if isinstance(df, np.ndarray) else float(quantile)


@overload
def normal_p_value(z: float) -> float: ...
@overload
def normal_p_value(z: NDArray[np.float64]) -> NDArray[np.float64]: ...
def normal_p_value(z: float | NDArray[np.float64]) -> float | NDArray[np.float64]:
    """Return the two-sided p-value of a normal statistic.

    Parameters
    ----------
    z
        The statistic, in standard errors. One number or an array.

    Examples
    --------
    >>> round(normal_p_value(-1.959964), 6)
    0.05
    """
    p_value = np.maximum(2 * special.ndtr(-abs(z)), _LEAST_P)
    return p_value if isinstance(z, np.ndarray) else float(p_value)


def t_p_value(t: float, df: float) -> float:
    """Return the two-sided p-value of a Student statistic.

    Parameters
    ----------
    t
        The statistic, in standard errors.
    df
        Degrees of freedom above 0; ``inf`` gives the normal p-value.

    Examples
    --------
    >>> round(t_p_value(2.3646, 7), 4)
    0.05
    """
    return max(2 * float(special.stdtr(df, -abs(t))), _LEAST_P)
