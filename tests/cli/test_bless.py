"""A blessed baseline: small, without prompts, moved only by hand, read like a log; age and a changed set are said."""

from __future__ import annotations

import json
import re
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import pytest

import evalgauge as eg
from evalgauge.errors import LogError
from evalgauge.formats.blessed import set_hash
from support.tables import written

if TYPE_CHECKING:
    from pathlib import Path

    from support.command import Command


@pytest.fixture
def blessed(command: Command, fixtures: Path, tmp_path: Path) -> Path:
    """A baseline of the triage log."""
    path = tmp_path / "baseline.json"
    assert command("bless", fixtures / "inspect" / "triage-base.eval", "-o", path).code == 0
    return path


def without(answer: dict[str, Any], *names: str) -> dict[str, Any]:
    """Return an answer without its file names and notes."""
    text = re.sub(r'"[^"]*(triage-base\.eval|baseline\.json)"', '"FILE"', json.dumps(answer))
    return {name: value for name, value in json.loads(text).items() if name not in {"notes", *names}}


def test_it_is_read_as_the_log_it_was(command: Command, fixtures: Path, blessed: Path) -> None:
    log, cand = (fixtures / "inspect" / f"triage-{name}.eval" for name in ("base", "cand"))
    assert without(command.json("measure", blessed)) == without(command.json("measure", log))
    assert without(command.json("compare", blessed, cand)) == without(command.json("compare", log, cand))
    options = ["--max-drop", "10pp", "--by", "topic", "--slice-drop", "60pp", "--allow-blind", "--json"]
    one, other = (command("gate", base, cand, *options) for base in (log, blessed))
    assert one.code == other.code
    assert without(json.loads(one.out)).keys() == without(json.loads(other.out)).keys()
    assert json.loads(one.out)["rules"] == json.loads(other.out)["rules"]


def test_it_holds_no_text_of_a_case(fixtures: Path, blessed: Path) -> None:
    table = eg.read(fixtures / "inspect" / "triage-base.eval")
    assert table.cases.contents is not None
    text = blessed.read_text(encoding="utf-8")
    for content in table.cases.contents():
        assert content is not None
        for part in (content.input, content.target):
            for sentence in re.findall(r"[^\n\"\\]{25,}", json.dumps(part, ensure_ascii=False)):
                assert sentence not in text
    assert blessed.stat().st_size < (fixtures / "inspect" / "triage-base.eval").stat().st_size


def test_it_never_moves_by_itself(command: Command, fixtures: Path, blessed: Path) -> None:
    before = blessed.read_bytes()
    cand = fixtures / "inspect" / "triage-cand.eval"
    assert command("gate", blessed, cand, "--max-drop", "10pp").code == 0
    assert "--overwrite" in command.refusal("bless", cand, "-o", blessed)
    assert blessed.read_bytes() == before
    seen = command("bless", cand, "-o", blessed, "--overwrite", "--note", "new prompt")
    assert seen.out.startswith(f"Replaced {blessed}")
    assert blessed.read_bytes() != before
    assert "(new prompt)" in command("measure", blessed).out


def aged(path: Path, days: int) -> Path:
    document = json.loads(path.read_text(encoding="utf-8"))
    document["blessed"] = (datetime.now(UTC) - timedelta(days=days, hours=1)).isoformat(timespec="seconds")
    path.write_text(json.dumps(document), encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("days", "said"), [(0, ""), (1, ", a day ago."), (40, ", 40 days ago."), (200, "bless a fresh")]
)
def test_its_age_is_said(command: Command, fixtures: Path, blessed: Path, days: int, said: str) -> None:
    notes = command.json("gate", aged(blessed, days), fixtures / "inspect" / "triage-cand.eval", "--max-drop", "10pp")[
        "notes"
    ]
    (about,) = [note for note in notes if "was blessed on" in note]
    assert said in about
    assert ("That is more than 90 days" in about) == (days > 90)


def log(path: Path, cases: list[tuple[str, str, str, int]]) -> Path:
    return written(path, ("case", "input", "target", "score"), cases)


def test_a_changed_set_is_said(command: Command, tmp_path: Path) -> None:
    old = [(f"q{i}", f"What is {i} and {i}?", str(2 * i), 1) for i in range(300)]
    base = tmp_path / "baseline.json"
    assert command("bless", log(tmp_path / "old.csv", old), "-o", base).code == 0
    same = log(tmp_path / "same.csv", old)
    assert not [note for note in command.json("compare", base, same)["notes"] if "set has changed" in note]
    changed = [
        (case, asked, f"{target}!", score) if case == "q7" else (case, asked, target, score)
        for case, asked, target, score in old
    ]
    new = log(tmp_path / "new.csv", [*changed[4:], ("x", "What is new?", "this", 1)])
    answer = command.json("gate", base, new, "--max-drop", "2pp")
    (note,) = [note for note in answer["notes"] if "set has changed" in note]
    assert note.endswith("cases 4 gone, 1 new, 1 with another expected answer or other choices.")
    (comparison,) = answer["comparisons"]
    assert comparison["pairing"]["only_baseline"] == ["q0", "q1", "q2", "q3"]
    assert comparison["pairing"]["only_candidate"] == ["x"]


