"""Charts: the schema of the grammar, the numbers of the answers, and pictures that can be read."""

from __future__ import annotations

import csv
import importlib.util
import json
import os
import re
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree as ET

import jsonschema
import pytest

import evalgauge as eg
from evalgauge.errors import ArgumentError, EvalgaugeError, ScoreError
from evalgauge.questions.scale import Scale
from evalgauge.report.charts.chart import Column
from evalgauge.report.charts.drawing import inline_svg, themed
from evalgauge.report.charts.every import KINDS
from evalgauge.report.charts.style import DARK, MOST_POINTS, VARIABLES
from evalgauge.report.charts.told import cell_text, chart_lines, head_text
from evalgauge.report.page.document import report_html
from support.charted import BASE, CANDIDATE, answers, charts
from support.tables import written

if TYPE_CHECKING:
    from evalgauge.report.charts.chart import Chart

SNAPSHOTS = Path(__file__).resolve().parent / "snapshots"
KIND_NAMES = sorted(KINDS)


def schema() -> dict[str, Any]:
    """Return the schema of Vega-Lite, which a peer ships."""
    found = importlib.util.find_spec("altair")
    assert found is not None
    assert found.origin is not None
    path = Path(found.origin).parent / "vegalite" / "v6" / "schema" / "vega-lite-schema.json"
    return dict(json.loads(path.read_text("utf-8")))


def texts(picture: bytes | str) -> list[ET.Element]:
    return [node for node in ET.fromstring(picture).iter() if node.tag.endswith("text")]  # noqa: S314 - see above


def drawn(chart: Chart, tmp_path: Path, ending: str, **options: Any) -> bytes:
    return chart.save(tmp_path / f"picture{ending}", overwrite=True, **options).read_bytes()


def test_every_kind_has_a_chart_of_its_own_name() -> None:
    assert set(charts()) == set(KINDS)
    for kind, chart in charts().items():
        assert chart.kind == kind


def test_specifications_follow_the_schema() -> None:
    validator = jsonschema.Draft7Validator(schema())
    for kind, chart in charts().items():
        faults = [fault.message[:200] for fault in validator.iter_errors(chart.spec)]
        assert not faults, (kind, faults)


@pytest.mark.parametrize("kind", KIND_NAMES)
def test_specifications_are_as_they_were(kind: str) -> None:
    now = json.dumps(charts()[kind].spec, indent=1, ensure_ascii=False) + "\n"
    if kind == "wear":
        # When it was made is no part of it.
        now = re.sub(r'"at": "20[^"]*"', '"at": "TIME"', now)
    path = SNAPSHOTS / f"{kind}.json"
    if os.environ.get("EVALGAUGE_SNAPSHOTS") == "write":
        SNAPSHOTS.mkdir(exist_ok=True)
        path.write_text(now, "utf-8")
    assert now == path.read_text("utf-8"), (
        "EVALGAUGE_SNAPSHOTS=write pytest writes them anew: then look at the pictures"
    )


def numbers_of(document: Any) -> set[float]:
    """Return every number anywhere in a JSON document."""
    if isinstance(document, dict):
        return {number for value in document.values() for number in numbers_of(value)}
    if isinstance(document, list):
        return {number for value in document for number in numbers_of(value)}
    return {float(document)} if isinstance(document, int | float) and not isinstance(document, bool) else set()


@pytest.mark.parametrize("kind", ["arms", "variance", "differences", "flips", "leaderboard", "reps", "wear"])
def test_numbers_behind_a_chart_are_those_of_the_json(kind: str) -> None:
    chart = charts()[kind]
    known = set().union(*(numbers_of(json.loads(eg.to_json(answer))) for answer in answers()[kind]))
    known |= {1 - number for number in known} if kind == "variance" else set()
    for row in chart.rows:
        for column in chart.columns:
            value = row[column.key]
            if isinstance(value, int | float) and column.key != "event":
                assert float(value) in known, (column.key, value)


