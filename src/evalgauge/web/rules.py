"""Rules of a gate as a file: taken into a page, edited there, judged by, and saved again by the visitor."""

from __future__ import annotations

import re
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from evalgauge.errors import ArgumentError
from evalgauge.formats.gate_config import CONFIG_NAME, read_config

if TYPE_CHECKING:
    from evalgauge.web.library import Library

FIELD, FROM = "rules", "rules_from"
MOST_LETTERS = 4_000
"""They stand in the address of the page, which can be kept like any other."""
_BASELINE = re.compile(r"""^([ \t]*["']?baseline["']?[ \t]*=[ \t]*["']([^"'\n]*)["'].*)$""", re.MULTILINE)


def rules_path(text: str, library: Library) -> str:
    """Return the path of a file that holds these rules, as jobs read them.

    Raises
    ------
    ArgumentError
        If they are too long, or name a baseline: a page reads the logs of its folder alone, and they are chosen there.
    LogError
        If they are no rules.
    """
    if len(text) > MOST_LETTERS:
        raise ArgumentError(FIELD, f"{len(text):,} letters", f"at most {MOST_LETTERS:,} on a page")
    path = library.keep_rules(text)
    if read_config(path).baseline is not None:
        allowed = "rules without a baseline on a page"
        raise ArgumentError(
            FIELD, "baseline", allowed, "Choose the baseline in the list of logs, and leave out its line."
        )
    return path


def opened_rules(text: str, name: str, library: Library) -> tuple[str, str]:
    """Return the text of a file of rules as a page takes it, and the baseline that it names, where that can be chosen.

    Parameters
    ----------
    text
        The file.
    name
        Its name in the folder that is served; ``""`` for one from elsewhere.
    library
        The folder.
    """
    # Rules follow after the policies, and the baseline is one of these.
    head, rule, rest = text.replace("\r\n", "\n").partition("[[rule]]")
    found = _BASELINE.search(head)
    if found is None:
        return f"{head}{rule}{rest}", ""
    named = str(PurePosixPath(name).parent / found[2]) if name else ""
    head = _BASELINE.sub(r"# \1", head)
    return f"{head}{rule}{rest}", named if named in library.names() else ""


__all__ = ["CONFIG_NAME", "FIELD", "FROM", "MOST_LETTERS", "opened_rules", "rules_path"]
