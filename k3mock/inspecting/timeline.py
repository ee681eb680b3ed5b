"""Turns the record of an answer's writes into what a person sees of it; inspecting layer."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from dataclasses import dataclass
from math import isinf
from typing import TYPE_CHECKING

from k3mock.cassette.answer import is_stream, joined
from k3mock.cassette.interaction import RecordedResponse
from k3mock.delivery.step import Abort, Bare, Hold, Start, Wait
from k3mock.inspecting.brief import brief
from k3mock.inspecting.events import Event, Kind, events_of
from k3mock.redact import REDACTED, hide_in, hide_secrets
from k3mock.redaction.rules import NEVER

if TYPE_CHECKING:
    from collections.abc import Sequence

    from k3mock.journal import JournalEntry
    from k3mock.jsonvalue import JSONObject, JSONValue
    from k3mock.writes import Mark


@dataclass(frozen=True, slots=True, kw_only=True)
class Timeline:
    """What left for one request, as it was when this was made.

    Attributes:
        entry: the request.
        sent: the writes: due, made, bytes.
        marks: what else happened.
        response: status, headers and as much of the body as is kept.
        events: what the body consists of.
    """

    entry: JournalEntry
    sent: Sequence[tuple[float, float, bytes]]
    marks: Sequence[Mark]
    response: RecordedResponse
    events: Sequence[Event]

    @property
    def cut(self) -> bool:
        """Whether more was sent than is kept."""
        return len(self.response.body) < self.entry.outcome.bytes

    @property
    def clean(self) -> bool:
        """Whether everything that is kept may be shown."""
        return not any(event.hidden for event in self.events)


def snapshot(entry: JournalEntry) -> tuple[Sequence[tuple[float, float, bytes]], Sequence[Mark]]:
    """Return what was written so far; for the loop that writes, before `timeline` looks at it."""
    return tuple(entry.writes.sent), tuple(entry.writes.marks)


def timeline(
    entry: JournalEntry, sent: Sequence[tuple[float, float, bytes]], marks: Sequence[Mark]
) -> Timeline:
    """Read what was written; long for a long answer."""
    secrets = entry.writes.secrets
    start = next((mark.step for mark in marks if isinstance(mark.step, Start)), None)
    body = b"".join([data for _, _, data in sent])
    response = RecordedResponse(
        status=entry.status or 0 if start is None else start.status,
        headers=() if start is None else start.headers,
        body=body,
    )
    stream = is_stream(response)
    return Timeline(
        entry=entry, sent=sent, marks=marks, response=response,
        events=events_of(body, stream=stream, secrets=secrets),
    )  # fmt: skip


def shown(line: Timeline, *, after: int = -1, limit: int = 1000) -> JSONObject:
    """Return a page of the writes behind number `after`, and all that is beside them."""
    entry = line.entry
    first, last = after + 1, min(after + 1 + limit, len(line.sent))
    return {
        "id": entry.id,
        "running": entry.outcome.end is None,
        "forgotten": entry.writes.forgotten,
        "cut": line.cut,
        "tokens": brief(entry)["tokens"],
        "head": _head(line),
        "writes": _writes(line, first, last),
        "total": len(line.sent),
        "beside": [_beside(line, mark) for mark in line.marks if not isinstance(mark.step, Start)],
        "next": last - 1 if last < len(line.sent) else None,
    }


def answer_of(line: Timeline) -> JSONObject:
    """Return what was said, the pieces of a stream joined."""
    said: JSONValue = joined(line.response).as_json()
    found = hide_in(said, line.entry.writes.secrets)
    return found if isinstance(found, dict) else {}


def _head(line: Timeline) -> JSONObject | None:
    for mark in line.marks:
        if isinstance(mark.step, Start):
            headers: list[JSONValue] = [
                [name, REDACTED if name in NEVER else _clean(value, line)]
                for name, value in mark.step.headers
            ]
            at_ms = _since(line, mark.at_ms)
            return {"at_ms": at_ms, "status": mark.step.status, "headers": headers}
    return None


def _clean(text: str, line: Timeline) -> str:
    data = text.encode("utf-8", "replace")
    return hide_secrets(data, *line.entry.writes.secrets).decode("utf-8", "replace")


def _since(line: Timeline, at_ms: float) -> float:
    return round(at_ms - line.entry.arrived_ms, 3)


def _beside(line: Timeline, mark: Mark) -> JSONObject:
    """Return a silence, bytes past HTTP or an early end."""
    at_ms = _since(line, mark.at_ms)
    match mark.step:
        case Wait() | Hold():
            until = None if isinstance(mark.step, Hold) or isinf(mark.until_ms) else mark.until_ms
            planned = None if until is None else _since(line, until)
            return {"kind": "silence", "at_ms": at_ms, "planned_until_ms": planned}
        case Bare(data=data):
            return {"kind": "fault", "at_ms": at_ms, "what": "bytes past HTTP",
                    "data": _clean(data.decode("utf-8", "replace"), line)}  # fmt: skip
        case Abort(how=how):
            return {"kind": "fault", "at_ms": at_ms, "what": f"end: {how}"}
        case _:
            return {"kind": "other", "at_ms": at_ms}


def _writes(line: Timeline, first: int, last: int) -> list[JSONValue]:
    ends = [event.end for event in line.events]
    at = sum(len(data) for _, _, data in line.sent[:first])
    found: list[JSONValue] = []
    for number in range(first, last):
        due_ms, at_ms, data = line.sent[number]
        here = line.events[bisect_right(ends, at) : bisect_right(ends, at + len(data) - 1) + 1]
        found.append({
            "n": number,
            "planned_ms": _since(line, due_ms) if due_ms else None,
            "at_ms": _since(line, at_ms),
            "bytes": len(data),
            "kind": _kind(here, at, at + len(data)),
            "events": sum(at < event.end <= at + len(data) for event in here),
            "text": "".join(event.text for event in here if at <= event.start
                            and event.kind in {Kind.REASONING, Kind.CONTENT}),
            "data": _data(here, at, data),
        })  # fmt: skip
        at += len(data)
    return found


def _kind(here: Sequence[Event], start: int, end: int) -> str:
    """Return what most bytes of a write carry; a fault is never hidden behind others."""
    sizes: Counter[Kind] = Counter()
    for event in here:
        sizes[event.kind] += min(end, event.end) - max(start, event.start)
    if Kind.FAULT in sizes:
        return Kind.FAULT
    spoken = {kind: size for kind, size in sizes.items() if kind is not Kind.OTHER}
    return max(spoken or sizes, key=sizes.__getitem__, default=Kind.OTHER)


def _data(here: Sequence[Event], at: int, data: bytes) -> str:
    """Return the bytes of a write as text; events that show a secret are left out of it."""
    if not any(event.hidden for event in here):
        return data.decode("utf-8", "replace")
    pieces = [
        f"{REDACTED}\n\n" if event.hidden
        else data[max(0, event.start - at) : event.end - at].decode("utf-8", "replace")
        for event in here
    ]  # fmt: skip
    return "".join(pieces)
