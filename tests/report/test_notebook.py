"""Answers, curves and charts in a notebook, and the notebook of the examples, run as a user runs it."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path

import nbclient
import nbformat
import pytest

import evalgauge as eg
from evalgauge.report import notebook
from evalgauge.report.charts.chart import MIME
from support.charted import BASE, CANDIDATE, answers, charts

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"


@pytest.mark.parametrize("kind", ["differences", "leaderboard", "reps", "wear", "precision", "power", "optimism"])
def test_what_says_more_as_a_picture_shows_one(kind: str) -> None:
    html = answers()[kind][0]._repr_html_()
    assert html.count("<svg") == 1
    assert "<script" not in html
    # A notebook's paper may be light or dark: letters take its own colour.
    assert "--eg-ink:currentColor" in html
    bundle = answers()[kind][0]._repr_mimebundle_()
    assert bundle["text/html"] == html
    assert bundle["text/plain"]


def test_a_score_is_words() -> None:
    html = eg.measure(BASE)._repr_html_()
    assert "<svg" not in html
    assert "64.2 % pass" in html


def test_an_answer_with_nothing_to_draw_is_words() -> None:
    html = eg.plan_reps(cases=40, reps=3)._repr_html_()
    assert "<svg" not in html
    assert "SKETCH" in html


def test_without_the_renderer_answers_are_words(monkeypatch: pytest.MonkeyPatch) -> None:
    real = importlib.util.find_spec
    monkeypatch.setattr(notebook, "find_spec", lambda name: None if name == "vl_convert" else real(name))
    assert "<svg" not in eg.compare(BASE, CANDIDATE)._repr_html_()


@pytest.mark.parametrize("kind", sorted(charts()))
def test_charts_are_vega_lite_with_a_picture_for_those_that_know_it_not(kind: str) -> None:
    bundle = charts()[kind]._repr_mimebundle_()
    assert bundle[MIME] == charts()[kind].spec
    assert "<svg" in str(bundle["text/html"])
    assert charts()[kind].title in str(bundle["text/plain"])


@pytest.mark.parametrize("path", sorted(EXAMPLES.glob("*.ipynb")), ids=lambda path: path.name)
def test_examples_run(path: Path) -> None:
    book = nbformat.read(path, as_version=4)
    assert all(not cell.get("outputs") for cell in book.cells)
    nbclient.NotebookClient(book, timeout=120, resources={"metadata": {"path": str(EXAMPLES)}}).execute()
    shown = [output for cell in book.cells for output in cell.get("outputs", ())]
    assert sum("<svg" in str(output.get("data", {}).get("text/html", "")) for output in shown) >= 5
    assert any(MIME in output.get("data", {}) for output in shown)
    words = re.sub(r"<[^>]*>", "", " ".join(str(output) for output in shown))
    assert "BETTER: +10.0 points" in words


def test_there_is_an_example() -> None:
    assert [path.name for path in EXAMPLES.glob("*.ipynb")] == ["first_steps.ipynb"]
