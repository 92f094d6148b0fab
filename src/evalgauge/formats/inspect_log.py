"""One Inspect AI log: its header and what became of its samples, from the smallest part of the file that says it.

A ``.eval`` archive holds a summary of every sample (``summaries.json``), which is about a twentieth of the log; a run
that was killed has only the journal that it wrote on the way. The samples themselves are read for what the summaries
leave out: invalidation, and anything after a cut.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeVar

from evalgauge.errors import LogError
from evalgauge.formats.inspect_shape import (
    Header,
    Reduction,
    Sample,
    SampleWithContent,
    WholeLog,
    WholeLogWithContent,
)
from evalgauge.formats.inspect_zip import ZIP_MARK, Archive
from evalgauge.formats.json_text import CutError, converted, decoded, is_object, read_until_cut
from evalgauge.formats.planned import check_plan
from evalgauge.formats.wording import counted, without_advice
from evalgauge.scores.table import Problem

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

_JOURNAL = re.compile(r"_journal/summaries/(\d+)\.json")
_SAMPLE = re.compile(r"samples/([^/]*)_epoch_(\d+)(?:\.json|/sample\.json)")
# A status that nothing tells; Inspect has no such word.
_UNKNOWN = "unknown"
_HEADER, _START = "header.json", "_journal/start.json"


S = TypeVar("S", bound=Sample)
T = TypeVar("T")


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
    unread
        Id and epoch of the samples that are there and cannot be read.
    is_cut
        Whether the file ends early.
    """

    path: Path
    header: Header
    samples: list[Sample]
    problems: list[Problem] = field(default_factory=list[Problem])
    unread: set[tuple[str, int]] = field(default_factory=set[tuple[str, int]])
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
        with Archive(path, tolerant=tolerant) as archive:
            return _ArchivedLog(archive, tolerant=tolerant).read(path, kind)
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


