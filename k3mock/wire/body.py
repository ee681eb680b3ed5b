"""Turns a generated reply into the body of a whole answer; rules layer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from k3mock.protocol.policy import Escape
from k3mock.protocol.reply import FinishEvent, UsageEvent
from k3mock.wire import channels
from k3mock.wire.calls import CALLING, merged_calls
from k3mock.wire.sse import BOM
from k3mock.wire.text import encode
from k3mock.wire.usage import usage_object

if TYPE_CHECKING:
    from k3mock.jsonvalue import JSONObject
    from k3mock.protocol.policy import WirePolicy
    from k3mock.protocol.reply import Reply
    from k3mock.wire.envelope import Envelope


def encode_body(reply: Reply, envelope: Envelope, policy: WirePolicy) -> bytes:
    """Write a completion: one compact line without a final newline.

    Key order `id, object, created, model, choices, usage`; no `system_fingerprint` (raw captures of
    2026-07 and 2026-09). An explicit finish reason or usage of the events shows here too: of
    several finish reasons the first, of several usages the last.
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
                "finish_reason": _finish(reply),
            }
        ],
    }
    usage = _usage(reply, policy)
    if usage is not None:
        body["usage"] = usage
    escape = policy.html_escape is Escape.ALL
    data = encode({**body, **policy.extra}, escape=escape, only_ascii=policy.ascii)
    return BOM + data if policy.bom else data


def message_object(reply: Reply, policy: WirePolicy) -> JSONObject:
    """Return the message: `role, content, reasoning_content, tool_calls`.

    `content` is always a string at Moonshot, empty when there is none (raw captures).
    """
    message: JSONObject = {"role": "assistant"}
    if policy.null_keys:
        keys = ("content", *channels.reasoning_keys(policy), "tool_calls")
        message |= dict.fromkeys(keys)
    message |= channels.message_values(reply.reasoning, reply.content, policy)
    calls = None
    if not CALLING.isdisjoint(reply.said.kinds):
        calls = merged_calls(reply.events, policy)
    if calls:
        message["tool_calls"] = [*calls]
    return {**message, **policy.extra_message}


def _finish(reply: Reply) -> str | None:
    if FinishEvent not in reply.said.kinds:
        return None if reply.null_finish else reply.finish
    named = (event.reason for event in reply.events if isinstance(event, FinishEvent))
    return next(named, None if reply.null_finish else reply.finish)


def _usage(reply: Reply, policy: WirePolicy) -> JSONObject | None:
    for event in reversed(reply.events if UsageEvent in reply.said.kinds else ()):
        if isinstance(event, UsageEvent) and event.usage:
            return event.usage
    if reply.usage is None:
        return None
    return usage_object(reply.usage, policy, reply.shown_usage)
