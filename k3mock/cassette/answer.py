"""Turns a recorded response into what the model said in it; source layer.

Nothing is refused: a body that is neither a stream nor JSON is shown as text or counted as bytes.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from k3mock.contract.jsontext import JsonTextError, read_json
from k3mock.jsonvalue import JSONObject, JSONValue, as_int, as_list, as_object, as_text
from k3mock.wire.sse import decode

if TYPE_CHECKING:
    from collections.abc import Iterable

    from k3mock.cassette.interaction import Pairs, RecordedResponse

DONE = "[DONE]"
_STREAM_STARTS = (b"data:", b"event:", b"id:", b"retry:", b":")


@dataclass(slots=True, kw_only=True)
class Call:
    """A tool call, its arguments joined."""

    id: str = ""
    name: str = ""
    arguments: str = ""

    def as_json(self) -> JSONObject:
        return {"id": self.id, "name": self.name, "arguments": self.arguments}


@dataclass(slots=True, kw_only=True)
class Answer:
    """What a response says, the deltas of a stream joined.

    Attributes:
        stream: whether the body is an event stream.
        parts: the JSON of each event, or of the whole body; empty where there is none.
        raw: data of events that are no JSON, or a body that is none.
        done: whether `[DONE]` came.
        error: the error object, of an error answer or of an event in a stream.
    """

    stream: bool
    parts: list[JSONValue] = field(default_factory=list)
    raw: list[str] = field(default_factory=list)
    done: bool = False
    reasoning: str = ""
    content: str = ""
    calls: list[Call] = field(default_factory=list)
    finish: str | None = None
    model: str | None = None
    usage: JSONObject | None = None
    error: JSONValue = None

    def as_json(self) -> JSONObject:
        """Return what is there, in the order in which people read it."""
        shown: dict[str, JSONValue] = {
            "model": self.model,
            "reasoning": self.reasoning,
            "content": self.content,
            "tool_calls": [call.as_json() for call in self.calls],
            "finish_reason": self.finish,
            "usage": self.usage,
            "error": self.error,
            "other": [*self.raw],
        }
        return {key: value for key, value in shown.items() if value not in (None, "", [])}


def header(pairs: Pairs, name: str) -> str:
    """Return the first header of a name, or an empty text."""
    return next((value for key, value in pairs if key.lower() == name), "")


def is_stream(response: RecordedResponse) -> bool:
    """Say whether a body is an event stream, whatever its content type claims."""
    if header(response.headers, "content-type").lower().startswith("text/event-stream"):
        return True
    return response.body.removeprefix(b"\xef\xbb\xbf").lstrip().startswith(_STREAM_STARTS)


def json_of(data: bytes | str) -> JSONValue:
    """Return the JSON of a text, None where it is none."""
    try:
        return read_json(data.encode() if isinstance(data, str) else data)
    except JsonTextError:
        return None


def compact(value: JSONValue) -> str:
    """Write JSON without blanks; numbers may be of any size."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def joined(response: RecordedResponse) -> Answer:
    """Read a whole response."""
    if not is_stream(response):
        answer = Answer(stream=False)
        if response.body:
            _read(answer, [response.body.removeprefix(b"\xef\xbb\xbf").decode(errors="replace")])
        return answer
    answer = Answer(stream=True)
    _read(answer, (event.data for event in decode(response.body)))
    return answer


def of_event(data: str) -> Answer:
    """Read one event of a stream."""
    answer = Answer(stream=True)
    _read(answer, [data])
    return answer


def _read(answer: Answer, texts: Iterable[str]) -> None:
    for text in texts:
        value = json_of(text)
        if value is not None:
            answer.parts.append(value)
            _add(answer, as_object(value) or {})
        elif text.strip() == DONE:
            answer.done = True
        else:
            answer.raw.append(text)


def _add(answer: Answer, part: JSONObject) -> None:
    """Take in one chunk, or one whole body."""
    answer.model = as_text(part.get("model")) or answer.model
    answer.usage = as_object(part.get("usage")) or answer.usage
    if part.get("error") is not None:
        answer.error = part["error"]
    for choice in (as_object(item) or {} for item in as_list(part.get("choices")) or []):
        if as_int(choice.get("index")) not in {0, None}:
            continue
        answer.finish = as_text(choice.get("finish_reason")) or answer.finish
        answer.usage = as_object(choice.get("usage")) or answer.usage
        said = as_object(choice.get("delta")) or as_object(choice.get("message")) or {}
        answer.reasoning += _reasoning(said)
        answer.content += text_of(said.get("content"))
        for item in as_list(said.get("tool_calls")) or []:
            _add_call(answer.calls, as_object(item) or {})


def _reasoning(said: JSONObject) -> str:
    """Return the thinking of a message; hosts that send it twice mean it once."""
    for key in ("reasoning_content", "reasoning", "reasoning_details"):
        text = text_of(said.get(key))
        if text:
            return text
    return ""


def text_of(value: JSONValue) -> str:
    """Return a text, or the texts of a list of blocks, joined."""
    if isinstance(value, str):
        return value
    blocks = [as_object(item) or {} for item in as_list(value) or []]
    return "".join(
        as_text(block.get("text")) or as_text(block.get("summary")) or "" for block in blocks
    )


def _add_call(calls: list[Call], item: JSONObject) -> None:
    """Take in a piece of a call: by index, else a new id begins a new call."""
    index, given = as_int(item.get("index")), as_text(item.get("id"))
    if index is not None:
        at = index
    elif given and (not calls or calls[-1].id != given):
        at = len(calls)
    else:
        at = max(len(calls) - 1, 0)
    if not 0 <= at <= len(calls):
        at = len(calls)
    if at == len(calls):
        calls.append(Call())
    call = calls[at]
    function = as_object(item.get("function")) or {}
    call.id = call.id or given or ""
    call.name = call.name or as_text(function.get("name")) or ""
    arguments = function.get("arguments")
    if isinstance(arguments, dict):
        call.arguments += compact(arguments)
    else:
        call.arguments += as_text(arguments) or ""