def test_a_set_has_one_hash_whatever_its_order() -> None:
    assert set_hash(["a", "b", None], ["1", "2", "3"]) == set_hash([None, "b", "a"], ["3", "9", "8"])
    assert set_hash(["a", "b", None], ["1", "2", "3"]) != set_hash(["a", "b", None], ["1", "2", "4"])


def test_statuses_reps_ranges_and_metrics_come_back(command: Command, fixtures: Path, tmp_path: Path) -> None:
    for name in ("errors.eval", "multi-score.eval", "chat-input.eval", "killed.eval"):
        source = fixtures / "inspect" / name
        path = tmp_path / f"{name}.json"
        assert command("bless", source, "-o", path).code == 0
        one, other = eg.read(source), eg.read(path)
        assert sorted(metric.name for metric in other.metrics) == sorted(metric.name for metric in one.metrics)
        assert sorted(other.status.tolist()) == sorted(one.status.tolist())
        assert other.cases.case_id == one.cases.case_id


def test_bounds_of_a_score_come_back(command: Command, tmp_path: Path) -> None:
    source = written(tmp_path / "run.csv", ("case", "score"), [(f"q{i}", i % 5 / 4) for i in range(30)] + [("z", "")])
    path = tmp_path / "baseline.json"
    seen = command("bless", source, "-o", path)
    assert "1 of 31 planned runs have no score in this baseline" in seen.out
    assert command.json("measure", path)["low"] == command.json("measure", source)["low"]


@pytest.mark.parametrize(
    ("spoil", "text"),
    [
        (lambda text: text[: len(text) // 2], "is no whole baseline"),
        (lambda text: text.replace('"evalgauge_baseline":1', '"evalgauge_baseline":2'), "newer evalgauge"),
        (lambda text: text.replace('"ok"', '"okay"', 1), "holds the status 'OKAY'"),
        (lambda text: text.replace('"case":[0,', '"case":[', 1), "columns of different lengths"),
        (lambda text: text.replace('"case":[0,', '"case":[-1,', 1), "field 'rows.case[0]': expected `int` >= 0"),
        (lambda text: text.replace('"metric":[0,', '"metric":[7,', 1), "names a metric that it does not hold"),
        (lambda text: text.replace('"dup":[0,', '"dup":["a",', 1), "is no whole baseline"),
    ],
)
def test_a_spoilt_baseline_is_refused(command: Command, blessed: Path, spoil: Any, text: str) -> None:
    whole = blessed.read_text(encoding="utf-8")
    blessed.write_text(spoil(whole), encoding="utf-8")
    assert blessed.read_text(encoding="utf-8") != whole
    assert text in command.refusal("measure", blessed)
    with pytest.raises(LogError):
        eg.read(blessed)


def test_what_is_no_baseline_is_refused(command: Command, tmp_path: Path) -> None:
    two = written(tmp_path / "two.csv", ("case", "arm", "score"), [("q", "a", 1), ("q", "b", 0)])
    none = written(tmp_path / "none.csv", ("case", "score"), [("q", ""), ("r", "")])
    out = tmp_path / "baseline.json"
    assert "--arm a --task" in command.refusal("bless", two, "-o", out)
    assert "--arm: got 'c'" in command.refusal("bless", two, "-o", out, "--arm", "c")
    assert "holds no score" in command.refusal("bless", none, "-o", out)
    assert "a file that ends in .json" in command.refusal("bless", two, "-o", tmp_path / "b.csv", "--arm", "a")
    assert not out.exists()
    assert command("bless", two, "-o", out, "--arm", "b").code == 0
    assert command.json("measure", out)["estimate"] == 0


def test_a_file_of_rules_names_its_baseline(command: Command, fixtures: Path, blessed: Path) -> None:
    config = blessed.parent / "rules.toml"
    config.write_text('baseline = "baseline.json"\n[[rule]]\nmax-drop = "10pp"\n', encoding="utf-8")
    cand = fixtures / "inspect" / "triage-cand.eval"
    answer = command.json("gate", cand, "--config", config)
    assert answer["comparisons"][0]["baseline"]["source"]["files"] == [str(blessed)]
    assert command.json("gate", "--check", "--config", config)["n_cases"] == 40
    two = command.json("gate", cand, cand, "--config", config)
    assert two["comparisons"][0]["baseline"]["source"]["files"] == [str(cand)]
