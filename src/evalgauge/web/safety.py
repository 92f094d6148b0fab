"""Who may ask: the machine's own browser on our own pages, and whoever holds the token on an open address."""

from __future__ import annotations

import secrets
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response

LOOPBACK = ("127.0.0.1", "localhost", "::1")
COOKIE = "evalgauge_token"
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "form-action 'self'; frame-ancestors 'none'; base-uri 'none'"
)
HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}


_ELSEWHERE = "Asked by another site, and not answered."


class Refused(NamedTuple):
    """Why a request is not answered.

    Attributes
    ----------
    text
        A sentence.
    status
        Of HTTP.
    may_go_on
        Whether a person followed a link from elsewhere, and may go on by a link of our own.
    """

    text: str
    status: int
    may_go_on: bool = False


class Guard:
    """Lets in what comes from our own pages, by name and by token.

    Parameters
    ----------
    host
        The address that is listened on.
    token
        What visitors must bring where it is not this machine alone; ``""`` where it is.
    """

    def __init__(self, host: str, token: str = "") -> None:
        self._hosts = {*LOOPBACK, host}
        self._token = token

    def refusal(self, request: Request) -> Refused | None:
        """Return why a request is not answered, or nothing."""
        if _bare(request.headers.get("host", "")) not in self._hosts and not self._token:
            # Another name for this machine: a page elsewhere may have made it.
            return Refused("This server answers to its own name alone.", 421)
        if request.headers.get("sec-fetch-site", "none") not in ("same-origin", "none"):
            if _is_visit(request):
                # Nothing is asked of a log, and no look recorded, by whoever only placed the link.
                return Refused("A link on another site led here. Do you want its answer?", 403, may_go_on=True)
            return Refused(_ELSEWHERE, 403)
        origin = request.headers.get("origin")
        if origin is not None and origin.partition("://")[2] != request.headers.get("host", ""):
            return Refused(_ELSEWHERE, 403)
        if self._token and not self._knows(request):
            return Refused("Open the address with its token, as it was printed at the start.", 401)
        return None

    def _knows(self, request: Request) -> bool:
        brought = request.query_params.get("token") or request.cookies.get(COOKIE, "")
        return secrets.compare_digest(brought.encode(), self._token.encode())

    def seal(self, request: Request, response: Response) -> None:
        """Add what every answer carries."""
        for name, value in HEADERS.items():
            response.headers[name] = value
        if self._token and request.query_params.get("token"):
            response.set_cookie(COOKIE, self._token, httponly=True, samesite="strict")


def _is_visit(request: Request) -> bool:
    """Return whether a person opens a page, and no other page asks for something behind their back."""
    headers = request.headers
    kind = (headers.get("sec-fetch-mode"), headers.get("sec-fetch-dest"))
    return request.method == "GET" and kind == ("navigate", "document") and "origin" not in headers


def _bare(host: str) -> str:
    """Return the name of a host without its port.

    Examples
    --------
    >>> _bare("localhost:8000"), _bare("[::1]:8000")
    ('localhost', '::1')
    """
    if host.startswith("["):
        return host[1:].partition("]")[0]
    return host.partition(":")[0]
