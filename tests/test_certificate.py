"""The coverage certificate: what is written is what the commands give, and what is promised holds."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture(scope="module")
def certificate() -> Any:
    spec = importlib.util.spec_from_file_location("certificate", ROOT / "scripts" / "certificate.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["certificate"] = module
    spec.loader.exec_module(module)
    return module


def test_page_and_table_say_the_same(certificate: Any) -> None:
    text = (ROOT / "docs" / "coverage.md").read_text(encoding="utf-8")
    assert text.count(certificate.START) == text.count(certificate.END) == 1
    assert certificate.page(certificate.read()) in text


def test_every_cell_of_the_grid_is_there(certificate: Any) -> None:
    found = certificate.read()
    defaults = [one for one in found if one.rule == certificate.DEFAULT]
    # 6 shapes and 5 changes by 4 sizes and 4 numbers of reps, 5 graded shapes by 4 sizes, 12 clusterings by 4, 1 hard.
    assert len(defaults) == (6 + 5) * 16 + 5 * 4 + 12 * 4 + 1
    assert len({(one.command, one.rule) for one in found}) == len(found)


# One question of each family, the quickest; the whole is `make certificate`.
@pytest.mark.parametrize("place", [0, 12, 24, 44, 92])
def test_figures_are_those_of_their_command(certificate: Any, place: int) -> None:
    family, name, n, asked = certificate.questions()[place]
    written = {(one.cases, one.n, one.reps, one.rule): one for one in certificate.read() if one.family == family}
    for one in certificate.cells(family, name, n, asked):
        expected = written[name, n, one.reps, one.rule]
        assert one.exact == expected.exact
        assert one.coverage == pytest.approx(expected.coverage, abs=2e-5)
        assert one.half_width == pytest.approx(expected.half_width, abs=2e-5)
        assert one.command == expected.command


def test_the_promise(certificate: Any) -> None:
    defaults = [one for one in certificate.read() if one.rule == certificate.DEFAULT and one.family != "hard"]
    for one in defaults:
        if one.n * (10 if one.family == "clusters" else 1) >= 25:
            assert one.coverage >= certificate.FLOOR, one
    for family, n in {(one.family, one.n) for one in defaults}:
        mean = certificate.mean(one.coverage for one in defaults if (one.family, one.n) == (family, n))
        # Few clusters, and changes of ten cases, get intervals wider than 99 %; the page says so.
        most = 1.0 if (family, n) in {("clusters", 5), ("change", 10)} else certificate.ROW[1]
        assert certificate.ROW[0] <= mean <= most, (family, n, mean)


def test_what_falls_short_is_listed(certificate: Any) -> None:
    text = (ROOT / "docs" / "coverage.md").read_text(encoding="utf-8")
    short = [
        one
        for one in certificate.read()
        if one.rule == certificate.DEFAULT and one.coverage < certificate.NOMINAL - 2 * one.error
    ]
    assert short
    for one in short:
        assert f"| {one.n} | {one.reps} | {one.coverage:.3f} | `{one.command}` |" in text
