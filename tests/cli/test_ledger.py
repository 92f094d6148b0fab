"""The ledger as people use it: imports, refreshes, gates, options on record, and what is refused."""

from __future__ import annotations

import errno
import json
import re
import shutil
from contextlib import chdir
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import evalgauge as eg
from evalgauge.questions.best_of import BestOfRequest
from evalgauge.questions.holdout import HoldoutRequest
from evalgauge.questions.ledger_afterwards import DecideRequest, RevealRequest, VoidRequest
from evalgauge.questions.ledger_cards import HistoryRequest, StatusRequest
from evalgauge.questions.ledger_looks import ImportRequest, LookRequest, RefreshRequest
from evalgauge.questions.ledger_sets import (
    CheckRequest,
    DeclareRequest,
    ExportRequest,
    InitRequest,
    MergeRequest,
    RegisterRequest,
)
from support.holdouts import TEXTS, N, card, rows
from support.sets import asked_texts, coin, log_of

if TYPE_CHECKING:
    from support.command import Command


def test_old_logs_are_imported_once(command: Command, folder: Path) -> None:
    old = folder / "old"
    old.mkdir()
    for number in range(1, 5):
        shutil.copy(f"cand-{number}.jsonl", old / f"run-{number}.jsonl")
    shutil.copy("cand-1.jsonl", old / "copy of run-1.jsonl")
    (old / "notes.txt").write_text("no log", encoding="utf-8")
    (old / "broken.eval").write_bytes(b"PK\x03\x04 cut off")
    found = command.json("ledger", "import", "old")
    assert (found["added"], found["known"]) == (4, 1)
    assert [one["name"] for one in found["sets"]] == ["support"]
    assert len(found["unread"]) == 1
    assert "broken.eval" in found["unread"][0]
    assert command.json("ledger", "import", "old")["added"] == 0
    command("measure", "cand-2.jsonl")
    assert card(command)["looks"] == 4


@pytest.mark.usefixtures("folder")
def test_sets_that_are_not_registered_are_named_or_registered(command: Command, fixtures: Path) -> None:
    logs = fixtures / "inspect" / "eval-set"
    seen = command("ledger", "import", logs)
    assert "not imported, the set is not registered" in seen.out
    assert "Next: evalgauge ledger register" in seen.out
    found = command.json("ledger", "import", logs, "--register")
    assert found["added"] >= 1
    assert all(one["is_registered"] for one in found["sets"])
    # Two attempts at one work are one look.
    attempts = command.json("ledger", "status", found["sets"][0]["name"])["cards"][0]
    assert attempts["looks"] == 1


def test_several_sets_are_listed(command: Command, folder: Path) -> None:
    log_of(folder / "other.jsonl", asked_texts(150, seed=8), coin(0.8, 1))
    command("ledger", "register", "other.jsonl", "--name", "other")
    command("measure", "cand-1.jsonl")
    found = command.json("ledger", "status")
    assert [(row["name"], row["looks"]) for row in found["sets"]] == [("support", 1), ("other", 0)]
    assert found["cards"] == []
    row, full = found["sets"][0], card(command)
    assert all(
        row[key] == full[key] for key in ("looks", "candidates", "spent", "optimism", "tolerance", "left", "action")
    )
    assert "2 sets in .evalgauge/ledger.db" in command("ledger", "status").out


