"""The form of a page, made from the fields of its question."""

from __future__ import annotations

import re
from dataclasses import MISSING, dataclass, fields
from functools import cache
from inspect import cleandoc
from types import NoneType
from typing import TYPE_CHECKING, Any, Literal, get_args, get_origin

from evalgauge.report.command_line import OPTION_NAMES, value_text

if TYPE_CHECKING:
    from collections.abc import Mapping

    from evalgauge.web.page import Page

# Where looks are kept is the server's own; reports and files are written by commands alone.
HIDDEN = frozenset(
    {"logs", "engine", "ledger", "no_ledger", "jobs", "like", "config", "judge_labels", "holdout", "same_system"}
)
_ON = "yes"
_OPTION = re.compile(r"--([a-z][a-z-]*)")
_SENTENCE = re.compile(r"(?<=[.!?]) ")


@dataclass(frozen=True, slots=True, kw_only=True)
class Field:
    """One field of a form.

    Attributes
    ----------
    name, label, help
        Its name in the address, what it is called, and what it is for.
    kind
        ``"text"``, ``"choice"`` or ``"switch"``.
    value
        What stands in it, text.
    usual
        What holds where it is left empty, text.
    choices
        What can be chosen.
    """

    name: str
    label: str
    help: str
    kind: Literal["text", "choice", "switch"]
    value: str
    usual: str
    choices: tuple[str, ...] = ()


def form_of(page: Page, given: Mapping[str, str]) -> tuple[list[Field], list[Field]]:
    """Return the fields that are seen at once, and those that are folded away."""
    helps, labels = _helps(page.request), labels_of(page)
    made = {
        one.name: _field(one, by_labels(helps.get(one.name, ""), labels), given.get(one.name, ""))
        for one in fields(page.request)
        if one.name not in HIDDEN
    }
    first = [made[name] for name in page.first]
    return first, [one for name, one in made.items() if name not in page.first]


def labels_of(page: Page) -> dict[str, str]:
    """Return what each field of a page is called in its form, by its name in the question."""
    found = {one.name: _label(one.name) for one in fields(page.request) if one.name not in HIDDEN}
    return {**found, "config": "rules", "rules": "rules"} if page.has_rules else found


def by_labels(text: str, labels: Mapping[str, str]) -> str:
    """Return words with the labels of a form in place of the options of the command line.

    Examples
    --------
    >>> by_labels("In every slice of --by. See: evalgauge gate --by", {"by": "by"})
    'In every slice of “by”. See: evalgauge gate --by'
    """
    options = {label.replace(" ", "-"): label for label in labels.values()}

    def in_page(sentence: str) -> str:
        # A command is written as it is typed.
        before, command, rest = sentence.partition("evalgauge ")
        found = _OPTION.sub(lambda match: f"“{options[match[1]]}”" if match[1] in options else match[0], before)
        return f"{found}{command}{rest}"

    return " ".join(map(in_page, _SENTENCE.split(text)))


def values_of(page: Page, given: Mapping[str, str]) -> dict[str, Any]:
    """Return what was filled in, by field of the question; the question itself reads the words.

    Raises
    ------
    ArgumentError
        Never here: a question refuses what its fields cannot hold when it is made.
    """
    found: dict[str, Any] = {}
    for one in fields(page.request):
        text = given.get(one.name, "").strip()
        if not text or one.name in HIDDEN:
            continue
        found[one.name] = text == _ON if _kind_of(one.type) is bool else text
        if one.name == "names":
            found[one.name] = (text,)
    return found


def _field(one: Any, told: str, value: str) -> Field:  # noqa: ANN401 - a field of any dataclass
    # A page is one mode of a command: what its options are given with goes without saying.
    told = told.removeprefix("With --check: ")
    told = f"{told[:1].upper()}{told[1:]}"
    default = one.default if one.default is not MISSING else one.default_factory()
    kind = _kind_of(one.type)
    label = _label(one.name)
    if kind is bool:
        return Field(name=one.name, label=label, help=told, kind="switch", value=value, usual="")
    choices = tuple(str(choice) for choice in get_args(kind)) if get_origin(kind) is Literal else ()
    usual = "" if default is None or default in ((), {}, "") else value_text(default)
    return Field(
        name=one.name,
        label=label,
        help=told,
        kind="choice" if choices else "text",
        value=value,
        usual=usual,
        choices=choices,
    )


def _label(name: str) -> str:
    return str(OPTION_NAMES.get(name, name)).replace("_", " ")


def _kind_of(kind: Any) -> Any:  # noqa: ANN401 - any annotation
    """Return what a field holds where it holds something."""
    if get_origin(kind) is Literal:
        return kind
    held = [one for one in get_args(kind) if one is not NoneType]
    return held[0] if NoneType in get_args(kind) and held else kind


@cache
def _helps(request: type[Any]) -> dict[str, str]:
    """Return what each field is for, from the docstrings of a question and of those that it is made of."""
    helps: dict[str, str] = {}
    for base in reversed(request.__mro__):
        _, _, listed = cleandoc(base.__dict__.get("__doc__") or "").partition("Attributes\n----------\n")
        names: list[str] = []
        for line in listed.splitlines():
            if line and not line.startswith(" "):
                names = [name.strip() for name in line.split(",")]
                helps.update(dict.fromkeys(names, ""))
            elif line.strip():
                helps.update({name: f"{helps[name]} {line.strip()}".strip() for name in names})
    return helps
