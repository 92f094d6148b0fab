"""What the results file of an lm-evaluation-harness run says about its tasks; the rows are in other files."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import msgspec

from evalgauge.formats.json_text import decoded, is_array, is_object, text_of

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

DATED = re.compile(r"_(\d{4}-\d\d-\d\dT[\d.-]+)\.jsonl?$")
_SAMPLES = "samples_"


class Count(msgspec.Struct):
    """How many documents a task has, and how many of them were run."""

    original: int | None = None
    effective: int | None = None


class ResultsFile(msgspec.Struct, rename={"n_samples": "n-samples", "n_shot": "n-shot"}):
    """The part of ``results_<date>.json`` that tells what the rows are."""

    results: dict[str, Any]
    configs: dict[str, dict[str, Any]] | None = None
    versions: dict[str, Any] | None = None
    higher_is_better: dict[str, Any] | None = None
    n_samples: dict[str, Count] | None = None
    n_shot: dict[str, Any] | None = None
    config: dict[str, Any] | None = None
    model_name: str | None = None
    lm_eval_version: str | None = None
    git_hash: str | None = None
    date: float | None = None
    chat_template_sha: str | None = None
    system_instruction_sha: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskFacts:
    """What is known about the rows of one samples file.

    Attributes
    ----------
    set_name, set_version, framework_version, created, arm
        As in ``Run``; the arm is the model's name, or the folder's where no results file says more.
    arm_detail
        What can tell the arm from others.
    original, effective
        Number of documents of the task, and of those that were to be run.
    repeats
        How often each document was asked; the rows hold one score for all of them.
    filters
        Names of the filters in the order in which the rows were written.
    higher_is_better
        Per metric.
    results, tasks
        The results file, and the tasks that it says were run.
    """

    set_name: str
    arm: str
    set_version: str = ""
    framework_version: str = ""
    created: str = ""
    arm_detail: Mapping[str, str] = field(default_factory=dict[str, str])
    original: int | None = None
    effective: int | None = None
    repeats: int = 1
    filters: tuple[str, ...] = ()
    higher_is_better: Mapping[str, bool] = field(default_factory=dict[str, bool])
    results: str = ""
    tasks: tuple[str, ...] = ()


def task_facts(samples: Path) -> TaskFacts:
    """Return what the file name, the folder and the results file beside it say about a samples file.

    Raises
    ------
    LogError
        The results file that belongs to it cannot be read.
    """
    dated = DATED.search(samples.name)
    date = dated[1] if dated else ""
    named = samples.name.removesuffix(dated[0] if dated else samples.suffix)
    name = named.removeprefix(_SAMPLES) if dated else named
    folder = samples.resolve().parent.name or "unnamed"
    path = results_file(samples, date)
    if path is None:
        return TaskFacts(set_name=name, arm=folder, created=_readable(date))
    results = decoded(path.read_bytes(), ResultsFile, file=str(path))
    facts = _facts(results, _task(results, name), folder, date)
    return replace(facts, results=str(path), tasks=tuple(results.configs or ()))


def results_file(samples: Path, date: str) -> Path | None:
    """Return the results file of a samples file: that of the same date, or the only one in the folder."""
    if date:
        same = sorted(samples.parent.glob(f"*_{date}.json"))
        if same:
            return same[0]
    found = sorted(samples.parent.glob("results*.json"))
    return found[0] if len(found) == 1 else None


def _facts(results: ResultsFile, task: str, folder: str, date: str) -> TaskFacts:
    config = (results.configs or {}).get(task, {})
    count = (results.n_samples or {}).get(task, Count())
    better = (results.higher_is_better or {}).get(task)
    run = results.config or {}
    model = results.model_name or _model_in(run.get("model_args")) or folder
    detail: dict[str, object] = {
        "model": model,
        "backend": run.get("model"),
        "model_args": run.get("model_args"),
        "num_fewshot": (results.n_shot or {}).get(task),
        "gen_kwargs": run.get("gen_kwargs"),
        "generation_kwargs": config.get("generation_kwargs"),
        "chat_template": results.chat_template_sha,
        "system_instruction": results.system_instruction_sha,
        "revision": run.get("model_sha"),
    }
    repeats = config.get("repeats")
    version = (results.versions or {}).get(task)
    return TaskFacts(
        set_name=task,
        arm=model,
        set_version="" if version is None else text_of(version),
        framework_version=results.lm_eval_version or results.git_hash or "",
        created=_readable(date) or _instant(results.date),
        arm_detail={name: text_of(value) for name, value in detail.items() if value not in (None, "")},
        original=count.original,
        effective=count.effective,
        repeats=repeats if isinstance(repeats, int) else 1,
        filters=_filters(config, results.results.get(task)),
        higher_is_better={key: value for key, value in better.items() if isinstance(value, bool)}
        if is_object(better)
        else {},
    )


def _task(results: ResultsFile, name: str) -> str:
    """Return the task's own name: file names replace its special characters, and once began with the model."""
    tasks = {*results.results, *(results.configs or {})}
    plain = {re.sub(r"\W", "_", task): task for task in tasks}
    if name in tasks or re.sub(r"\W", "_", name) in plain:
        return name if name in tasks else plain[re.sub(r"\W", "_", name)]
    endings = [task for task in tasks if name.endswith((f"_{task}", "_" + re.sub(r"\W", "_", task)))]
    return max(endings, key=len, default=name)


def _filters(config: Mapping[str, Any], totals: object) -> tuple[str, ...]:
    listed: object = config.get("filter_list")
    if is_array(listed):
        return tuple(str(one["name"]) for one in listed if is_object(one) and "name" in one)
    # Totals are keyed "metric,filter", in the order in which the filters were applied.
    keys = [key.split(",", 1)[1] for key in totals if "," in key] if is_object(totals) else []
    return tuple(dict.fromkeys(keys))


def _model_in(model_args: object) -> str:
    """Return the model's name from the arguments, which are a text ``key=value,…`` or an object."""
    if isinstance(model_args, str):
        pairs = (part.partition("=") for part in model_args.split(","))
        model_args = {key.strip(): value.strip() for key, _, value in pairs}
    if not is_object(model_args):
        return ""
    names = (model_args.get(key) for key in ("pretrained", "model", "engine", "path"))
    return next((name for name in names if isinstance(name, str) and name), "")


def _readable(date: str) -> str:
    """Return a file name's date, whose colons were replaced, as an ISO date."""
    day, mark, time = date.partition("T")
    return f"{day}T{time.replace('-', ':')}" if mark else ""


def _instant(seconds: float | None) -> str:
    return "" if seconds is None else datetime.fromtimestamp(seconds, tz=UTC).isoformat(timespec="seconds")