def test_a_refresh_takes_exactly_the_drawn_cases(command: Command, folder: Path) -> None:
    command("measure", "cand-1.jsonl")
    drawn = command.json("ledger", "refresh", "base.jsonl", "--share", "25%", "--seed", "7")
    assert (drawn["n_retired"], drawn["seed"], len(drawn["retired"])) == (50, 7, 50)
    assert "waits for 50 new cases already" in command.refusal("ledger", "refresh", "base.jsonl", "--share", "25%")
    others = sorted(set(range(N)) - {int(name[1:]) for name in drawn["retired"]})
    picked = [TEXTS[number] for number in others[50:]] + [TEXTS[int(name[1:])] for name in drawn["retired"]]
    log_of(folder / "picked.jsonl", [*picked, *asked_texts(50, seed=4)], coin(0.7, 1))
    refusal = command.refusal("ledger", "refresh", "picked.jsonl")
    assert "50 cases that were to go are still there, and 50 that were to stay are gone" in refusal
    assert "bring the bias back" in refusal
    assert "holds no new case" in command.refusal(
        "ledger", "refresh", log_of(folder / "less.jsonl", [TEXTS[at] for at in others], coin(0.7, 1))
    )
    command("ledger", "void", "support", "--reason", "another share")
    again = command.json("ledger", "refresh", "cand-3.jsonl", "--share", "25%", "--seed", "7")
    assert again["retired"] == drawn["retired"]


