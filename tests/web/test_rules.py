"""An evalgauge.toml on the pages of gates: taken in, edited, judged by, saved; no path out by a baseline in it."""

from __future__ import annotations

import html
import json
import re
import shlex
from typing import TYPE_CHECKING
from urllib.parse import parse_qs, urlencode, urlsplit

import pytest

from evalgauge.formats.gate_config import TEMPLATE, read_config
from evalgauge.web.rules import MOST_LETTERS

if TYPE_CHECKING:
    from pathlib import Path

    from fastapi.testclient import TestClient

    from evalgauge.web.library import Library
    from support.command import Command

RULES = """confidence = "90%"

[[rule]]
max-drop = "30pp"

[[rule]]
min-rate = "50%"
"""
LOGS = {"log1": "base.eval", "log2": "cand.eval"}


def text_of(location: str) -> str:
    return parse_qs(urlsplit(location).query)["rules"][0]


def test_rules_as_a_file_are_judged_as_on_the_command_line(client: TestClient, command: Command, served: Path) -> None:
    page = client.get("/gate", params={**LOGS, "rules": RULES})
    words = html.unescape(re.findall(r'id="command">([^<]*)', page.text)[0])
    assert words == "evalgauge gate base.eval cand.eval --config evalgauge.toml"
    saved = client.get("/gate.toml", params={**LOGS, "rules": RULES})
    assert 'filename="evalgauge.toml"' in saved.headers["content-disposition"]
    (served / "evalgauge.toml").write_bytes(saved.content)
    told = json.loads(command(*shlex.split(words)[1:], "--json").out)
    assert told == client.get("/gate.json", params={**LOGS, "rules": RULES}).json()
    assert len(told["rules"]) == 4
    check = client.get("/check.json", params={"cases": "200", "rate": "90%", "rules": RULES})
    assert [one["rule"] for one in check.json()["rules"]] == ["max-drop", "min-rate"]


def test_rules_of_the_folder_are_taken_into_the_page(client: TestClient, served: Path) -> None:
    (served / "ci").mkdir()
    (served / "ci" / "gate.toml").write_text(f'baseline = "../base.eval"\n{RULES}', "utf-8")
    (served / "pyproject.toml").write_text("[project]\n", "utf-8")
    (served / "evalgauge.toml").write_text(f'baseline = "base.eval"\n{TEMPLATE}', "utf-8")
    text = client.get("/gate").text
    assert ">ci/gate.toml</a>" in text
    assert "pyproject" not in text
    answer = client.get("/gate?rules_from=evalgauge.toml&log2=cand.eval&max_drop=1pp")
    assert answer.status_code == 303
    asked = parse_qs(urlsplit(answer.headers["location"]).query)
    assert asked["log1"] == ["base.eval"]
    assert asked["log2"] == ["cand.eval"]
    assert "max_drop" not in asked
    assert asked["rules"][0].startswith('# baseline = "base.eval"\n# What has to hold')
    page = client.get(answer.headers["location"])
    assert "<textarea" in page.text
    assert "# What has to hold before a candidate ships" in page.text
    # A log that is chosen already stays chosen.
    kept = client.get("/gate?rules_from=evalgauge.toml&log1=cand.eval").headers["location"]
    assert parse_qs(urlsplit(kept).query)["log1"] == ["cand.eval"]
    # This baseline lies where the list does not name it.
    assert "log1" not in parse_qs(urlsplit(client.get("/gate?rules_from=ci/gate.toml").headers["location"]).query)


def test_rules_from_elsewhere_are_dropped_in_and_kept_nowhere(client: TestClient, library: Library) -> None:
    for page, home in (("gate", "gate"), ("check", "check"), ("plan", "gate"), ("no such", "gate")):
        answer = client.post("/drop", params={"page": page}, files={"file": ("my.toml", RULES.encode())})
        assert answer.status_code == 303
        assert answer.headers["location"].startswith(f"/{home}?rules=")
        assert text_of(answer.headers["location"]) == RULES
    assert library.dropped_bytes == 0


