"""Turns frames into frames whose bytes follow the host's habits, and SSE bytes back; rules layer.

Bytes are framed once, with LF and one `data:` line, and changed here where a host does otherwise.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from k3mock.protocol.policy import Newline

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from k3mock.protocol.policy import WirePolicy
    from k3mock.wire.frame import Frame

BOM = b"\xef\xbb\xbf"

_NEWLINES: Mapping[Newline, bytes] = {Newline.LF: b"\n", Newline.CRLF: b"\r\n", Newline.CR: b"\r"}
_TOKEN = re.compile(rb'"(?:[^"\\]|\\.)*"|\{\}|\[\]|[{}\[\],:]|[^"{}\[\],:]+')
_LINE_END = re.compile(rb"\r\n|\r|\n")


def deviates(policy: WirePolicy) -> bool:
    """Say whether the host frames its events otherwise than most."""
    return not (
        policy.newline is Newline.LF
        and policy.space_after_colon
        and policy.final_blank_line
        and not (policy.split_data_lines or policy.event_name or policy.bom)
    )


def reframe(frames: Sequence[Frame], policy: WirePolicy) -> tuple[Frame, ...]:
    """Return the frames as this host writes them; literal bytes stay as they are."""
    shown = [
        frame if frame.literal or not frame.data
        else replace(frame, data=_reframed(frame.data, policy))
        for frame in frames
    ]  # fmt: skip
    filled = [at for at, frame in enumerate(shown) if frame.data]
    if filled and not policy.final_blank_line and not shown[filled[-1]].literal:
        last = shown[filled[-1]]
        end = _NEWLINES[policy.newline]
        shown[filled[-1]] = replace(last, data=last.data.removesuffix(end))
    if filled and policy.bom:
        first = shown[filled[0]]
        shown[filled[0]] = replace(first, data=BOM + first.data)
    return tuple(shown)


def comment(text: str, newline: Newline = Newline.LF) -> bytes:
    """Write a comment of a stream: its lines behind colons, then a blank line."""
    lines = b"".join(b":" + line + b"\n" for line in _LINE_END.split(text.encode()))
    return (lines + b"\n").replace(b"\n", _NEWLINES[newline])


def event(data: bytes, name: str = "") -> bytes:
    """Frame data as one event, its lines as `data:` lines; a name is one line."""
    lines = b"".join(b"data: " + line + b"\n" for line in _LINE_END.split(data))
    named = b"event: " + _LINE_END.sub(b" ", name.encode()) + b"\n" if name else b""
    return named + lines + b"\n"


def _reframed(data: bytes, policy: WirePolicy) -> bytes:
    lines = data.split(b"\n")
    said = any(line.startswith(b"event:") for line in lines)
    if policy.event_name and not said and _is_data(lines[0]) and lines[0] != b"data: [DONE]":
        lines.insert(0, b"event: " + policy.event_name.encode())
    if policy.split_data_lines:
        lines = [part for line in lines for part in _split(line)]
    if not policy.space_after_colon:
        lines = [line if line.startswith(b":") else line.replace(b": ", b":", 1) for line in lines]
    return _NEWLINES[policy.newline].join(lines)


def _is_data(line: bytes) -> bool:
    return line.startswith(b"data: ")


def _split(line: bytes) -> list[bytes]:
    payload = line.removeprefix(b"data: ")
    if not _is_data(line) or payload[:1] != b"{":
        return [line]
    return [b"data: " + part for part in pretty(payload).split(b"\n")]


def pretty(data: bytes) -> bytes:
    """Spread compact JSON over indented lines, its strings and numbers untouched."""
    shown: list[bytes] = []
    depth = 0
    for token in _TOKEN.findall(data):
        if token in (b"{", b"["):
            depth += 1
            shown.append(token + b"\n" + b"  " * depth)
        elif token in (b"}", b"]"):
            depth -= 1
            shown.append(b"\n" + b"  " * depth + token)
        elif token == b",":
            shown.append(b",\n" + b"  " * depth)
        else:
            shown.append(b": " if token == b":" else token)
    return b"".join(shown)


@dataclass(frozen=True, slots=True)
class Event:
    """An event as a client reads it; `comments` are those since the event before it."""

    data: str
    event: str = ""
    comments: tuple[str, ...] = ()


class Decoder:
    """Reads SSE bytes in pieces of any size, by the rules of the HTML standard.

    Lines end with LF, CR or CRLF; one byte order mark may start the stream; data lines are joined
    with LF; an event without data is none, and neither is one that no blank line ends. `comments`
    are those that no event has followed yet.
    """

    def __init__(self) -> None:
        self.comments: list[str] = []
        self._buffer = b""
        self._started = False
        self._data: list[str] = []
        self._event = ""

    def feed(self, data: bytes) -> list[Event]:
        """Take more bytes and return the events that they completed."""
        self._buffer += data
        if not self._started:
            if BOM.startswith(self._buffer[:3]) and len(self._buffer) < len(BOM):
                return []
            self._started = True
            self._buffer = self._buffer.removeprefix(BOM)
        events: list[Event] = []
        at = 0
        for end in _LINE_END.finditer(self._buffer):
            if end[0] == b"\r" and end.end() == len(self._buffer):
                break  # The other half of a CRLF may still come.
            events += self._line(self._buffer[at : end.start()].decode(errors="replace"))
            at = end.end()
        self._buffer = self._buffer[at:]
        return events

    def close(self) -> list[Event]:
        """Say that no more bytes come, and return the event that a last CR completed."""
        if not self._buffer.endswith(b"\r"):
            return []
        line, self._buffer = self._buffer[:-1], b""
        return self._line(line.decode(errors="replace"))

    def _line(self, line: str) -> list[Event]:
        if not line:
            return self._dispatch()
        name, _, value = line.partition(":")
        if not name:
            self.comments.append(value)
            return []
        value = value.removeprefix(" ")
        if name == "data":
            self._data.append(value)
        elif name == "event":
            self._event = value
        return []

    def _dispatch(self) -> list[Event]:
        data, name = self._data, self._event
        self._data, self._event = [], ""
        if not data:
            return []
        comments = tuple(self.comments)
        self.comments.clear()
        return [Event("\n".join(data), name, comments)]


def decode(data: bytes) -> list[Event]:
    """Return the events of a whole stream."""
    decoder = Decoder()
    return [*decoder.feed(data), *decoder.close()]
