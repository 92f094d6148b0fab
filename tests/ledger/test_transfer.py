"""Two copies of one ledger: exported, merged twice, grown apart and brought together; nothing is lost."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evalgauge.errors import LedgerError
from evalgauge.jobs.ledger_files import ledger_check, ledger_export, ledger_merge
from evalgauge.ledger.places import named_place
from evalgauge.ledger.state import in_time
from evalgauge.ledger.store import created, opened

if TYPE_CHECKING:
    from pathlib import Path

    from evalgauge.ledger.places import Place


def where(place: Place) -> str:
    return str(place.path) if place.path else place.shown


def look(place: Place, name: str, subject: str = "s") -> None:
    with opened(place).writing() as writing:
        writing.append("look", {"name": name, "results": writing.keep(name.encode())}, subject=subject)


def names(place: Place) -> list[str]:
    with opened(place).reading() as reading:
        return [event.data["name"] for event in in_time(reading.events(kinds=("look",)))]


def copy(source: Place, folder: Path, name: str) -> Place:
    target = named_place(str(folder / name))
    ledger_export(ledger=where(source), output=str(folder / f"{name}.jsonl"))
    ledger_merge(str(folder / f"{name}.jsonl"), ledger=where(target))
    return target


def test_an_export_makes_a_copy_where_there_is_no_ledger(place: Place, tmp_path: Path) -> None:
    created(place)
    look(place, "one")
    target = copy(place, tmp_path, "copy.db")
    assert names(target) == ["one"]
    assert opened(target).salt == opened(place).salt
    assert ledger_check(ledger=where(target)).is_whole


def test_merging_twice_is_merging_once(place: Place, tmp_path: Path) -> None:
    created(place)
    look(place, "one")
    other = copy(place, tmp_path, "copy.db")
    look(other, "two")
    ledger_export(ledger=where(other), output=str(tmp_path / "x.jsonl"))
    first = ledger_merge(str(tmp_path / "x.jsonl"), ledger=where(place))
    assert (first.kind, first.added) == ("behind", 1)
    again = ledger_merge(str(tmp_path / "x.jsonl"), ledger=where(place))
    assert (again.kind, again.added, again.known, again.head) == ("nothing", 0, 3, first.head)
    assert names(place) == ["one", "two"]


def test_copies_that_grew_apart_come_together(place: Place, tmp_path: Path) -> None:
    created(place)
    look(place, "one")
    other = copy(place, tmp_path, "copy.db")
    look(place, "here")
    look(other, "there")
    look(other, "there too")
    ledger_export(ledger=where(other), output=str(tmp_path / "x.jsonl"))
    joined = ledger_merge(str(tmp_path / "x.jsonl"), ledger=where(place))
    assert (joined.kind, joined.added, joined.known) == ("joined", 2, 2)
    assert ledger_merge(str(tmp_path / "x.jsonl"), ledger=where(place)).kind == "nothing"
    ledger_export(ledger=where(place), output=str(tmp_path / "y.jsonl"))
    back = ledger_merge(str(tmp_path / "y.jsonl"), ledger=where(other))
    # The other copy only catches up: the join is the same event in both.
    assert (back.kind, back.added, back.head) == ("behind", 2, joined.head)
    assert names(place) == names(other)
    assert sorted(names(place)) == ["here", "one", "there", "there too"]
    for one in (place, other):
        answer = ledger_check(ledger=where(one))
        assert answer.is_whole, answer.broken
        assert answer.merges == 1
    look(place, "after")
    assert ledger_check(ledger=where(place)).is_whole


@given(steps=st.lists(st.sampled_from(["a", "b", "a>b", "b>a"]), max_size=12))
@settings(max_examples=8)
def test_any_order_of_looks_and_merges_loses_nothing(
    tmp_path_factory: pytest.TempPathFactory, steps: list[str]
) -> None:
    folder = tmp_path_factory.mktemp("merges")
    places = {"a": named_place(str(folder / "a.db"))}
    created(places["a"])
    places["b"] = copy(places["a"], folder, "b.db")
    for number, step in enumerate([*steps, "a>b", "b>a", "a>b"]):
        if step in places:
            look(places[step], f"{step}{number}")
        else:
            source, target = step.split(">")
            file = folder / f"{number}.jsonl"
            ledger_export(ledger=where(places[source]), output=str(file))
            ledger_merge(str(file), ledger=where(places[target]))
    looks = sorted(f"{step}{number}" for number, step in enumerate(steps) if step in places)
    assert sorted(names(places["a"])) == looks
    assert names(places["a"]) == names(places["b"])
    heads = {ledger_check(ledger=where(place)).head for place in places.values()}
    assert len(heads) == 1
    assert all(ledger_check(ledger=where(place)).is_whole for place in places.values())


def test_another_ledger_is_not_merged(place: Place, tmp_path: Path) -> None:
    created(place)
    stranger = named_place(str(tmp_path / "stranger.db"))
    created(stranger)
    ledger_export(ledger=where(stranger), output=str(tmp_path / "x.jsonl"))
    with pytest.raises(LedgerError, match="That is another ledger"):
        ledger_merge(str(tmp_path / "x.jsonl"), ledger=where(place))


@pytest.mark.parametrize(
    ("damage", "told"),
    [
        (lambda lines: lines[:-1], "it says 3 events and holds 2"),
        (lambda lines: [*lines[:-1], lines[-1][:40]], "is no JSON: the file is damaged or cut off"),
        (
            lambda lines: [line.replace('number\\":1', 'number\\":2') for line in lines],
            "changed after it was recorded",
        ),
        (lambda lines: [line for line in lines if '"part"' not in line], "that it names is missing"),
        (lambda lines: lines[1:], "it is no export of a ledger"),
        (lambda lines: [lines[0].replace('": 1,', '": 2,', 1), *lines[1:]], "written by a newer evalgauge"),
        (lambda lines: [lines[0].replace('"salt": "', '"salt": "00'), *lines[1:]], "not those that the first event"),
        (lambda _: ["[]"], "line 1 is no record of an export"),
    ],
)
def test_a_damaged_export_is_refused_whole(file_place: Place, tmp_path: Path, damage: object, told: str) -> None:
    created(file_place)
    with opened(file_place).writing() as writing:
        for number in (1, 3):
            writing.append("look", {"number": number, "results": writing.keep(b"%d" % number)})
    file = tmp_path / "x.jsonl"
    ledger_export(ledger=where(file_place), output=str(file))
    lines = file.read_text(encoding="utf-8").splitlines()
    file.write_text("\n".join(damage(lines)), encoding="utf-8")  # type: ignore[operator]
    target = tmp_path / "target.db"
    with pytest.raises(LedgerError, match=told):
        ledger_merge(str(file), ledger=str(target))
    assert not target.exists()
