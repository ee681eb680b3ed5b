"""Turns what the control API says into HTTP, and what it is asked into checked values."""

from __future__ import annotations

import asyncio
import json
import re
from typing import TYPE_CHECKING

from starlette.responses import Response

from k3mock.asgi.driver import ClientGoneError
from k3mock.errors import did_you_mean
from k3mock.options import MOST_SESSION_CHARS
from k3mock.protocol.failure import mock_error
from k3mock.protocol.policy import WirePolicy
from k3mock.wire.failure import JSON_TYPE, encode_error
from k3mock.wire.text import encode

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from starlette.requests import Request

    from k3mock.asgi.driver import Driver
    from k3mock.journal import JournalEntry
    from k3mock.jsonvalue import JSONObject, JSONValue

PREFIX = "/__k3mock__"
MAX_POSTED_BYTES = 1_000_000
MAX_PAGE = 1000
FILTERS = ("session", "profile", "source", "status", "end", "warning", "text")
VIEWS = ("full", "brief")
_NUMBER = re.compile(r"[0-9]{1,18}", re.ASCII)
_CURSOR = re.compile(r"-1|[0-9]{1,18}", re.ASCII)
HEADERS = {"cache-control": "no-store", "x-content-type-options": "nosniff"}


class ControlError(Exception):
    """A request to the control API that cannot be met; it becomes a mock-made error."""

    def __init__(
        self, status: int, message: str, *, more: JSONObject | None = None, allow: str | None = None
    ) -> None:
        super().__init__(message)
        self.status = status
        self.message = message
        self.more = more or {}
        self.headers = {} if allow is None else {"allow": allow}


def problem(status: int, message: str) -> Response:
    """Return an error that the mock itself makes."""
    return refused(ControlError(status, message))


def refused(found: ControlError) -> Response:
    """Return the answer to what cannot be met."""
    error = mock_error(found.message, status=found.status)
    body, kind = encode_error(error, WirePolicy())
    if found.more:
        body = as_bytes({**json.loads(body), **found.more})
    headers = {**dict(error.headers), **HEADERS, **found.headers}
    return Response(body, found.status, headers, kind)


def answered(value: JSONObject | bytes, status: int = 200) -> Response:
    """Return JSON; bytes are JSON already."""
    body = value if isinstance(value, bytes) else as_bytes(value)
    return Response(body, status, HEADERS, JSON_TYPE)


def as_bytes(value: JSONValue) -> bytes:
    """Write JSON; halves of surrogate pairs, which are no UTF-8, as escapes."""
    try:
        return encode(value, escape=False)
    except TypeError:
        return json.dumps(value, separators=(",", ":")).encode()


def entry_bytes(entry: JournalEntry) -> bytes:
    """Write a journal entry; a body that is nested too deeply is shown as text."""
    shown = entry.as_json()
    try:
        return as_bytes(shown)
    except RecursionError:
        body = entry.raw.decode("utf-8", "replace")
        forwarded = entry.forwarded_raw
        text = None if forwarded is None else forwarded.decode("utf-8", "replace")
        received: JSONObject = {"headers": dict(entry.headers), "body": body}
        return as_bytes({**shown, "received": received, "forwarded": text})


def asked(request: Request, *known: str) -> Mapping[str, str]:
    """Return the query parameters; each is one of the known ones and is given once.

    Raises:
        ControlError: another one, or one that is given twice.
    """
    found = request.query_params.multi_items()
    for name, _ in found:
        if name not in known:
            accepted = did_you_mean(name[:60], known) if known else "none is taken here"
            raise ControlError(400, f"unknown query parameter {name[:60]!r}; {accepted}")
    if len({name for name, _ in found}) < len(found):
        raise ControlError(400, "a query parameter is given twice")
    return dict(found)


