"""How to say what unknown score words are worth, without saying it for the user."""

from __future__ import annotations

import re
import shlex
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

_NO = re.compile(
    r"n|no|nope|f|false|fail(?:s|ed|ure|ing)?|wrong|incorrect|bad|poor|neg(?:ative)?|ko|lost|loses?|loss|"
    r"reject(?:s|ed)?|denied|miss(?:ed)?|zero|nein|non|❌|✗|✘|👎|(?:not|no|never) .*",
    re.IGNORECASE,
)


def says_no(word: str) -> bool:
    """Return whether a score word reads as a failure.

    Examples
    --------
    >>> says_no("Wrong"), says_no("left")
    (True, False)
    """
    return _NO.fullmatch(word.strip()) is not None


def words_hint(words: Iterable[str]) -> str:
    """Return how to map score words, as the end of a sentence that starts with "Say what each is worth with".

    A word that says no is suggested as 0. What another word is worth only its user knows: both ends are named.

    Examples
    --------
    >>> words_hint(["left", "n"])
    '--words n=0; for any other word WORD=1, WORD=0 or a number between, or WORD=missing if it is no score'
    >>> words_hint(["left"])
    '--words left=1 or --words left=0, or a number between, or left=missing if it is no score'
    """
    # A comma or an equals sign within a word is read as the end of it.
    sayable = [word for word in dict.fromkeys(words) if word.strip() and not set(",=") & set(word)]
    negative = [word for word in sayable if says_no(word)]
    if negative:
        pairs = shlex.quote(",".join(f"{word}=0" for word in negative[:3]))
        return (
            f"--words {pairs}; for any other word WORD=1, WORD=0 or a number between, or WORD=missing if it is no score"
        )
    first, one, zero = (shlex.quote(f"{sayable[0] if sayable else 'WORD'}{end}") for end in ("=missing", "=1", "=0"))
    return f"--words {one} or --words {zero}, or a number between, or {first} if it is no score"
