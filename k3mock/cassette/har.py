"""Turns an HTTP archive, as browsers and proxies save it, into interactions; source layer.

An archive says when an answer began, not when each piece of it came: a stream is replayed event by
event, at the usual pace.
"""

from __future__ import annotations

import base64
import binascii
import datetime as dt
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import urlencode, urlsplit

from k3mock.cassette.answer import json_of
from k3mock.cassette.interaction import Interaction, RecordedRequest, RecordedResponse, Timing
from k3mock.cassette.problem import CassetteError, of_disk
from k3mock.jsonvalue import JSONObject, JSONValue, as_int, as_list, as_object, as_text

if TYPE_CHECKING:
    from pathlib import Path

    from k3mock.cassette.interaction import Pairs

CHAT = "/chat/completions"


@dataclass(frozen=True, slots=True, kw_only=True)
class Archive:
    """What an archive holds of use, and why the rest is left out."""

    interactions: tuple[Interaction, ...]
    left_out: tuple[str, ...]


def load_har(path: Path, *, everything: bool = False) -> Archive:
    """Read an archive; of its entries the chat completions, unless everything is wanted.

    Raises:
        CassetteError: the file cannot be read, is no archive, or holds nothing of use.
    """
    try:
        content = as_object(json_of(path.read_bytes().removeprefix(b"\xef\xbb\xbf")))
    except OSError as error:
        raise of_disk(error, path, "the archive cannot be read") from error
    entries = as_list((as_object((content or {}).get("log")) or {}).get("entries"))
    if entries is None:
        raise CassetteError("the file is no HTTP archive", where=str(path),
                            accepted="JSON with log.entries, as a browser's network panel saves it",
                            )  # fmt: skip
    left_out: list[str] = []
    found: list[Interaction] = []
    for number, item in enumerate(entries, 1):
        entry = _entry(as_object(item) or {}, len(found) + 1, everything=everything)
        if isinstance(entry, str):
            left_out.append(f"entry {number}: {entry}")
        else:
            found.append(entry)
    if not found:
        raise CassetteError("the archive holds nothing that can be replayed", where=str(path),
                            found="; ".join(left_out)[:300] or "no entry",
                            accepted="POST …/chat/completions with an answer; --all takes the rest",
                            )  # fmt: skip
    return Archive(interactions=tuple(found), left_out=tuple(left_out))


def _entry(entry: JSONObject, number: int, *, everything: bool) -> Interaction | str:
    """Read an entry; a text says why it is of no use."""
    request = as_object(entry.get("request")) or {}
    response = as_object(entry.get("response")) or {}
    method, url = as_text(request.get("method")) or "", as_text(request.get("url")) or ""
    parts = urlsplit(url)
    shown = f"{method} {parts.scheme}://{parts.hostname}{parts.path}"
    if not method or parts.scheme not in {"http", "https"}:
        return "no HTTP request"
    if not everything and not (method == "POST" and parts.path.endswith(CHAT)):
        return f"{shown} is no chat completion"
    status = as_int(response.get("status")) or 0
    if not 100 <= status <= 599:
        return f"{shown} got no answer"
    body = _content(as_object(response.get("content")) or {})
    if body is None:
        return f"{shown}: the archive does not hold the answer's body"
    return Interaction(
        number=number,
        request=RecordedRequest(
            method=method, uri=url, headers=_pairs(request.get("headers")),
            body=_posted(as_object(request.get("postData")) or {}),
        ),
        response=RecordedResponse(
            status=status, reason=as_text(response.get("statusText")) or "",
            headers=_pairs(response.get("headers")), body=body,
        ),
        timing=Timing(seq=number, at=_instant(entry.get("startedDateTime")),
                      head_us=_head_us(as_object(entry.get("timings")) or {})),
    )  # fmt: skip


def _pairs(value: JSONValue) -> Pairs:
    """Return headers; what belongs to a body's way over the wire is gone already."""
    items = [as_object(item) or {} for item in as_list(value) or []]
    named = (
        ((as_text(item.get("name")) or "").lower(), as_text(item.get("value")) or "")
        for item in items
    )
    gone = {"", "content-encoding", "content-length", "transfer-encoding"}
    return tuple(pair for pair in named if pair[0] not in gone and not pair[0].startswith(":"))


def _posted(data: JSONObject) -> bytes:
    text = as_text(data.get("text"))
    if text is not None:
        return text.encode("utf-8", "surrogatepass")
    fields = [as_object(item) or {} for item in as_list(data.get("params")) or []]
    return urlencode([(str(each.get("name")), str(each.get("value"))) for each in fields]).encode()


def _content(content: JSONObject) -> bytes | None:
    """Return a decoded body; None where the archive says its size but not its text."""
    text = as_text(content.get("text"))
    if text is None:
        return None if as_int(content.get("size")) else b""
    if content.get("encoding") != "base64":
        return text.encode("utf-8", "surrogatepass")
    try:
        return base64.b64decode(text, validate=True)
    except binascii.Error:
        return None


def _instant(value: JSONValue) -> str:
    """Return a moment as recordings write it, or nothing."""
    try:
        moment = dt.datetime.fromisoformat(as_text(value) or "")
    except ValueError:
        return ""
    zoned = moment if moment.tzinfo else moment.replace(tzinfo=dt.UTC)
    return zoned.astimezone(dt.UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def _head_us(timings: JSONObject) -> int:
    """Return the time from sending to the headers; archives write -1 for what they do not know."""
    spent = (timings.get(name) for name in ("send", "wait"))
    return round(1000 * sum(each for each in spent if isinstance(each, int | float) and each > 0))
