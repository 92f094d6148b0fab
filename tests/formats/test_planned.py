"""Logs whose numbers of repeats are damaged: each planned run is a row, so a number alone could fill the memory."""

from __future__ import annotations

import json
import re
import tracemalloc
from pathlib import Path

import pytest

from evalgauge.errors import LogError
from evalgauge.formats import read

FIXTURES = Path(__file__).resolve().parent.parent / "fixtures"
HUGE = "9223372036854775807"


@pytest.mark.parametrize(
    ("log", "pattern"),
    [
        ("inspect/small.json", r'("epochs":\s*)\d+'),
        ("small/tau2_bench.json", r'("num_trials":\s*)\d+'),
        ("promptfoo/echo.json", r'("repeat":\s*)\d+'),
        ("phoenix/base.json", r'("repetition_number":\s*)\d+'),
    ],
)
def test_a_damaged_number_of_repeats_is_refused(tmp_path: Path, log: str, pattern: str) -> None:
    text = (FIXTURES / log).read_text(encoding="utf-8")
    damaged, changed = re.subn(pattern, rf"\g<1>{HUGE}", text)
    assert changed
    path = tmp_path / Path(log).name
    path.write_text(damaged, encoding="utf-8")
    tracemalloc.start()
    with pytest.raises(LogError, match=r"plans [0-9,]+ runs and holds \d+: no eval lacks so many|<= "):
        read(path)
    assert tracemalloc.get_traced_memory()[1] < 100_000_000
    tracemalloc.stop()


@pytest.mark.parametrize("number", ["2147483648", "-1", HUGE])
def test_a_damaged_number_of_a_rep_is_refused(tmp_path: Path, number: str) -> None:
    kept = json.loads((FIXTURES / "small" / "baseline.json").read_text(encoding="utf-8"))
    kept["rows"]["rep"][3] = int(number)
    blessed = tmp_path / "baseline.json"
    blessed.write_text(json.dumps(kept), encoding="utf-8")
    with pytest.raises(LogError, match=r"is no whole baseline: .*rows\.rep\[3\]"):
        read(blessed)
    columns = "run_id,set_name,arm,case_id,case_dup,rep,metric,score,status"
    table = tmp_path / "table.csv"
    table.write_text(f"{columns}\nr,s,a,q1,0,{number},pass,1,ok\n", encoding="utf-8")
    with pytest.raises(LogError, match=f"holds '{number}', allowed is a whole number"):
        read(table)
