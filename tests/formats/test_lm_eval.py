"""lm-evaluation-harness samples: against its own totals, filter by filter, and what is refused."""

from __future__ import annotations

import json
import shutil
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from evalgauge.errors import EvalgaugeError, LogError
from evalgauge.formats import lm_eval_rows
from evalgauge.formats.lm_eval import READER
from evalgauge.formats.protocol import ReadOptions, Source
from evalgauge.scores.table import ScoreTable, Status

FIXTURES = Path(__file__).resolve().parent.parent / "fixtures"
FOLDER = FIXTURES / "lm-eval"
OLD = FIXTURES / "lm-eval-042"
EXPECTED: dict[str, Any] = json.loads((FIXTURES / "expected" / "lm_eval.json").read_text(encoding="utf-8"))
DATE = "2026-01-21T03-44-18.458309"


def source(path: Path) -> Source:
    is_folder = path.is_dir()
    return Source(path=path, head=b"" if is_folder else path.read_bytes()[:8192], is_folder=is_folder)


def read(path: Path, **options: Any) -> ScoreTable:
    return READER.read(source(path), ReadOptions(**options))


def samples_file(task: str, arm: str = "base") -> Path:
    return next((FOLDER / arm).rglob(f"samples_{task}_2*.jsonl"))


def scores(table: ScoreTable, metric: str, set_name: str | None = None) -> dict[str, float]:
    found = {}
    for place in range(len(table)):
        run = table.runs[table.run[place]]
        if table.metrics[table.metric[place]].name == metric and set_name in (None, run.set_name):
            found[table.cases.case_id[table.case[place]]] = float(table.score[place])
    return found


def statuses(table: ScoreTable) -> dict[str, int]:
    return dict(Counter(Status(value).name for value in table.status))


def row(doc_id: int, value: Any = 1.0, **more: Any) -> dict[str, Any]:
    base = {
        "doc_id": doc_id,
        "doc": {"question": f"q{doc_id}", "number": f"n{doc_id}", "topic": "even" if doc_id % 2 == 0 else "odd"},
        "target": "a",
        "arguments": {"gen_args_0": {"arg_0": "p"}},
        "resps": [["x"]],
        "filtered_resps": ["x"],
        "filter": "none",
        "metrics": ["acc"],
        "doc_hash": f"{doc_id:064x}",
        "prompt_hash": "0",
        "target_hash": "0",
        "acc": value,
    }
    return {key: entry for key, entry in {**base, **more}.items() if entry is not ...}


def write(folder: Path, lines: list[dict[str, Any]], task: str = "faq", end: str = "\n") -> Path:
    path = folder / f"samples_{task}_{DATE}.jsonl"
    path.write_text("\n".join(json.dumps(line) for line in lines) + end, encoding="utf-8")
    return path


def write_results(folder: Path, task: str = "faq", **more: Any) -> None:
    content = {
        "results": {task: {"acc,none": 0.5, "acc_stderr,none": 0.1}},
        "configs": {task: {"task": task, "repeats": 1}},
        "versions": {task: 2.0},
        "n-samples": {task: {"original": 4, "effective": 4}},
        "higher_is_better": {task: {"acc": True}},
        "config": {"model": "hf", "model_args": "pretrained=org/model,dtype=auto"},
    }
    content.update(more)
    (folder / f"results_{DATE}.json").write_text(json.dumps(content), encoding="utf-8")


TASKS = sorted(
    (f"{Path(name).parent}/{task}", task, entry)
    for name, results in EXPECTED.items()
    if name.startswith(("base", "cand"))
    for task, entry in results["tasks"].items()
)


@pytest.mark.parametrize(("name", "task", "entry"), TASKS, ids=[name for name, _, _ in TASKS])
def test_scores_are_those_in_the_file(name: str, task: str, entry: dict[str, Any]) -> None:
    table = read(samples_file(task, name.split("/", maxsplit=1)[0]))
    assert {metric.name for metric in table.metrics} == set(entry["scores"])
    for metric, values in entry["scores"].items():
        assert scores(table, metric) == {str(doc_id): value for doc_id, value in values}
    left_out = [f"{problem.text.split(chr(39))[1]},none" for problem in table.problems if "left out" in problem.text]
    assert left_out == entry["not_per_case"]
    assert table.runs[0].planned_cases == entry["n_samples"]["effective"]


