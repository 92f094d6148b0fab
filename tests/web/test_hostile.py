"""What a visitor or a log could do to the server: it refuses in a sentence, and answers the next question."""

from __future__ import annotations

import json
import zipfile
import zlib
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from fastapi.testclient import TestClient

    from evalgauge.web.library import Library

MEGABYTE = 1_000_000
HEADER = {
    "version": 2,
    "status": "success",
    "eval": {"run_id": "x", "created": "2026-01-01", "task": "t", "model": "m", "dataset": {}, "config": {}},
}


def bomb(path: Path, claimed: int) -> None:
    """Write a log of 10 MB whose only sample unpacks to 10 GB, and claims a size."""
    start = zlib.compressobj(9, zlib.DEFLATED, -zlib.MAX_WBITS)
    opening = start.compress(b'{"id":1,"epoch":1,"input":"') + start.flush(zlib.Z_FULL_FLUSH)
    # A block that refers to nothing before it can be repeated as it is.
    middle = zlib.compressobj(9, zlib.DEFLATED, -zlib.MAX_WBITS)
    block = middle.compress(b"a" * MEGABYTE) + middle.flush(zlib.Z_FULL_FLUSH)
    end = zlib.compressobj(9, zlib.DEFLATED, -zlib.MAX_WBITS)
    closing = end.compress(b'"}') + end.flush()
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("header.json", json.dumps(HEADER))
        archive.writestr("samples/1_epoch_1.json", opening + block * 10_000 + closing)
        archive.filelist[1].compress_type = zipfile.ZIP_DEFLATED
        archive.filelist[1].file_size = claimed


def is_alive(client: TestClient) -> bool:
    return client.get("/reuse.json?n_cases=1000&rate=80%25&looks=10&tolerance=2pp").status_code == 200


@pytest.mark.parametrize(
    ("claimed", "words"), [(10_000 * MEGABYTE, "no log does that"), (50_000, "checksum"), (10 * MEGABYTE, "checksum")]
)
def test_a_bomb_is_not_unpacked(claimed: int, words: str, served: Path, client: TestClient) -> None:
    bomb(served / "bomb.eval", claimed)
    answer = client.get("/measure.json?log=bomb.eval")
    assert answer.status_code == 400
    assert words in answer.json()["error"]
    assert is_alive(client)


@pytest.mark.parametrize(
    "text", ['{"a":' * 100_000 + "1" + "}" * 100_000, "[" * 25 * MEGABYTE + "]" * 25 * MEGABYTE], ids=["100k", "50 MB"]
)
def test_json_that_is_nested_deeply_is_refused(text: str, served: Path, client: TestClient) -> None:
    (served / "deep.json").write_text(text)
    answer = client.get("/measure.json?log=deep.json")
    assert answer.status_code == 400
    assert "nested deeper than any log needs" in answer.json()["error"]
    assert is_alive(client)


def test_a_link_in_a_folder_leads_nowhere(served: Path, client: TestClient) -> None:
    outside = served.parent / "outside"
    outside.mkdir()
    (outside / "secret.csv").write_text("case,score\nsecret,1\nb,0\n", "utf-8")
    (served / "deep" / "link.csv").symlink_to(outside / "secret.csv")
    for name in ("deep", ".", "deep/link.csv"):
        answer = client.get("/measure.json", params={"log": name})
        assert answer.status_code == 400, name
        assert "secret" not in answer.text
    assert "deep/link.csv" in client.get("/measure.json?log=deep").json()["error"]
    assert client.get("/measure.json?log=deep/table.csv").status_code == 200
    (served / "deep" / "link.csv").unlink()
    (served / "deep" / "inside.csv").symlink_to(served / "deep" / "table.csv")
    (served / "deep" / "folder").symlink_to(outside)
    assert client.get("/measure.json?log=deep").status_code == 400
    (served / "deep" / "folder").unlink()
    assert client.get("/measure.json?log=deep").status_code == 200


@pytest.mark.parametrize("name", ["a" * 300, "a" * 5_000, "a/" * 3_000, "loop.csv", "\ud800"])
def test_names_that_no_system_takes_are_no_logs(name: str, served: Path, client: TestClient) -> None:
    (served / "loop.csv").symlink_to(served / "loop.csv")
    answer = client.get("/measure.json", params={"log": name.encode("utf-8", "surrogatepass")})
    assert answer.status_code == 400
    assert "a log of the folder that is served" in answer.json()["error"]
    assert len(answer.text) < 400


@pytest.mark.parametrize("length", ["50000000000", "9" * 400, "-1", "many"])
def test_a_form_of_any_size_is_refused_before_it_is_read(length: str, client: TestClient) -> None:
    def content() -> object:
        raise AssertionError("the form was read")
        yield b""

    answer = client.post("/drop", content=content(), headers={"content-length": length, "content-type": "text/plain"})
    assert answer.status_code == 413


def test_a_form_without_a_file_gets_a_sentence(client: TestClient) -> None:
    for headers in ({}, {"content-type": "multipart/form-data; boundary=x"}):
        answer = client.post("/drop", content=b"abc", headers=headers)
        assert answer.status_code == 400
        assert "Choose one first" in answer.text


def test_added_logs_have_a_size_together(
    client: TestClient, library: Library, served: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    content = (served / "deep" / "table.csv").read_bytes()
    monkeypatch.setattr("evalgauge.web.app.MOST_DROPPED_BYTES", 2 * len(content))
    assert [client.post("/drop", files={"file": ("x.csv", content)}).status_code for _ in range(3)] == [303, 303, 413]
    assert library.dropped_bytes == 2 * len(content)


def test_a_study_of_hours_is_left_to_the_command_line(client: TestClient) -> None:
    answer = client.get("/verify.json?n_cases=100000&reps=100&sims=100000")
    assert answer.status_code == 400
    assert "at most 100,000,000 runs on a page" in answer.json()["error"]
    assert client.get("/verify.json?n_cases=25&reps=2&sims=5000").status_code == 200


def test_a_trillion_cases_are_answered(client: TestClient) -> None:
    assert client.get("/check.json?cases=1000000000000&rate=90%25&max_drop=5pp").status_code == 200


def test_two_hundred_questions_at_once_are_answered_alike(client: TestClient) -> None:
    asked = [
        "/reuse.json?n_cases=1000&rate=80%25&looks=10&tolerance=2pp",
        "/reps.json?case_sd=0.4&run_sd=0.3&budget=400",
        "/measure.json?log=base.eval&by=topic",
        "/compare.json?log1=base.eval&log2=cand.eval&margin=2pp",
        "/design.json?rate=90%25&drop=5pp&discordance=10%25",
    ]
    alone = {one: client.get(one).text for one in asked}
    with ThreadPoolExecutor(200) as visitors:
        answers = list(visitors.map(client.get, asked * 40))
    assert {answer.status_code for answer in answers} == {200}
    assert [answer.text for answer in answers] == [alone[one] for one in asked * 40]
