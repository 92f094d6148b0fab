"""A set that comes back is known again, and named as what it is; a strange one is not."""

from __future__ import annotations

from contextlib import chdir
from typing import TYPE_CHECKING, Any

import pytest

from support.sets import asked_texts, coin, log_of
from support.tables import written

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from support.command import Command

N = 120
TEXTS = asked_texts(N, seed=1)
OTHERS = asked_texts(N, seed=2)
PREFIX = "You are a careful clerk of a shop. Read the message below and say which desk it is for: "


@pytest.fixture
def registered(tmp_path: Path, command: Command) -> Iterator[Path]:
    log_of(tmp_path / "base.jsonl", TEXTS, coin(0.8, 0), name="desk")
    with chdir(tmp_path):
        assert command("ledger", "init").code == 0
        assert command("ledger", "register", "base.jsonl", "--name", "support").code == 0
        yield tmp_path


def note(command: Command, *words: object) -> dict[str, Any] | None:
    return command.json("measure", *words)["ledger"]


CHANGED = {
    "another name": ({"name": "tickets"}, TEXTS, "under another name"),
    "other ids": ({"ids": [f"z{number}" for number in range(N)]}, TEXTS, ""),
    "another order": ({}, TEXTS[::-1], "in another order"),
    "another template": ({"template": "Read this. {} Which desk is it for?"}, TEXTS, "120 by near-equal text"),
    "60 % kept": ({}, TEXTS[:72], "a subset, 72 of its 120 cases"),
    "60 % kept, another template": (
        {"template": "Please: {} Thanks."},
        TEXTS[:72],
        "a subset, 72 of its 120 cases, 72 by near",
    ),
    "more cases": ({}, [*TEXTS, *OTHERS[:60]], "a superset, all of its 120 cases and 60 more"),
    "half of it new": ({}, [*TEXTS[:60], *OTHERS[:60]], "in part, 60 of its 120 cases and 60 others"),
}


@pytest.mark.parametrize("change", CHANGED)
def test_a_changed_set_is_named_as_what_it_is(command: Command, registered: Path, change: str) -> None:
    options, texts, words = CHANGED[change]
    options = {"name": "desk", **options}
    log_of(registered / "new.jsonl", texts, coin(0.8, 5), arm="new", **options)
    found = note(command, "new.jsonl")
    assert found is not None
    assert (found["state"], found["set_name"]) == ("recorded", "support")
    assert words in found["known_as"]
    assert bool(found["known_as"]) == bool(words)


def test_an_edited_answer_keeps_the_case(command: Command, registered: Path) -> None:
    text = (registered / "base.jsonl").read_text(encoding="utf-8").replace('"target": "yes"', '"target": "no"')
    (registered / "new.jsonl").write_text(text, encoding="utf-8")
    found = note(command, "new.jsonl")
    assert found is not None
    assert found["known_as"] == "120 by what is asked (the expected answer was edited)"


STRANGE = {
    "other cases, the same ids and name": {"texts": OTHERS, "name": "desk"},
    "less than half": {"texts": [*TEXTS[:50], *OTHERS[:70]]},
    "short sums": {"texts": [f"{number} + {number + 1}" for number in range(N)]},
}


@pytest.mark.parametrize("case", STRANGE)
def test_a_strange_set_is_not_known(command: Command, registered: Path, case: str) -> None:
    log_of(registered / "new.jsonl", STRANGE[case]["texts"], coin(0.8, 5), name=STRANGE[case].get("name", ""))
    assert note(command, "new.jsonl") is None


def test_a_set_hidden_in_a_large_one_is_said(command: Command, registered: Path) -> None:
    log_of(registered / "new.jsonl", [*TEXTS, *asked_texts(400, seed=3)], coin(0.8, 5))
    found = note(command, "new.jsonl")
    assert found is not None
    assert (found["state"], found["set_name"]) == ("contains", "support")
    seen = command("measure", "new.jsonl")
    assert "not recorded; the log holds all cases of support, but most of its cases are others" in seen.out


