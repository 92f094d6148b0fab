"""After each answer one command that is worth running next."""

from __future__ import annotations

import shlex
from dataclasses import fields
from typing import TYPE_CHECKING

from evalgauge.questions.plan_design import PlanDesignRequest
from evalgauge.report.command_line import command_of, log_words, option_words, value_text
from evalgauge.report.next_ledger import in_ledger
from evalgauge.report.next_look import OTHER_LOG, baseline_first

if TYPE_CHECKING:
    from evalgauge.planning.results import Design
    from evalgauge.questions.best_of import BestOfAnswer, BestOfRequest
    from evalgauge.questions.bless import BlessAnswer
    from evalgauge.questions.compare import CompareAnswer
    from evalgauge.questions.convert import ConvertAnswer
    from evalgauge.questions.gate import GateAnswer
    from evalgauge.questions.gate_check import GateCheckAnswer
    from evalgauge.questions.measure import MeasureAnswer
    from evalgauge.questions.parts import Source
    from evalgauge.questions.plan import ChangeOptions, PlanAnswer
    from evalgauge.questions.plan_design import PlanDesignAnswer
    from evalgauge.questions.plan_reps import PlanRepsAnswer
    from evalgauge.questions.rank import RankAnswer, RankRequest
    from evalgauge.questions.report import ReportAnswer
    from evalgauge.questions.reuse import ReuseAnswer
    from evalgauge.questions.verify import VerifyAnswer
    from evalgauge.questions.verify_gate import VerifyGateAnswer


_LEDGER = ("ledger", "no_ledger")
# Options of a score that a comparison takes too.
SHARED = (
    *("columns", "words", "wide_reps", "tolerant", "metric", "task", "by", "cluster", "score_range", "missing"),
    *("confidence", *_LEDGER),
)
# Options that say how to read a pilot log.
PILOT = ("metric", "task", "arm", "columns", "words", "wide_arms", "wide_reps", "tolerant", "score_range", *_LEDGER)


_NOT_CHECKED = ("anytime", "interim", "bounds", "min_scored", "min_overlap", "on_inconclusive", "pairing", "flips")


def after_measure(answer: MeasureAnswer) -> str:
    """Return what to run after a score: what other reps would buy, where there are reps; else a comparison.

    A bare count says nothing to compare by case: it is planned with.
    """
    request = answer.request
    if not answer.source.files:
        # A drop of 10 points, the usual question, has room only above it.
        change = [] if answer.estimate >= 0.5 else ["--rise 10pp"]
        level = option_words(request, only=("confidence",))
        rate = f"--rate {100 * answer.estimate:.4g}%"
        return " ".join(["evalgauge plan", rate, f"--own {answer.n_cases}", *change, *level])
    log = _own_log(answer)
    others = [arm for arm in answer.beside if arm != answer.source.arm]
    if others and len(request.logs) == 1:
        arms = shlex.quote(",".join(baseline_first((answer.source.arm, others[0]))))
        task = [f"--task {shlex.quote(answer.source.set_name)}"] if answer.source.set_name else []
        shared = option_words(request, only=(*SHARED, "wide_arms"), leave_out=("task",))
        return " ".join(["evalgauge compare", *log_words(request.logs), "--arms", arms, *task, *shared, "--margin 2pp"])
    if answer.n_reps > 1 and answer.range is not None:
        pilot = option_words(request, only=PILOT, leave_out=("task", "arm"))
        return " ".join(["evalgauge plan reps", *log, *pilot])
    shared = option_words(request, only=SHARED, leave_out=("task",))
    return " ".join(["evalgauge compare", *log, "CANDIDATE", *shared, "--margin 2pp", OTHER_LOG])


def _own_log(answer: MeasureAnswer) -> list[str]:
    """Return the words that name what this answer measured, and nothing else that its logs hold."""
    request, source = answer.request, answer.source
    if len(source.files) == 1:
        return [*log_words(source.files), *option_words(request, only=("task", "arm"))]
    chosen = [f"--task {shlex.quote(source.set_name)}"] if source.set_name else []
    if len(answer.beside) > 1:
        chosen.append(f"--arm {shlex.quote(source.arm)}")
    return [*log_words(request.logs), *chosen]