class _ArchivedLog:
    """A log in an archive while it is read; what cannot be read and need not stop is kept as a problem."""

    def __init__(self, archive: Archive, *, tolerant: bool) -> None:
        self._archive = archive
        self._tolerant = tolerant
        self._problems: list[Problem] = []
        self._unread: set[tuple[str, int]] = set()

    def read(self, path: Path, kind: type[S]) -> InspectLog:
        """Return the log."""
        archive = self._archive
        header = self._header()
        samples = self._samples(kind)
        if archive.is_cut:
            known = {sample_member(archive, sample.id, sample.epoch) for sample in samples}
            late = [name for name in archive.members if _SAMPLE.fullmatch(name) and name not in known]
            samples += self._one_by_one(late, kind)
            self._say_cut(len(samples))
        if not samples and "reductions.json" in archive.members:
            header.reductions = self._decoded("reductions.json", list[Reduction])
        if header.invalidated:
            self._mark_invalid(samples)
        if header.status == _UNKNOWN:
            header.status = "success" if self._is_whole(header, samples) else "started"
        return InspectLog(
            path=path,
            header=header,
            samples=[*samples],
            problems=self._problems,
            unread=self._unread - {(str(sample.id), sample.epoch) for sample in samples},
            is_cut=archive.is_cut,
        )

    def _decoded(self, name: str, kind: type[T]) -> T:
        archive = self._archive
        return decoded(archive.read(name), kind, file=archive.file, record=f"member {name!r}")

    def _around(self, fault: LogError, outcome: str, record: str = "") -> None:
        """Go on without something, or stop where nothing may be lost."""
        if not self._tolerant:
            raise fault
        text = f"{without_advice(fault)} {outcome}"
        self._problems.append(Problem(text=text, file=self._archive.file, record=record))

    def _header(self) -> Header:
        members, file = self._archive.members, self._archive.file
        if _HEADER not in members and _START not in members:
            problem = f"holds neither {_HEADER} nor {_START}: it is no Inspect log, or it ends before the first."
            raise LogError(file, problem)
        if _HEADER not in members:
            return self._decoded(_START, Header)
        try:
            return self._decoded(_HEADER, Header)
        except LogError as fault:
            return self._started(fault)

    def _started(self, damage: LogError) -> Header:
        """Return the header by the journal's first entry, which knows what was to be run and not how it ended."""
        try:
            header = self._decoded(_START, Header)
        except LogError as fault:
            if not self._tolerant:
                raise damage from fault
            problem = (
                f"{damage.problem} {_START}, the other place for it, is missing or damaged too, so which task and "
                "model ran, and which runs were planned, cannot be known."
            )
            raise LogError(damage.file, problem, record=damage.record, hint="Copy the log again.") from fault
        lost = "its totals and whether the run ended well are not known."
        self._around(damage, f"Task, model and planned runs are taken from {_START}; {lost}")
        header.status = _UNKNOWN
        # The header says whether any sample was declared invalid: without it each sample has to be asked.
        header.invalidated = True
        return header

    def _samples(self, kind: type[S]) -> list[S]:
        """Return the samples by the first of three ways that works: the summaries, the journal, the samples."""
        members = self._archive.members
        journal = sorted((name for name in members if _JOURNAL.fullmatch(name)), key=_journal_number)
        for names in (["summaries.json"], journal):
            if not set(names) & set(members):
                continue
            try:
                parts = [self._decoded(name, list[kind]) for name in names]
            except LogError as fault:
                self._around(fault, "The samples are read one by one.")
                continue
            return [sample for part in parts for sample in part]
        return self._one_by_one([name for name in members if _SAMPLE.fullmatch(name)], kind)

    def _one_by_one(self, names: Iterable[str], kind: type[S]) -> list[S]:
        found: list[S] = []
        for name in names:
            try:
                found.append(_sample(self._archive, name, kind))
            except LogError as fault:
                self._around(fault, "This sample is left out: its run counts as unreadable.", name)
                self._unread.add(_sample_key(name))
        return found

    def _mark_invalid(self, samples: Iterable[Sample]) -> None:
        """Read who was declared invalid: summaries do not say it."""
        for sample in samples:
            name = sample_member(self._archive, sample.id, sample.epoch)
            if name is None:
                continue
            try:
                sample.invalidation = _sample(self._archive, name, Sample).invalidation
            except LogError as fault:
                outcome = "Whether this sample was declared invalid is not known; it is counted."
                self._around(fault, outcome, name)

    def _say_cut(self, count: int) -> None:
        damage = "The archive ends early or its directory is damaged"
        misplaced = self._archive.misplaced
        if misplaced:
            damage = f"The archive's directory is damaged: the place it gives for member {misplaced!r} is taken"
        found = counted(count, "sample", "samples")
        text = f"{damage}: {found} could be read of what was written. Copy the log again."
        self._problems.append(Problem(text=text, file=self._archive.file))

    def _is_whole(self, header: Header, samples: Iterable[Sample]) -> bool:
        """Return whether every planned run is there, readable or not: then the run came to its end."""
        there = {(str(sample.id), sample.epoch) for sample in samples} | self._unread
        epochs, case_ids = header.eval.config.epochs or 1, header.eval.dataset.sample_ids or []
        check_plan(epochs * len(case_ids), len(there), self._archive.file)
        planned = {(str(one), epoch) for one in case_ids for epoch in range(1, epochs + 1)}
        return bool(there) and planned <= there


def _journal_number(name: str) -> int:
    found = _JOURNAL.fullmatch(name)
    return int(found[1]) if found else 0


def _sample_key(name: str) -> tuple[str, int]:
    found = _SAMPLE.fullmatch(name)
    return (found[1], int(found[2])) if found else (name, 1)


def _sample(archive: Archive, name: str, kind: type[S]) -> S:
    record = f"member {name!r}"
    sample = decoded(archive.read(name), kind, file=archive.file, record=record)
    apart = name.removesuffix("sample.json") + "metadata.json"
    if name.endswith("/sample.json") and apart in archive.members:
        sample.metadata = decoded(archive.read(apart), dict[str, Any], file=archive.file, record=f"member {apart!r}")
    return sample


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
    unread: set[tuple[str, int]] = set()
    samples: list[Sample] = []
    for number, item in enumerate(cut.items, start=1):
        try:
            samples.append(converted(item, kind, file=file, record=f"sample {number}"))
        except LogError as wrong:
            text = f"{without_advice(wrong)} This sample is left out: its run counts as unreadable."
            problems.append(Problem(text=text, file=file, record=f"sample {number}"))
            unread |= _named_in(item)
    text = f"{without_advice(fault)} {counted(len(samples), 'sample', 'samples')} could be read before that place."
    problems.append(Problem(text=text, file=file))
    return InspectLog(path=path, header=header, samples=samples, problems=problems, unread=unread, is_cut=True)


def _named_in(item: object) -> set[tuple[str, int]]:
    """Return the run that a sample of another shape names, where it still names one."""
    sample_id, epoch = (item.get("id"), item.get("epoch", 1)) if is_object(item) else (None, 1)
    return {(str(sample_id), epoch)} if isinstance(sample_id, (str, int)) and isinstance(epoch, int) else set()