def test_two_sets_with_one_prompt_prefix_are_kept_apart(command: Command, tmp_path: Path) -> None:
    log_of(tmp_path / "one.jsonl", TEXTS, coin(0.8, 0), template=PREFIX + "{}")
    log_of(tmp_path / "two.jsonl", OTHERS, coin(0.8, 1), template=PREFIX + "{}")
    with chdir(tmp_path):
        command("ledger", "init")
        command("ledger", "register", "one.jsonl", "--name", "one")
        assert note(command, "two.jsonl") is None
        seen = command("ledger", "register", "two.jsonl", "--name", "two")
        assert "Shares cases" not in seen.out
        found = note(command, "two.jsonl"), note(command, "one.jsonl")
        assert [one["set_name"] for one in found if one] == ["two", "one"]


def test_numbers_name_no_set(command: Command, tmp_path: Path) -> None:
    for name, seed in (("one", 1), ("two", 2)):
        passes = coin(0.8, seed)
        written(tmp_path / f"{name}.csv", ("case", "score"), [(number, int(passes(number))) for number in range(50)])
    with chdir(tmp_path):
        command("ledger", "init")
        seen = command("ledger", "register", "one.csv", "--name", "one")
        assert "its ids are mere numbers, which name any set" in seen.out
        assert note(command, "two.csv") is None
        assert note(command, "one.csv") is None
        seen = command("ledger", "look", "two.csv", "--set", "one")
        assert seen.code == 0, seen.err
        assert "The set was known again by ids alone" in seen.out


def test_ids_that_are_names_are_known_and_said(command: Command, tmp_path: Path) -> None:
    for name, seed in (("one", 1), ("two", 2)):
        passes = coin(0.8, seed)
        written(
            tmp_path / f"{name}.csv", ("case", "score"), [(f"t{number}", int(passes(number))) for number in range(50)]
        )
    with chdir(tmp_path):
        command("ledger", "init")
        seen = command("ledger", "register", "one.csv", "--name", "one")
        assert "known again by the ids of its cases, and lost if they change" in seen.out
        found = note(command, "two.csv")
        assert found is not None
        assert found["known_as"] == "by ids alone"


def test_copies_of_a_case_are_counted_one_to_one(command: Command, tmp_path: Path) -> None:
    texts = [*TEXTS[:40], *TEXTS[:10]]
    log_of(tmp_path / "one.jsonl", texts, coin(0.8, 1))
    log_of(tmp_path / "two.jsonl", texts[:40], coin(0.8, 2), arm="two")
    with chdir(tmp_path):
        command("ledger", "init")
        command("ledger", "register", "one.jsonl", "--name", "one")
        found = note(command, "two.jsonl")
    assert found is not None
    assert found["known_as"] == "a subset, 40 of its 50 cases"


def test_a_real_rename_is_known(command: Command, tmp_path: Path, fixtures: Path) -> None:
    with chdir(tmp_path):
        command("ledger", "init")
        command("ledger", "register", fixtures / "inspect" / "triage-base.eval", "--name", "triage")
        found = note(command, fixtures / "inspect" / "triage-renamed.eval")
    assert found is not None
    assert found["known_as"] == "40 by near-equal text (another prompt template), under another name"


def test_a_sample_of_sketches_knows_a_large_set(command: Command, tmp_path: Path) -> None:
    large = asked_texts(2500, seed=9)
    log_of(tmp_path / "one.jsonl", large, coin(0.8, 1))
    log_of(tmp_path / "two.jsonl", large[:1500], coin(0.8, 2), arm="two", template="Read: {} What now?")
    with chdir(tmp_path):
        command("ledger", "init")
        command("ledger", "register", "one.jsonl", "--name", "one")
        found = note(command, "two.jsonl")
    assert found is not None
    assert found["known_as"].startswith("a subset, about 1,500 of its 2,500 cases, about 1,500 by near-equal text")


def test_no_text_of_any_case_is_in_the_file(command: Command, registered: Path) -> None:
    command("measure", "base.jsonl")
    command("ledger", "export", "-o", "ledger.jsonl")
    kept = (registered / ".evalgauge" / "ledger.db").read_bytes() + (registered / "ledger.jsonl").read_bytes()
    for word in {word for text in TEXTS for word in text.split() if len(word) > 5}:
        assert word.encode() not in kept, word