def after_compare(answer: CompareAnswer) -> str:
    """Return what to run after a verdict: the claim with a margin, the cases that would decide, or what changed."""
    request = answer.request
    words = ["evalgauge compare", *log_words(request.logs)]
    options = option_words(request, leave_out=("explain_pairing",))
    if request.margin is None:
        return " ".join([*words, *options, "--margin 2pp"])
    if answer.verdict == "inconclusive" and answer.is_paired and answer.is_pass_fail and len(request.logs) == 2:
        drop = f"--design paired --drop {value_text(request.margin)}"
        pilot = option_words(request, only=PILOT)
        return " ".join(["evalgauge plan", *_likes(request.logs), *pilot, drop])
    is_of_logs = answer.pairing.by not in {"counts", "none"}
    if is_of_logs and answer.least_n is not None and answer.pairing.matched >= answer.least_n and not request.flips:
        judged = option_words(request, leave_out=("margin", "flips", "explain_pairing"))
        return " ".join(["evalgauge gate", *log_words(request.logs), *judged, "--max-drop", value_text(request.margin)])
    if not request.flips and is_of_logs:
        return " ".join([*words, *options, "--flips"])
    return " ".join([*words, *options, "--json"])


def after_gate(answer: GateAnswer) -> str:
    """Return what to run after a gate: what its rules can see, what changed, or the new baseline."""
    request = answer.request
    logs = log_words(request.logs)
    if request.holdout and answer.ledger is not None:
        if answer.verdict == "pass":
            return in_ledger("decide", answer.ledger.look, "ship", ledger=request.ledger)
        return in_ledger("status", shlex.quote(answer.ledger.set_name), ledger=request.ledger)
    if answer.verdict == "inconclusive":
        return _after_open_gate(answer)
    if answer.verdict == "fail" and len(request.logs) == 2 and not request.unpaired:
        shared = option_words(request, only=(*SHARED, "candidate_metric", "arms", "wide_arms"))
        return " ".join(["evalgauge compare", *logs, *shared, "--flips"])
    if answer.verdict == "pass" and logs and not request.arms:
        return _after_passed_gate(answer)
    return " ".join(["evalgauge gate", *logs, *option_words(request), "--json"])


def _after_passed_gate(answer: GateAnswer) -> str:
    """Return the blessing of the candidate; or, as a baseline that moves adds up small drops, what changed since."""
    request = answer.request
    logs = log_words(request.logs)
    if not answer.is_blessed:
        reading = option_words(request, only=("columns", "words", "wide_reps", "tolerant"))
        return " ".join(["evalgauge bless", logs[-1], *reading, "-o baseline.json"])
    shared = option_words(request, only=SHARED)
    if len(logs) == 2:
        return " ".join(["evalgauge compare", *logs, *shared, "--flips"])
    return " ".join(["evalgauge measure", *logs, *shared])


def _after_open_gate(answer: GateAnswer) -> str:
    """Return what tells more where a gate cannot decide: what is missing, how many cases it takes, or what it sees."""
    request = answer.request
    logs = log_words(request.logs)
    open_rules = {row.rule for row in answer.rules if row.verdict == "inconclusive"}
    if logs and open_rules <= {"min-scored", "min-overlap", "pairing"}:
        reading = option_words(request, only=("columns", "words", "wide_arms", "wide_reps", "tolerant"))
        return " ".join(["evalgauge look-at", *logs, *reading])
    if request.max_drop is not None and len(logs) == 2 and not request.unpaired and "max-drop" in open_rules:
        drop = ["--max-drop", value_text(request.max_drop)]
        pilot = option_words(request, only=(*PILOT, "confidence"), leave_out=("wide_arms", "score_range"))
        return " ".join(["evalgauge plan", *_likes(request.logs), *pilot, *drop])
    return " ".join(["evalgauge gate --check", *logs, *option_words(request, leave_out=_NOT_CHECKED)])


