"""Turns a recorded response into the `reply` of a scenario's turn; source layer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from k3mock.cassette.answer import compact, header, joined, json_of
from k3mock.jsonvalue import JSONObject, JSONValue, as_object

if TYPE_CHECKING:
    from collections.abc import Collection

    from k3mock.cassette.answer import Answer, Call
    from k3mock.cassette.interaction import Interaction

_KEPT_HEADERS = ("retry-after", "x-retry-after", "msh-cooldown-seconds")
_ERROR_KEYS = frozenset({"message", "type", "code", "param"})


def reply(interaction: Interaction, offered: Collection[str]) -> JSONValue:
    """Return what a turn says; `offered` are the tools that the request has."""
    response = interaction.response
    answer = joined(response)
    if response.status != 200 or not (answer.stream or _completes(answer)):
        return {"error": _error(interaction, answer)}
    if not interaction.whole or (answer.stream and (answer.error is not None or answer.raw)):
        return {"events": _events(answer, offered, whole=interaction.whole), "omit": [*_OMITTED]}
    shown: dict[str, JSONValue] = {
        "reasoning": answer.reasoning,
        "content": answer.content,
        "tool_calls": [_call(call, offered) for call in answer.calls],
    }
    given = {key: value for key, value in shown.items() if value not in ("", [])}
    if not given:
        given["content"] = ""
    usual = "tool_calls" if answer.calls else "stop"
    if answer.finish != usual:
        given["finish_reason"] = answer.finish
    if answer.usage is not None:
        given["usage"] = answer.usage
    return given


_OMITTED = ("finish", "usage", "done")
"""What an answer that was cut off, or ended in an error, did not send."""


def _completes(answer: Answer) -> bool:
    """Say whether a whole body is a completion."""
    return any((as_object(part) or {}).get("choices") for part in answer.parts)


def _call(call: Call, offered: Collection[str]) -> JSONObject:
    arguments = as_object(json_of(call.arguments))
    exact = arguments is not None and compact(arguments) == call.arguments
    shown: JSONObject = {"name": call.name, "arguments": arguments if exact else call.arguments}
    if call.id:
        shown["id"] = call.id
    if call.name not in offered:
        shown["force"] = True
    return shown


def _events(answer: Answer, offered: Collection[str], *, whole: bool) -> list[JSONValue]:
    """Return what came before the end, then the end as it was."""
    events: list[JSONValue] = []
    if answer.reasoning:
        events.append({"reasoning": answer.reasoning})
    if answer.content:
        events.append({"content": answer.content})
    events += [{"tool_call": _call(call, offered)} for call in answer.calls]
    if answer.error is not None:
        events.append({"raw": f"data: {compact({'error': answer.error})}\n\n"})
    events += [{"raw": f"data: {text}\n\n"} for text in answer.raw]
    if not whole:
        events.append({"disconnect": "unterminated"})
    elif answer.finish is not None:
        events.append({"finish": answer.finish})
    if answer.done:
        events.append("done")
    return events


def _plain(told: JSONObject) -> bool:
    """Say whether an error can be written key by key; braces would be placeholders."""
    return _ERROR_KEYS.issuperset(told) and all(
        isinstance(value, str) and not {"{", "}"} & {*value} for value in told.values()
    )


def _error(interaction: Interaction, answer: Answer) -> JSONObject:
    response = interaction.response
    error: JSONObject = {"status": response.status}
    told = as_object(answer.error)
    body = as_object(answer.parts[0]) if len(answer.parts) == 1 else None
    if told is not None and body == {"error": told} and _plain(told):
        error |= told
    else:
        error["body"] = response.body.decode(errors="replace")
        kind = header(response.headers, "content-type")
        if kind:
            error["content_type"] = kind
    headers: JSONObject = {name: value for name, value in response.headers
                           if name in _KEPT_HEADERS or name.startswith("x-ratelimit-")}  # fmt: skip
    if headers:
        error["headers"] = headers
    return error
