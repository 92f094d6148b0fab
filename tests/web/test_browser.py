"""Every page in a real Chromium: typed into, looked at by axe, light and dark, wide and narrow, asking nobody else."""

from __future__ import annotations

import json
import shlex
import shutil
import socket
import subprocess
import sys
import time
from typing import TYPE_CHECKING, Any
from urllib.request import urlopen

import pytest

from support.charted import BASE, CANDIDATE
from web.test_pages import ASKED

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Serve a folder by the command itself."""
    folder = tmp_path_factory.mktemp("served")
    shutil.copy(BASE, folder / "base.eval")
    shutil.copy(CANDIDATE, folder / "cand.eval")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    words = [sys.executable, "-m", "evalgauge", "serve", str(folder), "--port", str(port)]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        assert f"Pages on http://127.0.0.1:{port}/" in server.stdout.readline()
        for _ in range(100):
            try:
                urlopen(f"http://127.0.0.1:{port}/docs", timeout=5).close()
                break
            except OSError:
                time.sleep(0.1)
        yield f"http://127.0.0.1:{port}"
        server.terminate()


def opened(browser: Any, address: str, **options: Any) -> tuple[Any, list[str]]:
    """Return a page of its own, and what it asks of anybody but us."""
    context = browser.new_context(**options)
    page = context.new_page()
    elsewhere: list[str] = []

    def looked_at(route: Any) -> None:
        if route.request.url.startswith((address, "data:")):
            route.continue_()
        else:
            elsewhere.append(route.request.url)
            route.abort()

    page.route("**/*", looked_at)
    page.on("console", lambda message: elsewhere.append(message.text) if message.type == "error" else None)
    return page, elsewhere


TYPED = {
    "plan": ("own", "2000", "are ENOUGH: add 0"),
    "design": ("drop", "3pp", "A drop from 90 % to 87 %"),
    "reps": ("run_sd", "0.1", "CASES FIRST"),
    "reuse": ("looks", "40", "BEYOND the 2 points tolerated"),
    "verify": ("n_cases", "12", "12 cases"),
    "measure": ("metric", "no such", "no metric of that name"),
    "compare": ("margin", "30pp", "margin of 30.0 points"),
    "gate": ("max_drop", "1pp", "cannot pass with 40 cases"),
    "check": ("cases", "20", "20 cases"),
}


@pytest.mark.parametrize("name", sorted(ASKED))
def test_what_is_typed_is_answered_kept_and_the_same_on_the_command_line(
    name: str, browser: Any, address: str, tmp_path: Path
) -> None:
    page, elsewhere = opened(browser, address)
    page.goto(f"{address}/{name}?{ASKED[name]}")
    before = page.inner_text("#answer")
    field, value, words = TYPED[name]
    page.fill(f"[name={field}]", value)
    page.press(f"[name={field}]", "Tab")
    page.wait_for_function("before => document.querySelector('#answer').innerText !== before", arg=before)
    after = page.inner_text("#answer").replace("\u00a0", " ")
    assert words in after
    # Without a reload the address is that of the answer: it can be kept, and says the same to whoever opens it.
    assert f"{field}=" in page.url
    other, _ = opened(browser, address)
    other.goto(page.url)
    assert other.inner_text("#answer").replace("\u00a0", " ") == after
    if page.query_selector("#command"):
        for log in ("base.eval", "cand.eval"):
            shutil.copy(BASE if log == "base.eval" else CANDIDATE, tmp_path / log)
        written = shlex.split(page.inner_text("#command"))
        done = subprocess.run(
            [sys.executable, "-m", *written, "--json"], capture_output=True, text=True, check=False, cwd=tmp_path
        )
        twin = page.url.replace(f"/{name}?", f"/{name}.json?")
        with urlopen(twin, timeout=60) as answer:  # noqa: S310 - our own server
            assert json.loads(done.stdout) == json.load(answer)
    assert elsewhere == []
    page.context.close()
    other.context.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 390])
def test_every_page_can_be_used_by_everybody(browser: Any, address: str, scheme: str, width: int) -> None:
    from axe_playwright_python.sync_playwright import Axe  # noqa: PLC0415 - only with a browser

    page, elsewhere = opened(browser, address, color_scheme=scheme, viewport={"width": width, "height": 900})
    rules = "rules=%5B%5Brule%5D%5D%0Amin-rate+%3D+%2250%25%22&log2=cand.eval"
    study = "n_cases=2000&reps=50&sims=20000&rates=70%25"
    others = {"ledger": "", "docs": "", "plan#refused": "rate=90", "gate#rules": rules, "verify#study": study}
    for name, query in {**ASKED, **others}.items():
        page.goto(f"{address}/{name.partition('#')[0]}?{query}")
        page.evaluate("document.querySelectorAll('details').forEach(one => { one.open = true })")
        found = Axe().run(page)
        assert found.violations_count == 0, (name, found.generate_report())
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), name
    assert elsewhere == []
    page.context.close()


def test_pages_work_without_scripts_and_by_keyboard(browser: Any, address: str) -> None:
    page, _ = opened(browser, address, java_script_enabled=False)
    page.goto(f"{address}/plan")
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    page.fill("[name=own]", "2000")
    page.press("[name=own]", "Enter")
    assert "own=2000" in page.url
    assert "add 0" in page.inner_text("#answer")
    page.context.close()


def test_a_study_is_watched_and_ends_when_something_else_is_asked(browser: Any, address: str) -> None:
    page, elsewhere = opened(browser, address)
    page.goto(f"{address}/verify?n_cases=2000&reps=50&sims=20000&rates=80%25")
    page.wait_for_selector("progress")
    before = page.get_attribute("progress", "value")
    page.wait_for_function("before => document.querySelector('progress')?.value > before", arg=float(before))
    page.fill("[name=sims]", "300")
    page.press("[name=sims]", "Tab")
    page.wait_for_function("() => document.querySelector('#answer').innerText.includes('300 evals')")
    # The study that was left does not come back over the answer.
    page.wait_for_timeout(2_000)
    assert page.query_selector("progress") is None
    assert "300 evals" in page.inner_text("#answer")
    # The question about the study that was left is broken off, which HTMX tells the console.
    assert {one.partition(",")[0] for one in elsewhere} <= {"htmx:sendAbort", "htmx:afterRequest"}
    page.context.close()


def test_a_study_ends_by_itself_in_the_page(browser: Any, address: str) -> None:
    page, elsewhere = opened(browser, address)
    page.goto(f"{address}/verify?n_cases=300&reps=50&sims=20000&rates=uniform:0.2:0.8")
    page.wait_for_function("() => document.querySelector('#command') !== null", timeout=120_000)
    assert "20,000 evals" in page.inner_text("#answer")
    assert elsewhere == []
    page.context.close()


def test_rules_as_a_file_are_edited_and_saved(browser: Any, address: str, tmp_path: Path) -> None:
    page, elsewhere = opened(browser, address)
    page.goto(f"{address}/gate?{ASKED['gate']}")
    page.click("text=Edit it as a file")
    assert 'max-drop = "30pp"' in page.input_value("#rules")
    page.fill("#rules", '[[rule]]\nmax-drop = "30pp"\n\n[[rule]]\nmin-rate = "50%"\n')
    page.press("#rules", "Tab")
    page.wait_for_function("() => document.querySelector('#answer').innerText.includes('min-rate 50')")
    with page.expect_download() as saved:
        page.click("text=Save evalgauge.toml")
    saved.value.save_as(tmp_path / "evalgauge.toml")
    assert (tmp_path / "evalgauge.toml").read_text("utf-8").count("[[rule]]") == 2
    rules = tmp_path / "mine.toml"
    rules.write_text('[[rule]]\nmin-rate = "40%"\n', "utf-8")
    page.set_input_files("#file", str(rules))
    page.click("text=Add it")
    assert 'min-rate = "40%"' in page.input_value("#rules")
    assert elsewhere == []
    page.context.close()


def test_the_verdict_is_on_the_first_screen_of_a_telephone(browser: Any, address: str) -> None:
    page, _ = opened(browser, address, viewport={"width": 390, "height": 844})
    for name, query in {**ASKED, "ledger": ""}.items():
        page.goto(f"{address}/{name}?{query}")
        assert page.evaluate("document.querySelector('.verdict').getBoundingClientRect().top") < 760, name
    page.context.close()


def test_a_log_is_dropped_into_a_page(browser: Any, address: str, tmp_path: Path) -> None:
    log = tmp_path / "mine.csv"
    log.write_text("case,score\n" + "\n".join(f"q{n},{int(n % 4 > 0)}" for n in range(80)), "utf-8")
    page, elsewhere = opened(browser, address)
    page.goto(f"{address}/measure")
    page.set_input_files("#file", str(log))
    page.click("text=Add it")
    assert "75.0" in page.inner_text("#answer")
    assert "dropped:mine.csv" in page.inner_text("#command")
    assert elsewhere == []
    page.context.close()
