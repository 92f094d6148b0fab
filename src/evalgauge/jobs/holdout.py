"""May this candidate pass a holdout: one bit shown, its score sealed, its error paid from what is left."""

from __future__ import annotations

import math
import shlex
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from evalgauge.errors import LedgerError
from evalgauge.jobs.compare import two_arms
from evalgauge.jobs.compared_arms import compared_paired
from evalgauge.jobs.ledger_access import open_ledger
from evalgauge.jobs.looks import Particulars, found_in, more_than, record_in
from evalgauge.jobs.reading import log_name
from evalgauge.jobs.seen import seen
from evalgauge.jobs.spending import next_spending
from evalgauge.ledger.chain import SHORT
from evalgauge.questions.compare import CompareRequest
from evalgauge.questions.given import request_from
from evalgauge.questions.holdout import HoldoutAnswer, HoldoutRequest
from evalgauge.questions.ledger_parts import DISPLAY_WORDS
from evalgauge.questions.units import Share

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from evalgauge.jobs.arms import Arm
    from evalgauge.jobs.spending import Spending
    from evalgauge.ledger.records import Look, SetState
    from evalgauge.questions.parts import Missing


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """What a rule says of a candidate.

    Attributes
    ----------
    passed
        The one bit that is shown.
    sealed
        What nobody is to see before a reveal, such as the difference and its interval.
    """

    passed: bool
    sealed: Mapping[str, Any] = field(default_factory=dict[str, Any])


@dataclass(frozen=True, slots=True, kw_only=True)
class HoldoutVerdict:
    """A verdict on a holdout, as it is in the ledger.

    Attributes
    ----------
    state
        The set, this look counted in.
    look
        The look.
    passed
        Whether the candidate passed.
    is_new
        Whether it was judged now; else these very results had been judged by this very rule before, at no new cost.
    confidence
        Two-sided level at which this look claims, a share.
    """

    state: SetState
    look: Look
    passed: bool
    is_new: bool
    confidence: float


def judged_on_holdout(
    candidate: Arm,
    judge: Callable[[float], Judged],
    *,
    rule: str,
    baseline: Arm | None = None,
    ledger: str | None = None,
    set_name: str | None = None,
    label: str = "",
) -> HoldoutVerdict:
    """Answer "does this candidate pass?" on a registered holdout, and show nothing else.

    The look is priced, judged and recorded while nobody else can write, so two gates never spend the same share. The
    verdict is in the ledger before it is returned: what was not recorded was not shown.

    Parameters
    ----------
    candidate
        The arm to judge; its set must be registered.
    judge
        Given the two-sided confidence that this look may claim at, says whether the candidate passes. It must depend on
        the results and this level alone.
    rule
        The rule and its threshold in words: judging the same results by the same rule again costs nothing.
    baseline
        The arm that it is judged against, where there is one.
    ledger
        Which ledger; the one in this folder or above it when left out.
    set_name
        The registered set, where it cannot be known by its cases.
    label
        What to call the candidate; its name in the log when left out.

    Returns
    -------
    HoldoutVerdict
        The verdict and its price.

    Raises
    ------
    LedgerError
        If the set is not registered, was declared to show nothing, or nothing can be claimed on it any more.

    References
    ----------
    See ``evalgauge.rules.spending``.
    """
    book = open_ledger(ledger)
    found = found_in(book, candidate, name=set_name)
    if found is None or found[1].best is None:
        log = candidate.source.files[0] if candidate.source.files else "LOG"
        raise LedgerError(
            "A verdict on a holdout needs its set in the ledger, and this one is not. Say: evalgauge ledger register "
            f"{shlex.quote(log)} --name {shlex.quote(candidate.source.set_name or 'NAME')}"
        )
    subject, best = found[0], found[1].best
    against = None if baseline is None else seen(baseline, book).run
    words = rule if against is None else f"{rule} [baseline {against[:SHORT]}]"

    def say(state: SetState) -> Particulars:
        spending = next_spending(state)
        if (before := _judged_before(state, subject.run, words)) is not None:
            # The same question to the same results: its answer is known, and nothing is spent.
            return Particulars(display="pass-fail", rule=words, passed=before.passed)
        _refuse(state, spending)
        verdict = judge(spending.confidence or 0.0)
        return Particulars(
            display="pass-fail",
            intent="gate",
            label=label,
            rule=words,
            passed=verdict.passed,
            sealed=verdict.sealed,
        )

    with book.writing() as writing:
        recorded = record_in(writing, subject, best, say, salt=book.salt)
    log_error = recorded.look.data.log_error
    return HoldoutVerdict(
        state=recorded.state,
        look=recorded.look,
        passed=bool(recorded.look.passed),
        is_new=recorded.is_new,
        confidence=0.0 if log_error is None else 1 - math.exp(log_error),
    )


