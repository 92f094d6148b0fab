"""The parts of an Inspect AI log that scores need, as msgspec checks them."""

from __future__ import annotations

from typing import Annotated, Any

import msgspec


class Scored(msgspec.Struct):
    """The part of a score that counts: text, number, boolean, list or object."""

    value: Any = None


class Sample(msgspec.Struct):
    """One run of one case, as a summary or a sample tells it."""

    id: int | str
    epoch: Annotated[int, msgspec.Meta(ge=1)] = 1
    scores: dict[str, Scored | None] | None = None
    score: Scored | None = None
    metadata: dict[str, Any] | None = None
    target: Any = None
    error: Any = None
    limit: Any = None
    invalidation: Any = None


class SampleWithContent(Sample):
    """A sample with what it asks and expects."""

    input: Any = None
    choices: list[Any] | None = None
    attachments: dict[str, str] | None = None


class Dataset(msgspec.Struct):
    """The set, as the header names it."""

    name: str | None = None
    samples: int | None = None
    sample_ids: list[int | str] | None = None


class Config(msgspec.Struct):
    """How often each sample was to be run."""

    epochs: int | None = None


class Named(msgspec.Struct):
    """A scorer and its metrics."""

    name: str = ""
    metrics: Any = None


class Step(msgspec.Struct):
    """A solver in the plan."""

    solver: str = ""
    params: Any = None


class Plan(msgspec.Struct):
    """The solvers and how the model was asked."""

    steps: list[Step] | None = None
    config: dict[str, Any] | None = None


class Stop(msgspec.Struct):
    """A run that early stopping left out."""

    id: int | str
    epoch: int = 1


class EarlyStopping(msgspec.Struct):
    """What early stopping left out."""

    early_stops: list[Stop] | None = None


class ReducedValue(msgspec.Struct):
    """The score of one sample after the epochs were reduced."""

    value: Any = None
    sample_id: int | str | None = None


class Reduction(msgspec.Struct):
    """The reduced scores of one scorer."""

    scorer: str
    samples: list[ReducedValue] | None = None


class Results(msgspec.Struct):
    """The totals; ``scorer`` and ``sample_reductions`` are where old logs keep what others keep elsewhere."""

    scores: list[Named] | None = None
    scorer: Named | str | None = None
    early_stopping: EarlyStopping | None = None
    sample_reductions: list[Reduction] | None = None


class Revision(msgspec.Struct):
    """The state of the code."""

    commit: str = ""


class Spec(msgspec.Struct):
    """What was run."""

    task: str
    model: str = ""
    task_id: str = ""
    run_id: str = ""
    eval_id: str = ""
    created: str = ""
    task_version: int | str | None = None
    task_args: dict[str, Any] | None = None
    solver: str | None = None
    solver_args: dict[str, Any] | None = None
    model_args: dict[str, Any] | None = None
    model_base_url: str | None = None
    model_generate_config: dict[str, Any] | None = None
    model_roles: dict[str, Any] | None = None
    dataset: Dataset = msgspec.field(default_factory=Dataset)
    config: Config = msgspec.field(default_factory=Config)
    revision: Revision | None = None
    packages: dict[str, str] | None = None
    scorers: list[Named] | None = None


class Header(msgspec.Struct):
    """A log without its samples."""

    eval: Spec
    # A journal has no status: the run did not come to its end.
    status: str = "started"
    plan: Plan | None = None
    results: Results | None = None
    invalidated: bool = False
    reductions: list[Reduction] | None = None


class WholeLog(Header):
    """A ``.json`` log."""

    samples: list[Sample] | None = None


class WholeLogWithContent(Header):
    """A ``.json`` log with what its samples ask and expect."""

    samples: list[SampleWithContent] | None = None
