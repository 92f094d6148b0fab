"""Reads Driftproof receipts: a skill's cases with and without the skill, each judged several times.

The samples of a case judge one generation again and again. They hold the judge's noise and none of the system's, so
that each is a judging (``Run.rep_kind`` "judge"), never a rep of the run.
"""

from __future__ import annotations

import re
from itertools import product
from typing import TYPE_CHECKING

import msgspec

from evalgauge.errors import LogError
from evalgauge.formats.json_text import decoded
from evalgauge.formats.log_guard import reading
from evalgauge.formats.plain_text import digest_of
from evalgauge.formats.score_words import Reading, score_reading
from evalgauge.formats.wording import counted
from evalgauge.scores.build import TableBuilder
from evalgauge.scores.table import Run, Status

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from evalgauge.formats.protocol import ReadOptions, Source
    from evalgauge.scores.table import ScoreTable

_SKILL = re.compile(rb'"skill"\s*:\s*\{')
_SUITE = re.compile(rb'"suite_hash"\s*:\s*"')
_OUTCOMES = {"pass": 1.0, "fail": 0.0}


class Skill(msgspec.Struct):
    """What was tested."""

    name: str = ""
    version: str = ""
    content_hash: str = ""


class Suite(msgspec.Struct):
    """The set of cases; its count is that of the suite, before a cap."""

    suite_hash: str = ""
    case_count: int | None = None


class Judge(msgspec.Struct):
    """How often each generation was judged."""

    samples: int | None = None


class RunInfo(msgspec.Struct):
    """Who answered, when, and who judged."""

    model_id: str = ""
    provider: str = ""
    surface: str = ""
    runner_version: str = ""
    date_utc: str = ""
    judge: Judge | None = None
    status: str | None = None


class Check(msgspec.Struct, rename={"passed": "pass"}):
    """A deterministic check of the answer, apart from the judge."""

    name: str
    passed: bool | None = None


class CaseResult(msgspec.Struct):
    """One case in one mode."""

    id: str | int
    mode: str
    outcome: str | None = None
    score: float | None = None
    mean: float | None = None
    samples: list[float | None] | None = None
    checks: list[Check] = []
    case_status: str | None = None


class Results(msgspec.Struct):
    """All cases in all modes."""

    cases: list[CaseResult]


class Receipt(msgspec.Struct):
    """A receipt, as far as scores need it."""

    skill: Skill
    suite: Suite
    run: RunInfo
    results: Results
    receipt_hash: str = ""


class DriftproofReader:
    """Reads one receipt: one run for each mode, so that the two modes can be compared."""

    name: str = "driftproof"
    title: str = "Driftproof receipt"

    def claims(self, source: Source) -> bool:
        """Return whether this is a receipt."""
        is_object = source.head.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"{")
        return is_object and all(mark.search(source.head) for mark in (_SKILL, _SUITE))

    def read(self, source: Source, options: ReadOptions) -> ScoreTable:
        """Return the scores: ``score`` with a row a judging, ``outcome``, and ``check/<name>``.

        Raises
        ------
        LogError
            The file is no receipt, or holds no case.
        """
        with reading(source.name):
            receipt = decoded(source.path.read_bytes(), Receipt, file=source.name)
            if not receipt.results.cases:
                raise LogError(source.name, "holds no case.", field="results.cases", hint="Run the suite again.")
            options.progress(1, 1)
            return _table(receipt, source, options.words)


READER = DriftproofReader()


