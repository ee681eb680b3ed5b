"""Rows about messages one by one and about the history of calls and results."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tests.contract.black_box import (
    PREFIX,
    WRONG,
    body,
    called,
    declared,
    function,
    illegal,
    result,
    row,
    user,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from _pytest.mark import ParameterSet

UNANSWERED = (
    f"{PREFIX}an assistant message with 'tool_calls' must be followed by tool messages responding "
    "to each 'tool_call_id'. The following tool_call_ids did not have response messages: "
)


def messages() -> Iterator[ParameterSet]:
    """Roles, field types, parts, media and emptiness, one message at a time."""
    for got, value in (("null", None), *WRONG.items()):
        if got != "object":
            message = illegal("messages", "object", got)
            yield row(got, "message.object", "I", message, body(user(), value))
    for role in ("developer", "function", "User", "SYSTEM", "", None, 5, ["user"], {"is": "user"}):
        sent = body({"role": role, "content": "hi"})
        yield row(str(role), "message.role", "TD", "unsupported role ROLE_UNSPECIFIED", sent)
    yield row("missing", "message.role", "TD", "unsupported role ROLE_UNSPECIFIED", body({}))
    fields = {"content": "string or array", "name": "string", "reasoning_content": "string",
              "tool_calls": "array", "tool_call_id": "string", "tools": "array",
              "partial": "bool"}  # fmt: skip
    for field, expected in fields.items():
        for got, value in WRONG.items():
            if got not in expected.split(" or "):
                message = illegal(f"messages.{field}", expected, got)
                sent = body(user(), {"role": "assistant", "content": "hi", field: value})
                yield row(f"{field}-{got}", "message.fields", "I", message, sent)
    message = illegal("messages.tools", "array", "object")
    yield row("dynamic-tools", "message.fields", "I", message, declared({"type": "function"}))
    parts: tuple[tuple[str, Any], ...] = (
        ("input_audio", {"type": "input_audio"}),
        ("input_text", {"type": "input_text", "text": "x"}),
        ("object", {"text": "x"}),
        ("string", "x"),
        ("null", None),
        ("number", {"type": 5}),
        ("object", {"type": {"is": "text"}}),
    )
    for shown, part in parts:
        message = (
            f"the message at position 1 with role 'user' contains an invalid part type: {shown}"
        )
        sent = body(user(), user([{"type": "text", "text": "x"}, part]))
        yield row(str(part), "message.part_type", "T", message, sent)
    for name, text in (("null", None), ("number", 5)):
        sent = body(user([{"type": "text", "text": "x"}, {"type": "text", "text": text}]))
        yield row(name, "message.text_empty", "CT", "text content is empty", sent)
    yield from media()
    yield from emptiness()


def media() -> Iterator[ParameterSet]:
    """Only base64 data and uploaded files are taken."""
    urls = {"http": "http://pictures.example/a.png", "https": "https://pictures.example/a.png",
            "capitals": "HTTPS://PICTURES.EXAMPLE/A.PNG", "signed": "https://x.example/a?b=1&c=<2>",
            "ftp": "ftp://x.example/a.png", "file": "file:///tmp/a.png", "path": "/home/a.png",
            "bare-base64": "iVBORw0KGgo=", "empty": "", "plain-data": "data:image/png,abc",
            "data-only": "data:"}  # fmt: skip
    for kind in ("image", "video"):
        for name, url in urls.items():
            message = f"{PREFIX}unsupported {kind} url: {url}"
            for form, holder in (("object", {"url": url}), ("text", url)):
                sent = body(user([{"type": f"{kind}_url", f"{kind}_url": holder}]))
                yield row(f"{kind}-{name}-{form}", "message.media_url", "DI", message, sent)
        for name, held in (("null", None), ("no-url", {}), ("number", 5), ("array", [])):
            message = f"{PREFIX}unsupported {kind} url: "
            sent = body(user([{"type": f"{kind}_url", f"{kind}_url": held}]))
            yield row(f"{kind}-{name}", "message.media_url", "DI", message, sent)
    long = f"https://pictures.example/{'a' * 200}"
    message = f"{PREFIX}unsupported image url: {long[:100]}"
    sent = body(user([{"type": "image_url", "image_url": long}]))
    yield row("cut-at-100", "message.media_url", "DI", message, sent)
    for kind, mime in (("image", "image/svg+xml"), ("image", "image/tiff"), ("image", "text/plain"),
                       ("image", ""), ("image", "video/mp4"), ("video", "image/png"),
                       ("video", "video/x-matroska")):  # fmt: skip
        message = f"{PREFIX}unsupported {kind} url: the type {mime} is not supported"
        sent = body(user([{"type": f"{kind}_url", f"{kind}_url": f"data:{mime};base64,AAAA"}]))
        yield row(f"{kind}-{mime}", "message.media_type", "DI", message, sent)


def emptiness() -> Iterator[ParameterSet]:
    """Messages that say nothing, and tools where they may not stand."""
    nothing: tuple[tuple[str, dict[str, Any]], ...] = (
        ("missing", {}), ("null", {"content": None}), ("text", {"content": ""}),
        ("parts", {"content": []}),
    )  # fmt: skip
    for name, content in nothing:
        message = f"{PREFIX}the message at position 1 with role 'assistant' must not be empty"
        sent = body(user(), {"role": "assistant", **content}, user())
        yield row(name, "message.assistant_empty", "T", message, sent)
        sent = body(user(), {"role": "assistant", "reasoning_content": "Hm.", **content})
        yield row(f"{name}-with-reasoning", "message.assistant_empty", "T", message, sent)
        sent = body(user(), {"role": "assistant", "tool_calls": [], **content})
        yield row(f"{name}-no-calls", "message.assistant_empty", "T", message, sent)
        for role in ("user", "system"):
            message = f"{PREFIX}the message at position 1 with role '{role}' must not be empty"
            sent = body(user(), {"role": role, **content})
            yield row(f"{role}-{name}", "message.content_required", "DI", message, sent)
    message = f"{PREFIX}the message at position 0 with role 'system' must not be empty"
    sent = body({"role": "system", "tools": None}, user())
    yield row("null-tools", "message.content_required", "DI", message, sent)
    message = f"{PREFIX}the message at position 2 with role 'tool' must not be empty"
    sent = body(user(), called("a_0"), result("a_0", None))
    yield row("null", "message.tool_content", "TI", message, sent)
    tools = [function()]
    for role, fields in (("user", {}), ("assistant", {}), ("tool", {"tool_call_id": "a_0"})):
        message = f"{PREFIX}the message at position 2 with role '{role}' must not have tools"
        here = {"role": role, "content": "hi", "tools": tools, **fields}
        sent = body(user(), called("a_0"), here)
        yield row(role, "message.tools_role", "CI", message, sent)
    message = (
        f"{PREFIX}the message at position 0 with role 'system' must not have both content and tools"
    )
    for kind, told in {"text": "Use it.", "parts": [{"type": "text", "text": "Use it."}]}.items():
        sent = declared(tools, content=told)
        yield row(kind, "message.tools_alone", "CDI", message, sent)


def history() -> Iterator[ParameterSet]:
    """Calls and their results."""
    for got, value in (("null", None), *WRONG.items()):
        if got != "object":
            message = illegal("messages.tool_calls", "object", got)
            sent = body(user(), {"role": "assistant", "tool_calls": [value]})
            yield row(got, "message.call_shape", "I", message, sent)
            message = illegal("messages.tool_calls.function", "object", got)
            sent = body(user(), {"role": "assistant", "tool_calls": [{"function": value}]})
            yield row(f"function-{got}", "message.call_shape", "I", message, sent)
        if got not in ("string", "null"):
            for key in ("name", "arguments"):
                message = illegal(f"messages.tool_calls.function.{key}", "string", got)
                made = {"id": "a_0", "function": {"name": "a", "arguments": "{}", key: value}}
                sent = body(user(), {"role": "assistant", "tool_calls": [made]}, result("a_0"))
                yield row(f"{key}-{got}", "message.call_shape", "I", message, sent)
    sent = body(user(), called("a_0", "b_1", "a_0"), result("a_0"), result("b_1"))
    yield row("third", "message.call_unique", "T", "tool call id a_0 is duplicated", sent)
    unknown: tuple[tuple[str, str, list[dict[str, Any]]], ...] = (
        ("missing", "", [user(), called("a_0"), {"role": "tool", "content": "x"}]),
        ("null", "", [user(), called("a_0"), result(None)]),
        ("empty", "", [user(), called("a_0"), result("")]),
        ("unknown", "a_1", [user(), called("a_0"), result("a_1")]),
        ("first-message", "a_0", [result("a_0"), user()]),
        ("first-without-id", "", [{"role": "tool", "content": "x"}, user()]),
        ("no-calls", "a_0", [user(), {"role": "assistant", "content": "x"}, result("a_0")]),
        ("earlier-turn", "a_0",
         [user(), called("a_0"), result("a_0"), called("b_0"), result("a_0")]),
        ("between", "a_0",
         [user(), called("a_0"), {"role": "assistant", "content": "x"}, result("a_0")]),
    )  # fmt: skip
    for name, shown, conversation in unknown:
        message = f"{PREFIX}tool_call_id {shown} is not found"
        yield row(name, "message.result_known", "TC", message, body(*conversation))
    unanswered: tuple[tuple[str, str, list[dict[str, Any]]], ...] = (
        ("at-the-end", "a_0", [user(), called("a_0")]),
        ("none-of-two", "b_1, a_0", [user(), called("b_1", "a_0"), user()]),
        ("one-of-two", "b_1", [user(), called("a_0", "b_1"), result("a_0"), user()]),
        ("two-of-three", "a_0, c_2", [user(), called("a_0", "b_1", "c_2"), result("b_1")]),
        ("after-a-user", "a_0", [user(), called("a_0"), user(), result("a_0")]),
        ("first-turn-of-two", "a_0",
         [user(), called("a_0"), user(), called("a_0"), result("a_0")]),
    )  # fmt: skip
    for name, shown, conversation in unanswered:
        yield row(name, "history.unanswered", "T", f"{UNANSWERED}{shown}", body(*conversation))
    switched: dict[str, Any] = {"profile": {"switches": {"reasoning_replay": "refuse"}}}
    for name, reasoning in (("empty", ""), ("null", None)):
        message = (
            "thinking is enabled but reasoning_content is missing in assistant tool call "
            "message at index 1"
        )
        sent = body(user(), called("a_0", reasoning_content=reasoning), result("a_0"))
        yield row(name, "message.reasoning_missing", "T", message, sent, **switched)
