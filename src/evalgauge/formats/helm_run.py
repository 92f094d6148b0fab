"""The files of one HELM run, with what scores need of them.

``per_instance_stats.json`` holds the scores, ``run_spec.json`` says what was run, and ``scenario_state.json`` what was
asked; of the last the model's answers, which are nearly all of it, are skipped.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import msgspec

from evalgauge.errors import LogError
from evalgauge.formats.json_records import array_records
from evalgauge.formats.json_text import decoded, text_of
from evalgauge.formats.plain_text import digest_of
from evalgauge.scores.table import Problem

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

T = TypeVar("T")

STATS, SPEC, STATE = "per_instance_stats.json", "run_spec.json", "scenario_state.json"
NAMES = frozenset({STATS, SPEC, STATE, "scenario.json", "stats.json"})
"""What a run's folder holds."""
# Which model answered is the arm, everything else in the name of a run is the set.
_MODEL = re.compile(r"(?:^|(?<=[:,]))(?:model|model_deployment)=[^,]*,?")
_ARM_OF_SPEC = ("model", "model_deployment", "temperature", "num_outputs", "max_tokens", "max_train_instances")


class StatName(msgspec.Struct):
    """Which statistic, of which copies of the instance."""

    name: str
    perturbation: dict[str, Any] | None = None


class Stat(msgspec.Struct):
    """A statistic over the completions of one request; without a count there is no mean."""

    name: StatName
    count: float = 0
    mean: Any = None


class InstanceStats(msgspec.Struct):
    """The statistics of an instance in one trial."""

    instance_id: str
    train_trial_index: int = 0
    perturbation: dict[str, Any] | None = None
    stats: list[Stat] = []


class Content(msgspec.Struct):
    """A text, or messages or media in its place."""

    text: Any = None
    messages: Any = None
    multimedia_content: Any = None


class Reference(msgspec.Struct):
    """A possible answer."""

    output: Content
    tags: list[str] = []


class Instance(msgspec.Struct):
    """What was asked."""

    input: Content
    id: str | None = None
    references: list[Reference] = []
    split: str | None = None
    sub_split: str | None = None
    perturbation: dict[str, Any] | None = None


class Result(msgspec.Struct):
    """Whether an answer came."""

    success: bool = True


class RequestState(msgspec.Struct):
    """One request."""

    instance: Instance
    train_trial_index: int = 0
    result: Result | None = None


class ScenarioState(msgspec.Struct):
    """All requests of a run."""

    request_states: list[RequestState]


class ScenarioSpec(msgspec.Struct):
    """The scenario."""

    class_name: str = ""


class RunSpec(msgspec.Struct):
    """What was run."""

    name: str
    adapter_spec: dict[str, Any] = {}
    scenario_spec: ScenarioSpec | None = None


class InstanceKey(NamedTuple):
    """An instance: perturbed copies share its id."""

    id: str
    perturbation: str


@dataclass(frozen=True, slots=True, kw_only=True)
class HelmRun:
    """A run that was read.

    Attributes
    ----------
    file, run_id, set_name
        Where it was read; a hash of its scores; its name without the model.
    arm_detail
        The model and how it was asked.
    method
        How the adapter asks, such as ``"multiple_choice_joint"``.
    stats
        Per instance and trial.
    instances
        What was asked, as far as the run kept it.
    requested
        Every instance and trial that was planned; empty where the run did not keep its requests.
    failed
        Those among them that got no answer.
    problems
        What could not be read.
    is_cut
        Whether the scores end early.
    twice
        How many instances come twice in one trial; the last counts.
    """

    file: str
    run_id: str
    set_name: str
    arm_detail: Mapping[str, str]
    method: str
    stats: Mapping[tuple[InstanceKey, int], list[Stat]]
    instances: Mapping[InstanceKey, Instance]
    requested: tuple[tuple[InstanceKey, int], ...] = ()
    failed: frozenset[tuple[InstanceKey, int]] = frozenset()
    problems: tuple[Problem, ...] = ()
    is_cut: bool = False
    twice: int = 0


def helm_run(path: Path, *, tolerant: bool = False) -> HelmRun:
    """Return a run by its ``per_instance_stats.json``.

    Raises
    ------
    LogError
        The file, or one that stands beside it, cannot be read.
    """
    found = array_records(path, InstanceStats, file=str(path), tolerant=tolerant)
    problems = list(found.problems)
    spec = _beside(path, SPEC, RunSpec, problems, tolerant=tolerant)
    state = _beside(path, STATE, ScenarioState, problems, tolerant=tolerant)
    stats = {(_key(one.instance_id, one.perturbation), one.train_trial_index): one.stats for one in found.items}
    instances: dict[InstanceKey, Instance] = {}
    failed: set[tuple[InstanceKey, int]] = set()
    requested: dict[tuple[InstanceKey, int], None] = {}
    for request in state.request_states if state else ():
        key = _key(request.instance.id or "", request.instance.perturbation)
        instances.setdefault(key, request.instance)
        requested[key, request.train_trial_index] = None
        if request.result is None or not request.result.success:
            failed.add((key, request.train_trial_index))
    name = spec.name if spec else path.resolve().parent.name
    adapter = spec.adapter_spec if spec else {}
    return HelmRun(
        file=str(path),
        run_id=digest_of(path),
        set_name=_MODEL.sub("", name).rstrip(",:"),
        arm_detail=_arm_detail(adapter, name),
        method=text_of(adapter.get("method", "")),
        stats=stats,
        instances=instances,
        requested=tuple(requested),
        failed=frozenset(failed),
        problems=tuple(problems),
        is_cut=found.is_cut,
        twice=len(found.items) - len(stats),
    )


def _beside(path: Path, name: str, kind: type[T], problems: list[Problem], *, tolerant: bool) -> T | None:
    place = path.parent / name
    if not place.is_file():
        lost = "what was asked, and so what identifies a case beyond its id" if name == STATE else "the name of the run"
        problems.append(Problem(text=f"There is no {name} beside it: {lost} is not known.", file=str(path)))
        return None
    try:
        return decoded(place.read_bytes(), kind, file=str(place))
    except LogError as fault:
        if not tolerant:
            raise
        problems.append(Problem(text=f"{fault} The scores are read without it.", file=str(place)))
        return None


def _key(instance_id: str, perturbation: Mapping[str, Any] | None) -> InstanceKey:
    return InstanceKey(instance_id, text_of(dict(perturbation)) if perturbation else "")


def _arm_detail(adapter: Mapping[str, Any], name: str) -> dict[str, str]:
    detail = {key: text_of(adapter[key]) for key in _ARM_OF_SPEC if adapter.get(key) not in (None, "")}
    named = re.search(r"(?:^|[:,-])model=([^,]*)", name)
    if "model" not in detail and named:
        detail["model"] = named[1]
    return detail
