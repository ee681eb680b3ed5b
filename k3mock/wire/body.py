"""Turns a generated reply into the body of a whole answer; rules layer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from k3mock.protocol.policy import Absent, Escape, ReasoningField
from k3mock.wire.text import encode
from k3mock.wire.usage import usage_object

if TYPE_CHECKING:
    from k3mock.jsonvalue import JSONObject, JSONValue
    from k3mock.protocol.policy import WirePolicy
    from k3mock.protocol.reply import Reply
    from k3mock.wire.envelope import Envelope


def encode_body(reply: Reply, envelope: Envelope, policy: WirePolicy) -> bytes:
    """Write a completion: one compact line without a final newline.

    Key order `id, object, created, model, choices, usage`; no `system_fingerprint` (raw captures of
    2026-07 and 2026-09).
    """
    body: JSONObject = {
        "id": envelope.id,
        "object": "chat.completion",
        "created": envelope.created,
        "model": envelope.model,
        "choices": [
            {
                "index": 0,
                "message": message_object(reply, policy),
                "finish_reason": reply.finish,
            }
        ],
    }
    if reply.usage is not None:
        body["usage"] = usage_object(reply.usage, policy)
    return encode(body, escape=policy.html_escape is Escape.ALL)


def message_object(reply: Reply, policy: WirePolicy) -> JSONObject:
    """Return the message: `role, content, reasoning_content, tool_calls`.

    `content` is always a string, empty when there is none (raw captures).
    """
    message: JSONObject = {"role": "assistant", "content": reply.content}
    if policy.reasoning_field is ReasoningField.HIDDEN:
        pass
    elif reply.reasoning:
        message["reasoning_content"] = reply.reasoning
    elif policy.absent_channel is not Absent.OMIT:
        message["reasoning_content"] = None if policy.absent_channel is Absent.NULL else ""
    calls: list[JSONValue] = [
        {
            **({"index": call.index} if policy.tool_index_in_body else {}),
            "id": call.id,
            "type": "function",
            "function": {"name": call.name, "arguments": call.arguments},
        }
        for call in reply.calls
    ]
    if calls:
        message["tool_calls"] = calls
    return message