def _table(receipt: Receipt, source: Source, words: Mapping[str, float]) -> ScoreTable:
    builder = TableBuilder()
    found: dict[tuple[str, str], CaseResult] = {}
    for result in receipt.results.cases:
        found[str(result.id), result.mode] = result
    again = len(receipt.results.cases) - len(found)
    if again:
        builder.problem(
            "Some cases are in the receipt twice in one mode: the last counts.", file=source.name, count=again
        )
    ids, modes = (list(dict.fromkeys(key[place] for key in found)) for place in (0, 1))
    runs = {mode: builder.add_run(_run(receipt, mode, source)) for mode in modes}
    checks = {one: _check_names([found[key] for key in found if key[0] == one]) for one in ids}
    judgings = receipt.run.judge.samples if receipt.run.judge else None
    for case_id, mode in product(ids, modes):
        result = found.get((case_id, mode))
        rows = [("score", rep, reading) for rep, reading in enumerate(_judgings(result, judgings or 1, words), 1)]
        rows.append(("outcome", 1, _outcome(result, words)))
        rows += [(f"check/{name}", 1, _check(result, name)) for name in checks[case_id]]
        for metric, rep, reading_ in rows:
            builder.add(
                run=runs[mode],
                case=builder.case_index(case_id),
                rep=rep,
                metric=builder.metric_index(metric, low=0.0, high=1.0, higher_is_better=True),
                score=reading_.score,
                raw=reading_.raw,
                status=_status(result),
            )
    _say_what_is_absent(builder, receipt, len(ids), source.name)
    return builder.build()


def _run(receipt: Receipt, mode: str, source: Source) -> Run:
    run, skill = receipt.run, receipt.skill
    detail = {
        "model": run.model_id,
        "mode": mode,
        "skill_version": skill.version,
        "skill_hash": skill.content_hash,
        "provider": run.provider,
        "surface": run.surface,
    }
    judgings = run.judge.samples if run.judge else None
    return Run(
        run_id=f"{receipt.receipt_hash[:16] or digest_of(source.path)}-{mode}",
        set_name=skill.name,
        set_version=receipt.suite.suite_hash[:16],
        # Two receipts of one suite hold the same modes: without the model they would pass for reps of one arm.
        arm=f"{run.model_id} {mode}".strip(),
        arm_detail={key: value for key, value in detail.items() if value},
        framework="driftproof",
        framework_version=run.runner_version,
        file=source.name,
        state="partial" if run.status == "incomplete" else "complete",
        created=run.date_utc,
        rep_source="explicit",
        rep_kind="judge",
        planned_cases=receipt.suite.case_count,
        planned_reps=judgings,
    )


def _check_names(results: Sequence[CaseResult]) -> list[str]:
    return list(dict.fromkeys(check.name for result in results for check in result.checks))


def _judgings(result: CaseResult | None, planned: int, words: Mapping[str, float]) -> list[Reading]:
    """Return a reading per judging; receipts of version 0.1 hold one score, and a case that failed holds none."""
    if result is None or result.case_status not in (None, "ok"):
        return [Reading(None, None)] * planned
    if result.samples:
        return [score_reading(sample, words) for sample in result.samples]
    return [score_reading(result.score if result.mean is None else result.mean, words)]


def _outcome(result: CaseResult | None, words: Mapping[str, float]) -> Reading:
    word = result.outcome if result else None
    if word is None or word == "score":
        # "score": a case without a threshold has no outcome.
        return Reading(None, None)
    if word in words:
        return score_reading(word, words)
    return Reading(_OUTCOMES.get(word), word)


def _check(result: CaseResult | None, name: str) -> Reading:
    passed = next((check.passed for check in result.checks if check.name == name), None) if result else None
    return Reading(None if passed is None else float(passed), None)


def _status(result: CaseResult | None) -> Status:
    if result is None:
        return Status.NOT_RUN
    return Status.OK if result.case_status in (None, "ok") else Status.ERROR


def _say_what_is_absent(builder: TableBuilder, receipt: Receipt, n_cases: int, file: str) -> None:
    planned = receipt.suite.case_count
    if planned is not None and planned > n_cases:
        text = (
            f"The suite has {counted(planned, 'case', 'cases')}, the receipt {n_cases:,}: the others were left out by "
            "a cap on the run, and nothing names them."
        )
        builder.problem(text, file=file, count=planned - n_cases)
    if receipt.run.status == "incomplete":
        builder.problem("The receipt says that its run is incomplete: some cases timed out.", file=file)