def paged(query: Mapping[str, str]) -> tuple[int, int]:
    """Return the cursor to go on behind, and how many may come.

    Raises:
        ControlError: one of them is no number.
    """
    after, limit = query.get("after", "-1"), query.get("limit", "100")
    if not _CURSOR.fullmatch(after) or not _NUMBER.fullmatch(limit):
        raise ControlError(
            400, "limit and after are numbers; after is the `next` of the page before"
        )
    return int(after), min(max(1, int(limit)), MAX_PAGE)


def chosen(query: Mapping[str, str], name: str, known: Sequence[str]) -> str:
    """Return the word that a parameter chooses; the first of the known ones where it is not given.

    Raises:
        ControlError: another word.
    """
    word = query.get(name, known[0])
    if word not in known:
        raise ControlError(400, f"unknown {name} {word[:60]!r}; {did_you_mean(word[:60], known)}")
    return word


def chosen_session(name: str | None) -> str | None:
    """Return the name of a session as it is, where it can be one.

    Raises:
        ControlError: it cannot.
    """
    if name is not None and not 0 < len(name) <= MOST_SESSION_CHARS:
        raise ControlError(400, f"a session's name has 1 to {MOST_SESSION_CHARS} characters")
    return name


def kept_by(query: Mapping[str, str], entry: JournalEntry) -> bool:
    """Say whether a journal entry passes the filters of a query."""
    shown = {
        "session": entry.session,
        "profile": entry.profile,
        "source": entry.source,
        "end": entry.outcome.end,
    }
    return (
        all(shown[name] == query[name] for name in shown if name in query)
        and ("status" not in query or _has_status(query["status"], entry.status))
        and ("warning" not in query or _is_warned(query["warning"], entry))
        and ("text" not in query or _holds(query["text"], entry))
    )


def _has_status(wanted: str, status: int | None) -> bool:
    """Compare a status with one, with a class of them such as `4xx`, or with `none`."""
    found = "none" if status is None else str(status)
    return wanted in {found, f"{found[0]}xx"}


def _is_warned(wanted: str, entry: JournalEntry) -> bool:
    """Say whether a request broke a rule; `any` takes each of them."""
    return any(not found.info and wanted in {found.rule, "any"} for found in entry.warnings)


def _holds(wanted: str, entry: JournalEntry) -> bool:
    """Say whether a text stands in an entry, as it is or as JSON escapes it."""
    wanted = wanted.lower()
    if wanted in f"{entry.id}\n{entry.path}\n{entry.session}\n{entry.source}".lower():
        return True
    raw = entry.raw.lower()
    return any(
        form.encode("utf-8", "replace") in raw for form in (wanted, json.dumps(wanted)[1:-1])
    )


async def posted(request: Request, driver: Driver) -> bytes:
    """Read the body of a request, up to a limit.

    Raises:
        ControlError: it is longer, or the client left before it was whole.
    """
    announced = request.headers.get("content-length", "")
    read = int(announced) if _NUMBER.fullmatch(announced) else 0
    pieces: list[bytes] = []
    more = read <= MAX_POSTED_BYTES
    if more:
        read = 0
    while more and read <= MAX_POSTED_BYTES:
        try:
            message = await driver.receive(request.receive)
        except ClientGoneError:
            raise ControlError(400, "the request ended before its body was whole") from None
        pieces.append(message.get("body", b""))
        read += len(pieces[-1])
        more = message.get("more_body", False)
    if read > MAX_POSTED_BYTES:
        raise ControlError(413, f"the body is longer than {MAX_POSTED_BYTES} bytes")
    return b"".join(pieces)


async def written(entries: Sequence[JournalEntry]) -> list[bytes]:
    """Write journal entries; many bytes in a thread, so that running answers keep their pace."""
    if sum(entry.size for entry in entries) < MAX_POSTED_BYTES // 8:
        return [entry_bytes(entry) for entry in entries]
    return await asyncio.to_thread(lambda: [entry_bytes(entry) for entry in entries])
