"""A HELM run as a ``ScoreTable``."""

from __future__ import annotations

import re
from itertools import product
from typing import TYPE_CHECKING

from evalgauge.formats.score_words import MISSING, Reading, score_reading
from evalgauge.scores.build import TableBuilder
from evalgauge.scores.table import CaseContent, Run, Status

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from evalgauge.formats.helm_run import Content, HelmRun, Instance, InstanceKey, Stat
    from evalgauge.scores.table import Json, ScoreTable

# Of the thirty statistics of an instance most keep books: a metric that nobody knows yet must not be lost among them,
# so that these are named and not the metrics.
_BOOKKEEPING = re.compile(
    r"num_|training_|inference_|batch_size|finish_reason_|prompt_truncated|max_prob|log_?prob|perplexity"
    r"|bits_per_byte|estimated_num_tokens|.*(?:_cost|_runtime|_tokens|_time)$"
)
_SHARES = re.compile(
    r"(?:quasi_|prefix_|quasi_prefix_|final_number_)?exact_match|f1_|rouge_|bleu_|classification_|ifeval_|math_equiv"
    r"|chain_of_thought_correctness|safety_score|.*accuracy"
)


def is_quality(name: str) -> bool:
    """Return whether a statistic says how good an answer is.

    Examples
    --------
    >>> is_quality("quasi_exact_match@5"), is_quality("num_prompt_tokens"), is_quality("training_co2_cost")
    (True, False, False)
    """
    return _BOOKKEEPING.match(name) is None


def table_of_run(run: HelmRun, arm: str, words: Mapping[str, float]) -> ScoreTable:
    """Return the table of one run.

    Parameters
    ----------
    run
        As it was read.
    arm
        Its name among the runs that are read together.
    words
        The user's numbers for words.
    """
    builder = TableBuilder()
    for problem in run.problems:
        builder.problem(problem.text, file=problem.file)
    if run.twice:
        text = "Some instances come twice in one trial: the last counts."
        builder.problem(text, file=run.file, count=run.twice)
    trials = sorted({trial for _, trial in (*run.stats, *run.requested)})
    index = builder.add_run(_run(run, arm, trials))
    metrics = _metrics(run)
    keys = dict.fromkeys(key for key, _ in (*run.requested, *run.stats))
    is_perturbed = any(key.perturbation for key in keys)
    of_id: dict[str, int] = {}
    for key in keys:
        case_id = _case_id(key)
        of_id[case_id] = of_id.get(case_id, -1) + 1
        case = builder.case_index(
            case_id,
            dup=of_id[case_id],
            content=_content(run.instances.get(key), run.method),
            # Perturbed copies of an instance are no independent cases.
            fields={**_fields(key, run.instances.get(key)), **({"instance": key.id} if is_perturbed else {})},
        )
        for (rep, trial), metric in product(enumerate(trials, start=1), metrics):
            status, reading = _score(run, (key, trial), metric, words)
            builder.add(
                run=index,
                case=case,
                rep=rep,
                metric=_metric_index(builder, metric),
                score=reading.score,
                raw=reading.raw,
                status=status,
            )
    return builder.build()


def _run(run: HelmRun, arm: str, trials: Sequence[int]) -> Run:
    return Run(
        run_id=run.run_id,
        set_name=run.set_name,
        arm=arm,
        arm_detail=run.arm_detail,
        framework="helm",
        file=run.file,
        state="partial" if run.is_cut else "complete",
        rep_source="explicit",
        # A trial draws other examples for the prompt; a repeated request would be another thing.
        rep_kind="prompt",
        planned_cases=len({key for key, _ in run.requested}) or None,
        planned_reps=len(trials),
    )


def _metrics(run: HelmRun) -> list[str]:
    names = (_name(stat, key) for (key, _), stats in run.stats.items() for stat in stats if is_quality(stat.name.name))
    return list(dict.fromkeys(names))


def _name(stat: Stat, key: InstanceKey) -> str:
    """Return the name of a statistic; one over other copies than the instance itself says which."""
    perturbation = stat.name.perturbation
    if not perturbation or key.perturbation:
        return stat.name.name
    return "/".join((stat.name.name, str(perturbation.get("computed_on") or perturbation.get("name") or "perturbed")))


def _metric_index(builder: TableBuilder, name: str) -> int:
    is_share = _SHARES.match(name) is not None
    return builder.metric_index(
        name, low=0.0 if is_share else None, high=1.0 if is_share else None, higher_is_better=is_share or None
    )


def _score(
    run: HelmRun, at: tuple[InstanceKey, int], metric: str, words: Mapping[str, float]
) -> tuple[Status, Reading]:
    if at in run.failed:
        return Status.ERROR, MISSING
    stats = run.stats.get(at)
    if stats is None:
        return Status.NOT_RUN, MISSING
    stat = next((one for one in stats if _name(one, at[0]) == metric), None)
    reading = MISSING if stat is None or not stat.count else score_reading(stat.mean, words)
    return (Status.UNSCORED if reading == MISSING else Status.OK), reading


def _case_id(key: InstanceKey) -> str:
    name = re.search(r'"name": "([^"]*)"', key.perturbation)
    return f"{key.id}+{name[1] if name else 'perturbed'}" if key.perturbation else key.id


def _fields(key: InstanceKey, instance: Instance | None) -> dict[str, str | None]:
    case_id = _case_id(key)
    fields: dict[str, str | None] = {}
    if key.perturbation:
        fields["perturbation"] = case_id.removeprefix(f"{key.id}+")
    if instance is not None:
        fields |= {name: value for name in ("split", "sub_split") if (value := getattr(instance, name))}
    return fields


def _content(instance: Instance | None, method: str) -> CaseContent | None:
    if instance is None:
        return None
    answers = [(_said(one.output), "correct" in one.tags) for one in instance.references]
    is_choice = method.startswith("multiple_choice")
    right = [answer for answer, is_right in answers if is_right] or (None if is_choice else [one for one, _ in answers])
    return CaseContent(
        input=_said(instance.input),
        choices=tuple(str(answer) for answer, _ in answers) if is_choice else None,
        target=right,
    )


def _said(content: Content) -> Json:
    return content.text or content.messages or content.multimedia_content
