"""Turns one item of a cassette, whoever wrote it, into an interaction; source layer.

vcrpy stores what each client library gave it: header names in any case, bodies as text, bytes,
mappings or nothing, compressed or already decoded. Here all of it becomes one form.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING

from k3mock.cassette import timing as times
from k3mock.cassette.encoding import undo
from k3mock.cassette.interaction import Interaction, RecordedRequest, RecordedResponse
from k3mock.cassette.problem import CassetteError

if TYPE_CHECKING:
    from k3mock.cassette.interaction import Pairs

_AGAIN = "record this interaction again, or remove it from the file"
_REQUEST = ("method", "uri", "body", "headers")
_RESPONSE = ("status", "headers", "body")
_OLD_RESPONSE = ("status_code", "headers", "content")
_NOT_REPLAYED = frozenset({
    "connection", "keep-alive", "proxy-authenticate", "proxy-connection", "te", "trailer",
    "transfer-encoding", "upgrade", "content-length", "date", "server", "set-cookie",
})  # fmt: skip


def replayable(headers: Pairs) -> Pairs:
    """Return the headers that a server may send again: those that belong to the answer itself.

    A `content-encoding` that a loaded cassette still has is true: its body could not be decoded.
    """
    return tuple(pair for pair in headers if pair[0] not in _NOT_REPLAYED)


def interaction(item: object, number: int, name: str) -> tuple[Interaction, tuple[str, ...]]:
    """Return an item's interaction, and what a reader should know about it.

    Raises:
        CassetteError: a part is missing or is not what it must be; `name` is the file's.
    """
    reader = _Reader(f"{name}: interaction {number}")
    parts = reader.mapping(item, "the interaction")
    reader.need(parts, ("request", "response"), "the interaction")
    raw = reader.mapping(parts["response"], "response")
    found, warnings = times.decode(raw[times.KEY]) if times.KEY in raw else (None, ())
    reader.warnings.extend(warnings)
    read = Interaction(
        number=number,
        request=reader.request(reader.mapping(parts["request"], "request")),
        response=reader.response(raw),
        timing=found,
    )
    if found is not None and found.chunks and not times.fits(read):
        total = sum(size for _, size in found.chunks)
        reader.warnings.append(
            f"the recorded writes hold {total} bytes, the body {len(read.response.body)}: the body "
            "was edited or cut, and the recorded times are not used"
        )
    return read, tuple(reader.warnings)


class _Reader:
    """Reads the parts of one item; `where` stands in messages."""

    def __init__(self, where: str) -> None:
        self._where = where
        self.warnings: list[str] = []

    def _wrong(self, what: str, found: object = None, accepted: str | None = None) -> CassetteError:
        shown = None if found is None else repr(found)[:60]
        return CassetteError(
            what, where=self._where, found=shown, accepted=accepted, hint=_AGAIN
        )  # fmt: skip

    def mapping(self, value: object, part: str) -> dict[str, object]:
        if not isinstance(value, dict):
            raise self._wrong(f"{part} is no mapping", value if value is not None else "nothing")
        return {str(name): member for name, member in value.items()}

    def need(self, parts: dict[str, object], names: tuple[str, ...], part: str) -> None:
        missing = [name for name in names if name not in parts]
        if missing:
            raise self._wrong(f"{part} has no {' and no '.join(missing)}", sorted(parts))

    def request(self, raw: dict[str, object]) -> RecordedRequest:
        self.need(raw, _REQUEST, "request")
        more = sorted(set(raw) - set(_REQUEST))
        if more:
            self.warnings.append(f"request has members that vcrpy cannot load: {', '.join(more)}")
        return RecordedRequest(
            method=self.text(raw["method"], "request.method"),
            uri=self.text(raw["uri"], "request.uri"),
            headers=self.headers(raw["headers"], "request.headers"),
            body=self.body(raw["body"], "request.body"),
        )

    def response(self, raw: dict[str, object]) -> RecordedResponse:
        old = "status_code" in raw and "status" not in raw
        self.need(raw, _OLD_RESPONSE if old else _RESPONSE, "response")
        if old:
            code, reason, body = raw["status_code"], "", raw["content"]
        else:
            status = self.mapping(raw["status"], "response.status")
            self.need(status, ("code",), "response.status")
            code, message = status["code"], status.get("message")
            reason = "" if message is None else self.text(message, "response.status.message")
            body = self.stored(raw["body"])
        headers = self.headers(raw["headers"], "response.headers")
        headers, text = self.decoded(headers, self.body(body, "response.body"))
        return RecordedResponse(status=self.code(code), reason=reason, headers=headers, body=text)

    def stored(self, body: object) -> object:
        """Return what `response.body` holds; some writers leave out the level `string`."""
        if not isinstance(body, dict):
            return body
        if "string" not in body:
            raise self._wrong("response.body has no string", sorted(map(str, body)))
        return body["string"]

    def code(self, value: object) -> int:
        if isinstance(value, str) and value.isascii() and value.isdigit():
            value = int(value)
        if isinstance(value, bool) or not isinstance(value, int) or not 100 <= value <= 999:
            raise self._wrong("the status is no HTTP status", value, "a number from 100 to 999")
        return value

    def text(self, value: object, part: str) -> str:
        if isinstance(value, bytes):
            return value.decode("latin-1")
        if isinstance(value, str):
            return value
        raise self._wrong(f"{part} is no text", value if value is not None else "nothing")

    def headers(self, raw: object, part: str) -> Pairs:
        if raw is None:
            return ()
        pairs: list[tuple[str, str]] = []
        for name, values in self.mapping(raw, part).items():
            each = values if isinstance(values, list | tuple) else [values]
            pairs += [(name.lower(), self._header(value, f"{part}.{name}")) for value in each]
        return tuple(pairs)

    def _header(self, value: object, part: str) -> str:
        if isinstance(value, int | float):
            return str(value)
        return self.text(value, part)

    def body(self, value: object, part: str) -> bytes:
        match value:
            case None:
                return b""
            case bytes():
                return value
            case str():
                return self._encoded(value, part)
            case dict() | list():
                # aiohttp hands vcrpy what `json=` was given; this is how it writes it.
                return self._json(value, part)
            case Iterator():
                # An open file is one too.
                return b"".join(self.body(piece, part) for piece in value)
            case _:
                raise self._wrong(f"{part} is no body", value, "text, binary, a mapping or null")

    def _encoded(self, value: str, part: str) -> bytes:
        try:
            return value.encode("utf-8")
        except UnicodeEncodeError as error:
            raise self._wrong(f"{part} holds half of a surrogate pair",
                              value[error.start : error.end]) from error  # fmt: skip

    def _json(self, value: object, part: str) -> bytes:
        try:
            return json.dumps(value, default=str).encode("ascii")
        except (ValueError, TypeError, RecursionError) as error:
            raise self._wrong(f"{part} cannot be written as JSON", str(error)) from error

    def decoded(self, headers: Pairs, body: bytes) -> tuple[Pairs, bytes]:
        """Return headers that are true of the body, which is decoded where that is possible."""
        encodings = [value for name, value in headers if name == "content-encoding"]
        if not encodings:
            return headers, body
        undone = undo(body, encodings)
        if undone.warning is not None:
            self.warnings.append(undone.warning)
        dropped = {"content-encoding"} if undone.body == body else _ABOUT_LENGTH
        kept = tuple(pair for pair in headers if pair[0] not in dropped)
        if undone.left:
            kept += (("content-encoding", ", ".join(undone.left)),)
        return kept, undone.body


_ABOUT_LENGTH = frozenset({"content-encoding", "content-length"})
