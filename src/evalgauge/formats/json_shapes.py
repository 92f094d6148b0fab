"""JSON documents that hold records in another shape than a list of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from evalgauge.formats.json_text import is_array, is_object

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from evalgauge.scores.table import Json

    Record = Mapping[str, Json]

_REF = "weave:///"


def split_records(document: Mapping[str, Json]) -> Sequence[Record] | None:
    """Return the records of ``{"columns": [...], "data": [[...]]}``, as pandas and MLflow write tables, if it is one.

    Examples
    --------
    >>> split_records({"columns": ["id", "score"], "data": [["a", 1], ["b", 0]]})
    [{'id': 'a', 'score': 1}, {'id': 'b', 'score': 0}]
    """
    columns, data = document.get("columns"), document.get("data")
    if not (is_array(columns) and is_array(data) and columns and all(isinstance(name, str) for name in columns)):
        return None
    names = cast("list[str]", columns)
    rows = [cast("list[Json]", row) for row in data if is_array(row) and len(row) == len(names)]
    if len(rows) < len(data):
        return None
    return [dict(zip(names, row, strict=True)) for row in rows]


def weave_records(document: Mapping[str, Json]) -> Sequence[Record] | None:
    """Return one record a trial of the rows that Weave's ``eval_results/query`` answers with, if it is such an answer.

    A row is a case, an evaluation an arm, and its trials on the row are the reps. Of nested scores those are taken that
    are numbers or truth values.

    Examples
    --------
    >>> trial = {"predict_and_score_call_id": "c", "scores": {"judge": {"ok": True, "why": "so"}, "length": 3}}
    >>> row = {"row_digest": "d", "raw_data_row": {"q": "?"}, "evaluations": [
    ...     {"evaluation_call_id": "e", "trials": [trial]}]}
    >>> for record in weave_records({"rows": [row]}): print(record)
    {'row_digest': 'd', 'input': {'q': '?'}, 'evaluation': 'e', 'trial': 1, 'scores': {'judge.ok': True, 'length': 3}}
    """
    rows = document.get("rows")
    if not (is_array(rows) and rows and all(_is_row(row) for row in rows)):
        return None
    names = _evaluation_names(document)
    return [record for row in rows if is_object(row) for record in _trials(row, names)]


def _is_row(row: object) -> bool:
    return is_object(row) and "row_digest" in row and is_array(row.get("evaluations"))


def _evaluation_names(document: Mapping[str, Json]) -> dict[str, str]:
    """Return what each evaluation is called, as far as the answer says it and no other is called so."""
    summary = document.get("summary")
    listed = summary.get("evaluations") if is_object(summary) else None
    found: dict[str, str] = {}
    for one in listed if is_array(listed) else ():
        if is_object(one):
            name = one.get("display_name") or one.get("model_ref")
            if isinstance(name, str) and name not in found.values():
                found[str(one.get("evaluation_call_id"))] = name
    return found


def _trials(row: Mapping[str, object], names: Mapping[str, str]) -> Iterator[Record]:
    asked = row.get("raw_data_row")
    if isinstance(asked, str) and asked.startswith(_REF):
        # Only the address of the row: what it holds was not asked for.
        asked = None
    evaluations = row["evaluations"]
    for evaluation in evaluations if is_array(evaluations) else ():
        if not is_object(evaluation):
            continue
        call = str(evaluation.get("evaluation_call_id"))
        trials = evaluation.get("trials")
        for rep, trial in enumerate(trials if is_array(trials) else (), start=1):
            scores = trial.get("scores") if is_object(trial) else None
            yield {
                "row_digest": str(row["row_digest"]),
                "input": cast("Json", asked),
                "evaluation": names.get(call, call),
                "trial": rep,
                "scores": dict(_leaves(scores, "")) if is_object(scores) else {},
            }


def _leaves(scores: Mapping[str, object], prefix: str) -> Iterator[tuple[str, Json]]:
    for name, value in scores.items():
        if is_object(value):
            yield from _leaves(value, f"{prefix}{name}.")
        elif value is None or isinstance(value, (bool, int, float)):
            yield f"{prefix}{name}", value
