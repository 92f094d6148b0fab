"""Pages: one fragment with its pictures, and the first page of a fresh server, as rows."""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from fastapi.testclient import TestClient

from bench_clock import interleaved, process
from bench_rows import Bound, Row
from evalgauge.web.app import make_app
from evalgauge.web.library import Library
from evalgauge.web.safety import Guard

if TYPE_CHECKING:
    from bench_clock import Settings

ASKED = 60
MOST_OF_FRAGMENT, MOST_OF_START = 0.1, 2.0
QUERIES = {
    "Plan": "/plan?rate=90%25&margin=5pp&drop=10pp&slices=5&own={}0",
    "Reps": "/reps?case_sd=0.4&run_sd=0.3&budget={}0",
    "Reuse": "/reuse?n_cases=1000&rate=80%25&looks={}&tolerance=2pp",
}
_FIRST_PAGE = """
from pathlib import Path
from fastapi.testclient import TestClient
from evalgauge.web.app import make_app
from evalgauge.web.library import Library
from evalgauge.web.safety import Guard
with TestClient(make_app(Library(Path()), Guard("127.0.0.1")), base_url="http://127.0.0.1") as client:
    assert client.get("/plan").status_code == 200
"""


def rows(settings: Settings) -> list[Row]:
    """Return the rows of this part."""
    found = interleaved({"start": process([sys.executable, "-c", _FIRST_PAGE])}, settings.repeats)
    fragments = {title: _slowest_but_few(query) for title, query in QUERIES.items()}
    return [
        *(
            Row(
                job=f"a changed field of the page {title}: answer and pictures, 95th percentile of {ASKED}",
                project=fragment,
                limit=Bound(text="≤ .1 core-s", measured=fragment, bound=MOST_OF_FRAGMENT, side="at most"),
                why="the pictures that change are drawn anew",
            )
            for title, fragment in fragments.items()
        ),
        Row(
            job="whole process: start of the pages and the first one, two pictures",
            project=found["start"],
            limit=Bound(text="≤ 2 core-s", measured=found["start"], bound=MOST_OF_START, side="at most"),
            why="the renderer of pictures starts once (.6 core-s)",
        ),
    ]


def _slowest_but_few(query: str) -> float:
    library = Library(Path())
    taken: list[float] = []
    with TestClient(make_app(library, Guard("127.0.0.1")), base_url="http://127.0.0.1") as client:
        client.get(query.format(9))
        for number in range(10, 10 + ASKED):
            start = time.process_time()
            client.get(query.format(number))
            taken.append(time.process_time() - start)
    library.close()
    return float(np.quantile(taken, 0.95))
