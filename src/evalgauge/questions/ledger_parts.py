"""Pieces that the questions about a ledger are made of."""

from dataclasses import dataclass
from typing import Literal, TypeAlias

from evalgauge.questions.given import settle
from evalgauge.reusing.results import AdaptiveFigures
from evalgauge.rules.displays import Display

Action: TypeAlias = Literal["go on", "pass or fail only", "refresh", "fresh set", "finish refresh"]
Decision: TypeAlias = Literal["ship", "hold", "iterate"]
Intent: TypeAlias = Literal["explore", "gate", "final", "audit"]

DISPLAY_WORDS: dict[str, str] = {
    "nothing": "nothing",
    "pass-fail": "pass or fail",
    "score-on-pass": "the score of a pass",
    "rounded": "rounded scores",
    "exact": "exact scores",
    "per-case": "results of single cases",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class LedgerOptions:
    """Which ledger.

    Attributes
    ----------
    ledger
        The ledger's file, or postgresql://user@host/database; the one in this folder or above it when left out.
    """

    ledger: str | None = None

    def __post_init__(self) -> None:
        """Settle what was given, here and in every request."""
        settle(self)


@dataclass(frozen=True, slots=True, kw_only=True)
class Promise:
    """What was declared before the first look at a set.

    Attributes
    ----------
    looks, ships
        At most so many looks and passes.
    tolerance
        Optimism that is fine, a share.
    display
        The most that a look may show; ``None`` for anything.
    step
        Step of rounded scores, a share.
    confidence
        Two-sided level over all looks, a share.
    """

    looks: int | None
    ships: int | None
    tolerance: float
    display: Display | None
    step: float | None
    confidence: float


@dataclass(frozen=True, slots=True, kw_only=True)
class NextLook:
    """What the next look at a set may claim.

    Attributes
    ----------
    look, passes, scores
        Its place, and how many passes and scores were shown before it.
    confidence
        Two-sided level of this look alone, a share; ``None`` where it can claim nothing.
    z
        The same in standard errors.
    over_all
        Two-sided level over all looks, a share.
    refusal, cases_shown
        Why it can claim nothing, and whether results of single cases were shown.
    least_drop
        Smallest drop that the set's cases can rule out at this level, where no case changed, a share; ``None`` where
        they can rule out none.
    """

    look: int
    passes: int
    scores: int
    confidence: float | None
    z: float | None
    over_all: float
    refusal: str
    cases_shown: bool
    least_drop: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """What may still be claimed for one candidate.

    Attributes
    ----------
    look, label
        The look and the candidate.
    is_shipped
        Whether it was decided to ship it.
    words
        The claim of its gate, where its score is sealed; ``""`` otherwise.
    score, low
        The score that was shown, and the lower bound that holds whatever was tuned on the displays, shares; ``None``
        while the score is sealed.
    confidence
        Two-sided level over all looks, a share.
    """

    look: str
    label: str
    is_shipped: bool
    words: str
    score: float | None
    low: float | None
    confidence: float


@dataclass(frozen=True, slots=True, kw_only=True)
class WearCard:
    """How worn one set is.

    Attributes
    ----------
    name, set_id, identity, n_cases
        The set.
    looks, candidates, displays, voided, revealed
        Looks that count, different candidates, displays by kind, looks declared void, sealed scores shown later.
    spent
        Looks that still count after refreshes.
    correlation, effective_looks
        Mean correlation of the candidates' results over cases, and how many independent looks they are worth;
        ``None`` where too few results are known.
    rate, rate_source
        Rate that the figures rest on, and whether it was ``"given"``, ``"shown"`` (mean of the scores that were shown)
        or ``"cautious"`` (one half).
    tolerance, sigma, optimism
        Optimism that is fine, standard error of one score, expected optimism of the best, shares.
    budget, budget_words, left
        Looks within the tolerance, the same in words, and how many are left; ``None`` beyond a million.
    adaptive
        Named figures of what looks can cost, and the order of magnitude.
    promise
        What was declared; ``None`` for an open set.
    next_look
        What the next look may claim.
    claims
        What may still be claimed: the shipped candidate first.
    refresh_share, fresh_cases
        Share of the cases to replace to be within the tolerance, and size of a set that would bear so many looks.
    refreshes, waits_for
        Refreshes so far, and cases that were drawn and not yet replaced.
    branches
        Copies of the ledger in which looks were taken apart from each other; each spent on its own.
    action, advice
        What to do next, as a word and in words.
    notes
        Plain sentences.
    """

    name: str
    set_id: str
    identity: str
    n_cases: int
    looks: int
    candidates: int
    displays: dict[str, int]
    voided: int
    revealed: int
    spent: float
    correlation: float | None
    effective_looks: float | None
    rate: float
    rate_source: str
    tolerance: float
    sigma: float
    optimism: float
    budget: int | None
    budget_words: str
    left: int | None
    adaptive: AdaptiveFigures
    promise: Promise | None
    next_look: NextLook
    claims: tuple[Claim, ...]
    refresh_share: float
    fresh_cases: int | None
    refreshes: int
    waits_for: int
    branches: int
    action: Action
    advice: str
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class SetRow:
    """One set among several.

    Attributes
    ----------
    name, set_id, n_cases
        The set.
    looks, candidates, spent
        Looks that count, different candidates, and looks that still count after refreshes.
    optimism, tolerance
        Expected optimism of the best, and what is fine, shares.
    left
        Looks left; ``None`` where they are no problem.
    action
        What to do next.
    """

    name: str
    set_id: str
    n_cases: int
    looks: int
    candidates: int
    spent: float
    optimism: float
    tolerance: float
    left: int | None
    action: Action


@dataclass(frozen=True, slots=True, kw_only=True)
class LookRow:
    """One row of a set's history.

    Attributes
    ----------
    at, actor
        When (UTC) and who.
    kind
        register, declare, look, decision, reveal, retire, add, or void.
    id
        Short hash of the event.
    label
        The candidate.
    display, intent
        What was shown, and what for.
    passed, score
        Verdict and score that were shown.
    is_void, decision, note
        Whether the look was declared void, what was decided, and what was noted.
    spent, optimism
        Looks that counted after it, and the optimism of the best by then, a share.
    """

    at: str
    actor: str
    kind: str
    id: str
    label: str = ""
    display: str = ""
    intent: str = ""
    passed: bool | None = None
    score: float | None = None
    is_void: bool = False
    decision: str = ""
    note: str = ""
    spent: float = 0.0
    optimism: float = 0.0
