"""``evalgauge report``: one file, written once; looks at a registered set are on record and its cases are not shown."""

from __future__ import annotations

import io
from contextlib import redirect_stdout
from typing import TYPE_CHECKING

import pytest

import evalgauge as eg
from evalgauge.report.page.document import report_html
from support.charted import BASE, CANDIDATE

if TYPE_CHECKING:
    from pathlib import Path

    from support.command import Command


@pytest.mark.usefixtures("folder")
def test_the_wear_of_a_registered_set_is_reported_and_its_cases_are_not(command: Command) -> None:
    answer = eg.make_report("base.jsonl", "cand-1.jsonl", "cand-2.jsonl")
    text = report_html(answer)
    assert "How worn the holdout is" in text
    assert "3\u00a0looks at support" in text
    assert "Changed cases:" not in text
    assert answer.card is not None
    again = eg.make_report("base.jsonl", "cand-1.jsonl", "cand-2.jsonl")
    assert again.card is not None
    assert again.card.looks == answer.card.looks
    assert command("ledger", "status").out.count("per case") == 0
    assert "Changed cases:" in (report_html(eg.make_report("base.jsonl", "cand-1.jsonl", flips=True)))
    assert "NOT recorded" in (report_html(eg.make_report("cand-3.jsonl", no_ledger=True)))


def test_files_are_written_once(command: Command, tmp_path: Path) -> None:
    target = tmp_path / "report.html"
    words = ["report", str(BASE), str(CANDIDATE), "-o", str(target)]
    told = command(*words)
    assert (told.code, told.err) == (0, "")
    assert told.out.startswith(f"Wrote {target}: ticket_triage (")
    refused = command(*words)
    assert refused.code == 2
    assert "--overwrite" in refused.err
    assert command(*words, "--overwrite").code == 0
    code = command(*words, "--overwrite", "--show-code").out
    target.unlink()
    with redirect_stdout(io.StringIO()):
        exec(code, {})  # noqa: S102 - the code that the command line shows
    assert target.is_file()
    document = command.json("report", str(BASE), str(CANDIDATE))
    assert document["comparisons"][0]["verdict"] == "better"
    shown = command("report", str(BASE), str(CANDIDATE)).out
    assert "BETTER" in shown.splitlines()[0]
    assert "Next: evalgauge report" in shown
