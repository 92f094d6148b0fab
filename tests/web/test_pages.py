"""Pages without a browser: the numbers of the command line, sentences in place of faults, no path out."""

from __future__ import annotations

import gzip
import html
import io
import json
import re
import shlex
from contextlib import redirect_stdout
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl

import pytest
from fastapi.testclient import TestClient

from evalgauge import web
from evalgauge.report.charts.style import DARK, VARIABLES
from evalgauge.web import library as library_module
from evalgauge.web.app import make_app
from evalgauge.web.asking import ask
from evalgauge.web.fields import HIDDEN, form_of
from evalgauge.web.library import Library
from evalgauge.web.page import Page
from evalgauge.web.pages import PAGES
from evalgauge.web.safety import COOKIE, Guard

if TYPE_CHECKING:
    from support.command import Command

ASKED = {
    "plan": "rate=90%25&margin=5pp&drop=10pp&slices=5&own=695",
    "design": "rate=90%25&drop=5pp&discordance=10%25",
    "reps": "case_sd=0.4&run_sd=0.3&budget=400",
    "reuse": "n_cases=1000&rate=80%25&looks=10&tolerance=2pp",
    "verify": "n_cases=10&reps=2&sims=500",
    "measure": "log=base.eval&by=topic",
    "compare": "log1=base.eval&log2=cand.eval&margin=2pp",
    "gate": "log1=base.eval&log2=cand.eval&max_drop=30pp",
    "check": "cases=200&rate=90%25&max_drop=5pp",
}


def test_every_page_is_asked() -> None:
    assert set(ASKED) | {"ledger"} == set(PAGES)


@pytest.mark.parametrize("name", sorted(ASKED))
def test_a_page_its_twin_its_command_and_its_python_say_the_same(
    name: str, client: TestClient, command: Command
) -> None:
    page = client.get(f"/{name}?{ASKED[name]}")
    assert page.status_code == 200
    twin = client.get(f"/{name}.json?{ASKED[name]}").json()
    asked = _asked(name)
    words = shlex.split(asked.command)[1:]
    shown = command(*words, "--json")
    assert json.loads(shown.out) == twin
    with redirect_stdout(io.StringIO()) as out:
        exec(asked.code, {})  # noqa: S102 - the code that the page shows
    assert out.getvalue().strip()
    assert command(*words).out.splitlines()[0] in _plain(page.text)


def _asked(name: str) -> Any:
    pairs = parse_qsl(ASKED[name])
    logs = [value for key, value in pairs if key.startswith("log") and key != "looks"]
    words = {key: value for key, value in pairs if not key.startswith("log")}
    return ask(PAGES[name], words, logs, Library(Path()))


def _plain(page: str) -> str:
    return html.unescape(page).replace("\u00a0", " ")


@pytest.mark.parametrize("name", sorted(PAGES))
def test_a_page_that_is_opened_shows_its_example_or_what_to_choose(name: str, client: TestClient) -> None:
    page = client.get(f"/{name}")
    assert page.status_code == 200
    words = 'class="verdict '
    assert words in page.text
    if PAGES[name].needs_logs:
        assert "Choose " in page.text
    assert len(gzip.compress(page.content)) <= 60_000
    for field in (*form_of(PAGES[name], {})[0], *form_of(PAGES[name], {})[1]):
        assert f'name="{field.name}"' in page.text
        assert field.help, field.name


@pytest.mark.parametrize("name", sorted(name for name in PAGES if PAGES[name].pictures and name != "ledger"))
@pytest.mark.parametrize("ending", ["svg", "png", "csv", "json"])
def test_pictures_can_be_saved(name: str, ending: str, client: TestClient) -> None:
    for picture in PAGES[name].pictures:
        answer = client.get(f"/{name}/{picture.kind}.{ending}?{ASKED[name]}")
        assert answer.status_code == 200
        assert picture.kind in answer.headers["content-disposition"]
        assert answer.content
    assert client.get(f"/{name}/{PAGES[name].pictures[0].kind}.gif?{ASKED[name]}").status_code == 404
    assert client.get(f"/{name}/pie.{ending}?{ASKED[name]}").status_code == 404


