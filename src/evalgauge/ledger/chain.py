"""One event of a ledger: its canonical text, its hash, and the hash of the event before it.

A ledger grows like a version history. Every event names the event before it, so nothing can be changed, left out or put
in between without breaking a hash. Where two copies of a ledger grew apart and were merged, a merge event names both.
"""

from __future__ import annotations

import hashlib
import json
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import msgspec

if TYPE_CHECKING:
    from collections.abc import Mapping

FORM = 1
SHORT = 10
"""So many digits of a hash name an event on screen."""


class Event(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """One entry of a ledger.

    Attributes
    ----------
    hash
        SHA-256 of ``body``, hexadecimal: the event's name.
    prev
        Hash of the event before it; ``""`` for the first.
    merges
        For a merge the head of the other branch; else ``""``.
    at
        Time in UTC, ISO 8601; later than that of every event before it.
    actor, tool
        Who, and with which version.
    kind, subject
        What happened, and to which set.
    raw
        Its particulars as JSON; ``data`` gives them as a mapping.
    body
        The canonical text that the hash is of.
    """

    hash: str
    prev: str
    merges: str
    at: str
    actor: str
    tool: str
    kind: str
    subject: str
    raw: bytes
    body: str

    @property
    def data(self) -> dict[str, Any]:
        """The particulars. Of twenty thousand looks most are only counted, so they are read when they are wanted."""
        return msgspec.json.decode(self.raw)


class _Envelope(msgspec.Struct, frozen=True, forbid_unknown_fields=True, gc=False):
    v: int
    prev: str
    merges: str
    at: str
    actor: str
    tool: str
    kind: str
    subject: str
    data: msgspec.Raw


_ENVELOPES = msgspec.json.Decoder(_Envelope)


def canonical_json(value: object) -> str:
    r"""Return the one text that a value has: sorted keys, no spaces, ASCII.

    Examples
    --------
    >>> canonical_json({"b": 1, "a": "é"})
    '{"a":"\\u00e9","b":1}'
    """
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=True, allow_nan=False)


def body_hash(body: str) -> str:
    """Return the name of an event: the SHA-256 of its canonical text."""
    return hashlib.sha256(body.encode("utf-8", "surrogatepass")).hexdigest()


def written_event(
    *,
    prev: Event | None,
    kind: str,
    subject: str,
    data: Mapping[str, Any],
    actor: str,
    tool: str,
    merges: Event | None = None,
    now: datetime | None = None,
) -> Event:
    """Return the event that follows another.

    Times never go backwards along a chain, even where a clock does: merged copies can then be read in one order.
    """
    before = [event.at for event in (prev, merges) if event is not None]
    at = _next_time(now or datetime.now(UTC), max(before, default=""))
    body = canonical_json(
        {
            "v": FORM,
            "prev": prev.hash if prev else "",
            "merges": merges.hash if merges else "",
            "at": at,
            "actor": actor,
            "tool": tool,
            "kind": kind,
            "subject": subject,
            "data": data,
        }
    )
    return parsed_event(body)


def parsed_event(body: str, name: str | None = None) -> Event:
    """Return the event of a text; ``name`` is the hash that it was kept under, where it need not be computed again.

    Raises
    ------
    ValueError
        If the text is no event.
    """
    try:
        found = _ENVELOPES.decode(body)
    except msgspec.MsgspecError as error:
        raise ValueError(f"no event of a ledger: {error}") from error
    raw = bytes(found.data)
    if found.v != FORM or not raw.startswith(b"{"):
        raise ValueError("no event of a ledger")
    return Event(
        hash=body_hash(body) if name is None else name,
        prev=found.prev,
        merges=found.merges,
        at=found.at,
        actor=found.actor,
        tool=found.tool,
        kind=found.kind,
        subject=found.subject,
        raw=raw,
        body=body,
    )


def _next_time(now: datetime, before: str) -> str:
    at = now.astimezone(UTC)
    if before and at.isoformat(timespec="microseconds") <= before:
        at = datetime.fromisoformat(before) + timedelta(microseconds=1)
    return at.isoformat(timespec="microseconds")