def after_bless(answer: BlessAnswer) -> str:
    """Return what to run after a blessing: what a gate against the new baseline can see."""
    metric = f" --metric {shlex.quote(answer.metrics[0])}" if len(answer.metrics) > 1 else ""
    return f"evalgauge gate --check {log_words([answer.output])[0]}{metric} --max-drop 2pp"


def after_check(answer: GateCheckAnswer) -> str:
    """Return what to run after a check: the plan of a set that can decide, or the gate itself."""
    request = answer.request
    logs = log_words(request.logs)
    words = option_words(request, leave_out=("cases", "reps", "rate", "discordance"))
    if answer.can_decide and (len(logs) == 2 or request.arms):
        return " ".join(["evalgauge gate", *logs, *words])
    if answer.can_decide and logs:
        return " ".join(["evalgauge gate", *logs, "CANDIDATE", *words, OTHER_LOG])
    if answer.can_decide:
        return f"run both systems on such cases, then {' '.join(['evalgauge gate BASELINE CANDIDATE', *words])}"
    return _after_blind_check(answer, words)


def _after_blind_check(answer: GateCheckAnswer, words: list[str]) -> str:
    """Return the plan of a set that can decide; where none is made for the rule, the log to ask with."""
    request = answer.request
    logs = log_words(request.logs)
    size = [f"--rate {value_text(request.rate) if request.rate is not None else '90%'}"]
    if logs and not request.arms:
        size = [*_likes(request.logs), *option_words(request, only=PILOT)]
    if request.max_drop is not None:
        return " ".join(["evalgauge plan", *size, "--max-drop", value_text(request.max_drop)])
    if request.min_rate is not None:
        return " ".join(["evalgauge plan", *size, "--min-rate", value_text(request.min_rate)])
    if not logs and request.cases is None:
        return " ".join(["evalgauge gate --check YOUR_LOG", *words, "  (YOUR_LOG: a log of your own)"])
    return " ".join(["evalgauge gate --check", *logs, *option_words(request), "--json"])


def after_convert(answer: ConvertAnswer) -> str:
    """Return what to run after a conversion: the main job on the new file."""
    chosen = ["--metric", shlex.quote(answer.metrics[0])] if len(answer.metrics) > 1 else []
    return " ".join(["evalgauge measure", *log_words([answer.output]), *chosen])


def after_plan(answer: PlanAnswer) -> str:
    """Return what to run after a plan: the designs side by side; once one was chosen, the comparison it is for."""
    request = answer.request
    if answer.design != "held-reference":
        return _planned_comparison(request, answer.design)
    known = {field.name for field in fields(PlanDesignRequest)} - {"like"}
    return " ".join(["evalgauge plan design", *option_words(request, only=known), *_likes(request.like)])


def after_plan_design(answer: PlanDesignAnswer) -> str:
    """Return what to run after a choice of design: the comparison that it is for, once its cases have run."""
    return _planned_comparison(answer.request, answer.recommended)


def _planned_comparison(asked: ChangeOptions, design: Design) -> str:
    unpaired = ["--unpaired"] if design == "independent-arms" else []
    shared = option_words(asked, only=("confidence", "by", "columns", "words", "metric", "task", "cluster"))
    drop = getattr(asked, "max_drop", None)
    margin = [] if drop is None else ["--margin", value_text(drop)]
    command = " ".join(["evalgauge compare BASELINE CANDIDATE", *unpaired, *shared, *margin])
    return f"run both systems on such cases, then {command}"


def after_plan_reps(answer: PlanRepsAnswer) -> str:
    """Return what to run after a question about reps: the counts for a margin or a change, or the plan of a set."""
    asked = answer.request
    if answer.sketch is not None:
        return "evalgauge plan reps --case-sd 0.4 --run-sd 0.3 --margin 5pp   (your own spread)"
    pilot = option_words(asked, only=PILOT)
    if answer.counts or answer.is_too_few:
        return " ".join(["evalgauge plan", *_likes(asked.logs), *pilot])
    words = ["evalgauge plan reps", *log_words(asked.logs), *pilot]
    for name in ("case_sd", "run_sd", "change_sd", "run_sd_candidate"):
        value = getattr(asked, name)
        if value is not None:
            words += [f"--{name.replace('_', '-')}", f"{value:g}"]
    goal = "--drop 5pp" if answer.kind == "paired change" else "--margin 5pp"
    return " ".join([*words, goal])


