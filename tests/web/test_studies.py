"""Studies that run beside the pages: watched, ended by whoever leaves, refused when there are too many."""

from __future__ import annotations

import re
import threading
import time
from typing import TYPE_CHECKING, Any

import pytest

from evalgauge.web import app as app_module
from evalgauge.web.studies import BusyError, LeftError, Studies, Waiting

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from fastapi.testclient import TestClient

LONG = "/verify?n_cases=400&reps=50&sims=20000&rates=uniform:0.1:0.9"


@pytest.fixture
def studies() -> Iterator[Studies[int]]:
    found = Studies[int](patience=0.3, kept=0.6)
    yield found
    found.close()


def until(held: Callable[[], bool]) -> None:
    end = time.monotonic() + 20
    while not held():
        assert time.monotonic() < end
        time.sleep(0.01)


def test_a_study_says_how_far_it_is_and_then_what_it_found(studies: Studies[int]) -> None:
    go_on = threading.Event()
    begun = threading.Event()

    def work(tell: Callable[[int, int], None]) -> int:
        tell(3, 10)
        begun.set()
        assert go_on.wait(20)
        return 7

    assert isinstance(studies.ask("k", work, wait=0), Waiting)
    assert begun.wait(20)
    assert studies.ask("k", work, wait=0) == Waiting(done=3, total=10)
    assert studies.found("k") is None
    go_on.set()
    assert studies.ask("k", work, wait=20) == 7
    assert studies.found("k") == 7
    # It is not run again while its end is kept, and forgotten after.
    assert studies.ask("k", lambda _tell: 8, wait=20) == 7
    time.sleep(0.7)
    assert studies.ask("k", lambda _tell: 8, wait=20) == 8


def test_a_study_that_nobody_asks_about_is_given_up(studies: Studies[int]) -> None:
    ended: list[str] = []

    def work(tell: Callable[[int, int], None]) -> int:
        try:
            while True:
                tell(1, 2)
                time.sleep(0.01)
        except LeftError:
            ended.append("left")
            raise

    started = time.monotonic()
    while time.monotonic() - started < 0.6:
        assert isinstance(studies.ask("k", work, wait=0.01), Waiting)
    assert ended == []
    until(lambda: ended == ["left"])
    # Asked for once more, it begins anew.
    assert studies.ask("k", lambda _tell: 5, wait=20) == 5


def test_a_study_without_a_visitor_is_not_even_begun(studies: Studies[int]) -> None:
    go_on = threading.Event()

    def busy(_tell: Callable[[int, int], None]) -> int:
        return int(go_on.wait(20))

    for number in range(8):
        assert studies.ask(number, busy, wait=0) == Waiting(done=0, total=0)
    with pytest.raises(BusyError):
        studies.ask("one more", busy, wait=0)
    time.sleep(0.4)
    # The six that waited were left meanwhile.
    assert studies.ask("one more", busy, wait=0) == Waiting(done=0, total=0)
    go_on.set()
    assert studies.ask("one more", busy, wait=20) == 1


def test_a_fault_in_a_study_is_that_of_who_asked(studies: Studies[int]) -> None:
    def broken(_tell: Callable[[int, int], None]) -> int:
        raise KeyError("x")

    with pytest.raises(KeyError):
        studies.ask("k", broken, wait=20)
    assert studies.ask("k", lambda _tell: 1, wait=20) == 1


def test_a_page_shows_how_far_its_study_is(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(app_module, "_WAIT", 0.05)
    shares: list[int] = []
    text = client.get(LONG).text
    while "<progress" in text:
        # Without scripts the page is opened again, with them its answer is asked for.
        assert '<noscript><meta http-equiv="refresh" content="2"></noscript>' in text
        assert f'hx-get="{LONG.replace("&", "&amp;")}"' in text
        shares += [int(share) for share in re.findall(r"(\d+) % of the evals are drawn", text)]
        time.sleep(0.02)
        text = client.get(LONG).text
    assert len(set(shares)) > 2
    assert shares == sorted(shares)
    assert "HOLD" in text
    assert "<noscript>" not in text
    twin: Any = client.get(LONG.replace("/verify?", "/verify.json?")).json()
    assert twin["n_cases"] == 400


def test_a_watched_study_may_be_longer_than_one_that_is_waited_for(client: TestClient) -> None:
    words = "n_cases=500&reps=50&sims=20000&rates=80%25"
    assert "at most 100,000,000 runs" in client.get(f"/verify.json?{words}").json()["error"]
    assert "<progress" in client.get(f"/verify?{words}").text
    refused = client.get("/verify?n_cases=5000&reps=50&sims=20000").text
    assert "at most 2,000,000,000 runs" in refused


def test_too_many_studies_are_refused_in_words(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    def busy(*_given: object, **_more: object) -> None:
        raise BusyError

    monkeypatch.setattr(Studies, "ask", busy)
    assert "Ask again in a minute" in client.get("/verify").text