def test_means_are_the_harness_totals() -> None:
    checked = 0
    for name, results in EXPECTED.items():
        if not name.startswith(("base", "cand")):
            continue
        for task, totals in results["aggregates"].items():
            if task in results["groups"]:
                continue
            table = read(samples_file(task, name.split("/")[0]))
            for metric in table.metrics:
                values = list(scores(table, metric.name).values())
                assert np.mean(values) == pytest.approx(totals[metric.name], rel=1e-12)
                checked += 1
    assert checked > 10


def test_two_filters_of_one_document_are_two_metrics_of_one_case() -> None:
    table = read(samples_file("sums_filters"))
    assert [metric.name for metric in table.metrics] == ["exact_match,strict-match", "exact_match,flexible-extract"]
    assert len(table.cases) == 14
    assert len(table) == 28
    assert set(table.rep.tolist()) == {1}


def test_rows_of_version_042_are_told_apart_by_order() -> None:
    old = next(OLD.glob("*.jsonl"))
    table = read(old)
    totals = json.loads((OLD / "results.json").read_text(encoding="utf-8"))["results"]["sums_filters"]
    for name in ("exact_match,strict-match", "exact_match,flexible-extract"):
        assert np.mean(list(scores(table, name).values())) == pytest.approx(totals[name])
    assert table.runs[0].set_name == "sums_filters"
    assert table.runs[0].arm == "demo/old-model"
    assert "told apart by their order" in table.problems[0].text


def test_run_columns() -> None:
    table = read(samples_file("sums_filters"))
    run = table.runs[0]
    assert run.set_name == "sums_filters"
    assert run.set_version == "1.0"
    assert run.arm == "demo/base-model"
    assert run.arm_detail["model_args"] == '{"pretrained": "demo/base-model"}'
    assert run.arm_detail["num_fewshot"] == "0"
    assert run.framework == "lm-eval"
    assert run.framework_version == "0.4.13"
    assert run.file == str(samples_file("sums_filters"))
    assert run.state == "complete"
    assert run.rep_source == "none"
    assert run.created.startswith("20")
    assert run.created[13] == ":"
    assert table.metrics[0].higher_is_better is True


def test_doc_hash_is_the_source_hash() -> None:
    path = samples_file("sums")
    table = read(path)
    first = json.loads(path.read_text(encoding="utf-8").splitlines()[0])
    assert table.cases.source_hash is not None
    assert table.cases.source_hash[0] == first["doc_hash"]
    assert table.cases.source_hash_scheme == "lm-eval doc_hash"


def test_contents_and_fields_are_read_when_asked_for() -> None:
    path = samples_file("desk_billing")
    table = read(path)
    first = json.loads(path.read_text(encoding="utf-8").splitlines()[0])
    assert table.cases.contents is not None
    content = table.cases.contents()[0]
    assert content is not None
    assert content.input == first["doc"]
    assert content.target == first["target"]
    assert table.cases.fields["key"][0] == first["doc"]["key"]
    assert len(table.cases.fields) == len(list(table.cases.fields)) == 1


def test_a_folder_is_one_table_with_a_run_for_each_task_and_model() -> None:
    table = read(FOLDER)
    assert {run.arm for run in table.runs} == {"demo/base-model", "demo/cand-model"}
    assert len({run.set_name for run in table.runs}) == 6
    # Both models answered the same documents, so each is one case.
    assert len(table.cases) == 10 + 6 + 8 + 60 + 14 + 12
    assert "desk_billing/0" in table.cases.case_id
    assert set(table.cases.fields["task"]) == {run.set_name for run in table.runs}
    assert not table.cases.dup.any()


def test_a_results_file_leads_to_the_samples_of_its_date() -> None:
    results = next((FOLDER / "base").rglob("results_*.json"))
    assert READER.claims(source(results))
    table = read(results)
    assert {run.set_name for run in table.runs} <= {task for _, task, _ in TASKS}


