"""What the cases of an Inspect log ask and expect.

Summaries cut texts at 5,120 characters and replace images by a word; where that happened, the sample itself is read.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, cast

from evalgauge.errors import LogError
from evalgauge.formats.inspect_log import inspect_log, is_archive, sample_member
from evalgauge.formats.inspect_shape import SampleWithContent
from evalgauge.formats.inspect_zip import Archive
from evalgauge.formats.json_text import decoded, is_array, is_object
from evalgauge.scores.canonical import canonical_bytes
from evalgauge.scores.table import CaseContent

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence
    from pathlib import Path

    from evalgauge.scores.table import Json

SUMMARY_CHARS = 5_120
"""Inspect cuts the texts of a summary here."""
CUT_MARK = "...\n(content truncated)"
_ATTACHMENT = re.compile(r"(?:attachment|tc)://(\w+)")
# What a summary says in place of an image or a document: "(Image)".
_PLACEHOLDER = re.compile(r"\([A-Z][a-z_]+\)")
_MESSAGE_KEYS = ("role", "content", "tool_calls")


def case_contents(where: Sequence[tuple[Path, str, int] | None], *, tolerant: bool = False) -> list[CaseContent | None]:
    """Return the content of cases, each from the log that holds it.

    Parameters
    ----------
    where
        Per case the file, the sample's id as text and the epoch; ``None`` for a case that was never run.
    tolerant
        Whether a case whose sample is damaged has the content of another epoch, or none; else it is refused.

    Raises
    ------
    LogError
        A log can no longer be read.
    """
    contents: list[CaseContent | None] = [None] * len(where)
    by_file: dict[Path, dict[tuple[str, int], int]] = {}
    for case, place in enumerate(where):
        if place is not None:
            by_file.setdefault(place[0], {})[place[1:]] = case
    for path, wanted in by_file.items():
        log = inspect_log(path, with_content=True, tolerant=True)
        # The last of two samples with one key counts, as for the scores.
        samples = {(str(one.id), one.epoch): one for one in log.samples if isinstance(one, SampleWithContent)}
        chosen = {key: samples[key] for key in wanted if key in samples}
        found: Mapping[tuple[str, int], SampleWithContent | None] = chosen
        if is_archive(path):
            with Archive(path, tolerant=tolerant) as archive:
                found = _completed(archive, chosen, samples.values() if tolerant else None)
        for key, sample in found.items():
            contents[wanted[key]] = None if sample is None else content_of(sample)
    return contents


def content_of(sample: SampleWithContent) -> CaseContent:
    """Return a sample's content without what differs from run to run: ids, sources and models of messages."""
    attachments = sample.attachments or {}
    choices = None if sample.choices is None else tuple(str(choice) for choice in sample.choices)
    return CaseContent(
        input=_plain(sample.input, attachments), choices=choices, target=_plain(sample.target, attachments)
    )


def content_mark(sample: SampleWithContent) -> bytes:
    """Return what tells two contents under one id apart, the same for a sample and for its summary."""
    return canonical_bytes([_thinned(_plain(sample.input, {})), _thinned(_plain(sample.target, {}))])


def _completed(
    archive: Archive,
    samples: Mapping[tuple[str, int], SampleWithContent],
    others: Collection[SampleWithContent] | None,
) -> dict[tuple[str, int], SampleWithContent | None]:
    """Read whole samples where the summary left something out; ``others`` stand in for damaged ones of their case."""
    all_whole = not any(sample.choices for sample in samples.values()) and _has_choices(archive, samples, others)
    return {
        key: _whole_or_other(archive, sample, others)
        if all_whole or _is_thinned(sample.input) or _is_thinned(sample.target)
        else sample
        for key, sample in samples.items()
    }


def _has_choices(
    archive: Archive,
    samples: Mapping[tuple[str, int], SampleWithContent],
    others: Collection[SampleWithContent] | None,
) -> bool:
    """Look into one sample: until December 2025 summaries had no choices, even where the samples have."""
    for sample in samples.values():
        found = _whole_or_other(archive, sample, others)
        if found is not None:
            return bool(found.choices)
    return False


def _whole_or_other(
    archive: Archive, summary: SampleWithContent, others: Collection[SampleWithContent] | None
) -> SampleWithContent | None:
    """Return a whole sample; where it is damaged and that is tolerated, another epoch of its case, or nothing."""
    try:
        return _whole(archive, summary)
    except LogError:
        if others is None:
            raise
    for other in others:
        if str(other.id) == str(summary.id) and other.epoch != summary.epoch:
            try:
                return _whole(archive, other)
            except LogError:
                continue
    return None


def _whole(archive: Archive, summary: SampleWithContent) -> SampleWithContent:
    name = sample_member(archive, summary.id, summary.epoch)
    if name is None:
        return summary
    sample = decoded(archive.read(name), SampleWithContent, file=archive.file, record=f"member {name!r}")
    if name.endswith("/sample.json"):
        sample.attachments = _attachments_apart(archive, name.removesuffix("sample.json") + "attachments/")
    return sample


def _attachments_apart(archive: Archive, folder: str) -> dict[str, str]:
    """Return the attachments of a sample in parts; they are named by their place in the sequence."""
    found: dict[str, str] = {}
    for name in archive.members:
        start = name.removeprefix(folder).removesuffix(".json")
        if name.startswith(folder) and start.isdigit():
            texts = decoded(archive.read(name), list[str], file=archive.file, record=f"member {name!r}")
            found.update((str(place), text) for place, text in enumerate(texts, start=int(start)))
    return found


def _is_thinned(value: object) -> bool:
    if isinstance(value, str):
        return value.endswith(CUT_MARK) or _PLACEHOLDER.fullmatch(value) is not None
    if is_array(value):
        return any(_is_thinned(part) for part in value)
    if is_object(value):
        return any(_is_thinned(value.get(key)) for key in ("content", "text"))
    return False


def _plain(value: object, attachments: Mapping[str, str]) -> Json:
    if isinstance(value, str):
        found = _ATTACHMENT.fullmatch(value)
        return attachments.get(found[1], value) if found else value
    if is_array(value):
        return [_plain(part, attachments) for part in value]
    if is_object(value):
        keys = _MESSAGE_KEYS if "role" in value else tuple(value)
        return {key: _plain(value[key], attachments) for key in keys if value.get(key) is not None}
    return cast("Json", value)


def _thinned(value: Json) -> Json:
    """Return a content as a summary would show it: cut texts, and a word for an image."""
    if isinstance(value, str):
        return value.removesuffix(CUT_MARK)[:SUMMARY_CHARS]
    if is_array(value):
        return [_thinned(cast("Json", part)) for part in value]
    if is_object(value):
        kind = value.get("type")
        if isinstance(kind, str) and kind != "text" and "role" not in value:
            return {"type": "text", "text": f"({kind.capitalize()})"}
        return {key: _thinned(cast("Json", part)) for key, part in value.items()}
    return value