NONSENSE = ["x", "-1", "0", "1e999", "nan", "90", "200%", "a=b", "1,2,x", "\x00", "9" * 5000, "../../etc/passwd", "{}"]


@pytest.mark.parametrize("name", sorted(PAGES))
def test_nonsense_in_any_field_gets_a_sentence(name: str, client: TestClient) -> None:
    base = dict(pair.split("=", 1) for pair in ASKED.get(name, "").replace("%25", "%").split("&") if pair)
    for field in (*form_of(PAGES[name], {})[0], *form_of(PAGES[name], {})[1]):
        for value in NONSENSE:
            answer = client.get(f"/{name}.json", params={**base, field.name: value, **_cheap(name, field.name)})
            assert answer.status_code in {200, 400}, (field.name, value)
            if answer.status_code == 400:
                said = answer.json()["error"]
                assert 5 < len(said) < 900
                assert "Traceback" not in said


def _cheap(name: str, field: str) -> dict[str, str]:
    return {"sims": "50"} if name == "verify" and field != "sims" else {}


def test_a_fault_of_ours_is_no_traceback(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(_page: Page, _request: Any, _tell: Any) -> Any:
        raise KeyError("secret")

    monkeypatch.setattr(Page, "answers", broken)
    page = client.get("/plan")
    assert page.status_code == 500
    assert "secret" not in page.text
    assert "fault of evalgauge itself" in page.text
    assert client.get("/plan.json").status_code == 500


@pytest.mark.parametrize(
    "name", ["../outside.csv", "/etc/passwd", "link.csv", "deep/../../outside.csv", "no such.csv", "\x00", "."]
)
def test_no_path_leads_out_of_the_folder(name: str, served: Path, client: TestClient) -> None:
    outside = served.parent / "outside.csv"
    outside.write_text("case,score\nsecret,1\n", "utf-8")
    (served / "link.csv").symlink_to(outside)
    answer = client.get("/measure.json", params={"log": name})
    assert "secret" not in answer.text
    assert answer.status_code in ({200, 400} if name == "." else {400})
    assert "link.csv" not in client.get("/measure").text


def test_the_list_holds_the_logs_of_the_folder(library: Library, served: Path) -> None:
    assert library.names() == ["base.eval", "cand.eval", "deep/table.csv"]
    (served / ".hidden.csv").write_text("case,score\n", "utf-8")
    (served / "notes.txt").write_text("x", "utf-8")
    assert library.names() == ["base.eval", "cand.eval", "deep/table.csv"]


def test_what_no_page_takes_is_not_taken(client: TestClient) -> None:
    for name in sorted(HIDDEN - {"logs"}):
        answer = client.get("/measure.json", params={"log": "base.eval", name: "/tmp/elsewhere.db"})  # noqa: S108 - a name
        assert answer.status_code == 200, name


def test_a_log_is_dropped_in_and_forgotten(client: TestClient, library: Library, served: Path) -> None:
    content = (served / "deep" / "table.csv").read_bytes()
    answer = client.post("/drop?page=measure", files={"file": ("../../my <log>.csv", content)})
    assert answer.status_code == 303
    page = client.get(answer.headers["location"])
    assert "75.0\u00a0% pass" in page.text
    assert "<log>" not in page.text
    assert str(library._dropped) not in page.text
    assert not list(served.parent.glob("*log*.csv"))
    again = client.post("/drop?page=compare", files={"file": ("../../my <log>.csv", content)})
    assert again.headers["location"] != answer.headers["location"]
    assert client.post("/drop", files={"file": ("bad.csv", b"\x00\x01")}).status_code == 303
    library.close()
    assert not library._dropped.exists()


def test_a_log_that_is_too_large_is_refused(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("evalgauge.web.app.MOST_BYTES", 100)
    answer = client.post("/drop", files={"file": ("big.csv", b"x" * 101)})
    assert answer.status_code == 413
    assert "evalgauge serve FOLDER" in answer.text
    assert library_module.MOST_BYTES > 1_000_000


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 200),
        ({"host": "localhost:8000"}, 200),
        ({"host": "[::1]:8000"}, 200),
        ({"host": "evil.example"}, 421),
        ({"host": "127.0.0.1.evil.example:8000"}, 421),
        ({"sec-fetch-site": "same-origin"}, 200),
        ({"sec-fetch-site": "none"}, 200),
        ({"sec-fetch-site": "cross-site"}, 403),
        ({"sec-fetch-site": "same-site"}, 403),
        ({"origin": "http://127.0.0.1:8000"}, 200),
        ({"origin": "http://evil.example"}, 403),
        ({"origin": "null"}, 403),
    ],
)
def test_who_may_ask(headers: dict[str, str], status: int, client: TestClient) -> None:
    answer = client.get("/reuse", headers=headers)
    assert answer.status_code == status
    assert "script-src 'self'" in answer.headers["content-security-policy"]
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert answer.headers["cache-control"] == "no-store"


