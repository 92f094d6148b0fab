"""One Inspect AI log: its header and what became of its samples, from the smallest part of the file that says it.

A ``.eval`` archive holds a summary of every sample (``summaries.json``), which is about a twentieth of the log; a run
that was killed has only the journal that it wrote on the way. The samples themselves are read for what the summaries
leave out: invalidation, and anything after a cut.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import msgspec

from evalgauge.errors import LogError
from evalgauge.formats.inspect_zip import ZIP_MARK, Archive
from evalgauge.formats.json_text import CutError, converted, decoded, read_until_cut
from evalgauge.formats.wording import counted
from evalgauge.scores.table import Problem

if TYPE_CHECKING:
    from pathlib import Path

_JOURNAL = re.compile(r"_journal/summaries/(\d+)\.json")
_SAMPLE = re.compile(r"samples/[^/]*_epoch_\d+(?:\.json|/sample\.json)")


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


S = TypeVar("S", bound=Sample)


@dataclass(slots=True, kw_only=True)
class InspectLog:
    """A log that was read.

    Attributes
    ----------
    path
        The file.
    header
        What was run.
    samples
        In the order of the log; a sample that was run again comes again.
    problems
        What could not be taken as it was.
    is_cut
        Whether the file ends early.
    """

    path: Path
    header: Header
    samples: list[Sample]
    problems: list[Problem] = field(default_factory=list[Problem])
    is_cut: bool = False


def inspect_log(path: Path, *, with_content: bool = False, tolerant: bool = False) -> InspectLog:
    """Read a ``.eval`` or ``.json`` log.

    Parameters
    ----------
    path
        The file.
    with_content
        Read input, choices and target too (samples are then ``SampleWithContent``).
    tolerant
        Keep what can be read of a damaged log.

    Raises
    ------
    LogError
        The log cannot be read.
    """
    kind = SampleWithContent if with_content else Sample
    if is_archive(path):
        with Archive(path) as archive:
            return _log_in_archive(archive, path, kind, tolerant=tolerant)
    return _json_log(path, kind, tolerant=tolerant)


def is_archive(path: Path) -> bool:
    """Return whether a file is to be read as an archive: by its first bytes, or by the name that only Inspect gives.

    Raises
    ------
    LogError
        The file cannot be opened.
    """
    try:
        with path.open("rb") as stream:
            return stream.read(len(ZIP_MARK)) == ZIP_MARK or path.suffix.lower() == ".eval"
    except OSError as fault:
        raise LogError(str(path), f"cannot be opened: {fault.strerror}.") from fault


def sample_member(archive: Archive, sample_id: int | str, epoch: int) -> str | None:
    """Return the name of the member that holds a sample: one file, or since mid-2026 a folder of parts."""
    stem = f"samples/{sample_id}_epoch_{epoch}"
    return next((name for name in (f"{stem}.json", f"{stem}/sample.json") if name in archive.members), None)


def _log_in_archive(archive: Archive, path: Path, kind: type[S], *, tolerant: bool) -> InspectLog:
    problems: list[Problem] = []
    header = _header(archive)
    samples = _summaries(archive, kind, problems, tolerant=tolerant)
    if archive.is_cut:
        known = {sample_member(archive, sample.id, sample.epoch) for sample in samples}
        late = [name for name in archive.members if _SAMPLE.fullmatch(name) and name not in known]
        samples += [_sample(archive, name, kind) for name in late]
        damage = "The archive ends early or its directory is damaged"
        if archive.misplaced:
            damage = f"The archive's directory is damaged: the place it gives for member {archive.misplaced!r} is taken"
        found = counted(len(samples), "sample", "samples")
        text = f"{damage}: {found} could be read of what was written. Copy the log again."
        problems.append(Problem(text=text, file=archive.file))
    if not samples and "reductions.json" in archive.members:
        record = "member 'reductions.json'"
        header.reductions = decoded(archive.read("reductions.json"), list[Reduction], file=archive.file, record=record)
    if header.invalidated:
        _mark_invalid(archive, samples, problems, tolerant=tolerant)
    return InspectLog(path=path, header=header, samples=[*samples], problems=problems, is_cut=archive.is_cut)


def _header(archive: Archive) -> Header:
    name = "header.json" if "header.json" in archive.members else "_journal/start.json"
    if name not in archive.members:
        problem = (
            "holds neither header.json nor _journal/start.json: it is no Inspect log, or it ends before the first."
        )
        raise LogError(archive.file, problem)
    return decoded(archive.read(name), Header, file=archive.file, record=f"member {name!r}")


def _summaries(archive: Archive, kind: type[S], problems: list[Problem], *, tolerant: bool) -> list[S]:
    """Return the samples by the first of three ways that works: the summaries, the journal, the samples."""
    journal = sorted((name for name in archive.members if _JOURNAL.fullmatch(name)), key=_journal_number)
    for names in (["summaries.json"], journal):
        if not set(names) & set(archive.members):
            continue
        try:
            parts = [
                decoded(archive.read(name), list[kind], file=archive.file, record=f"member {name!r}") for name in names
            ]
        except LogError as fault:
            if not tolerant:
                raise
            problems.append(Problem(text=f"{fault} The samples are read one by one.", file=archive.file))
            continue
        return [sample for part in parts for sample in part]
    found: list[S] = []
    for name in archive.members:
        if _SAMPLE.fullmatch(name):
            try:
                found.append(_sample(archive, name, kind))
            except LogError as fault:
                if not tolerant:
                    raise
                problems.append(Problem(text=f"{fault} This sample is left out.", file=archive.file, record=name))
    return found


def _journal_number(name: str) -> int:
    found = _JOURNAL.fullmatch(name)
    return int(found[1]) if found else 0


def _sample(archive: Archive, name: str, kind: type[S]) -> S:
    record = f"member {name!r}"
    sample = decoded(archive.read(name), kind, file=archive.file, record=record)
    apart = name.removesuffix("sample.json") + "metadata.json"
    if name.endswith("/sample.json") and apart in archive.members:
        sample.metadata = decoded(archive.read(apart), dict[str, Any], file=archive.file, record=f"member {apart!r}")
    return sample


def _mark_invalid(archive: Archive, samples: list[S], problems: list[Problem], *, tolerant: bool) -> None:
    """Read who was declared invalid: summaries do not say it."""
    for sample in samples:
        name = sample_member(archive, sample.id, sample.epoch)
        if name is None:
            continue
        try:
            sample.invalidation = _sample(archive, name, Sample).invalidation
        except LogError as fault:
            if not tolerant:
                raise
            text = f"{fault} Whether this sample was declared invalid is not known; it is counted."
            problems.append(Problem(text=text, file=archive.file, record=name))


def _json_log(path: Path, kind: type[Sample], *, tolerant: bool) -> InspectLog:
    file = str(path)
    whole = WholeLogWithContent if kind is SampleWithContent else WholeLog
    data = path.read_bytes()
    try:
        log = decoded(data, whole, file=file)
    except LogError as fault:
        if not (tolerant or isinstance(fault, CutError)):
            raise
        return _rest_of_json_log(path, data, kind, fault)
    return InspectLog(path=path, header=log, samples=[*(log.samples or [])])


def _rest_of_json_log(path: Path, data: bytes, kind: type[Sample], fault: LogError) -> InspectLog:
    file = str(path)
    cut = read_until_cut(data, "samples")
    if "eval" not in cut.members:
        raise fault
    header = converted(cut.members, Header, file=file)
    problems: list[Problem] = []
    samples: list[Sample] = []
    for number, item in enumerate(cut.items, start=1):
        try:
            samples.append(converted(item, kind, file=file, record=f"sample {number}"))
        except LogError as wrong:
            text = f"{wrong} This sample is left out."
            problems.append(Problem(text=text, file=file, record=f"sample {number}"))
    text = f"{fault} {counted(len(samples), 'sample', 'samples')} could be read before that place."
    problems.append(Problem(text=text, file=file))
    return InspectLog(path=path, header=header, samples=samples, problems=problems, is_cut=True)