def test_numbers_behind_curves_are_those_of_the_plan() -> None:
    plan = eg.plan(rate=0.9, margin=0.05, drop=0.1, slices=5, own=695)
    precision = {row["n_cases"]: row["half_width"] for row in charts()["precision"].rows}
    assert precision[plan.precision.per_slice] == pytest.approx(plan.precision.half_width, abs=1e-12)
    assert plan.own is not None
    assert precision[plan.own.per_slice] == pytest.approx(plan.own.half_width, abs=1e-12)
    power = {(row["design"], row["n_cases"]): row["power"] for row in charts()["power"].rows}
    for design, n in (
        ("held-reference", plan.detection.held_reference.safe_n),
        ("paired", plan.detection.paired.safe_n),
        ("independent-arms", plan.detection.independent_arms.safe_n),
    ):
        at = eg.plan(rate=0.9, margin=0.05, drop=0.1, slices=5, own=5 * n, design=design)
        assert at.own is not None
        assert power[design, n] == pytest.approx(at.own.power_at_drop, abs=1e-9)
        assert power[design, n] >= plan.power
    for looks in (11, 12):
        row = next(row for row in charts()["optimism"].rows if row["looks"] == looks)
        assert row["optimism"] == pytest.approx(eg.reuse(n_cases=1000, rate=0.8, looks=looks).cost, abs=1e-12)


@pytest.mark.parametrize("kind", KIND_NAMES)
def test_csv_holds_every_number(kind: str) -> None:
    chart = charts()[kind]
    rows = list(csv.DictReader(StringIO(chart.csv())))
    assert len(rows) == len(chart.rows)
    for read, row in zip(rows, chart.rows, strict=True):
        for column in chart.columns:
            value = row[column.key]
            assert read[column.key] == ("" if value is None else str(value))


@pytest.mark.parametrize("kind", KIND_NAMES)
def test_titles_and_descriptions_say_the_finding(kind: str) -> None:
    chart = charts()[kind]
    assert re.search(r"\d|FIRST|TIE|NO ORDER|CASES|REPS", chart.title)
    assert chart.description.startswith(chart.title)
    assert chart.spec["description"] == chart.description
    assert " ".join(chart.spec["title"]["text"]).replace("\u00a0", " ") == chart.title


@pytest.mark.parametrize("kind", KIND_NAMES)
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_letters_are_large_enough_and_inside_the_picture(kind: str, theme: str, tmp_path: Path) -> None:
    picture = drawn(charts()[kind], tmp_path, ".svg", theme=theme)
    root = ET.fromstring(picture)  # noqa: S314 - see above
    assert float(root.attrib["width"]) <= 390
    for node in texts(picture):
        size = re.search(r"([\d.]+)px", node.attrib.get("font-size", ""))
        assert size is not None
        assert float(size[1]) >= 12
    colours = set(re.findall(r"#[0-9a-f]{6}", picture.decode()))
    assert colours <= (set(DARK.values()) if theme == "dark" else set(DARK))


@pytest.mark.parametrize("kind", KIND_NAMES)
def test_parts_of_a_page_take_their_colours_from_it(kind: str) -> None:
    text = inline_svg(charts()[kind])
    assert not re.search(r'(?:fill|stroke)="#', text)
    assert set(re.findall(r"var\((--[a-z-]+)\)", text)) <= set(VARIABLES.values())
    assert "style=" not in text
    assert "<script" not in text
    # The title is text of the page.
    assert charts()[kind].spec["title"]["text"][0] not in text
    ET.fromstring(text)  # noqa: S314 - see above


@pytest.mark.parametrize(("ending", "magic"), [(".png", b"\x89PNG"), (".pdf", b"%PDF"), (".svg", b"<svg")])
def test_pictures_are_what_their_names_say(ending: str, magic: bytes, tmp_path: Path) -> None:
    assert drawn(charts()["arms"], tmp_path, ending).startswith(magic)


def test_a_specification_is_drawn_by_any_renderer(tmp_path: Path) -> None:
    spec = json.loads(drawn(charts()["power"], tmp_path, ".json"))
    assert spec == json.loads(json.dumps(charts()["power"].spec))
    assert spec["background"] == "transparent"


def test_lines_have_no_more_points_than_can_be_seen() -> None:
    for kind in ("precision", "optimism", "wear"):
        assert len(charts()[kind].spec["data"]["values"]) <= MOST_POINTS
    many = eg.power_curve(eg.plan(rate=0.99, drop=0.002))
    assert all(len(line.n_cases) <= MOST_POINTS for line in many.lines)


