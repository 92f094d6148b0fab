"""Text of strangers on a terminal: names and words of a log may hold signs that command it."""

from __future__ import annotations

import re

# Control characters, line and paragraph separators, and the signs that turn the direction of writing.
_COMMANDS = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]")


def visible(text: str) -> str:
    r"""Return a text with what would move the cursor, colour or break the line written as an escape.

    Examples
    --------
    >>> print(visible("run\x1b[2J.csv"))
    run\x1b[2J.csv
    """
    return _COMMANDS.sub(lambda found: ascii(found[0])[1:-1], text)
