"""What the README shows is what a user gets."""

from __future__ import annotations

import re
import shlex
from contextlib import chdir, redirect_stdout
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from support.command import Command

ROOT = Path(__file__).resolve().parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    """Return the code blocks of one language."""
    return re.findall(rf"```{language}\n(.*?)```", README, flags=re.DOTALL)


def console_examples() -> list[tuple[str, str]]:
    """Return every command of the console blocks with the output that is shown under it."""
    found: list[tuple[str, str]] = []
    for block in blocks("console"):
        for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            line, _, shown = part.partition("\n")
            found.append((line, shown))
    return found


def test_the_readme_shows_the_main_job() -> None:
    lines = [line for line, _ in console_examples()]
    assert any(line.startswith("evalgauge measure") for line in lines)
    assert any(line.startswith("evalgauge compare") for line in lines)


@pytest.mark.parametrize(("line", "shown"), console_examples())
def test_console_examples_print_what_is_shown(command: Command, line: str, shown: str) -> None:
    program, *words = shlex.split(line)
    assert program == "evalgauge"
    with chdir(ROOT):
        seen = command(*words)
    assert seen.code == 0, seen.err
    assert seen.out.strip() == shown.strip()


@pytest.mark.parametrize("code", blocks("python"))
def test_python_examples_run(code: str) -> None:
    printed = StringIO()
    with chdir(ROOT), redirect_stdout(printed):
        exec(compile(code, "README.md", "exec"), {})  # noqa: S102 - the README's own code
    assert printed.getvalue().strip()


@pytest.mark.parametrize("path", sorted(ROOT.glob("*.md")) + sorted((ROOT / "docs").rglob("*.md")), ids=str)
def test_links_between_documents_lead_somewhere(path: Path) -> None:
    for target in re.findall(r"\]\((?!https?:|#)([^)#]+)", path.read_text(encoding="utf-8")):
        assert (path.parent / target).exists(), f"{path.name}: {target}"