def test_a_draw_whose_list_cannot_be_written_is_not_on_record(
    command: Command, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    words = ["ledger", "refresh", "base.jsonl", "--share", "50%", "-o"]
    events = command.json("ledger", "status")["events"]

    def full(*_: object, **__: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(Path, "write_text", full)
        refusal = command.refusal(*words, "retired.txt")
    assert "a file on a disk with room for it (the system says: No space left on device)" in refusal
    assert not (folder / "retired.txt").exists()
    assert command.json("ledger", "status")["events"] == events
    assert command(*words, "retired.txt").code == 0
    assert len((folder / "retired.txt").read_text("utf-8").split()) == N / 2


def test_an_export_can_be_read_by_whoever_may_read_the_folder(command: Command, folder: Path) -> None:
    (folder / "beside.txt").touch()
    assert command("ledger", "export", "-o", "ledger.jsonl").code == 0
    assert (folder / "ledger.jsonl").stat().st_mode == (folder / "beside.txt").stat().st_mode


def test_a_replacement_without_a_draw_is_no_refresh(command: Command, folder: Path) -> None:
    log_of(folder / "picked.jsonl", [*TEXTS[:150], *asked_texts(50, seed=4)], coin(0.7, 1))
    refusal = command.refusal("ledger", "refresh", "picked.jsonl")
    assert "No draw is recorded for support: 50 of its cases are gone and 50 are new" in refusal


REFUSALS: list[tuple[list[str], str]] = [
    (["ledger", "init"], "exists already. Say: evalgauge ledger status"),
    (["ledger", "status", "suport"], "Did you mean support?"),
    (["ledger", "register", "base.jsonl", "--name", "again"], "registered already, as support"),
    (["ledger", "register", "other.jsonl", "--name", "support"], "Another set is called support"),
    (["ledger", "register", "other.jsonl"], "--name: got 'nothing'"),
    (["ledger", "register"], "one log, table or folder that holds the whole set"),
    (["ledger", "register", "other.jsonl", "--name", "x", "--rate", "80"], "Did you mean 80% (0.8)?"),
    (["ledger", "declare", "support", "--looks", "0"], "a number of looks from 1"),
    (["ledger", "declare", "support", "--ships", "2"], "given with --looks"),
    (["ledger", "declare", "support", "--looks", "2", "--ships", "3"], "a number of passes from 1 to --looks 2"),
    (["ledger", "declare", "support", "--display", "per-case"], "nothing, pass-fail"),
    (["ledger", "declare", "support", "--display", "rounded"], "--step: got 'nothing'"),
    (["ledger", "declare", "support", "--step", "1pp"], "given with --display rounded"),
    (["ledger", "declare", "support", "--tolerance", "0"], "points above 0"),
    (["ledger", "declare", "support", "--confidence", "0"], "a share between 0 and 1"),
    (["ledger", "look"], "the log of one candidate"),
    (["ledger", "look", "other.jsonl"], "Say: evalgauge ledger register other.jsonl --name NAME"),
    (["ledger", "look", "other.jsonl", "--set", "support"], "None of the log's cases is one of support"),
    (["ledger", "look", "base.jsonl", "--display", "pass-fail"], "--max-drop 2pp --holdout"),
    (["ledger", "look", "base.jsonl", "--reps", "0"], "from 1 to 1,000"),
    (["ledger", "look", "base.jsonl", "--parent", "abcdef"], "No look is called abcdef"),
    (["ledger", "import"], "a folder of old logs, or logs"),
    (["ledger", "import", "missing"], "missing"),
    (["ledger", "decide", "abcdef"], "a look and ship, hold or iterate"),
    (["ledger", "decide", "abcdef", "ship"], "No look is called abcdef"),
    (["ledger", "reveal"], "one or more looks"),
    (["ledger", "reveal", "ab"], "Say four digits of its name or more"),
    (["ledger", "void", "abcdef"], "--reason"),
    (["ledger", "void", "support", "--reason", "x"], "a set without a draw"),
    (["ledger", "refresh", "base.jsonl"], "No draw is recorded|holds no new case|waits for new cases"),
    (["ledger", "refresh", "base.jsonl", "--share", "0"], "from above 0 to 100 %"),
    (["ledger", "refresh", "base.jsonl", "--seed", "1"], "given with --share"),
    (["ledger", "refresh", "base.jsonl", "--share", "50%", "-o", "base.jsonl"], "a file that does not exist yet"),
    (["ledger", "refresh", "base.jsonl", "--share", "50%", "-o", "no/retired.txt"], "a file in a folder that exists"),
    (
        ["ledger", "init", "--ledger", "base.jsonl/x.db"],
        "cannot be made: File exists. Name a file in a folder",
    ),
    (["ledger", "refresh", "other.jsonl", "--share", "50%"], "is not registered, so nothing was worn"),
    (["ledger", "check", "--head", "ab"], "8 digits of a hash or more"),
    (["ledger", "export", "-o", "base.jsonl"], "or replace the file: --overwrite"),
    (["ledger", "merge"], "one or more exports"),
    (["ledger", "merge", "missing.jsonl"], "an export that exists"),
    (["ledger", "merge", "base.jsonl"], "it is no export of a ledger"),
    (["ledger", "status", "--ledger", "mysql://x/y"], "a file, or postgresql://user@host/database"),
    (
        ["ledger", "status", "--ledger", "missing.db"],
        "Say: evalgauge ledger init --ledger missing.db",
    ),
    (["measure", "base.jsonl", "--ledger", "missing.db"], "The look is not recorded, so no score is shown"),
    (["compare", "base.jsonl", "cand-1.jsonl", "--holdout", "--confidence", "90%"], "ledger declare --confidence"),
    (["compare", "base.jsonl", "cand-1.jsonl", "--holdout", "--flips"], "shows one bit and records it"),
    (["compare", "other.jsonl", "other.jsonl", "--holdout"], "needs its set in the ledger"),
]


@pytest.mark.parametrize(("words", "text"), REFUSALS, ids=[" ".join(words) for words, _ in REFUSALS])
def test_refusals_say_what_to_do(command: Command, folder: Path, words: list[str], text: str) -> None:
    log_of(folder / "other.jsonl", asked_texts(150, seed=8), coin(0.8, 1))
    refusal = command.refusal(*words)
    assert refusal.startswith("evalgauge: ")
    assert any(part in refusal for part in text.split("|")), refusal
    assert len(refusal.strip().splitlines()) == 1


OPTIONS: list[tuple[list[str], list[str], str]] = [
    (["ledger", "look", "base.jsonl"], ["--label", "first try"], "first try"),
    (["ledger", "look", "base.jsonl"], ["--intent", "audit"], "audit: "),
    (["ledger", "look", "base.jsonl"], ["--decision", "hold"], ", hold"),
    (["ledger", "look", "base.jsonl"], ["--note", "before lunch"], "before lunch"),
    (["ledger", "look", "base.jsonl"], ["--display", "nothing"], "explore: nothing"),
    (["ledger", "look", "base.jsonl"], ["--display", "rounded", "--step", "10pp"], "explore: 70.0 %"),
    (["ledger", "import", "base.jsonl"], ["--display", "nothing"], "explore: nothing"),
    (["ledger", "declare", "support"], ["--looks", "3"], "at most 3 looks"),
    (["ledger", "declare", "support", "--looks", "3"], ["--ships", "2"], "passes at most 2"),
    (["ledger", "declare", "support"], ["--tolerance", "7pp"], "tolerance 7 points"),
    (["ledger", "declare", "support"], ["--display", "exact"], "showing exact at most"),
    (["ledger", "refresh", "base.jsonl", "--share", "5%"], ["--seed", "99"], "drawn by seed 99 (chosen by hand)"),
]


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(("words", "option", "told"), OPTIONS, ids=[" ".join(option) for _, option, _ in OPTIONS])
def test_every_option_is_on_record(command: Command, words: list[str], option: list[str], told: str) -> None:
    seen = command(*words, *option)
    assert seen.code == 0, seen.err
    assert told in command("ledger", "history", "support").out


@pytest.mark.usefixtures("folder")
def test_a_rate_that_is_given_carries_the_figures(command: Command, tmp_path: Path) -> None:
    log_of(tmp_path / "other.jsonl", asked_texts(150, seed=8), coin(0.8, 1))
    command("ledger", "register", "other.jsonl", "--name", "other", "--rate", "95%")
    found = command.json("ledger", "status", "other")["cards"][0]
    assert (found["rate"], found["rate_source"]) == (0.95, "given")
    assert found["sigma"] == pytest.approx((0.95 * 0.05 / 150) ** 0.5)
    assert card(command)["rate_source"] == "cautious"


@pytest.mark.usefixtures("folder")
def test_the_actor_is_on_record(command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EVALGAUGE_ACTOR", "night build")
    command("ledger", "look", "base.jsonl")
    assert rows(command)[-1]["actor"] == "night build"


@pytest.mark.usefixtures("folder")
def test_a_promise_after_a_look_is_refused(command: Command) -> None:
    command("measure", "cand-1.jsonl")
    assert "comes too late" in command.refusal("ledger", "declare", "support", "--looks", "5")


def test_without_a_ledger_the_first_step_is_said(command: Command, tmp_path: Path) -> None:
    with chdir(tmp_path):
        assert command.refusal("ledger", "status") == (
            "evalgauge: There is no ledger in this folder or above it. Say: evalgauge ledger init\n"
        )


@pytest.mark.usefixtures("folder")
def test_sets_looked_at_in_two_copies_are_said(command: Command, tmp_path: Path) -> None:
    command("ledger", "export", "-o", "one.jsonl")
    other = str(tmp_path / "other.db")
    command("ledger", "merge", "one.jsonl", "--ledger", other)
    command("compare", "base.jsonl", "cand-1.jsonl", "--holdout")
    command("compare", "base.jsonl", "cand-2.jsonl", "--holdout", "--ledger", other)
    command("ledger", "export", "-o", "two.jsonl", "--ledger", other)
    seen = command("ledger", "merge", "two.jsonl")
    assert "support was looked at in both copies apart from each other" in seen.out
    found = card(command)
    assert (found["looks"], found["branches"]) == (2, 2)
    assert any("may be wrong in up to 10 % of cases, not 5 %" in note for note in found["notes"])


@pytest.mark.usefixtures("folder")
def test_a_gate_records_its_looks_and_names_no_case(command: Command) -> None:
    found = command.json("gate", "base.jsonl", "cand-1.jsonl", "--max-drop", "30pp")
    assert found["ledger"]["state"] == "recorded"
    assert [one["flips"] for one in found["comparisons"]] == [[]]
    assert any("Changed cases are not listed" in note for note in found["notes"])
    assert card(command)["displays"] == {"exact": 2}
    seen = command("gate", "base.jsonl", "cand-1.jsonl", "--max-drop", "30pp", "--no-ledger")
    assert "NOT recorded (--no-ledger)" in seen.out
    command("gate", "base.jsonl", "cand-1.jsonl", "--max-drop", "30pp", "--flips")
    assert card(command)["action"] == "fresh set"


def test_a_gate_on_a_holdout_shows_one_bit(command: Command, folder: Path) -> None:
    log_of(folder / "good.jsonl", TEXTS, coin(0.95, 9), arm="good")
    command("ledger", "declare", "support", "--looks", "6", "--ships", "2")
    seen = command("gate", "base.jsonl", "cand-1.jsonl", "--better-than", "0pp", "--holdout")
    assert seen.code == 1
    assert seen.out.startswith("FAIL: the rule does not hold")
    assert "Not all rules are shown to hold on support (better-than 0 points)" in seen.out
    assert "Next: evalgauge ledger status support" in seen.out
    seen = command("gate", "base.jsonl", "good.jsonl", "--better-than", "0pp", "--min-rate", "80%", "--holdout")
    assert seen.code == 0, seen.out
    assert "All rules hold on support (min-rate 80 %, better-than 0 points)" in seen.out
    assert "as look 2, so that all looks together hold at 95 %" in seen.out
    assert not any(word in seen.out for word in ("Lost:", "Won:", "scored"))
    again = command.json("gate", "base.jsonl", "good.jsonl", "--better-than", "0pp", "--min-rate", "80%", "--holdout")
    assert (again["verdict"], again["ledger"]["state"]) == ("pass", "known")
    other = command.json("gate", "base.jsonl", "good.jsonl", "--better-than", "1pp", "--min-rate", "80%", "--holdout")
    assert other["ledger"]["state"] == "recorded"
    assert (other["comparisons"], other["scores"], [row["estimate"] for row in other["rules"]]) == ([], [], [None])
    assert "with it the set retired" in command.refusal(
        "gate", "base.jsonl", "cand-2.jsonl", "--better-than", "0pp", "--holdout"
    )
    assert "ledger declare --confidence" in command.refusal(
        "gate", "base.jsonl", "cand-2.jsonl", "--better-than", "0pp", "--holdout", "--confidence", "90%"
    )


FUNCTIONS = {
    "best_of": BestOfRequest, "holdout": HoldoutRequest, "ledger_check": CheckRequest, "ledger_decide": DecideRequest,
    "ledger_declare": DeclareRequest, "ledger_export": ExportRequest, "ledger_history": HistoryRequest,
    "ledger_import": ImportRequest, "ledger_init": InitRequest, "ledger_look": LookRequest,
    "ledger_merge": MergeRequest, "ledger_refresh": RefreshRequest, "ledger_register": RegisterRequest,
    "ledger_reveal": RevealRequest, "ledger_status": StatusRequest, "ledger_void": VoidRequest,
}  # fmt: skip


@pytest.mark.parametrize("name", sorted(FUNCTIONS))
def test_python_and_command_line_ask_with_the_same_options(name: str) -> None:
    import dataclasses  # noqa: PLC0415 - one use
    import inspect  # noqa: PLC0415 - same

    parameters = set(inspect.signature(getattr(eg, name)).parameters)
    assert parameters == {field.name for field in dataclasses.fields(FUNCTIONS[name])}


CODE = [
    (["ledger", "init"], "print(eg.ledger_init())"),
    (
        ["ledger", "declare", "support", "--looks", "3", "--tolerance", "1pp"],
        "print(eg.ledger_declare('support', looks=3, tolerance=0.01))",
    ),
    (
        ["ledger", "look", "base.jsonl", "--display", "nothing"],
        "print(eg.ledger_look('base.jsonl', display='nothing'))",
    ),
    (
        ["ledger", "refresh", "base.jsonl", "--share", "50%", "-o", "x"],
        "print(eg.ledger_refresh('base.jsonl', share=0.5, output='x'))",
    ),
    (["ledger", "merge", "a.jsonl", "b.jsonl"], "print(eg.ledger_merge('a.jsonl', 'b.jsonl'))"),
    (["ledger", "check", "--head", "0123456789"], "print(eg.ledger_check(head='0123456789'))"),
    (["ledger", "status", "support", "--ledger", "x.db"], "print(eg.ledger_status('support', ledger='x.db'))"),
    (["compare", "a", "b", "--holdout", "--margin", "2pp"], "print(eg.holdout('a', 'b', margin=0.02))"),
]


@pytest.mark.parametrize(("words", "code"), CODE, ids=[" ".join(words) for words, _ in CODE])
def test_the_same_question_in_python(command: Command, words: list[str], code: str) -> None:
    assert command(*words, "--show-code").out.splitlines()[-1] == code


@pytest.mark.usefixtures("folder")
def test_every_answer_fits_a_line_and_a_notebook() -> None:
    look = eg.ledger_look("base.jsonl", display="nothing")
    answers = [
        look,
        eg.ledger_decide(look.look, "hold"),
        eg.ledger_reveal(look.look),
        eg.holdout("base.jsonl", "cand-1.jsonl", margin=0.1),
        eg.ledger_void(look.look, reason="test"),
        eg.ledger_import("cand-2.jsonl"),
        eg.ledger_refresh("base.jsonl", share=0.5),
        eg.ledger_status(),
        eg.ledger_history(),
        eg.ledger_check(),
        eg.ledger_export(output="x.jsonl"),
        eg.ledger_merge("x.jsonl"),
    ]
    for answer in answers:
        assert "\n" not in str(answer)
        assert answer._repr_html_().startswith("<div")
        assert json.loads(eg.to_json(answer))["question"] == answer.verb


@pytest.mark.parametrize("rules", [["--max-drop", "1pp"], ["--min-rate", "99.9%"], ["--case-rate", "80%"]])
def test_a_gate_too_small_for_its_holdout_is_refused_whatever_its_verdict(
    command: Command, folder: Path, rules: list[str]
) -> None:
    texts = asked_texts(N, seed=1)
    log_of(folder / "all.jsonl", texts, lambda _: True, arm="all")
    log_of(folder / "none.jsonl", texts, lambda _: False, arm="none")
    before = card(command)["looks"]
    refusals = {command.refusal("gate", "base.jsonl", f"{name}.jsonl", *rules, "--holdout") for name in ("all", "none")}
    # One refusal for both: it tells nothing of the scores, and so it costs nothing.
    assert len(refusals) == 1
    assert "This look would be judged at 98" in refusals.pop()
    assert card(command)["looks"] == before


def test_two_failures_look_alike_in_every_form(command: Command, folder: Path) -> None:
    command("ledger", "declare", "support", "--looks", "6", "--ships", "1")
    shutil.copytree(".evalgauge", "before")
    words = ["gate", "base.jsonl", "candidate.jsonl", "--better-than", "5pp", "--min-rate", "60%", "--holdout"]
    found: list[dict[str, str]] = []
    for share in (0.72, 0.31):
        # Both are the first look at the same ledger, so nothing but the scores is different.
        shutil.rmtree(".evalgauge")
        shutil.copytree("before", ".evalgauge")
        log_of(folder / "candidate.jsonl", TEXTS, coin(share, 9), arm="candidate")
        seen = command(*words, "--junit", "gate.xml", "--summary", "gate.md", "--metrics", "gate.json")
        again = command(*words, "--json")
        assert (seen.code, again.code) == (1, 1), seen.err + again.err
        files = {name: (folder / name).read_text("utf-8") for name in ("gate.xml", "gate.md", "gate.json")}
        (folder / "gate.md").unlink()
        told = files | {"text": seen.out, "errors": seen.err, "json": again.out}
        told["code"] = command(*words, "--show-code").out
        told["card"] = command("ledger", "status", "support").out
        told["history"] = command("ledger", "history", "support").out
        # A look is named by its hash, in which the sealed results are; they cannot be told from it without the salt.
        variable = r"\b[0-9a-f]{10}\b|\d{4}-\d\d-\d\d \d\d:\d\d"
        found.append({form: re.sub(variable, "…", text) for form, text in told.items()})
    for form, text in found[0].items():
        assert text == found[1][form], form
        assert form == "errors" or text
