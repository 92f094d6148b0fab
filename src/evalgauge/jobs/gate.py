"""May the candidate ship: pass, fail, or not decided?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from evalgauge.errors import EvalgaugeError
from evalgauge.jobs.blessings import is_blessed
from evalgauge.jobs.gate_holdout import holdout_gate
from evalgauge.jobs.gate_judged import blind_text, judged_rules
from evalgauge.jobs.gate_looks import with_looks
from evalgauge.jobs.gate_sequential import sequential_of
from evalgauge.jobs.gate_settings import settings_of
from evalgauge.jobs.gate_subjects import answers_beside, subjects_of
from evalgauge.jobs.reading import log_name
from evalgauge.questions.gate import GateAnswer, GateRequest
from evalgauge.questions.given import request_from
from evalgauge.questions.units import ScoreRange
from evalgauge.rules.gate import gate_verdict

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from evalgauge.questions.compare import CompareAnswer
    from evalgauge.questions.gate import Bounds, PairingPolicy, Verdict
    from evalgauge.questions.measure import MeasureAnswer
    from evalgauge.questions.parts import Missing


def gate(  # noqa: PLR0913 - the options of one question, all keyword-only
    *logs: Any,  # noqa: ANN401 - paths, folders, data frames or tables
    max_drop: float | str | None = None,
    min_rate: float | str | None = None,
    better_than: float | str | None = None,
    by: str | None = None,
    slice_drop: float | str | None = None,
    slice_rate: float | str | None = None,
    case_rate: float | str | None = None,
    config: str | None = None,
    cluster: str | None = None,
    metric: str | None = None,
    candidate_metric: str | None = None,
    task: str | None = None,
    arms: Sequence[str] = (),
    unpaired: bool = False,
    pairing: PairingPolicy = "any",
    missing: Missing = "bounds",
    min_scored: float | str = 0.95,
    min_overlap: float | str = 0.95,
    on_inconclusive: Verdict = "inconclusive",
    interim: str | None = None,
    bounds: Bounds = "obrien-fleming",
    anytime: bool = False,
    allow_blind: bool = False,
    flips: bool = False,
    holdout: bool = False,
    engine: str | None = None,
    ledger: str | None = None,
    no_ledger: bool = False,
    score_range: Sequence[float] | None = None,
    confidence: float | str = 0.95,
    columns: Mapping[str, str] | None = None,
    words: Mapping[str, float] | None = None,
    wide_arms: Sequence[str] = (),
    wide_reps: Sequence[str] = (),
    tolerant: bool = False,
) -> GateAnswer:
    """Answer whether a candidate may ship: pass, fail, or not decided and what would decide it.

    Parameters
    ----------
    *logs
        Baseline, then candidate: paths, folders, data frames or tables. The candidate alone where no rule speaks of a
        change, or where the file of rules names a baseline.
    max_drop
        The largest drop that would not matter, a share: 0.02 for two points.
    min_rate
        The least pass rate or mean score, a share.
    better_than
        The gain that has to be shown, a share; 0 for any gain.
    by, slice_drop, slice_rate
        Field that splits the cases into slices, and what has to hold in each: the same as for the whole, or these.
    case_rate
        The share of its reps that every case should pass.
    config
        File with the rules. Where no rule is named, ``evalgauge.toml`` in the current folder is used.
    cluster
        Field that says which cases share a source.
    metric, candidate_metric, task, arms
        As for ``compare``.
    unpaired
        The logs hold different cases.
    pairing
        Which pairs to accept: ``"any"``, or only those matched by ``"content"``.
    missing
        What missing scores count as, in both arms alike: ``"bounds"``, ``"fail"`` or ``"drop"``.
    min_scored, min_overlap
        Least share of the planned runs and cases that must be scored, and of the cases that must have a partner.
    on_inconclusive
        What ``outcome`` says where the data cannot decide.
    interim, bounds
        Which planned look at the growing logs this is, as ``"2/5"``, and the bounds by which all looks share the error:
        ``"obrien-fleming"`` or ``"pocock"``.
    anytime
        Judge by intervals that hold after any number of cases, in the order of the log.
    allow_blind
        Judge even where a rule can never pass, or never fail, with this many cases.
    flips
        Keep every changed case in the answer.
    holdout
        Judge on a registered set: show pass or no pass alone, and pay for it in the ledger.
    engine
        Address of the engine that holds the logs as tables: ``"sc://host:15002"``, ``"spark://host:7077"``,
        ``"ibis:URL"``.
    ledger, no_ledger
        Which ledger records the look, where the set is registered; or none.
    score_range
        Lowest and highest possible score; (0, 1) when left out.
    confidence
        Two-sided level. A pass reads one end, so its error is half of what is left.
    columns, words, wide_arms, wide_reps, tolerant
        As for ``read``.

    Returns
    -------
    GateAnswer
        The verdict, and of each rule its own with a reason and what would decide it.

    Raises
    ------
    ArgumentError
        When there is no rule, or one that cannot be meant.
    EvalgaugeError
        When a rule could not pass, or not fail, with so few cases, and ``allow_blind`` is not set.
    PairingError
        When the logs have no case in common.
    LogError, ScoreError
        When a log cannot be read, or its scores cannot answer.

    References
    ----------
    Berger 1982 (a gate passes where all of its rules do); Holm 1979 (slices); Tango 1998 and the rules of ``compare``.

    Examples
    --------
    >>> import polars as pl
    >>> import evalgauge as eg
    >>> base = pl.DataFrame({"case": [f"q{i}" for i in range(240)], "score": [1, 1, 0] * 80})
    >>> print(eg.gate(base, base, max_drop=0.02))
    pass: all rules pass (3 rules)
    """
    request = request_from(
        GateRequest,
        logs=tuple(log_name(log) for log in logs),
        max_drop=max_drop,
        min_rate=min_rate,
        better_than=better_than,
        by=by,
        slice_drop=slice_drop,
        slice_rate=slice_rate,
        case_rate=case_rate,
        config=config,
        cluster=cluster,
        metric=metric,
        candidate_metric=candidate_metric,
        task=task,
        arms=arms,
        unpaired=unpaired,
        pairing=pairing,
        missing=missing,
        min_scored=min_scored,
        min_overlap=min_overlap,
        on_inconclusive=on_inconclusive,
        interim=interim,
        bounds=bounds,
        anytime=anytime,
        allow_blind=allow_blind,
        flips=flips,
        holdout=holdout,
        engine=engine,
        ledger=ledger,
        no_ledger=no_ledger,
        score_range=score_range,
        confidence=confidence,
        columns={} if columns is None else columns,
        words={} if words is None else words,
        wide_arms=wide_arms,
        wide_reps=wide_reps,
        tolerant=tolerant,
    )
    return gate_answer(request, logs)


def gate_answer(request: GateRequest, logs: Sequence[Any] = ()) -> GateAnswer:
    """Return the answer to a request; ``logs`` holds the sources themselves where they are no paths."""
    settings = settings_of(request)
    errors = settings.errors
    subjects = subjects_of(settings, list(logs or request.logs))
    if request.holdout:
        return holdout_gate(request, settings, subjects)
    rows, blind = judged_rules(subjects, errors)
    verdict = gate_verdict([row.verdict for row in rows])
    # A look that is too early to decide is followed by others.
    goes_on = settings.options.anytime or (errors.look is not None and not errors.look.is_last)
    if verdict != "fail" and blind and not (settings.options.allow_blind or goes_on):
        raise EvalgaugeError(blind_text(blind))
    comparisons, scores = answers_beside(subjects)
    options = settings.options
    comparisons, said, note = with_looks(options, subjects, comparisons)
    sequential, price = sequential_of(settings, subjects, rows)
    return GateAnswer(
        verdict=verdict,
        outcome=options.on_inconclusive if verdict == "inconclusive" else verdict,
        rules=rows,
        comparisons=comparisons,
        scores=scores,
        confidence=options.confidence,
        pass_error=errors.passing,
        alarm_error=2 * errors.passing,
        rules_from=settings.rules_from,
        missing=options.missing,
        pairing="unpaired" if options.unpaired else options.pairing,
        min_scored=options.min_scored,
        min_overlap=options.min_overlap,
        on_inconclusive=options.on_inconclusive,
        range=subjects[0].candidate.score_range or ScoreRange((0.0, 1.0)),
        is_blessed=any(one.baseline is not None and is_blessed(one.baseline.table.runs) for one in subjects),
        sequential=sequential,
        notes=(*price, *settings.notes, *_notes(comparisons, scores), *said),
        problems=tuple(dict.fromkeys(text for one in (*comparisons, *scores) for text in one.problems)),
        ledger=note,
        request=request,
    )


def _notes(comparisons: Sequence[CompareAnswer], scores: Sequence[MeasureAnswer]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(note for one in (*comparisons, *scores) for note in one.notes))