def test_a_task_whose_samples_are_not_here_is_named(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    shutil.copytree(FOLDER / "base" / "demo__base-model", folder)
    said = "without a samples file here"
    assert not [problem for problem in read(folder).problems if said in problem.text]
    (samples,) = folder.glob("samples_desk_delivery_*.jsonl")
    samples.unlink()
    results = next(path for path in folder.glob("results_*.json") if path.stem.endswith(samples.stem[-12:]))
    for path in (folder, results):
        texts = [problem.text for problem in read(path).problems if said in problem.text]
        assert texts == [f"{results.name} lists 1 task without a samples file here: desk_delivery."]
    # Who names one samples file asks for that task alone.
    (other,) = folder.glob("samples_desk_billing_*.jsonl")
    assert not [problem for problem in read(other).problems if said in problem.text]


def test_a_file_alone_is_named_by_its_name_and_folder(tmp_path: Path) -> None:
    folder = tmp_path / "org__model"
    folder.mkdir()
    table = read(write(folder, [row(0), row(1, 0.0)]))
    assert table.runs[0].set_name == "faq"
    assert table.runs[0].arm == "org__model"
    assert [metric.name for metric in table.metrics] == ["acc,none"]


def test_planned_documents_that_are_missing_are_not_run(tmp_path: Path) -> None:
    write_results(tmp_path)
    table = read(write(tmp_path, [row(0), row(2)]))
    assert statuses(table) == {"OK": 2, "NOT_RUN": 2}
    assert sorted(table.cases.case_id) == ["0", "1", "2", "3"]
    assert table.runs[0].state == "partial"
    assert "2 of 4 planned documents are not in the file; they count as not run." in table.problems[0].text


def test_a_limit_is_the_plan_and_is_said_to_be_no_random_sample(tmp_path: Path) -> None:
    write_results(tmp_path, **{"n-samples": {"faq": {"original": 900, "effective": 2}}})
    table = read(write(tmp_path, [row(0), row(1)]))
    assert statuses(table) == {"OK": 2}
    assert table.runs[0].planned_cases == 2
    assert "Only 2 of 900 documents were to be run" in table.problems[0].text
    assert "no random sample" in table.problems[0].text


def test_missing_documents_of_a_chosen_sample_cannot_be_named(tmp_path: Path) -> None:
    write_results(tmp_path, **{"n-samples": {"faq": {"original": 900, "effective": 3}}})
    table = read(write(tmp_path, [row(17), row(512)]))
    assert statuses(table) == {"OK": 2}
    assert any(
        "1 of 3 planned documents are not in the file; which ones is not known" in p.text for p in table.problems
    )


def test_repeats_leave_one_score_and_are_said_to_be_no_reps() -> None:
    table = read(samples_file("sums_vote"))
    assert "Each document was asked 3 times" in table.problems[0].text
    assert table.runs[0].planned_reps == 1


def test_a_run_appended_to_the_file_is_an_attempt(tmp_path: Path) -> None:
    table = read(write(tmp_path, [row(0, 0.0), row(1, 0.0), row(0, 1.0), row(1, 1.0)]))
    first, second = table.runs
    assert first.attempt_of == second.attempt_of != ""
    assert first.run_id != second.run_id
    assert table.score[table.run == 1].tolist() == [1.0, 1.0]
    assert len(table.cases) == 2
    assert "The file holds 2 runs" in table.problems[0].text


def test_a_document_that_lacks_a_filter_is_not_run_there(tmp_path: Path) -> None:
    lines = [row(0), row(1), row(0, filter="strict", acc=0.0)]
    table = read(write(tmp_path, lines))
    assert scores(table, "acc,none") == {"0": 1.0, "1": 1.0}
    assert statuses(table) == {"OK": 3, "NOT_RUN": 1}
    assert any("none under another" in problem.text for problem in table.problems)


def test_documents_with_one_id_and_two_hashes_are_two_cases(tmp_path: Path) -> None:
    table = read(write(tmp_path, [row(0), row(0, 0.0, doc_hash="f" * 64), row(1)]))
    assert table.cases.case_id == ("0", "1", "0")
    assert table.cases.dup.tolist() == [0, 0, 1]
    assert any("differ in their doc_hash" in problem.text for problem in table.problems)


def test_odd_values(tmp_path: Path) -> None:
    values = [1, True, "True", "0.25", None, float("nan"), float("inf"), "no answer"]
    table = read(write(tmp_path, [row(number, value) for number, value in enumerate(values)]))
    found = scores(table, "acc,none")
    assert [found[str(number)] for number in range(4)] == [1.0, 1.0, 1.0, 0.25]
    assert [Status(value).name for value in table.status] == ["OK"] * 4 + ["UNSCORED"] * 3 + ["OK"]
    assert table.metrics[0].kind == "categorical"
    assert table.metrics[0].words == ("no answer",)
    mapped = read(tmp_path / f"samples_faq_{DATE}.jsonl", words={"no answer": 0.0})
    assert scores(mapped, "acc,none")["7"] == 0.0
    assert any("Infinite" in problem.text for problem in table.problems)


def test_a_metric_that_comes_late_is_missing_before(tmp_path: Path) -> None:
    lines = [row(0), row(1, metrics=["acc", "f1"], f1=0.5), row(2)]
    table = read(write(tmp_path, lines))
    assert {metric.name for metric in table.metrics} == {"acc,none", "f1,none"}
    late = scores(table, "f1,none")
    assert late["1"] == 0.5
    assert np.isnan([late["0"], late["2"]]).all()


def test_a_metric_that_turns_out_to_be_a_list_is_left_out(tmp_path: Path) -> None:
    lines = [row(0, metrics=["acc", "bleu"], bleu=1.0), row(1, metrics=["acc", "bleu"], bleu=["a", "b"])]
    table = read(write(tmp_path, lines))
    assert [metric.name for metric in table.metrics] == ["acc,none"]
    assert "'bleu' is left out" in table.problems[0].text


def test_blocks_and_lines_longer_than_a_block(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lines = [row(number, float(number % 3), resps=[["x" * (number * 37 % 900)]]) for number in range(60)]
    path = write(tmp_path, lines)
    whole = read(path)
    monkeypatch.setattr(lm_eval_rows, "BLOCK_BYTES", 256)
    pieces = read(path)
    assert pieces.score.tolist() == whole.score.tolist() == [float(number % 3) for number in range(60)]
    assert pieces.cases.fields["number"] == whole.cases.fields["number"]


def test_blank_lines_do_not_move_the_contents(tmp_path: Path) -> None:
    path = write(tmp_path, [row(0), row(1)])
    path.write_text("\n" + path.read_text(encoding="utf-8").replace("\n", "\n\n"), encoding="utf-8")
    table = read(path)
    assert table.cases.fields["number"] == ("n0", "n1")


def test_claims_by_bytes(tmp_path: Path) -> None:
    assert READER.claims(source(FOLDER))
    assert READER.claims(source(OLD))
    assert READER.claims(source(next(OLD.glob("*.jsonl"))))
    renamed = tmp_path / "rows.txt"
    renamed.write_bytes(samples_file("sums").read_bytes())
    assert READER.claims(source(renamed))
    other = tmp_path / "other.jsonl"
    other.write_text('{"case": 1, "score": 1}\n', encoding="utf-8")
    assert not READER.claims(source(other))
    assert not READER.claims(source(FIXTURES / "promptfoo"))


REFUSED = [
    ("", "holds no complete row. lm-eval writes one JSON object a line."),
    ('{"doc_id": 0, "doc": {}}\n', "holds no metric with one score for each document. Metrics such as bleu"),
    ('{"doc_id": 0, "doc": {}, "acc": 1}\n{"doc_id": 1 "doc"\n', "row 2: is no valid JSON: Expecting ',' delimiter"),
    ('{"doc_id": 0, "doc": {}, "acc": 1}\n[1]\n', "row 2: is no JSON object."),
    (
        '{"doc_id": 0, "doc": {}, "acc": 1}\n{"doc": {}, "acc": 1}\n',
        "row 2, field 'doc_id': expected a number or a text, got None.",
    ),
    ('{"doc_id": 0, "doc": ' + "[" * 100_000 + "]" * 100_000 + "}\n", "its JSON is nested deeper than any log needs."),
]


@pytest.mark.parametrize(("content", "text"), REFUSED, ids=[text[:40] for _, text in REFUSED])
def test_refusals_name_file_and_row(tmp_path: Path, content: str, text: str) -> None:
    path = tmp_path / f"samples_faq_{DATE}.jsonl"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(LogError) as caught:
        read(path)
    assert str(caught.value).startswith(str(path))
    assert text in str(caught.value)


def test_totals_alone_are_refused_with_the_way_out(tmp_path: Path) -> None:
    write_results(tmp_path)
    with pytest.raises(LogError, match=r"holds totals only.*--log_samples"):
        read(tmp_path / f"results_{DATE}.json")


def test_a_broken_results_file_is_named_and_tolerated(tmp_path: Path) -> None:
    path = write(tmp_path, [row(0)])
    (tmp_path / f"results_{DATE}.json").write_text('{"results": 3}', encoding="utf-8")
    with pytest.raises(LogError, match=r"results_.*field 'results': expected `object`, got `int`"):
        read(path)
    table = read(path, tolerant=True)
    assert len(table) == 1
    assert "The rows are read without it." in table.problems[0].text


def test_tolerance_keeps_the_rows_around_a_broken_one(tmp_path: Path) -> None:
    path = write(tmp_path, [row(0), row(1)])
    path.write_text(path.read_text(encoding="utf-8").replace("\n", "\n{broken}\n", 1), encoding="utf-8")
    with pytest.raises(LogError, match="row 2"):
        read(path)
    table = read(path, tolerant=True)
    assert table.cases.case_id == ("0", "1")
    assert table.cases.fields["number"] == ("n0", "n1")
    assert "row 2" in table.problems[0].text


def test_tolerance_leaves_out_an_unreadable_file_of_a_folder(tmp_path: Path) -> None:
    write(tmp_path, [row(0)])
    bad = write(tmp_path, [row(0)], task="other")
    bad.write_text(bad.read_text(encoding="utf-8")[:100] + "\n", encoding="utf-8")
    with pytest.raises(LogError, match="samples_other"):
        read(tmp_path)
    table = read(tmp_path, tolerant=True)
    assert [run.set_name for run in table.runs] == ["faq"]
    assert "This file is left out." in table.problems[0].text


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(share=st.floats(0, 1, exclude_max=True))
@pytest.mark.parametrize("path", [samples_file("sums_filters"), next(OLD.glob("*.jsonl"))], ids=["new", "old"])
def test_a_cut_file_is_read_as_far_as_it_goes_and_says_so(tmp_path: Path, path: Path, share: float) -> None:
    data = path.read_bytes()
    cut = tmp_path / path.name
    cut.write_bytes(data[: int(share * len(data))])
    try:
        table = read(cut)
    except LogError as fault:
        assert str(cut) in str(fault)  # noqa: PT017 (either outcome is right)
        return
    kept = int(share * len(data))
    is_between_rows = b"\n" in (data[kept - 1 : kept], data[kept : kept + 1]) and path.suffix == ".jsonl"
    assert table.problems or (is_between_rows and path != next(OLD.glob("*.jsonl")))
    assert statuses(table)["OK"] <= 28


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_a_flipped_byte_never_ends_in_a_traceback(tmp_path: Path, data: st.DataObject) -> None:
    content = bytearray(samples_file("sums_filters").read_bytes())
    place = data.draw(st.integers(0, len(content) - 1))
    content[place] ^= data.draw(st.integers(1, 255))
    path = tmp_path / f"samples_sums_filters_{DATE}.jsonl"
    path.write_bytes(content)
    for tolerant in (False, True):
        try:
            assert len(read(path, tolerant=tolerant)) > 0
        except LogError as fault:
            assert "cannot be read (" not in str(fault)  # noqa: PT017 (the last net was not needed)


@given(order=st.permutations(range(6)), filters=st.integers(1, 3))
@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_the_order_of_rows_does_not_matter(tmp_path: Path, order: list[int], filters: int) -> None:
    lines = [row(number, float(number % 2), filter=f"f{label}") for number in order for label in range(filters)]
    table = read(write(tmp_path, lines))
    for label in range(filters):
        assert scores(table, f"acc,f{label}") == {str(number): float(number % 2) for number in range(6)}


def test_real_logs_are_read(real_logs: Path) -> None:
    paths = [path for path in sorted((real_logs / "lm-eval").iterdir()) if READER.claims(source(path))]
    assert len(paths) == 2
    for path in [*paths, real_logs / "lm-eval"]:
        try:
            table = read(path)
        except EvalgaugeError as fault:
            pytest.fail(str(fault))
        # The public file is a part of the run: ten rows of 5,000.
        assert statuses(table) == {"OK": 10, "NOT_RUN": 4_990}
        assert table.runs[0].state == "partial"