def test_fields_become_a_file_to_go_on_with(client: TestClient) -> None:
    page = client.get("/gate?log1=base.eval&log2=cand.eval&max_drop=30pp&flips=yes").text
    edit = html.unescape(re.findall(r'href="([^"]*)">Edit it as a file', page)[0])
    asked = parse_qs(urlsplit(edit).query)
    assert asked["rules"] == ['[[rule]]\nmax-drop = "30pp"']
    assert asked["flips"] == ["yes"]
    assert "max_drop" not in asked
    assert "Edit it as a file" not in client.get(edit).text
    assert "PASS" in client.get(edit).text
    saved = client.get("/gate.toml?log1=base.eval&log2=cand.eval&max_drop=1pp")
    assert saved.text == '[[rule]]\nmax-drop = "1pp"\n'
    assert client.get("/gate.toml").status_code == 400


@pytest.mark.parametrize(
    "line",
    ['baseline = "../secret.csv"', "baseline='/etc/passwd'", '"baseline" = "base.eval"', "baseline = '''base.eval'''"],
)
def test_no_baseline_of_a_file_is_read(line: str, client: TestClient, served: Path) -> None:
    (served.parent / "secret.csv").write_text("case,score\nsecret,1\n", "utf-8")
    answer = client.get("/gate.json", params={"log1": "cand.eval", "rules": f"{line}\n{RULES}"})
    assert answer.status_code == 400
    assert "rules without a baseline on a page" in answer.json()["error"]
    assert "Choose the baseline in the list" in answer.json()["error"]


@pytest.mark.parametrize(
    ("rules", "words"),
    [
        ("max-drop = 2", "evalgauge.toml"),
        ("[[rule]]\nmax-dorp = '2pp'", "Did you mean 'max-drop'?"),
        ("{{{", "is no TOML"),
        ("[[rule]]\nmax-drop = '2pp'\n" + "#" * MOST_LETTERS, "at most 4,000 on a page"),
        ("\ud800", "evalgauge.toml"),
        ("a=" + "[" * 3_000, "nested deeper than rules are"),
    ],
)
def test_what_are_no_rules_gets_a_sentence(rules: str, words: str, client: TestClient, library: Library) -> None:
    asked = urlencode({**LOGS, "rules": rules.encode("utf-8", "surrogatepass")})
    for page in ("gate", "check"):
        answer = client.get(f"/{page}.json?{asked}")
        assert answer.status_code == 400
        assert words in answer.json()["error"]
        assert str(library._dropped) not in answer.text
        assert client.get(f"/{page}?{asked}").status_code == 200


def test_rules_and_fields_at_once_are_refused_by_their_labels(client: TestClient) -> None:
    said = client.get("/gate.json", params={**LOGS, "rules": RULES, "max_drop": "2pp"}).json()["error"]
    assert said.startswith("Rules: got 'evalgauge.toml and “max drop”'")


@pytest.mark.parametrize("name", ["../outside.toml", "/etc/passwd", "no.toml", "base.eval", "loop.toml", "a" * 300])
def test_no_rules_are_read_from_outside(name: str, client: TestClient, served: Path) -> None:
    (served.parent / "outside.toml").write_text("secret", "utf-8")
    (served / "loop.toml").symlink_to(served / "loop.toml")
    answer = client.get("/gate", params={"rules_from": name})
    assert answer.status_code == 303
    assert "secret" not in answer.headers["location"]


def test_rules_that_are_kept_for_the_jobs_are_forgotten(library: Library) -> None:
    paths = {library.keep_rules(f"{RULES}# {number}") for number in range(260)}
    assert len(paths) == 260
    assert len(list(library._dropped.glob("rules-*"))) == 200
    assert library.keep_rules(RULES) == library.keep_rules(RULES)
    assert read_config(library.keep_rules(RULES)).rules == ({"max_drop": 0.3}, {"min_rate": 0.5})
