"""Exact power: how often the rule that grades will say "lower" when the truth is lower by so much.

Pass/fail scores are counts, so power is a sum over outcomes, not a simulation. Each function finds the edge of the
outcomes that the rule calls a drop, then adds up their chances. A rise is the drop of the failures.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np
from scipy import special  # pyright: ignore[reportMissingTypeStubs]  # SciPy ships no stubs for its packages

from evalgauge.errors import ArgumentError
from evalgauge.stats.binomial import likely_counts
from evalgauge.stats.checks import checked_confidence
from evalgauge.stats.mover import mover_difference_limits
from evalgauge.stats.paired_proportions import mcnemar_exact_p, mcnemar_mid_p, tango_statistic
from evalgauge.stats.proportion import wilson_limits
from evalgauge.stats.quantiles import normal_quantile

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import ArrayLike, NDArray

    Array: TypeAlias = NDArray[np.float64]
    IsDrop: TypeAlias = Callable[[Array, Array], NDArray[np.bool_]]

Direction: TypeAlias = Literal["drop", "rise"]
ReferenceRule: TypeAlias = Literal["wilson", "clopper-pearson", "mid-p"]
PairedRule: TypeAlias = Literal["tango", "exact", "mid-p"]
TwoArmRule: TypeAlias = Literal["miettinen-nurminen", "newcombe", "fisher"]


def reference_power(
    n: ArrayLike,
    reference: float,
    rate: float,
    *,
    confidence: float = 0.95,
    rule: ReferenceRule = "wilson",
    direction: Direction = "drop",
) -> Array:
    """Answer "how often will a set of n cases show that the true rate lies below a reference?", exactly.

    Parameters
    ----------
    n
        Numbers of cases, whole and above 0; any shape.
    reference
        The rate to compare with, a share; it is held fixed.
    rate
        The true rate, a share. Equal to ``reference`` it gives the size of the test, one tail.
    confidence
        Two-sided level of the interval, a share.
    rule
        The interval that grades: ``"wilson"`` (the default of a measurement), ``"clopper-pearson"`` or ``"mid-p"``.
    direction
        ``"drop"``: the interval's upper end falls below the reference. ``"rise"``: its lower end lies above it.

    Returns
    -------
    ndarray
        Probabilities, one per number of cases. They saw-tooth: one more case can lower the power.

    Raises
    ------
    ArgumentError
        If a rate is not a share, or the rule is unknown.

    References
    ----------
    Fleiss, Levin and Paik 2003, Statistical Methods for Rates and Proportions, chapter 4 (exact binomial power).

    Examples
    --------
    >>> reference_power([86, 89], 0.9, 0.8).round(4).tolist()
    [0.7626, 0.8074]
    """
    p0, p1 = _checked_share(reference, "reference"), _checked_share(rate, "rate")
    cases = np.asarray(n, dtype=np.int64)
    if direction == "rise":
        p0, p1 = 1 - p0, 1 - p1
    edge = reference_edge(cases, p0, confidence=confidence, rule=rule)
    return np.where(edge < 0, 0.0, special.bdtr(np.maximum(edge, 0), cases, p1))


def reference_edge(
    n: ArrayLike, reference: float, *, confidence: float = 0.95, rule: ReferenceRule = "wilson"
) -> NDArray[np.int64]:
    """Return the most passes of n at which the interval still lies wholly below the reference; −1 where none does.

    Parameters
    ----------
    n
        Numbers of cases; any shape.
    reference
        The rate to compare with, a share.
    confidence, rule
        As in `reference_power`.

    Examples
    --------
    >>> reference_edge([5, 89], 0.9).tolist()
    [3, 74]
    """
    cases = np.asarray(n, dtype=np.float64)
    z, tail = normal_quantile(confidence), (1 - confidence) / 2
    guess = cases * reference - z * np.sqrt(cases * reference * (1 - reference))

    def wilson(passed: Array, total: Array) -> NDArray[np.bool_]:
        return wilson_limits(passed / total, total, z)[1] < reference

    # The two exact intervals are the inversion of these tails: their upper end is below the reference just when the
    # chance of so few passes, at the reference, is below the tail.
    def clopper_pearson(passed: Array, total: Array) -> NDArray[np.bool_]:
        return special.bdtr(passed, total.astype(np.int64), reference) < tail

    def mid_p(passed: Array, total: Array) -> NDArray[np.bool_]:
        whole = total.astype(np.int64)
        below = np.where(passed > 0, special.bdtr(np.maximum(passed - 1, 0), whole, reference), 0.0)
        return (special.bdtr(passed, whole, reference) + below) / 2 < tail

    rules: dict[str, IsDrop] = {"wilson": wilson, "clopper-pearson": clopper_pearson, "mid-p": mid_p}
    return largest_count(_known(rules, rule), np.ceil(guess) - 1, cases, cases).astype(np.int64)


def paired_power(
    n: ArrayLike, discordance: float, drop: float, *, confidence: float = 0.95, rule: PairedRule = "tango"
) -> Array:
    """Answer "how often will n shared cases show a drop between two arms?", exactly.

    Parameters
    ----------
    n
        Numbers of shared cases, whole and above 0; one number or one dimension.
    discordance
        Share of cases that exactly one arm passes.
    drop
        True difference of the pass rates, a share above 0 and at most ``discordance``. A rise has the same power.
    confidence
        Two-sided level, a share.
    rule
        ``"tango"`` (equivalent to McNemar's chi² without continuity correction), ``"exact"`` or ``"mid-p"`` McNemar.

    Returns
    -------
    ndarray
        Probability that the drop is shown, and in the right direction; the shape of ``n``.

    Raises
    ------
    ArgumentError
        If the discordance is no share, the drop is not between 0 and it, or the rule is unknown.

    References
    ----------
    Miettinen 1968, Biometrics 24, 339-352 (power given, and averaged over, the number of changed cases).

    Examples
    --------
    >>> paired_power([312, 326], 0.10, 0.05).round(4).tolist()
    [0.8262, 0.8414]
    """
    changed = _checked_share(discordance, "discordance")
    if not 0 < drop <= changed * (1 + 1e-12):
        raise ArgumentError("drop", drop, f"a share above 0 and at most the discordance, {changed:g}")
    cases = np.asarray(n, dtype=np.int64)
    windows = [likely_counts(int(one), changed) for one in cases.flat]
    first = min(start for start, _ in windows)
    last = max(start + chances.size for start, chances in windows)
    given_changed = _power_given_changed(first, last, min((changed + drop) / (2 * changed), 1.0), confidence, rule)
    powers = [given_changed[start - first : start - first + chances.size] @ chances for start, chances in windows]
    return np.reshape(np.asarray(powers), cases.shape)


def _power_given_changed(first: int, last: int, loss_share: float, confidence: float, rule: PairedRule) -> Array:
    """Return the power when exactly m cases changed, for m from ``first`` up to but not including ``last``."""
    alpha, z = 1 - checked_confidence(confidence), normal_quantile(confidence)

    def tango(wins: Array, changed: Array) -> NDArray[np.bool_]:
        return tango_statistic(wins, changed - wins, changed, difference=0.0) < -z

    def exact(wins: Array, changed: Array) -> NDArray[np.bool_]:
        return (2 * wins < changed) & (mcnemar_exact_p(wins, changed - wins) < alpha)

    def mid_p(wins: Array, changed: Array) -> NDArray[np.bool_]:
        return (2 * wins < changed) & (mcnemar_mid_p(wins, changed - wins) < alpha)

    rules: dict[str, IsDrop] = {"tango": tango, "exact": exact, "mid-p": mid_p}
    changed = np.arange(max(first, 1), last, dtype=np.float64)
    edge = largest_count(_known(rules, rule), np.ceil((changed - z * np.sqrt(changed)) / 2) - 1, changed, changed)
    counts = changed.astype(np.int64)
    power = np.where(edge < 0, 0.0, special.bdtr(np.maximum(edge, 0), counts, 1 - loss_share))
    return np.concatenate([np.zeros(last - first - power.size), power])


def two_arm_power(
    n1: ArrayLike,
    n2: ArrayLike,
    rate1: float,
    rate2: float,
    *,
    confidence: float = 0.95,
    rule: TwoArmRule = "miettinen-nurminen",
) -> Array:
    """Answer "how often will two sets of different cases show that the second arm is lower?", exactly.

    Parameters
    ----------
    n1, n2
        Cases of the baseline and of the candidate, whole and above 0; they broadcast to at most one dimension.
    rate1, rate2
        True pass rates, shares. Where the second is higher, the power to show a rise is returned.
    confidence
        Two-sided level, a share.
    rule
        The interval that grades, ``"miettinen-nurminen"`` by default, ``"newcombe"``, or ``"fisher"``: Fisher's exact
        test with half of 1 − confidence in the tail.

    Returns
    -------
    ndarray
        Probability that the difference is shown, and in the right direction.

    Raises
    ------
    ArgumentError
        If a rate is not a share, or the rule is unknown.

    References
    ----------
    Fleiss, Levin and Paik 2003, Statistical Methods for Rates and Proportions, chapter 4; Fisher 1935 for the test.

    Examples
    --------
    >>> two_arm_power([199], 199, 0.9, 0.8).round(4).tolist()
    [0.8044]
    """
    p1, p2 = _checked_share(rate1, "rate1"), _checked_share(rate2, "rate2")
    if p2 > p1:
        p1, p2 = 1 - p1, 1 - p2
    first, second = np.broadcast_arrays(np.asarray(n1, dtype=np.int64), np.asarray(n2, dtype=np.int64))
    z = normal_quantile(confidence)
    powers = [_one_two_arm_power(a, b, (p1, p2), z, rule) for a, b in zip(first.flat, second.flat, strict=True)]
    return np.reshape(np.asarray(powers), first.shape)


def _one_two_arm_power(n1: int, n2: int, rates: tuple[float, float], z: float, rule: TwoArmRule) -> float:
    start1, chances1 = likely_counts(int(n1), rates[0])
    start2, chances2 = likely_counts(int(n2), rates[1])
    passed1 = np.arange(start1, start1 + chances1.size, dtype=np.float64)
    edge = two_arm_edge(passed1, n1, n2, z, rule)
    up_to = np.concatenate([[0.0], np.cumsum(chances2)])
    return float(chances1 @ up_to[np.clip(edge - start2 + 1, 0, chances2.size).astype(np.int64)])


def two_arm_edge(passed1: Array, n1: int, n2: int, z: float, rule: TwoArmRule) -> Array:
    """Return the most passes of arm 2 at which the rule still calls it lower than arm 1; −1 where none are few enough.

    Parameters
    ----------
    passed1
        Passes of arm 1, one dimension.
    n1, n2
        Cases of the arms.
    z
        Critical value of the two-sided level.
    rule
        As in `two_arm_power`.

    Examples
    --------
    >>> two_arm_edge(np.array([45.0, 50.0]), 50, 50, 1.959964, "miettinen-nurminen").tolist()
    [37.0, 46.0]
    """

    # At difference 0 the constrained rates of Miettinen and Nurminen are the pooled rate. The closed form takes a
    # tenth of the time of their cubic; a test holds it against their interval, table by table.
    def miettinen_nurminen(passed2: Array, x1: Array) -> NDArray[np.bool_]:
        passed, total = x1 + passed2, float(n1 + n2)
        variance = passed * (total - passed) / (n1 * n2 * (total - 1))
        return (passed2 / n2 - x1 / n1) < -z * np.sqrt(variance)

    def newcombe(passed2: Array, x1: Array) -> NDArray[np.bool_]:
        base, candidate = x1 / n1, passed2 / n2
        limits = mover_difference_limits(
            (base, *wilson_limits(base, n1, z)), (candidate, *wilson_limits(candidate, n2, z))
        )
        return np.asarray(limits[1]) < 0

    def fisher(passed2: Array, x1: Array) -> NDArray[np.bool_]:
        return _fisher_tail(passed2, x1, n1, n2) <= float(special.ndtr(-z))

    rules: dict[str, IsDrop] = {"miettinen-nurminen": miettinen_nurminen, "newcombe": newcombe, "fisher": fisher}
    # The score equation at difference 0 is a quadratic in the passes of arm 2; its lower root is where the edge lies.
    total = float(n1 + n2)
    weight = n1 * n2 * (total - 1)
    square = weight / n2**2 + z * z
    half = -weight * passed1 / (n1 * n2) - z * z * (total - 2 * passed1) / 2
    rest = weight * np.square(passed1 / n1) - z * z * passed1 * (total - passed1)
    root = (-half - np.sqrt(np.maximum(half * half - square * rest, 0.0))) / square
    # Yates's correction is about what Fisher's test asks for beyond the score test.
    yates = (n1 + n2) / (2 * n1) if rule == "fisher" else 0.0
    return largest_count(_known(rules, rule), np.ceil(root - yates) - 1, passed1, np.full_like(passed1, n2))


def _fisher_tail(passed2: Array, passed1: Array, n1: int, n2: int) -> Array:
    """Return P(X <= passed2) of the hypergeometric law given both totals: the one-sided p-value for a drop."""
    total = passed1 + passed2
    lowest = np.maximum(0.0, total - n1)
    log_all = _log_choose(n1 + n2, total)
    point = np.exp(_log_choose(n2, passed2) + _log_choose(n1, total - passed2) - log_all)
    tail, count = point.copy(), passed2.copy()
    # Below the edge of a test the terms fall at least geometrically; those that no longer count end the sum.
    while bool(((point > 1e-15) & (count > lowest)).any()):
        left = total - count
        ratio = count * (n1 - left) / ((n2 - count + 1) * (left + 1))
        point = np.where(count > lowest, point * ratio, 0.0)
        count = count - 1
        tail = tail + point
    return tail


def _log_choose(n: float, k: Array) -> Array:
    return special.gammaln(n + 1) - special.gammaln(k + 1) - special.gammaln(n - k + 1)


def largest_count(is_drop: IsDrop, guess: Array, given: Array, most: Array) -> Array:
    """Return the largest count up to ``most`` that the rule calls a drop, walking from a normal guess near it.

    Parameters
    ----------
    is_drop
        Takes counts and what is given; true for the counts up to the answer, false beyond.
    guess
        Where to start; one dimension.
    given
        What the rule is told beside the count, one value per answer.
    most
        The largest possible count, one per answer.

    Returns
    -------
    ndarray
        Counts; −1 where not even 0 is a drop.

    Examples
    --------
    >>> largest_count(lambda count, most: 2 * count < most, np.zeros(2), np.array([5.0, 0.0]), np.full(2, 9.0)).tolist()
    [2.0, -1.0]
    """
    edge = np.clip(guess, -1.0, most)
    while True:
        lower = (edge >= 0) & ~is_drop(np.maximum(edge, 0), given)
        if not bool(lower.any()):
            break
        edge = np.where(lower, edge - 1, edge)
    while True:
        higher = (edge < most) & is_drop(np.minimum(edge + 1, most), given)
        if not bool(higher.any()):
            return edge
        edge = np.where(higher, edge + 1, edge)


def _known(rules: dict[str, IsDrop], rule: str) -> IsDrop:
    if rule not in rules:
        raise ArgumentError("rule", rule, f"one of {', '.join(rules)}")
    return rules[rule]


def _checked_share(value: float, argument: str) -> float:
    if not 0 <= value <= 1:
        hint = f"Did you mean {value / 100:g}?" if 1 < value <= 100 else ""
        raise ArgumentError(argument, value, "a share from 0 to 1", hint)
    return float(value)
