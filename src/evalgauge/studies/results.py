"""What the studies return. No NumPy here: the questions room names these types before any work."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

DisplayRule: TypeAlias = Literal["exact", "rounded", "ladder", "free-ladder", "thresholdout", "pass-fail"]
RULES: tuple[DisplayRule, ...] = ("exact", "rounded", "ladder", "free-ladder", "thresholdout", "pass-fail")
AttackedRule: TypeAlias = Literal["exact", "ladder", "pass-fail", "sign"]
ATTACKED: tuple[AttackedRule, ...] = ("exact", "ladder", "pass-fail", "sign")


@dataclass(frozen=True, slots=True, kw_only=True)
class Climb:
    """How far a climb drifts from the truth.

    Attributes
    ----------
    rule
        What was displayed.
    looks
        Looks k at which the bias was read.
    bias
        Mean excess of the kept candidate's score over its true rate, a share.
    mc_error
        Monte-Carlo error of the mean.
    sd
        Spread of the excess from climb to climb.
    climbs
        Number of simulated climbs.
    """

    rule: DisplayRule
    looks: int
    bias: float
    mc_error: float
    sd: float
    climbs: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Attack:
    """What a deliberate attack gains.

    Attributes
    ----------
    rule
        What was displayed.
    looks
        Looks k before the last candidate.
    bias
        Mean excess of the last candidate's score over its true rate, a share.
    mc_error
        Monte-Carlo error of the mean.
    sd
        Spread of the excess from attack to attack.
    attacks
        Number of simulated attacks.
    """

    rule: AttackedRule
    looks: int
    bias: float
    mc_error: float
    sd: float
    attacks: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Experiment:
    """What the holdout shows for a classifier without any signal.

    Attributes
    ----------
    mechanism
        How the holdout answered.
    chosen
        Variables of the classifier.
    accuracy
        Mean accuracy on the holdout, a share; the true one is one half.
    mc_error
        Monte-Carlo error of the mean.
    experiments
        Number of simulated experiments.
    """

    mechanism: str
    chosen: int
    accuracy: float
    mc_error: float
    experiments: int
