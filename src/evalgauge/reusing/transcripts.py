"""What can be certified after displays: a lower bound for every history that could have come up."""

from __future__ import annotations

import math

from evalgauge.reusing.checks import checked_whole_looks
from evalgauge.reusing.results import Certified
from evalgauge.stats.checks import checked_confidence
from evalgauge.stats.one_sided import clopper_pearson_lower, upper_quantile_of_log


def certified_low(passed: float, n: float, log_count: float, *, looks: int, confidence: float = 0.95) -> Certified:
    """Answer "which rate is certain for the reported candidate, whatever was tuned on the displays?".

    Parameters
    ----------
    passed, n
        Passes of the reported candidate, and cases.
    log_count
        ln K of ``evalgauge.rules.spending.log_transcripts``.
    looks
        Looks k, for the bound with candidates fixed in advance.
    confidence
        Two-sided level, a share.

    Returns
    -------
    Certified
        Lower ends, shares.

    Raises
    ------
    ArgumentError
        If the counts are impossible or an option is out of range.

    References
    ----------
    Clopper and Pearson 1934, at alpha/K.

    Examples
    --------
    >>> from evalgauge.rules.spending import log_transcripts
    >>> found = certified_low(800, 1000, log_transcripts(30, "pass-fail", passes=1), looks=30)
    >>> round(100 * (0.8 - found.low), 2)
    5.25
    """
    log_tail = math.log((1 - checked_confidence(confidence)) / 2)
    return Certified(
        log_transcripts=log_count,
        z=upper_quantile_of_log(log_tail - log_count),
        low=clopper_pearson_lower(passed, n, log_tail - log_count),
        fixed_low=clopper_pearson_lower(passed, n, log_tail - math.log(checked_whole_looks(looks))),
        naive_low=clopper_pearson_lower(passed, n, log_tail),
    )
