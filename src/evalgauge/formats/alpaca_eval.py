"""Reads AlpacaEval's ``annotations.json``: one preference per instruction between a baseline and a model."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from evalgauge.errors import LogError
from evalgauge.formats.json_records import array_records
from evalgauge.formats.log_guard import reading
from evalgauge.formats.plain_text import digest_of
from evalgauge.scores.build import TableBuilder
from evalgauge.scores.table import CaseContent, Run

if TYPE_CHECKING:
    from evalgauge.formats.json_records import Records
    from evalgauge.formats.protocol import ReadOptions, Source
    from evalgauge.scores.table import ScoreTable

_MARKS = tuple(re.compile(rb'"' + name + rb'"\s*:') for name in (b"instruction", b"generator_[12]|output_[12]"))
_FIRST = re.compile(rb'\s*\[\s*\{\s*"(?:instruction|dataset|output_[12]|generator_[12]|annotator|preference)"\s*:')


class Annotation(msgspec.Struct):
    """One annotated pair of outputs."""

    instruction: Any
    generator_2: str
    preference: float | None = msgspec.field()
    generator_1: str = ""
    dataset: str | None = None
    annotator: str = ""


class _Pair(NamedTuple):
    baseline: str
    model: str
    annotator: str


class AlpacaEvalReader:
    """Reads one file: one run for each model, baseline and annotator in it."""

    name: str = "alpaca-eval"
    title: str = "AlpacaEval annotations"

    def claims(self, source: Source) -> bool:
        """Return whether this is a list of annotations."""
        text = source.head.removeprefix(b"\xef\xbb\xbf")
        return _FIRST.match(text) is not None and all(mark.search(text) for mark in _MARKS)

    def read(self, source: Source, options: ReadOptions) -> ScoreTable:
        """Return the scores: metric ``preference/<annotator>``, 1 where the model is preferred, 0.5 for a tie.

        Raises
        ------
        LogError
            The file is no list of annotations, or a preference is outside 0 to 2.
        """
        with reading(source.name):
            found = array_records(source.path, Annotation, file=source.name, tolerant=options.tolerant)
            options.progress(1, 1)
            return _table(found, source)


READER = AlpacaEvalReader()


def _table(found: Records[Annotation], source: Source) -> ScoreTable:
    builder = TableBuilder()
    builder.id_is_row_number = True
    for problem in found.problems:
        builder.problem(problem.text, file=problem.file)
    run_id = digest_of(source.path)
    runs: dict[_Pair, int] = {}
    names: dict[tuple[str, int], str] = {}
    seen: Counter[tuple[_Pair, str]] = Counter()
    for number, one in enumerate(found.items, start=1):
        pair = _Pair(one.generator_1, one.generator_2, one.annotator)
        if pair not in runs:
            runs[pair] = builder.add_run(_run(pair, run_id, source.name, is_cut=found.is_cut))
        text = msgspec.json.encode(one.instruction).decode()
        seen[pair, text] += 1
        # Annotators share an instruction; a second copy for the same annotator is a case of its own.
        name = names.setdefault((text, seen[pair, text]), str(len(names) + 1))
        content = CaseContent(input=one.instruction)
        builder.add(
            run=runs[pair],
            case=builder.case_index(name, content=content, fields={"dataset": one.dataset}),
            rep=1,
            metric=builder.metric_index(_metric(pair), low=0.0, high=1.0, higher_is_better=True),
            score=_win(one.preference, source.name, number),
        )
    return builder.build()


def _metric(pair: _Pair) -> str:
    return f"preference/{pair.annotator}" if pair.annotator else "preference"


def _run(pair: _Pair, run_id: str, file: str, *, is_cut: bool) -> Run:
    detail = {"model": pair.model, "baseline": pair.baseline, "annotator": pair.annotator}
    return Run(
        run_id="/".join((run_id, *pair)),
        set_name="alpaca_eval",
        arm=pair.model,
        arm_detail={key: value for key, value in detail.items() if value},
        framework="alpaca-eval",
        file=file,
        state="partial" if is_cut else "complete",
    )


def _win(preference: float | None, file: str, number: int) -> float | None:
    """Return a preference as a share: 1 means the baseline, 2 the model, between them a weight; 0 means a tie."""
    if preference is None or preference != preference:  # noqa: PLR0124 (NaN)
        return None
    if preference == 0:
        return 0.5
    if not 1 <= preference <= 2:
        hint = "AlpacaEval writes 1 (baseline), 2 (model), a number between them, or 0 (tie)."
        raise LogError(
            file, f"{preference:g} is no preference.", record=f"record {number}", field="preference", hint=hint
        )
    return preference - 1