def test_names_of_a_log_are_words_and_nothing_else(tmp_path: Path) -> None:
    evil = '</text><script>alert(1)</script>"'
    rows = [(f"q{n}", arm, int(n % 3 > 0)) for n in range(30) for arm in (evil, "b" * 200)]
    log = written(tmp_path / "log.csv", ("case", "arm", "score"), rows)
    chart = eg.chart(eg.rank(log))
    for picture in (drawn(chart, tmp_path, ".svg"), inline_svg(chart).encode()):
        said = [words for node in texts(picture) for words in node.itertext()]
        assert b"<script" not in picture
        assert any(word.startswith("</text>") for word in said)
        # A long name is cut; the table has it whole.
        assert max(map(len, said)) < 60
    assert "b" * 200 in chart.csv()


def test_long_names_have_a_line_of_their_own(tmp_path: Path) -> None:
    def said(names: tuple[str, str]) -> tuple[list[str], int]:
        rows = [(f"q{n}", name, int((n * 7 + place) % 11 > 2)) for n in range(40) for place, name in enumerate(names)]
        log = written(tmp_path / f"{len(names[0])}.csv", ("case", "arm", "score"), rows)
        chart = eg.chart(eg.compare(log, arms=names))
        words = [word for node in texts(drawn(chart, tmp_path, ".svg")) for word in node.itertext()]
        return words, chart.spec["height"]

    short, low = said(("base", "fast model"))
    family = "organisation/model-large-2026-"
    long, high = said((f"{family}base", f"{family}candidate"))
    assert "fast model" in short
    # Beside its numbers only the end of this name would be left of it.
    assert f"{family}candidate" in long
    assert high > low


def test_heads_of_arrows_end_at_the_score(tmp_path: Path) -> None:
    logs = [
        written(tmp_path / f"{arm}.csv", ("case", "score"), [(f"q{n}", int((n + shift) % 3 > 0)) for n in range(12)])
        for arm, shift in (("a", 0), ("b", 1))
    ]
    chart = eg.chart(eg.compare(*logs), kind="flips")
    assert {row["baseline"] for row in chart.rows} == {0.0, 1.0}
    picture = ET.fromstring(drawn(chart, tmp_path, ".svg"))  # noqa: S314 - drawn by this library
    tips: set[int] = set()
    shafts: set[int] = set()
    for node in picture.iter():
        role = node.attrib.get("aria-roledescription")
        if role not in {"point", "rule mark"}:
            continue
        at = float(re.findall(r"translate\(([\d.]+)", node.attrib["transform"])[0])
        if role == "point":
            reach = [float(one) for one in re.findall(r"-?[\d.]+", node.attrib["d"])[0::2]]
            tips.add(round(at + (max(reach) if "won" in node.attrib["aria-label"] else min(reach))))
        else:
            shafts |= {round(at), round(at + float(node.attrib["x2"]))}
    assert len(tips) == 2
    assert tips == shafts


def test_changes_carry_their_sign() -> None:
    change = Column("change", "Change", "change")
    assert [cell_text(value, change) for value in (0.25, -0.25, 0.0)] == ["+25.0", "-25.0", "0.0"]
    assert head_text(change) == "Change, points"


def test_curves_say_what_they_found() -> None:
    plan = eg.plan(rate=0.8, margin=0.05)
    assert str(eg.precision_curve(plan)) == f"±5 points at 80 % takes {plan.precision.per_slice:,} cases (wilson)"
    curve = eg.power_curve(eg.plan(rate=0.8, drop=0.05))
    assert str(curve).startswith("cases for a drop from 80 to 75 % with 80 % power: held-reference 545, paired 1,095")
    reused = eg.reuse(n_cases=1000, rate=0.8, looks=10)
    said = f"the best of 10 equal candidates on 1,000 cases flatters by {100 * reused.cost:.3g} points"
    assert str(eg.optimism_curve(reused)) == said


def test_long_boards_and_histories_are_cut_in_the_picture_alone(tmp_path: Path) -> None:
    rows = [(f"q{n}", f"arm {arm:02}", int((n * 7 + arm) % 11 > 2)) for n in range(40) for arm in range(50)]
    chart = eg.chart(eg.rank(written(tmp_path / "board.csv", ("case", "arm", "score"), rows)))
    assert len(chart.rows) == 50
    assert len(chart.spec["data"]["values"]) == 40
    assert "First 40 of 50 arms" in chart.description


