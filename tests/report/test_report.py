"""Reports: the numbers of the JSON and no others, hostile names as words, nothing asked of any network."""

from __future__ import annotations

import html
import json
import os
import re
import shutil
from html.parser import HTMLParser
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import evalgauge as eg
from evalgauge.errors import ArgumentError, EvalgaugeError
from evalgauge.report.page.document import report_html
from evalgauge.report.page.plain import report_markdown
from support.charted import BASE, CANDIDATE
from support.tables import written

if TYPE_CHECKING:
    from evalgauge.questions.report import ReportAnswer

SNAPSHOTS = Path(__file__).resolve().parent / "snapshots"
# Stands in sentences and is no result: levels and error, years of sources, sizes of pictures, the old rule's name.
WORDS = {"95", "5", "0", "1", "2", "3"} | {str(year) for year in range(1900, 2030)}


def numbers_of(document: Any) -> set[float]:
    if isinstance(document, dict):
        return {number for value in document.values() for number in numbers_of(value)}
    if isinstance(document, list):
        return {float(len(document)), *(number for value in document for number in numbers_of(value))}
    return {float(document)} if isinstance(document, int | float) and not isinstance(document, bool) else set()


def written_forms(number: float) -> set[str]:
    """Return how a number of the JSON may stand in a report: as it is, or as a percentage, rounded."""
    forms: set[str] = set()
    for value in (number, 100 * number, 1 - number, 100 * (1 - number)):
        forms |= {f"{abs(value):,.{digits}f}" for digits in range(5)} | {f"{abs(value):.4g}", f"{abs(value):.3g}"}
    return forms


class Words(HTMLParser):
    """Collects what a reader sees, without pictures: their axes have numbers of their own."""

    def __init__(self) -> None:
        super().__init__()
        self.words: list[str] = []
        self.hidden = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        del attrs
        self.hidden += tag in {"svg", "style"}

    def handle_endtag(self, tag: str) -> None:
        self.hidden -= tag in {"svg", "style"}

    def handle_data(self, data: str) -> None:
        if not self.hidden:
            self.words.append(data)


def seen(page: str) -> str:
    reader = Words()
    reader.feed(page)
    return " ".join(reader.words).replace("\u00a0", " ")


@pytest.fixture(scope="module")
def two() -> ReportAnswer:
    return eg.make_report(BASE, CANDIDATE, margin=0.02, by="topic", title="Triage")


@pytest.fixture(scope="module")
def board(tmp_path_factory: pytest.TempPathFactory) -> Path:
    rows = [
        (f"case-{n:04}", f"variant-{arm:02}", int((n * 37 + arm * 11) % 100 < 70 + arm), f"t{n % 3}")
        for n in range(300)
        for arm in range(20)
    ]
    return written(tmp_path_factory.mktemp("board") / "board.csv", ("case", "arm", "score", "topic"), rows)


def test_every_number_of_a_report_is_in_its_json(two: ReportAnswer) -> None:
    known: set[str] = set()
    for number in numbers_of(json.loads(eg.to_json(two))):
        known |= written_forms(number)
    for text in (seen(report_html(two)), report_markdown(two).replace("\\", "")):
        body = re.sub(r"evalgauge [\d.]+|20\d\d-\d\d-\d\d \d\d:\d\d|t-\d{3}", "", text)
        body = body.replace(" ", " ").partition("Run it again")[0]
        found = set(re.findall(r"(?<![\w.])\d[\d,]*(?:\.\d+)?", body))
        # Distances between numbers of the JSON: how much too narrow an interval is.
        naive = [one.naive for one in two.scores if one.naive is not None]
        for one, narrow in zip(two.scores, naive, strict=True):
            known |= written_forms(((one.scored_only.high - one.scored_only.low) - (narrow.high - narrow.low)) / 2)
        assert not {word.rstrip(",") for word in found} - known - WORDS


def test_a_small_report_is_as_it_was(two: ReportAnswer) -> None:
    page = re.sub(r"<svg.*?</svg>", "<svg/>", report_html(two), flags=re.DOTALL)
    page = re.sub(r"20\d\d-\d\d-\d\d \d\d:\d\d|evalgauge \d[\w.]*|/[^ <]*/(?=triage-)", "", page)
    words = re.sub(r"/[^ `)]*/(?=triage-)", "", report_markdown(two))
    for name, now in (("report.html", page), ("report.md", words)):
        path = SNAPSHOTS / name
        if os.environ.get("EVALGAUGE_SNAPSHOTS") == "write":
            path.write_text(now, "utf-8")
        assert now == path.read_text("utf-8"), "EVALGAUGE_SNAPSHOTS=write pytest writes it anew: then look at it"


def test_the_verdict_comes_first(two: ReportAnswer) -> None:
    text = seen(report_html(two))
    assert text.index("BETTER: +10.0 points") < text.index("Against mockllm/base")
    assert report_markdown(two).startswith("# Triage\n\n**mockllm/candidate against mockllm/base: BETTER")


def test_twenty_arms_fit_into_150_kilobytes(board: Path) -> None:
    answer = eg.make_report(board, by="topic", margin=0.02)
    page = report_html(answer)
    assert len(page.encode()) <= 150_000
    assert len(answer.comparisons) == 19
    assert answer.ranking is not None
    for one in answer.scores:
        assert one.source.arm in page


