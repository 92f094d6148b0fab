"""Reports and pictures: everything about twenty arms in one file, as rows."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

import evalgauge as eg
from bench_clock import here, interleaved
from bench_rows import Bound, Row
from evalgauge.report.charts.drawing import inline_svg
from evalgauge.report.page.document import report_html

if TYPE_CHECKING:
    from pathlib import Path

    from bench_clock import Settings

ARMS, CASES, SLICES = 20, 2_000, 6
MOST_SECONDS = 5.0


def rows(settings: Settings) -> list[Row]:
    """Return the rows of this part."""
    log = _board(settings.data / f"report-{ARMS}x{CASES}.csv")
    chart = eg.chart(*(eg.measure(log, arm=f"variant-{arm:02}") for arm in range(ARMS)))
    found = interleaved(
        {
            "report": here(lambda: report_html(eg.make_report(log, by="topic", margin=0.02))),
            "picture": here(lambda: inline_svg(chart)),
        },
        settings.repeats,
    )
    return [
        Row(
            job=f"report of {ARMS} arms × {CASES:,} cases from one table: HTML with pictures",
            project=found["report"],
            limit=Bound(text="≤ 5 core-s", measured=found["report"], bound=MOST_SECONDS, side="at most"),
        ),
        Row(
            job=f"picture of {ARMS} arms as SVG, the renderer warm",
            project=found["picture"],
        ),
    ]


def _board(path: Path) -> Path:
    if path.exists():
        return path
    draw = np.random.default_rng(1)
    ease = draw.random(CASES)
    lines = ["case,arm,score,topic"]
    for arm in range(ARMS):
        passed = ease + draw.normal(0, 0.15, CASES) < 0.8 - 0.005 * arm
        lines += [f"case-{n:05},variant-{arm:02},{int(passed[n])},topic-{n % SLICES}" for n in range(CASES)]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path
