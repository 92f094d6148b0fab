"""The composite action: its steps are run as the shell runs them, with a stand-in for GitHub's command line."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from support.tables import paired_tables

ROOT = Path(__file__).resolve().parents[2]
ACTION: dict[str, Any] = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
STEPS: dict[str, dict[str, Any]] = {step["name"]: step for step in ACTION["runs"]["steps"]}

# Keeps comments in a file; knows the three calls that the action makes.
FAKE_GH = """#!{python}
import json, os, pathlib, re, sys
store = pathlib.Path(os.environ["FAKE_GH_STORE"])
comments = json.loads(store.read_text()) if store.exists() else []
assert os.environ["GH_TOKEN"] == "secret"
words = sys.argv[1:]
assert words.pop(0) == "api"
if "--jq" in words:
    mark = re.search(r'startswith\\("(.*)"\\)', words[words.index("--jq") + 1])[1]
    assert words[1] == "repos/owner/name/issues/7/comments"
    print("\\n".join(str(one["id"]) for one in comments if one["body"].startswith(mark)))
    sys.exit()
body = pathlib.Path(words[words.index("-F") + 1].removeprefix("body=@")).read_text()
method, path = words[words.index("--method") + 1], words[2]
if method == "POST":
    comments.append({{"id": 100 + len(comments), "body": body}})
else:
    (found,) = [one for one in comments if path == f"repos/owner/name/issues/comments/{{one['id']}}"]
    found["body"] = body
store.write_text(json.dumps(comments))
"""


class Runner:
    """Runs steps of the action in a folder, as a job would."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        tools = folder / "bin"
        tools.mkdir()
        scripts = {
            "gh": FAKE_GH.format(python=sys.executable),
            "evalgauge": f'#!/bin/sh\nexec {sys.executable} -m evalgauge "$@"\n',
        }
        for name, text in scripts.items():
            (tools / name).write_text(text, encoding="utf-8")
            (tools / name).chmod(0o755)
        self.outputs: dict[str, str] = {}
        self.env = {
            **os.environ,
            "PATH": f"{tools}{os.pathsep}{os.environ['PATH']}",
            "PYTHONPATH": str(ROOT / "src"),
            "RUNNER_TEMP": str(folder),
            "GITHUB_OUTPUT": str(folder / "output"),
            "GITHUB_STEP_SUMMARY": str(folder / "summary.md"),
            "FAKE_GH_STORE": str(folder / "comments.json"),
        }

    def step(self, name: str, inputs: dict[str, str]) -> subprocess.CompletedProcess[str]:
        """Run one step with the inputs of a workflow; the others are at their defaults."""
        assert set(inputs) <= set(ACTION["inputs"])
        known = {f"inputs.{key}": str(one.get("default", "")) for key, one in ACTION["inputs"].items()}
        known |= {f"inputs.{key}": value for key, value in inputs.items()}
        known |= {"github.action_path": str(ROOT), "github.repository": "owner/name", "inputs.token": "secret"}
        known |= {"github.event.pull_request.number": "7"}
        known |= {f"steps.judge.outputs.{key}": value for key, value in self.outputs.items()}
        step = STEPS[name]
        env = {
            key: re.sub(r"\$\{\{ (.+?) \}\}", lambda found: known[found[1]], value)
            for key, value in step.get("env", {}).items()
        }
        # GitHub runs a bash step with these options.
        words = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]]
        seen = subprocess.run(words, cwd=self.folder, env=self.env | env, capture_output=True, text=True, check=False)
        output = self.folder / "output"
        if output.exists():
            self.outputs = dict(line.split("=", 1) for line in output.read_text(encoding="utf-8").splitlines())
        return seen

    def job(self, **inputs: str) -> int:
        """Run the steps that a pull request runs, and return the exit code of the last."""
        given = {key.replace("_", "-"): value for key, value in inputs.items()}
        for name in ("Judge", "Comment"):
            seen = self.step(name, given)
            assert seen.returncode == 0, seen.stderr
        return self.step("Verdict", given).returncode

    @property
    def comments(self) -> list[str]:
        return [one["body"] for one in json.loads((self.folder / "comments.json").read_text(encoding="utf-8"))]


@pytest.fixture
def runner(tmp_path: Path) -> Runner:
    paired_tables(tmp_path, both=150, only_base=9, only_cand=22, neither=59)
    return Runner(tmp_path)


