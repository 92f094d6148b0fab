"""No damaged, foreign or hostile log ends in a traceback; archives and nesting that go on and on are refused."""

from __future__ import annotations

import gzip
import json
import random
import time
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from evalgauge.errors import LogError
from evalgauge.formats import open as opening
from evalgauge.formats.registry import framework_readers
from support.damage import damaged
from support.fuzz import SEEDS, seeds, use
from support.logs import cells, read_log, source

if TYPE_CHECKING:
    from pathlib import Path

DEEP = b"[" * 100_000 + b"]" * 100_000
JSON_SEEDS = sorted(set(SEEDS) - {"lighteval", "promptfoo-database", "junit"})


def test_every_reader_of_a_framework_is_fuzzed() -> None:
    names = {reader.name for reader in framework_readers()}
    assert names <= set(SEEDS), names - set(SEEDS)


def test_every_seed_is_read_by_its_own_reader(tmp_path: Path) -> None:
    for name in set(SEEDS) - {"plain"}:
        # The tables of platforms are plain ones that are known by their columns: no framework may take them.
        its_own = [] if name == "platforms" else [name]
        for file, data in seeds(name):
            path = tmp_path / file
            path.write_bytes(data)
            claiming = [reader.name for reader in framework_readers() if reader.claims(source(path))]
            assert claiming == its_own or path.suffix == ".csv", (file, claiming)
            assert use(path, tolerant=False), file


@pytest.mark.parametrize("name", sorted(SEEDS))
@settings(max_examples=15, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(seed=st.integers(0, 2**32), tolerant=st.booleans())
def test_a_damaged_log_is_read_or_refused_with_a_text(tmp_path: Path, name: str, seed: int, tolerant: bool) -> None:  # noqa: FBT001 (drawn)
    chance = random.Random(seed)  # noqa: S311 (damage, no secret)
    file, data = chance.choice(seeds(name))
    path = tmp_path / file
    path.write_bytes(damaged(data, chance))
    # Nothing but an error on purpose is caught in there.
    use(path, tolerant=tolerant)


def deepened(data: bytes) -> bytes:
    """Return a log of JSON whose last object has a member that is nested 100,000 deep; of JSON lines the first."""
    first, line_end, rest = data.rstrip().partition(b"\n")
    try:
        json.loads(first)
    except ValueError:
        first, line_end, rest = data.rstrip(), b"", b""
    place = first.rindex(b"}")
    return first[:place] + b', "deep": ' + DEEP + first[place:] + line_end + rest


@pytest.mark.parametrize("name", JSON_SEEDS)
def test_json_that_is_nested_100_000_deep_is_refused(tmp_path: Path, name: str) -> None:
    chosen = [(file, data) for file, data in seeds(name) if data[:1] in {b"{", b"["}]
    assert chosen
    for file, data in chosen:
        path = tmp_path / file
        path.write_bytes(deepened(data))
        start = time.process_time()
        with pytest.raises(LogError) as refusal:
            read_log(path)
        assert time.process_time() - start < 5
        assert file in str(refusal.value)
        # The report of an instance is an object by its name: there the shape is refused before the depth.
        assert "nested deeper than any log needs" in str(refusal.value) or file == "report.json"


@pytest.mark.parametrize("name", JSON_SEEDS)
def test_half_of_an_emoji_is_no_reason_to_refuse_a_log(tmp_path: Path, name: str) -> None:
    for file, data in seeds(name):
        if not data.startswith(b"{") or b"\n" in data.strip():
            continue
        path = tmp_path / file
        # Node writes a text that was cut within a character so; a NaN beside it takes the other way through.
        path.write_bytes(data.rstrip()[:-1] + b', "cut": "\\ud83d", "nan": NaN}')
        assert use(path, tolerant=False), file


def test_half_of_an_emoji_in_an_input(tmp_path: Path) -> None:
    row = {"instruction": "Say \ud83d", "generator_1": "a", "generator_2": "b", "preference": float("nan")}
    path = tmp_path / "annotations.json"
    path.write_text(json.dumps([row]), encoding="utf-8")
    table = read_log(path)
    assert cells(table, "preference") == {("1", 1): "unscored"}
    assert table.cases.contents is not None
    assert [one.input for one in table.cases.contents() if one] == ["Say ?"]


def test_a_gzip_file_that_unpacks_without_end_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(opening, "LARGEST_UNPACKED", 3 * 2**20)
    path = tmp_path / "scores.csv.gz"
    path.write_bytes(gzip.compress(b"case,score\n" + b"q,1\n" * 2**20))
    with pytest.raises(LogError, match=r"scores.csv.gz: unpacks to more than \d+ MiB, 200 times its size"):
        read_log(path)
    monkeypatch.setattr(opening, "LARGEST_UNPACKED", 5 * 2**20)
    assert len(read_log(path)) == 2**20


def test_a_gzip_file_within_a_gzip_file_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "scores.csv.gz"
    path.write_bytes(gzip.compress(gzip.compress(b"case,score\nq,1\n")))
    with pytest.raises(LogError, match=r"is a gzip file within a gzip file. Unpack it once: gunzip"):
        read_log(path)


@pytest.mark.parametrize("name", JSON_SEEDS)
def test_a_foreign_file_under_the_name_of_a_log_is_refused(tmp_path: Path, name: str) -> None:
    contents: list[Any] = [b"\x89PNG\r\n\x1a\n" + bytes(range(256)), b"hello\n", b"", b"\x00" * 100]
    for file, _ in seeds(name):
        for content in contents:
            path = tmp_path / file
            path.write_bytes(content)
            with pytest.raises(LogError) as refusal:
                read_log(path)
            assert file in str(refusal.value)