def after_reuse(answer: ReuseAnswer) -> str:
    """Return what to run after a question about reuse: what a refresh buys, what showing less buys, or a plan."""
    request = answer.request
    words = ["evalgauge reuse", *log_words(request.logs), *option_words(request)]
    if answer.cost > answer.tolerance and request.refresh is None:
        return " ".join([*words, f"--refresh {answer.percent_to_replace}%"])
    if request.display is None and answer.optimism.binomial is not None:
        return " ".join([*words, "--display pass-fail --passes 1 --retired"])
    return f"evalgauge plan --own {answer.n_cases}"


def after_best_of(answer: BestOfAnswer) -> str:
    """Return what to run after a choice: the best against the second, case by case."""
    first, second = (candidate.source for candidate in answer.candidates[:2])
    return _against(answer.request, first, second)


def after_rank(answer: RankAnswer) -> str:
    """Return what to run after a leaderboard: what the top scores after the choice, or the first against the next."""
    request = answer.request
    if answer.verdict == "first" or request.cluster is not None:
        first, second = (arm.source for arm in answer.arms[:2])
        return _against(request, first, second)
    return " ".join(["evalgauge best-of", *log_words(request.logs), *option_words(request, leave_out=("cluster",))])


def after_report(answer: ReportAnswer) -> str:
    """Return how to write the report to a file."""
    return f"{command_of(answer.request)} -o report.html"


def _against(request: BestOfRequest | RankRequest, first: Source, second: Source) -> str:
    """Return the comparison of the best with the next, case by case."""
    options = ("columns", "words", "tolerant", "metric", "task", "cluster", "score_range", "confidence")
    shared = option_words(request, only=options)
    if first.files == second.files:
        arms = ["--arms", shlex.quote(f"{second.arm},{first.arm}")]
        logs = log_words(request.logs) if request.wide_arms else log_words(first.files)
        return " ".join(["evalgauge compare", *logs, *arms, *shared, "--margin 2pp"])
    return " ".join(["evalgauge compare", *log_words([*second.files, *first.files]), *shared, "--margin 2pp"])


def after_verify(answer: VerifyAnswer) -> str:
    """Return what to run after a study: the answer itself on the log, the cases that narrow it, or one's own log."""
    request = answer.request
    if len(request.like) == 2:
        reading = ("columns", "words", "metric", "task", "score_range", "confidence", *_LEDGER)
        shared = option_words(request, only=reading)
        return " ".join(["evalgauge compare", *log_words(request.like), *shared, "--margin 2pp"])
    if request.like:
        reading = ("columns", "words", "metric", "task", "arm", "cluster", "score_range", *_LEDGER)
        shared = option_words(request, only=reading)
        return " ".join(
            ["evalgauge measure", *log_words(request.like), *shared, *option_words(request, only=("confidence",))]
        )
    return "evalgauge verify --like YOUR_LOG   (YOUR_LOG: a log of your own)"


def after_verify_gate(answer: VerifyGateAnswer) -> str:
    """Return what to run after a study of a gate: what each rule needs, or the gate itself."""
    request = answer.request
    words = option_words(request, leave_out=("like", "drop", "discordance", "sims", "seed", "jobs", *_NOT_CHECKED))
    log = log_words(request.like[:1])
    # Runs that are seldom passed call for more cases; a check counts them.
    if answer.scenarios[0].passed < 0.5:
        return " ".join(["evalgauge gate --check", *log, *words])
    return " ".join(["evalgauge gate", *log, "CANDIDATE", *words, OTHER_LOG])


def _likes(logs: tuple[str, ...]) -> list[str]:
    return [word for log in log_words(logs) for word in ("--like", log)]