@pytest.mark.parametrize(
    ("inputs", "code", "verdict"),
    [
        ({"baseline": "base.csv", "candidate": "cand.csv", "rules": "--max-drop 2pp"}, 0, "pass"),
        (
            {"baseline": "cand.csv", "candidate": "base.csv", "rules": "--max-drop 2pp\n--missing fail"},
            3,
            "inconclusive",
        ),
        ({"candidate": "cand.csv", "rules": "--min-rate 85%"}, 1, "fail"),
        ({"candidate": "missing.csv", "rules": "--min-rate 85%"}, 2, "refused"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_the_job_ends_as_the_gate_does(runner: Runner, inputs: dict[str, str], code: int, verdict: str) -> None:
    assert runner.job(**inputs) == code
    assert runner.outputs["verdict"] == verdict
    summary = (runner.folder / "summary.md").read_text(encoding="utf-8")
    (comment,) = runner.comments
    assert comment == f"<!-- evalgauge:gate -->\n{summary}"
    word = {"pass": "PASS", "fail": "FAIL", "inconclusive": "CANNOT DECIDE", "refused": "REFUSED"}[verdict]
    assert f"### evalgauge gate: {word}" in summary
    if verdict == "refused":
        assert "missing.csv: is not there" in summary
    else:
        assert (runner.folder / "evalgauge-junit.xml").exists()
        assert json.loads(Path(runner.outputs["metrics"]).read_text(encoding="utf-8"))["mlflow"]


def test_one_comment_is_kept_and_replaced(runner: Runner) -> None:
    inputs = {"baseline": "base.csv", "candidate": "cand.csv", "rules": "--max-drop 2pp"}
    assert runner.job(**inputs) == 0
    assert runner.job(**inputs | {"candidate": "none.csv"}) == 2
    (comment,) = runner.comments
    assert "REFUSED" in comment
    assert "PASS" not in comment
    assert runner.job(**inputs) == 0
    (comment,) = runner.comments
    assert "PASS" in comment


def test_on_inconclusive_is_passed_on(runner: Runner) -> None:
    inputs = {"baseline": "cand.csv", "candidate": "base.csv", "rules": "--max-drop 2pp", "on_inconclusive": "pass"}
    assert runner.job(**inputs) == 0
    assert runner.comments[0].count("CANNOT DECIDE") == 1
    # The gate was let pass; nobody may read that it was passed.
    assert (runner.outputs["verdict"], runner.outputs["exit-code"]) == ("inconclusive", "0")


def test_gates_with_names_keep_a_comment_each(runner: Runner) -> None:
    inputs = {"baseline": "base.csv", "candidate": "cand.csv", "rules": "--max-drop 2pp"}
    metrics: list[str] = []
    for name in ("", "fast", "slow set/$(x)", "fast"):
        assert runner.job(**inputs, name=name) == 0
        metrics.append(runner.outputs["metrics"])
    assert [one.splitlines()[0] for one in runner.comments] == [
        "<!-- evalgauge:gate -->",
        "<!-- evalgauge:gate:fast -->",
        "<!-- evalgauge:gate:slow-set---x- -->",
    ]
    assert runner.comments[1].splitlines()[1].startswith("### evalgauge gate fast: PASS")
    assert len(set(metrics)) == 3
    assert all(Path(one).exists() for one in metrics)


def test_a_comment_that_may_not_be_written_leaves_the_verdict(runner: Runner) -> None:
    gh = runner.folder / "bin" / "gh"
    gh.write_text("#!/bin/sh\necho 'HTTP 403: Resource not accessible by integration' >&2\nexit 1\n", encoding="utf-8")
    inputs = {"baseline": "base.csv", "candidate": "cand.csv", "rules": "--max-drop 2pp"}
    assert runner.step("Judge", inputs).returncode == 0
    seen = runner.step("Comment", inputs)
    assert seen.returncode == 0
    assert seen.stdout.startswith("::warning title=evalgauge::No comment was written")
    assert runner.step("Verdict", inputs).returncode == 0


def test_a_command_that_is_not_there_is_refused(runner: Runner) -> None:
    evalgauge = runner.folder / "bin" / "evalgauge"
    evalgauge.write_text("#!/bin/sh\necho 'no such module' >&2\nexit 1\n", encoding="utf-8")
    inputs = {"candidate": "cand.csv", "rules": "--min-rate 50%"}
    assert runner.step("Judge", inputs).returncode == 0
    assert runner.outputs["verdict"] == "refused"
    assert runner.step("Verdict", inputs).returncode == 1


def test_a_file_of_rules_is_used(runner: Runner) -> None:
    text = 'baseline = "base.csv"\n[[rule]]\nmax-drop = "2pp"\n'
    (runner.folder / "evalgauge.toml").write_text(text, encoding="utf-8")
    assert runner.job(candidate="cand.csv") == 0
    assert "Rules from evalgauge.toml" in runner.comments[0]
    assert runner.job(candidate="cand.csv", config="other.toml") == 2


def test_inputs_are_data_and_never_code(runner: Runner) -> None:
    evil = '$(touch hacked) "; touch hacked; #'
    runner.job(candidate=evil, rules="--max-drop $(touch hacked) ; touch hacked")
    assert not (runner.folder / "hacked").exists()
    for step in STEPS.values():
        assert "${{" not in step["run"]


def test_the_install_step_installs_this_project(runner: Runner) -> None:
    python = runner.folder / "bin" / "python"
    python.write_text('#!/bin/sh\nprintf "%s\\n" "$@" > pip-words\n', encoding="utf-8")
    python.chmod(0o755)
    assert runner.step("Install", {}).returncode == 0
    words = (runner.folder / "pip-words").read_text(encoding="utf-8").splitlines()
    assert words == ["-m", "pip", "install", "--quiet", str(ROOT)]