def test_nothing_is_asked_of_any_network_and_no_script_runs(board: Path) -> None:
    page = report_html(eg.make_report(board))
    assert "<script" not in page
    assert not re.search(r"""(?:src|href|action)=["'](?!data:text/csv)""", page.replace('xmlns:xlink="', ""))
    assert "url(" not in page
    assert "default-src 'none'" in page


def test_hostile_names_are_words(tmp_path: Path) -> None:
    evil = '"><img src=x onerror=alert(1)>'
    rows = [(f"{evil}{n}", arm, int((n + len(arm)) % 3 > 0), evil) for n in range(40) for arm in (evil, "plain")]
    log = written(tmp_path / "log.csv", ("case", "arm", "score", "topic"), rows)
    answer = eg.make_report(log, by="topic", title=f"<b>{evil}\x1b[31m\u202e")
    page = report_html(answer)
    assert "<img" not in page
    assert "\x1b" not in page
    assert "\u202e" not in page
    assert html.escape(evil)[:30] in page.replace("&#34;", "&quot;")
    # In Markdown a name is code or escaped.
    assert "<img" not in re.sub(r"(`+).*?\1", "", report_markdown(answer), flags=re.DOTALL)
    ticks = "```\n# no heading"
    rows = [(f"q{n}", int(n % 3 > 0), ticks) for n in range(30)]
    log = written(tmp_path / "ticks.csv", ("case", "score", "topic"), rows)
    assert "\n````\n" in report_markdown(eg.make_report(log, by="topic"))


def test_a_single_arm_a_missing_run_and_a_judge_are_reported(tmp_path: Path) -> None:
    rows = [(f"q{n}", "" if n < 3 else int(n % 4 > 0)) for n in range(60)]
    log = written(tmp_path / "log.csv", ("case", "score"), rows)
    labels = written(tmp_path / "labels.csv", ("case", "label"), [(f"q{n}", int(n % 5 > 0)) for n in range(5, 30)])
    text = seen(report_html(eg.make_report(log)))
    assert "Runs by arm" in text
    assert "3" in text.partition("Runs by arm")[2]
    judged = seen(report_html(eg.make_report(log, judge_labels=labels)))
    assert "with the judge's errors taken out" in judged
    assert "The labels alone say" in judged


@pytest.mark.parametrize(
    ("ask", "words"),
    [
        (lambda _: eg.make_report(), "one log or more"),
        (lambda folder: eg.save_report(3, output=folder / "x.html"), "eg.make_report"),
        (lambda folder: eg.save_report(eg.make_report(BASE), output=folder / "x.doc"), "ends in .html"),
        (lambda _: eg.save_report(eg.make_report(BASE), output=3), "the name of a file"),
        (lambda folder: eg.save_report(eg.make_report(BASE), output=folder / "no" / "x.html"), "Make the folder first"),
        (lambda _: eg.make_report(BASE, arms=("no such",)), "arms of one log"),
        (lambda _: eg.make_report(BASE, CANDIDATE, judge_labels=BASE), "labels with 2 arms"),
    ],
)
def test_what_cannot_be_reported_is_refused(ask: Any, words: str, tmp_path: Path) -> None:
    with pytest.raises((ArgumentError, EvalgaugeError), match=words):
        ask(tmp_path)


def test_without_a_browser_a_pdf_is_refused_with_the_way_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "which", lambda _name: None)
    with pytest.raises(EvalgaugeError, match=r"-o report\.html"):
        eg.save_report(eg.make_report(BASE), output=tmp_path / "x.pdf")


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 390])
def test_a_report_in_a_real_browser(
    two: ReportAnswer, board: Path, browser: Any, scheme: str, width: int, tmp_path: Path
) -> None:
    from axe_playwright_python.sync_playwright import Axe  # noqa: PLC0415 - only with a browser

    for name, answer in (("two", two), ("board", eg.make_report(board, margin=0.02))):
        page_file = eg.save_report(answer, output=tmp_path / f"{name}.html")
        context = browser.new_context(color_scheme=scheme, viewport={"width": width, "height": 900})
        page = context.new_page()
        asked: list[str] = []
        page.on("request", lambda request, asked=asked: asked.append(request.url))
        page.goto(page_file.as_uri())
        for details in page.query_selector_all("details"):
            details.evaluate("node => { node.open = true }")
        assert asked == [page_file.as_uri()]
        assert Axe().run(page).violations_count == 0
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        # Every word of a picture stands inside it, and large enough to be read.
        outside = page.evaluate(
            """() => [...document.querySelectorAll("figure svg")].flatMap(svg => {
                const box = svg.getBoundingClientRect(), scale = box.width / svg.viewBox.baseVal.width;
                return [...svg.querySelectorAll("text")].filter(text => {
                    const own = text.getBoundingClientRect();
                    const size = parseFloat(getComputedStyle(text).fontSize) * scale;
                    return own.left < box.left - 1 || own.right > box.right + 1 || own.top < box.top - 1
                        || own.bottom > box.bottom + 1 || size < 11;
                }).map(text => text.textContent);
            })"""
        )
        assert outside == []
        context.close()


def test_a_report_prints(two: ReportAnswer, browser: Any, tmp_path: Path) -> None:
    assert browser.is_connected()
    assert eg.save_report(two, output=tmp_path / "report.pdf").read_bytes().startswith(b"%PDF")
