"""Counts when cases share a source, such as several questions about one document."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from evalgauge.errors import ArgumentError
from evalgauge.planning.checks import checked_count
from evalgauge.planning.precision import FLOOR, expected_half_width, precision_count
from evalgauge.planning.results import ClusterPlan
from evalgauge.planning.slices import total_of
from evalgauge.stats.quantiles import normal_quantile, t_quantile
from evalgauge.stats.sample_size import design_effect

if TYPE_CHECKING:
    from evalgauge.planning.results import SlicePlan

# Fewer clusters than this have no interval that could be trusted.
LEAST_CLUSTERS = 3


def cluster_plan(
    *,
    size: int,
    icc: float,
    rate: float,
    margin: float,
    cases: int,
    slices: SlicePlan,
    power: float = 0.8,
) -> ClusterPlan:
    """Answer "how many clusters, when the cases of a cluster resemble each other?".

    Parameters
    ----------
    size
        Cases per cluster.
    icc
        Intraclass correlation: share of the variance of the scores that lies between clusters, from 0 to 1.
    rate, margin
        Expected mean score and half-width asked for, shares.
    cases
        Cases in one slice that the change would need if they were unrelated.
    slices
        How the set is split.
    power
        Power asked for.

    Raises
    ------
    ArgumentError
        If the size is below 2 or the correlation no share.

    References
    ----------
    Kish 1965, Survey Sampling, section 5.4 (design effect); the interval over clusters that grades, with G − 1 degrees
    of freedom.

    Examples
    --------
    >>> from evalgauge.planning.slices import slice_plan
    >>> plan = cluster_plan(size=10, icc=0.2, rate=0.9, margin=0.05, cases=89, slices=slice_plan())
    >>> round(plan.design_effect, 2), plan.precision_clusters, plan.detection_clusters
    (2.8, 45, 27)
    """
    checked_count(size, "cluster_size", least=2, what="cases")
    if not 0 <= icc <= 1:
        raise ArgumentError("icc", icc, "a share from 0 to 1", "A log with a cluster field shows it: --like LOG.")
    effect = design_effect(size, icc)
    level = slices.confidence
    least = max(LEAST_CLUSTERS, math.ceil(FLOOR / size))
    clusters = precision_count(
        rate, margin, confidence=level, rule="effective-n wilson t", rho=effect / size, least=least
    )
    z = normal_quantile(level) + normal_quantile(2 * power - 1) if power > 0.5 else normal_quantile(level)
    wanted = cases * effect / size
    shown = max(least, math.ceil(wanted))
    # Student's quantiles in place of normal ones: two or three clusters more.
    while shown < wanted * (_t_sum(level, power, shown - 1) / z) ** 2:
        shown += 1
    per_slice = max(clusters, shown) * size
    return ClusterPlan(
        size=size,
        icc=icc,
        design_effect=effect,
        precision_clusters=clusters,
        precision_cases=clusters * size,
        detection_clusters=shown,
        detection_cases=shown * size,
        total=total_of(per_slice, slices),
    )


def _t_sum(confidence: float, power: float, df: int) -> float:
    return t_quantile(confidence, float(df)) + (t_quantile(2 * power - 1, float(df)) if power > 0.5 else 0.0)


def cluster_half_width(clusters: int, *, size: int, icc: float, rate: float, confidence: float) -> float:
    """Return the half-width that so many clusters give, by the interval over clusters.

    Parameters
    ----------
    clusters
        Number of clusters, 2 or more.
    size, icc
        Cases per cluster, and their intraclass correlation.
    rate
        Expected mean score, a share.
    confidence
        Two-sided level, a share.

    Examples
    --------
    >>> round(cluster_half_width(45, size=10, icc=0.2, rate=0.9, confidence=0.95), 4)
    0.0495
    """
    rho = design_effect(size, icc) / size
    return expected_half_width(clusters, rate, confidence=confidence, rule="effective-n wilson t", rho=rho)