@pytest.mark.parametrize(("score_range", "unit"), [((0, 10), 1), ((), 1)])
def test_scores_with_other_limits_or_none_are_written_in_their_own_units(
    score_range: tuple[float, ...], unit: float, tmp_path: Path
) -> None:
    logs = [
        written(tmp_path / f"{arm}.csv", ("case", "score"), [(f"q{n}", (n * 3 + shift) % 11 * 0.9) for n in range(40)])
        for arm, shift in (("a", 0), ("b", 2))
    ]
    score = eg.measure(logs[0], score_range=score_range)
    compared = eg.compare(*logs, score_range=score_range)
    factor = score_range[1] if score_range else unit
    for made in (eg.chart(score), eg.chart(compared), eg.chart(compared, kind="flips")):
        shown = "\n".join(line.text for line in chart_lines(made, None, "next"))
        assert "%" not in shown.partition("\n")[2]
        assert "points" not in shown
        picture = drawn(made, tmp_path, ".svg").decode()
        assert " %<" not in picture
    arms = chart_lines(eg.chart(score), None, "next")[2].text
    assert f" {factor * score.estimate:.{2 if score_range else 3}f} " in arms
    page = report_html(eg.make_report(*logs, score_range=score_range))
    assert f">{Scale(score.range).number(score.estimate)}</td>" in page


def test_a_spread_of_cases_that_is_not_seen_promises_nothing(tmp_path: Path) -> None:
    rows = [(f"q{n}", rep, int((n + rep) % 2)) for n in range(6) for rep in (1, 2)]
    log = written(tmp_path / "log.csv", ("case", "rep", "score"), rows)
    chart = eg.chart(eg.measure(log), kind="variance")
    assert chart.title.endswith("too few cases or reps to see how cases differ")
    assert "±0.0" not in chart.title


def test_dark_pictures_stand_on_dark_paper() -> None:
    spec = themed(charts()["arms"].spec, "dark")
    assert spec["background"] == "#0d1117"
    assert themed(charts()["arms"].spec, "light")["background"] == "#ffffff"


@pytest.mark.parametrize(
    ("ask", "words"),
    [
        (eg.chart, "answers of one kind"),
        (lambda: eg.chart(3), "answers of one kind"),
        (lambda: eg.chart(eg.plan(rate=0.9)), "eg.precision_curve"),
        (lambda: eg.chart(eg.measure(passed=4, of=9), eg.plan(rate=0.9)), "answers of one kind"),
        (lambda: eg.chart(eg.measure(passed=4, of=9), kind="flips"), "one of arms, variance"),
        (lambda: eg.chart(eg.compare(BASE, CANDIDATE), eg.compare(BASE, CANDIDATE), kind="flips"), "one, for a chart"),
    ],
)
def test_what_has_no_chart_is_refused(ask: Any, words: str) -> None:
    with pytest.raises(ArgumentError, match=words):
        ask()


@pytest.mark.parametrize(
    ("ask", "words"),
    [
        (lambda: eg.chart(eg.measure(passed=4, of=9), kind="variance"), "seen only with reps"),
        (lambda: eg.chart(eg.compare(wins=3, losses=1, of=20), kind="flips"), "No case to draw"),
        (lambda: eg.chart(eg.compare("45/50", "30/80", unpaired=True), kind="flips"), "same cases"),
        (lambda: eg.chart(eg.plan_reps(cases=40, reps=3)), "There is no map to draw"),
    ],
)
def test_answers_with_nothing_to_draw_say_why(ask: Any, words: str) -> None:
    with pytest.raises(ScoreError, match=words):
        ask()


def test_without_the_renderer_numbers_and_specification_are_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from evalgauge.report.charts import drawing  # noqa: PLC0415 - its memory of the renderer is cleared

    monkeypatch.setitem(__import__("sys").modules, "vl_convert", None)
    drawing._renderer.cache_clear()
    with pytest.raises(EvalgaugeError, match=r"pip install 'evalgauge\[charts\]'"):
        drawn(charts()["arms"], tmp_path, ".png")
    assert not list(tmp_path.iterdir())
    assert drawn(charts()["arms"], tmp_path, ".csv").startswith(b"arm,")
    assert drawn(charts()["arms"], tmp_path, ".json").startswith(b"{")
    drawing._renderer.cache_clear()
