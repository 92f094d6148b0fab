"""How results show themselves: a registry from type to renderers, which the report room fills.

Results live on lower floors than their renderers. So a result asks here for its notebook form; where the report room
was not imported yet, it is imported by name at the first use.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

_HTML: dict[type, Callable[[Any], str]] = {}
RENDERERS = "evalgauge.report.notebook"


def register_html(kind: type, renderer: Callable[[Any], str]) -> None:
    """Let ``renderer`` make the HTML of every result of this type."""
    _HTML[kind] = renderer


def html_of(result: object) -> str:
    """Return the HTML fragment of a result.

    Raises
    ------
    LookupError
        If no renderer is registered for its type.
    """
    if type(result) not in _HTML:
        import_module(RENDERERS)
    renderer = _HTML.get(type(result))
    if renderer is None:
        raise LookupError(f"no renderer for {type(result).__name__}")
    return renderer(result)


class ShownInNotebooks:
    """Mix-in for answers: gives them the notebook forms that the report room knows."""

    __slots__ = ()

    def _repr_html_(self) -> str:
        return html_of(self)

    def _repr_mimebundle_(self, **_options: object) -> dict[str, str]:
        return {"text/plain": str(self), "text/html": html_of(self)}
