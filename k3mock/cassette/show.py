"""Turns interactions into rows, views and text for people and scripts; source layer."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from itertools import accumulate
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from k3mock.cassette.answer import compact, is_stream, joined, json_of, of_event, text_of
from k3mock.jsonvalue import JSONObject, JSONValue, as_int, as_list, as_object, as_text
from k3mock.wire.sse import Decoder

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from k3mock.cassette.answer import Answer
    from k3mock.cassette.interaction import Interaction, Pairs

_BLANK_LINE = re.compile(rb"\r\n\r\n|\n\n|\r\r")

SHORT = 40
"""So much of the last message stands in a row."""

_WIDE = 60
"""So much of an event stands beside its time."""

UNKNOWN_END = "unknown"
"""The end of an answer that was recorded by a tool that does not note it."""

HEADINGS = (
    "#", "request", "model", "last message", "stream", "tools", "status", "tokens", "ms", "end",
)  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Write:
    """One write of the upstream; `at_us` counts from sending the request, None where unknown."""

    at_us: int | None
    data: bytes
    events: tuple[str, ...]

    def as_json(self) -> JSONObject:
        at_ms = None if self.at_us is None else self.at_us / 1000
        return {"at_ms": at_ms, "bytes": len(self.data), "events": [*self.events]}


def printable(text: str) -> str:
    """Return a text that cannot steer a terminal: control characters are written out."""
    return "".join(
        char if char.isprintable() or char in "\n\t" else char.encode("unicode_escape").decode()
        for char in text
    )


def one_line(text: str, size: int = SHORT) -> str:
    """Return the beginning of a text on one line."""
    flat = printable(" ".join(text[: 4 * size].split()))
    return flat if len(flat) <= size and len(text) <= 4 * size else f"{flat[: size - 1]}…"


def path_of(interaction: Interaction) -> str:
    """Return the path of the request."""
    return urlsplit(interaction.request.uri).path or "/"


def duration_us(interaction: Interaction) -> int | None:
    """Return the time from the request to the last write, None where nobody noted it."""
    timing = interaction.timing
    if timing is None:
        return None
    return sum(delta for delta, _ in timing.chunks) or timing.head_us or None


def row(interaction: Interaction) -> JSONObject:
    """Return what a list shows of an interaction."""
    body = as_object(json_of(interaction.request.body)) or {}
    answer = joined(interaction.response)
    took = duration_us(interaction)
    timing = interaction.timing
    return {
        "number": interaction.number,
        "method": interaction.request.method,
        "path": path_of(interaction),
        "model": as_text(body.get("model")),
        "last": _last(body),
        "stream": body.get("stream") is True,
        "tools": len(as_list(body.get("tools")) or []),
        "status": interaction.response.status,
        "tokens": _tokens(answer),
        "ms": None if took is None else round(took / 1000, 1),
        "end": UNKNOWN_END if timing is None else str(timing.end),
    }


def _last(body: JSONObject) -> str:
    messages = as_list(body.get("messages")) or []
    last = (as_object(messages[-1]) if messages else None) or {}
    text = text_of(last.get("content"))
    role = as_text(last.get("role")) or "?"
    return f"{role}: {one_line(text)}" if last else ""


def _tokens(answer: Answer) -> JSONValue:
    usage = answer.usage
    if usage is None:
        return None
    return {
        "prompt": as_int(usage.get("prompt_tokens")),
        "completion": as_int(usage.get("completion_tokens")),
    }


def table(interactions: Iterable[Interaction]) -> str:
    """Return rows in columns, under headings."""
    cells = [HEADINGS, *(_cells(row(each)) for each in interactions)]
    widths = [max(len(line[at]) for line in cells) for at in range(len(HEADINGS))]
    lines = ("  ".join(text.ljust(width) for text, width in zip(line, widths, strict=True))
             for line in cells)  # fmt: skip
    return "\n".join(line.rstrip() for line in lines)


def _cells(shown: JSONObject) -> tuple[str, ...]:
    tokens = as_object(shown["tokens"])
    counts = "" if tokens is None else f"{tokens['prompt']}+{tokens['completion']}"
    took = shown["ms"]
    return (
        str(shown["number"]),
        printable(f"{shown['method']} {shown['path']}"),
        printable(str(shown["model"] or "")),
        str(shown["last"]),
        "yes" if shown["stream"] else "no",
        str(shown["tools"]),
        str(shown["status"]),
        counts,
        "" if took is None else f"{took:.0f}" if isinstance(took, float) else str(took),
        str(shown["end"]),
    )


def writes(interaction: Interaction) -> tuple[Write, ...]:
    """Return the writes of a response with the events that each completed.

    Without a valid timing a stream is one write for each event, and any other body is one write.
    """
    body = interaction.response.body
    stream = is_stream(interaction.response)
    timing = interaction.timing
    if timing is not None and sum(size for _, size in timing.chunks) == len(body):
        times: list[int | None] = [*accumulate(delta for delta, _ in timing.chunks)]
        ends = [*accumulate(size for _, size in timing.chunks)]
    else:
        ends = [*_event_ends(body)] if stream else [len(body)] if body else []
        times = [None] * len(ends)
    decoder = Decoder()
    found: list[Write] = []
    begin = 0
    for at_us, end in zip(times, ends, strict=True):
        data = body[begin:end]
        done = tuple(event.data for event in decoder.feed(data)) if stream else ()
        found.append(Write(at_us=at_us, data=data, events=done))
        begin = end
    return tuple(found)


def _event_ends(body: bytes) -> Iterator[int]:
    ends = [found.end() for found in _BLANK_LINE.finditer(body)]
    yield from ends
    if body and (not ends or ends[-1] < len(body)):
        yield len(body)


def view(interaction: Interaction) -> JSONObject:
    """Return all that there is to know of an interaction."""
    request, response, timing = interaction.request, interaction.response, interaction.timing
    return {
        "number": interaction.number,
        "request": {
            "method": request.method,
            "uri": request.uri,
            "headers": _headers(request.headers),
            "body": _body(request.body),
        },
        "response": {
            "status": response.status,
            "reason": response.reason,
            "headers": _headers(response.headers),
            "bytes": len(response.body),
        },
        "answer": joined(response).as_json(),
        "timing": None if timing is None else {
            "seq": timing.seq,
            "at": timing.at,
            "head_ms": timing.head_us / 1000,
            "end": str(timing.end),
            "error": timing.error,
            "enc": timing.enc,
            "redacted": [*timing.redacted],
        },
        "writes": [each.as_json() for each in writes(interaction)],
    }  # fmt: skip


def _headers(pairs: Pairs) -> JSONValue:
    return [[name, value] for name, value in pairs]


def _body(data: bytes) -> JSONValue:
    value = json_of(data)
    return data.decode(errors="replace") if value is None else value


def text_view(interaction: Interaction) -> str:
    """Return the same for people: request, joined answer, writes with their events."""
    request, response, timing = interaction.request, interaction.response, interaction.timing
    lines = [f"#{interaction.number}  {request.method} {request.uri}"]
    lines += [f"  {name}: {value}" for name, value in request.headers]
    lines += _indented(_pretty(request.body))
    lines += ["", f"answer  {response.status} {response.reason}".rstrip()]
    lines += [f"  {name}: {value}" for name, value in response.headers]
    if timing is not None:
        lines.append(f"  recorded {timing.at or 'at an unknown time'}, headers after "
                     f"{timing.head_us / 1000:.1f} ms, end: {timing.end}"
                     + (f" ({timing.error})" if timing.error else ""))  # fmt: skip
    for label, value in joined(response).as_json().items():
        lines += _labelled(label, value)
    shown = writes(interaction)
    lines += ["", f"writes  {len(shown)}, {len(response.body)} bytes"]
    for each in shown:
        at = "       –" if each.at_us is None else f"{each.at_us / 1000:8.1f}"
        lines.append(f"  {at} ms {len(each.data):7d} bytes  {_first(each)}")
    return printable("\n".join(lines))


def _labelled(label: str, value: JSONValue) -> list[str]:
    if label == "tool_calls":
        calls = [as_object(call) or {} for call in as_list(value) or []]
        return [f"  tool call: {call['name']}({call['arguments']}) {call['id']}" for call in calls]
    text = value if isinstance(value, str) else compact(value)
    return [f"  {label}: {text}"] if "\n" not in text else [f"  {label}:", *_indented(text)]


def _pretty(data: bytes) -> str:
    value = json_of(data)
    if value is None:
        return data.decode(errors="replace")
    return json.dumps(value, ensure_ascii=False, indent=2)


def _indented(text: str) -> list[str]:
    return [f"    {line}" for line in text.splitlines()]


def _first(write: Write) -> str:
    """Return what a write says: the model's words in its first event, and how many more it has."""
    if not write.events:
        return one_line(write.data.decode(errors="replace"), _WIDE)
    more = f" (+{len(write.events) - 1})" if len(write.events) > 1 else ""
    return one_line(_brief(write.events[0]), _WIDE) + more


def _brief(data: str) -> str:
    said = of_event(data)
    calls = (f"{call.name}({call.arguments}" if call.name else call.arguments
             for call in said.calls)  # fmt: skip
    told = {
        "reasoning": said.reasoning,
        "content": said.content,
        "tool call": ", ".join(calls),
        "finish": said.finish,
        "usage": said.usage and compact(said.usage),
        "error": said.error and compact(said.error),
    }
    return "; ".join(f"{label}: {text}" for label, text in told.items() if text) or data