def test_a_link_on_another_site_leads_to_a_page_that_asks(client: TestClient, command: Command, served: Path) -> None:
    assert served.is_dir()
    assert command("ledger", "init").code == 0
    assert command("ledger", "register", "base.eval", "--name", "triage").code == 0
    visit = {"sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate", "sec-fetch-dest": "document"}
    answer = client.get("/measure?log=cand.eval&by=a%26b", headers=visit)
    assert answer.status_code == 403
    assert "pass" not in answer.text
    # Only who goes on looks at the scores.
    assert "look" not in client.get("/ledger/wear.csv").text
    (link,) = re.findall(r'href="(/measure\?log[^"]*)"', answer.text)
    assert html.unescape(link) == "/measure?log=cand.eval&by=a%26b"
    assert client.get("/measure?log=cand.eval&by=topic", headers={"sec-fetch-site": "same-origin"}).status_code == 200
    assert "look" in client.get("/ledger/wear.csv").text
    # Slashes at the start are no name of another host.
    odd = client.get("http://127.0.0.1:8000//evil.example/x", headers=visit)
    assert 'href="//' not in odd.text
    for other in ({"sec-fetch-dest": "iframe"}, {"sec-fetch-mode": "no-cors"}, {"origin": "http://evil.example"}):
        refused = client.get("/measure?log=cand.eval", headers={**visit, **other})
        assert refused.status_code == 403
        assert "Show it" not in refused.text
    assert client.post("/drop", headers=visit, files={"file": ("a.csv", b"x")}).status_code == 403


def test_the_head_of_a_page_comes_without_its_body(client: TestClient) -> None:
    head, page = client.head("/reuse"), client.get("/reuse")
    assert head.status_code == 200
    assert head.content == b""
    for name in ("content-length", "content-type", "content-security-policy"):
        assert head.headers[name] == page.headers[name]
    assert client.head("/nothing").status_code == 404


@pytest.mark.parametrize(
    ("address", "words"),
    [
        ("/plan.json?rate=90", "Rate: got '90'"),
        ("/check.json?cases=x", "Cases: got 'x'"),
        ("/gate.json?log1=base.eval&log2=cand.eval&slice_drop=2pp", "“by”"),
        ("/gate.json?log1=base.eval&log2=cand.eval&max_drop=1pp", "“max drop” cannot pass with 40 cases"),
    ],
)
def test_refusals_speak_of_the_fields_of_the_form(address: str, words: str, client: TestClient) -> None:
    said = client.get(address).json()["error"]
    assert words in said
    assert not re.search(r"(?<!evalgauge) --", said.partition("evalgauge ")[0])


