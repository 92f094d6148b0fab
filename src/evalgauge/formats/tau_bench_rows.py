"""The trials in a result file, in one form for both versions of τ-bench."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple, cast

import msgspec

from evalgauge.errors import LogError
from evalgauge.formats.json_records import array_records
from evalgauge.formats.json_text import decoded, text_of
from evalgauge.formats.plain_text import arm_name
from evalgauge.scores.table import CaseContent, Problem, Status

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from evalgauge.formats.protocol import ReadOptions, Source
    from evalgauge.scores.table import Json

# strategy-model-temperature_range_first-last_user-model-strategy_time
_FILE_NAME = re.compile(r"(?P<arm>.+)_range_(?P<range>[\d-]+)_user-(?P<user>.+)_\d{10}")
# The machine broke, not the agent: τ²-bench leaves such simulations out of its own averages.
_BROKEN = "infrastructure_error"
_ERRORS = frozenset({"unexpected_error", "too_many_errors", "agent_error", "user_error"})
_LIMITS = frozenset({"max_steps", "timeout", "context_window_exceeded"})
SIMULATIONS = "simulations"
_CUT_HINT = "Give the whole folder: the simulations lie in files of their own."


class Trial(NamedTuple):
    """One trial of one task; ``number`` counts from 0, as the files do."""

    task: str
    number: int
    reward: Any
    status: Status


@dataclass(frozen=True, slots=True, kw_only=True)
class Trials:
    """A result file that was read.

    Attributes
    ----------
    file
        Its name.
    arm, set_name
        What was run, and on which domain where the file says it.
    arm_detail
        What tells arms apart.
    trials
        In the order of the file.
    contents
        What each task asks, in the order of the tasks; every task that was planned is there.
    fields
        Per task.
    planned
        How many trials each task was to have; ``None`` where the file does not say it.
    created
        When it was run.
    problems, is_cut
        What could not be read, and whether the file ends early.
    """

    file: str
    arm: str
    trials: list[Trial]
    contents: Mapping[str, CaseContent | None]
    set_name: str = ""
    arm_detail: Mapping[str, str] = field(default_factory=dict[str, str])
    fields: Mapping[str, Mapping[str, str | None]] = field(default_factory=dict[str, "Mapping[str, str | None]"])
    planned: int | None = None
    created: str = ""
    problems: tuple[Problem, ...] = ()
    is_cut: bool = False


class FirstTask(msgspec.Struct):
    """What the user simulator was told, and what it took to end well."""

    instruction: Any = None
    user_id: Any = None
    actions: Any = None
    outputs: Any = None


class FirstInfo(msgspec.Struct):
    """The task, or the error that took its place."""

    task: FirstTask | None = None
    error: Any = None


class FirstResult(msgspec.Struct):
    """A trial of τ-bench."""

    task_id: int | str
    reward: Any = None
    info: FirstInfo = msgspec.field(default_factory=FirstInfo)
    trial: int = 0


class Scenario(msgspec.Struct):
    """What the user simulator is told."""

    instructions: Any = None
    persona: Any = None


class SecondTask(msgspec.Struct):
    """A task of τ²-bench."""

    id: str | int
    user_scenario: Scenario | None = None
    ticket: Any = None
    evaluation_criteria: Any = None


class AgentInfo(msgspec.Struct):
    """An agent, or the user simulator."""

    implementation: str | None = None
    llm: str | None = None
    llm_args: Any = None


class EnvironmentInfo(msgspec.Struct):
    """The domain."""

    domain_name: str = ""


class SecondInfo(msgspec.Struct):
    """How it was run."""

    num_trials: int | None = None
    agent_info: AgentInfo = msgspec.field(default_factory=AgentInfo)
    user_info: AgentInfo = msgspec.field(default_factory=AgentInfo)
    environment_info: EnvironmentInfo = msgspec.field(default_factory=EnvironmentInfo)


class RewardInfo(msgspec.Struct):
    """The reward."""

    reward: Any = None


class Simulation(msgspec.Struct):
    """A trial of τ²-bench; an entry of the index holds its reward itself."""

    task_id: str | int
    trial: int | None = None
    reward_info: RewardInfo | None = None
    reward: Any = None
    termination_reason: str | None = None


class SecondFile(msgspec.Struct):
    """A result file of τ²-bench; where its simulations lie in files of their own it holds an index of them."""

    info: SecondInfo
    tasks: list[SecondTask] = []
    simulations: list[Simulation] | None = None
    simulation_index: list[Simulation] | None = None
    timestamp: str | None = None


def first_version(source: Source, options: ReadOptions) -> Trials:
    """Return the trials of τ-bench: a list that grows while it runs.

    Raises
    ------
    LogError
        The list cannot be read.
    """
    found = array_records(source.path, FirstResult, file=source.name, tolerant=options.tolerant)
    contents: dict[str, CaseContent | None] = {}
    fields: dict[str, Mapping[str, str | None]] = {}
    for one in found.items:
        task = one.info.task
        if task is not None and contents.get(str(one.task_id)) is None:
            contents[str(one.task_id)] = CaseContent(
                input=cast("Json", task.instruction), target=cast("Json", [task.actions, task.outputs])
            )
            fields[str(one.task_id)] = {} if task.user_id is None else {"user_id": text_of(task.user_id)}
        contents.setdefault(str(one.task_id), None)
    name = arm_name(source)
    named = _FILE_NAME.fullmatch(name)
    return Trials(
        file=source.name,
        arm=named["arm"] if named else name,
        arm_detail={"model": named["arm"], "user": named["user"]} if named else {},
        trials=[
            Trial(str(one.task_id), one.trial, one.reward, Status.OK if one.info.error is None else Status.ERROR)
            for one in found.items
        ],
        contents=contents,
        fields=fields,
        problems=tuple(found.problems),
        is_cut=found.is_cut,
    )


def second_version(source: Source) -> Trials:
    """Return the trials of τ²-bench.

    Raises
    ------
    LogError
        The file cannot be read, or its simulations are not there.
    """
    whole = decoded(source.path.read_bytes(), SecondFile, file=source.name)
    simulations = whole.simulations or whole.simulation_index or _beside(source.path)
    if not simulations:
        raise LogError(source.name, "holds no simulation.", field="simulations", hint=_CUT_HINT)
    info = whole.info
    detail = {
        "model": info.agent_info.llm,
        "agent": info.agent_info.implementation,
        "agent_args": text_of(info.agent_info.llm_args) if info.agent_info.llm_args else None,
        "user": info.user_info.llm,
    }
    contents: dict[str, CaseContent | None] = {str(task.id): _asked(task) for task in whole.tasks}
    for one in simulations:
        contents.setdefault(str(one.task_id), None)
    return Trials(
        file=source.name,
        arm=" ".join(part for part in (info.agent_info.llm, _agent(info.agent_info)) if part) or arm_name(source),
        set_name=info.environment_info.domain_name,
        arm_detail={key: value for key, value in detail.items() if value},
        trials=[_simulated(one) for one in simulations],
        contents=contents,
        planned=info.num_trials,
        created=whole.timestamp or "",
    )


def _beside(path: Path) -> list[Simulation]:
    folder = path.parent / SIMULATIONS
    return [decoded(one.read_bytes(), Simulation, file=str(one)) for one in sorted(folder.glob("*.json"))]


def _agent(info: AgentInfo) -> str:
    """Return what agent it was, where it is not the usual one."""
    return "" if info.implementation in (None, "llm_agent") else f"({info.implementation})"


def _asked(task: SecondTask) -> CaseContent | None:
    scenario = task.user_scenario
    told = [scenario.instructions, scenario.persona] if scenario else []
    asked = [part for part in (*told, task.ticket) if part is not None]
    return CaseContent(input=cast("Json", asked), target=cast("Json", task.evaluation_criteria)) if asked else None


def _simulated(one: Simulation) -> Trial:
    reward = one.reward_info.reward if one.reward_info else one.reward
    reason = one.termination_reason or ""
    if reason == _BROKEN or (reward is None and reason in _ERRORS):
        status = Status.ERROR
    elif reward is None:
        status = Status.LIMIT if reason in _LIMITS else Status.UNSCORED
    else:
        status = Status.OK
    return Trial(str(one.task_id), one.trial or 0, reward, status)