def holdout(  # noqa: PLR0913 - the options of one question, all keyword-only
    *logs: Any,  # noqa: ANN401 - paths, folders, data frames or tables
    margin: float | str | None = None,
    cluster: str | None = None,
    metric: str | None = None,
    candidate_metric: str | None = None,
    task: str | None = None,
    arms: Sequence[str] = (),
    missing: Missing = "bounds",
    score_range: Sequence[float] | None = None,
    ledger: str | None = None,
    columns: Mapping[str, str] | None = None,
    words: Mapping[str, float] | None = None,
    wide_arms: Sequence[str] = (),
    wide_reps: Sequence[str] = (),
    tolerant: bool = False,
) -> HoldoutAnswer:
    """Answer whether the candidate passes against the baseline on a registered holdout, and show nothing else.

    Parameters
    ----------
    *logs
        Baseline, then candidate; or one log that holds both, with ``arms``.
    margin
        It passes where it is shown to be no worse than this, a share. Left out: where it is shown to be better.
    cluster, metric, candidate_metric, task, arms, missing, score_range
        As for ``compare``.
    ledger
        Which ledger; the one in this folder or above it when left out.
    columns, words, wide_arms, wide_reps, tolerant
        As for ``read``.

    Returns
    -------
    HoldoutAnswer
        Pass or no pass, and what the look cost. The scores stay sealed in the ledger.

    Raises
    ------
    LedgerError
        When the set is not registered, or nothing can be claimed on it any more.
    PairingError
        When the logs have no case in common.
    LogError, ScoreError
        When a log cannot be read, or cannot answer.

    Examples
    --------
    >>> import evalgauge as eg
    >>> eg.holdout("base.eval", "candidate.eval", margin=0.02)  # doctest: +SKIP
    """
    request = request_from(
        HoldoutRequest,
        logs=tuple(log_name(log) for log in logs),
        margin=margin,
        cluster=cluster,
        metric=metric,
        candidate_metric=candidate_metric,
        task=task,
        arms=arms,
        missing=missing,
        score_range=score_range,
        ledger=ledger,
        columns={} if columns is None else columns,
        words={} if words is None else words,
        wide_arms=wide_arms,
        wide_reps=wide_reps,
        tolerant=tolerant,
    )
    return holdout_answer(request, logs)


def holdout_answer(request: HoldoutRequest, logs: Sequence[Any] = ()) -> HoldoutAnswer:
    """Return the answer to a request; ``logs`` holds the sources where they are no paths."""
    compared = CompareRequest(**{name: getattr(request, name) for name in _SHARED})
    baseline, candidate = two_arms(compared, list(logs or request.logs))
    rule = "better than the baseline" if request.margin is None else f"no worse by {100 * request.margin:g} points"

    def judge(confidence: float) -> Judged:
        found = compared_paired(replace(compared, confidence=Share(confidence)), baseline, candidate)
        passed = found.claims.better if request.margin is None else found.claims.no_worse
        kept = {"difference": found.difference.estimate, "low": found.difference.low, "high": found.difference.high}
        return Judged(passed=passed, sealed={**kept, "guarded_low": found.guarded.low})

    verdict = judged_on_holdout(candidate, judge, rule=rule, baseline=baseline, ledger=request.ledger)
    promise, state = verdict.state.promise, verdict.state
    upcoming = next_spending(state)
    return HoldoutAnswer(
        set_name=state.name,
        passed=verdict.passed,
        rule=rule,
        baseline=baseline.source.arm,
        candidate=candidate.source.arm,
        look=verdict.look.id,
        is_new=verdict.is_new,
        place=verdict.look.data.place,
        confidence=verdict.confidence,
        over_all=promise.confidence,
        looks_left=None if promise.looks is None else max(0, promise.looks - (upcoming.look - 1)),
        next_refusal=upcoming.refusal,
        n_cases=verdict.look.data.n,
        request=request,
    )


_SHARED = (
    *("logs", "margin", "cluster", "metric", "candidate_metric", "task", "arms", "missing", "score_range", "columns"),
    *("words", "wide_arms", "wide_reps", "tolerant"),
)


def _judged_before(state: SetState, run: str, rule: str) -> Look | None:
    return next((look for look in state.looks if look.data.run == run and look.data.rule == rule), None)


def _refuse(state: SetState, spending: Spending) -> None:
    promised = state.promise.display
    if promised is not None and more_than("pass-fail", promised):
        raise LedgerError(f"{state.name} is declared to show {DISPLAY_WORDS[promised]}, so no verdict either.")
    if spending.refusal:
        some = "" if spending.cases_shown else " With a smaller share, later verdicts pay for what was shown before."
        raise LedgerError(
            f"Nothing can be claimed on {state.name} any more. {spending.refusal} Replace all cases to begin anew: "
            f"evalgauge ledger refresh LOG --share 100% -o retired.txt.{some} What the set is worth now: evalgauge "
            f"ledger status {shlex.quote(state.name)}"
        )