@pytest.mark.parametrize("name", sorted(PAGES))
def test_helps_speak_of_the_fields_of_the_form(name: str) -> None:
    labels = {field.label for part in form_of(PAGES[name], {}) for field in part}
    for part in form_of(PAGES[name], {}):
        for field in part:
            options = re.findall(r"--([a-z][a-z-]*)", field.help.partition("evalgauge ")[0])
            assert not {option.replace("-", " ") for option in options} & labels, field


def test_no_figure_says_the_verdict_again(client: TestClient) -> None:
    text = client.get(f"/compare?{ASKED['compare']}").text
    verdict = re.findall(r'class="verdict [a-z]*">([^<]*)', text)[0]
    assert verdict.startswith("BETTER")
    captions = re.findall(r"<figcaption>([^<]*)<", text)
    assert captions[0] == ""
    assert captions[1].startswith("3\u00a0cases lost")


def test_an_open_address_asks_for_its_token(library: Library) -> None:
    app = make_app(library, Guard("0.0.0.0", "s3cret-token"))  # noqa: S104 - what is tested
    with TestClient(app, base_url="http://box.example:8000") as visitor:
        assert visitor.get("/plan").status_code == 401
        assert visitor.get("/plan?token=wrong").status_code == 401
        assert visitor.get("/reuse?token=s3cret-token").status_code == 200
        assert visitor.cookies[COOKIE] == "s3cret-token"
        assert visitor.get("/reuse").status_code == 200


def test_pages_run_no_script_but_their_own(client: TestClient) -> None:
    for name in PAGES:
        text = client.get(f"/{name}").text
        assert text.count("<script") == 1
        assert " style=" not in text
        assert "<style" not in text
        assert "onclick" not in text
    assert client.get("/static/htmx.min.js").status_code == 200
    assert "Zero-Clause" in client.get("/static/htmx.LICENSE.txt").text


def test_colours_of_pages_are_those_of_charts() -> None:
    light, dark, _ = (Path(web.__file__).parent / "static" / "style.css").read_text("utf-8").split("}", 2)
    for colour, variable in VARIABLES.items():
        assert f"{variable}:{colour}" in light
        assert f"{variable}:{DARK[colour]}" in dark


def test_hostile_names_are_words(client: TestClient, served: Path) -> None:
    evil = "<img src=x onerror=alert(1)>"
    (served / f"{evil[:20]}.csv").write_text(f'case,score,topic\n"{evil}",1,"{evil}"\nb,0,c\n', "utf-8")
    text = client.get("/measure", params={"log": f"{evil[:20]}.csv", "by": "topic"}).text
    assert "<img" not in text
    assert "&lt;img" in text
    assert "<img" not in client.get("/plan", params={"rate": evil}).text


def test_addresses_and_fields_are_listed(client: TestClient) -> None:
    text = client.get("/docs").text
    for page in PAGES.values():
        assert f"/{page.name}.json" in text
    paths = client.get("/openapi.json").json()["paths"]
    assert {f"/{name}" for name in PAGES} <= set(paths)
    for name, page in PAGES.items():
        told = {one["name"]: one for one in paths[f"/{name}.json"]["get"]["parameters"]}
        fields = [*form_of(page, {})[0], *form_of(page, {})[1]]
        beside = {"rules"} if page.has_rules else set()
        assert {field.name for field in fields} | beside == {
            one for one in told if not one.startswith("log") or one == "looks"
        }
        assert all(told[field.name]["description"] == field.help for field in fields)
        assert any(one.startswith("log") and one != "looks" for one in told) == bool(page.logs)
    assert client.get("/").headers["location"] == "/plan"
    assert client.get("/nothing").status_code == 404


def test_a_look_at_a_registered_set_is_recorded(client: TestClient, command: Command, served: Path) -> None:
    assert served.is_dir()
    assert "no ledger" in client.get("/ledger").text.lower()
    assert command("ledger", "init").code == 0
    assert command("ledger", "register", "base.eval", "--name", "triage").code == 0
    text = client.get("/measure?log=cand.eval").text
    assert "Ledger: look " in text
    assert "triage" in client.get("/ledger").text
    assert client.get("/ledger/wear.csv").text.count("look") == 1
