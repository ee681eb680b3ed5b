"""HotRouter: a small table, answers without thinking, three counts, and what strict adds."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from tests.contract.black_box import wire
from tests.gateways.table import (
    COUNTS,
    FUNCTION,
    INVALID,
    JPEG_URL,
    NAMED,
    PNG,
    Answered,
    Refused,
    answered,
    ask,
    at,
    called,
    chat_body,
    check_answered,
    check_headers,
    check_refused,
    check_stream,
    check_whole,
    exchange,
    journal,
    picture,
    refused,
    result,
    rows,
    tools,
    transport,
    turn,
    without,
)
from tests.support import call

if TYPE_CHECKING:
    from collections.abc import Iterator

    from _pytest.mark import ParameterSet

    from k3mock.serving import MockServer
    from tests.contract.black_box import Worlds

NAME = "hotrouter"
STRICT = {"strict": True}


def error(message: str, param: str | None, code: str | None, kind: str = INVALID) -> dict[str, Any]:
    """Return an error with its four keys in the gateway's order."""
    return {"message": message, "type": kind, "param": param, "code": code}


def no_key(message: str) -> dict[str, Any]:
    """Return the refusal of a key."""
    return error(message, None, "invalid_api_key", "authentication_error")


BEFORE = {
    "path.unknown": error("Not found: {method} {path}", None, "not_found", "not_found_error"),
    "method.wrong": error("Method {method} is not allowed on {path}", None, "method_not_allowed"),
    "auth.missing": no_key("Missing or malformed Authorization header"),
    "auth.unknown_key": no_key("Invalid API key"),
    "body.size": error("Request body too large", None, "request_too_large"),
    "body.json": error("The body is not valid JSON: {problem}", None, "invalid_json"),
    "body.object": error("The body must be a JSON object, got {got}", None, "invalid_json"),
}


def required() -> Iterator[ParameterSet]:
    """`model` and `messages`."""
    missing = "missing_required_parameter"
    model = error("model is required (a string)", "model", missing)
    yield refused("absent", "model.required", "S", model, sent=without("model"))
    yield refused("null", "model.required", "S", model, sent=chat_body(model=None))
    for name in ("kimi-k2", "KIMI-K3", ""):
        other = error(f"model must be kimi-k3, got {name}", "model", "model_not_supported")
        yield refused(f"as-{name or 'none'}-{len(name)}{name.isupper()}", "model.unknown", "S",
                      other, sent=chat_body(model=name))  # fmt: skip
    messages = error("messages is required (an array)", "messages", missing)
    yield refused("absent", "messages.required", "S", messages, sent=without("messages"))
    yield refused("text", "messages.required", "S", messages, sent=chat_body(messages="hi"))
    empty = error("messages must not be empty", "messages", "invalid_value")
    yield refused("none", "messages.empty", "I", empty, sent=chat_body(messages=[]))


def parameters() -> Iterator[ParameterSet]:
    """The types of the table; a bare stop word is no array."""
    for field, kind, value, got, mark in (
        ("stream", "bool", "true", "string", "S"),
        ("temperature", "number", "x", "string", "S"),
        ("max_tokens", "integer", 3.5, "number", "S"),
        ("stop", "array", "END", "string", "I"),
        ("tools", "array", {}, "object", "S"),
        ("tool_choice", "string or object", 5, "number", "S"),
        ("response_format", "object", "json_object", "string", "S"),
        ("user", "string", 5, "number", "S"),
    ):
        text = error(f"{field} must be of type {kind}, got {got}", field, "invalid_type")
        yield refused(field, "types.fields", mark, text, sent=chat_body(**{field: value}))
    top_p = error("top_p must be a number between 0 and 1", "top_p", "invalid_value")
    for name, value in (("above", 1.5), ("below", -0.5), ("text", "x")):
        yield refused(name, "top_p.range", "S", top_p, sent=chat_body(top_p=value))
    items = error("stop must be an array of strings, got number", "stop", "invalid_type")
    yield refused("number", "stop.items", "S", items, sent=chat_body(stop=["END", 7]))


def messages() -> Iterator[ParameterSet]:
    """Every message has a role and content."""
    item = error("messages[0] must be an object, got string", "messages", "invalid_type")
    yield refused("text", "message.object", "S", item, sent=chat_body("hi"))
    missing = "missing_required_parameter"
    role = error("messages[0].role is required", "messages", missing)
    yield refused("role", "message.keys", "S", role, sent=chat_body({"content": "hi"}))
    content = error("messages[1].content is required", "messages", missing)
    sent = chat_body(turn("user"), {"role": "user"})
    yield refused("content", "message.keys", "S", content, sent=sent)
    first = error("messages[0].content is required", "messages", missing)
    sent = chat_body({"role": "system", "tools": [FUNCTION]}, turn("user"))
    yield refused("tools-only", "message.keys", "S", first, sent=sent)
    other = error(
        "messages[0].role must be system, user, assistant or tool", "messages", "invalid_value"
    )
    sent = chat_body(turn("developer"))
    yield refused("developer", "message.role", "S", other, sent=sent)
    kind = error(
        "messages[0].content must be of type string or array, got number",
        "messages", "invalid_type",
    )  # fmt: skip
    yield refused("number", "message.fields", "I", kind, sent=chat_body(turn("user", 5)))


def strictly() -> Iterator[ParameterSet]:
    """What the table does not name, in a profile of one's own that is strict."""
    choice = error(
        "tool_choice must be auto, none or a named tool, got required",
        "tool_choice",
        "invalid_value",
    )
    sent = chat_body(tools=[FUNCTION], tool_choice="required")
    yield refused("required", "tool_choice.strict", "S", choice, sent=sent, own=STRICT)
    role = error("messages[2].role must be system, user or assistant", "messages", "invalid_value")
    sent = chat_body(turn("user"), called(), result())
    yield refused("tool", "message.role_strict", "S", role, sent=sent, own=STRICT)


def behind() -> Iterator[ParameterSet]:
    """The engine's rules that hold here: media, history and the window."""

    def rewrapped(text: str) -> dict[str, Any]:
        return error(text, None, None)

    url = rewrapped(f"Invalid request: unsupported image url: {JPEG_URL}")
    sent = chat_body(picture(JPEG_URL))
    yield refused("public", "engine:message.media_url", "I", url, sent=sent)
    null = rewrapped(
        "Invalid request: the message at position 0 with role 'user' must not be empty"
    )
    sent = chat_body(turn("user", None))
    yield refused("null", "engine:message.content_required", "I", null, sent=sent)
    lost = rewrapped("Invalid request: tool_call_id f_9 is not found")
    sent = chat_body(turn("user"), called(), result(tool_call_id="f_9"))
    yield refused("other", "engine:message.result_known", "I", lost, sent=sent)
    cap = rewrapped(
        "Invalid request: Your request exceeded model token limit: 1048576 (requested: 86)"
    )
    yield refused("zero", "engine:cap.range", "I", cap, sent=chat_body(max_tokens=0))


REFUSED = rows(
    transport(
        BEFORE,
        limit=104_857_600,
        paths={"POST /v1/embeddings": "I", "GET /v1/nope": "I"},
        marks={"auth.missing": "S", "body.json": "S", "body.object": "S"},
    ),
    required(),
    parameters(),
    messages(),
    strictly(),
    behind(),
)


@pytest.mark.parametrize("case", REFUSED)
def test_what_the_table_does_not_allow_is_refused_to_the_byte(
    case: Refused, worlds: Worlds, request: pytest.FixtureRequest
) -> None:
    check_refused(NAME, case, worlds, request)


SAMPLING = ("temperature", "top_p", "frequency_penalty", "presence_penalty", "n", "logprobs",
            "top_logprobs", "logit_bias", "thinking")  # fmt: skip


def accepted() -> Iterator[ParameterSet]:
    """The table, and whatever else comes: never a reason to refuse."""
    yield answered("plain", "S", chat_body(), whole=True)
    for value in (0.7, 5, -3, 1e9):
        mark = "S" if value == 0.7 else "I"
        yield answered(f"temperature-{value:g}", mark, chat_body(temperature=value), gone=SAMPLING)
    for value in (0, 1):
        yield answered(f"top-p-{value}", "S", chat_body(top_p=value), gone=SAMPLING)
    yield answered("cap", "S", chat_body(max_tokens=100), end="length", whole=True,
                   effective={"max_completion_tokens": 100})  # fmt: skip
    yield answered("stop-none", "S", chat_body(stop=[]))
    yield answered("stop-seven", "I", chat_body(stop=[f"q{n}" for n in range(7)]), whole=True)
    yield answered("stop-long", "I", chat_body(stop=["x" * 99]))
    yield answered("user", "S", chat_body(user="u1"), whole=True)
    yield answered("tools-many", "I", chat_body(tools=tools(129)), whole=True)
    for name, choice, end in (
        ("auto", "auto", "stop"), ("none", "none", "stop"), ("named", NAMED, "tool_calls"),
    ):  # fmt: skip
        sent = chat_body(tools=[FUNCTION], tool_choice=choice)
        yield answered(f"choice-{name}", "S", sent, end=end, whole=True)
    sent = chat_body(tools=[FUNCTION], tool_choice="required")
    yield answered("choice-required", "I", sent, end="tool_calls", whole=True)
    talk = (turn("system", "Be short."), turn("user"), turn("assistant", "Yes."), turn("user"))
    yield answered("roles", "S", chat_body(*talk), whole=True)
    yield answered("tool-round", "I", chat_body(turn("user"), called(), result()), whole=True)
    yield answered("picture", "I", chat_body(picture(PNG)))
    yield answered("file", "I", chat_body(picture("ms://file-1")))
    yield from unlisted()


def unlisted() -> Iterator[ParameterSet]:
    """Parameters that the table does not have."""
    low = {"effective": {"reasoning_effort": "low"}}
    yield answered("effort-low", "I", chat_body(reasoning_effort="low"), **low)
    most = {"effective": {"reasoning_effort": "max"}}
    for name, value in (("medium", "medium"), ("none", "none"), ("number", 5)):
        yield answered(f"effort-{name}", "I", chat_body(reasoning_effort=value), **most)
    for name, thinking in (("disabled", {"type": "disabled"}), ("text", "off")):
        yield answered(f"thinking-{name}", "I", chat_body(thinking=thinking), gone=SAMPLING, **most)
    odd = {"n": 2, "seed": 1, "x_unknown": {"a": [1]}, "logprobs": True, "logit_bias": {"1": 1}}
    yield answered("odd", "I", chat_body(**odd), gone=SAMPLING, forwarded={"seed": 1})
    typed = {"n": "two", "seed": "x", "presence_penalty": [], "stream_options": 5, "metadata": 1}
    yield answered("odd-types", "I", chat_body(**typed), gone=SAMPLING)
    usual = {"effective": {"max_completion_tokens": 131_072}}
    for name, value in (("zero", 0), ("negative", -5), ("text", "x")):
        sent = chat_body(max_completion_tokens=value)
        yield answered(f"newer-cap-{name}", "I", sent, **usual)
    sent = chat_body(max_completion_tokens=9_000_000)
    yield answered("newer-cap-huge", "I", sent, effective={"max_completion_tokens": 1_048_490})
    sent = chat_body(max_completion_tokens=30)
    yield answered("newer-cap", "I", sent, end="length", effective={"max_completion_tokens": 30})
    partial = turn("assistant", "Once upon", partial=True)
    yield answered("partial", "I", chat_body(turn("user"), partial))


ACCEPTED = rows(accepted())


@pytest.mark.parametrize("case", ACCEPTED)
def test_what_the_table_has_or_does_not_know_is_answered(
    case: Answered, server: MockServer, request: pytest.FixtureRequest
) -> None:
    """[S for the shape] Role and content, and calls where there are some; three counts."""
    answer = check_answered(NAME, case, server, request)
    calls = ["tool_calls"] if case.end == "tool_calls" else []
    assert list(answer.message) == ["role", "content", *calls]
    assert list(answer.json["usage"]) == COUNTS


def test_thinking_is_hidden_but_counted(server: MockServer) -> None:
    """[I] The example has none; the tokens stay among the output."""
    hidden = ask(server, NAME, "hotrouter-hidden", chat_body())
    assert b"reasoning" not in hidden.body
    shown = ask(server, "apiany", "hotrouter-shown", chat_body())
    assert hidden.message["content"] == shown.message["content"]
    counts = (answer.json["usage"]["completion_tokens"] for answer in (hidden, shown))
    assert len(set(counts)) == 1


@pytest.mark.parametrize("thinking", [{"type": "disabled"}, {"type": "enabled"}, None])
def test_thinking_cannot_be_turned_off(thinking: Any, server: MockServer) -> None:
    """[I] The object is ignored: the count is that of any answer."""
    sent = chat_body(thinking=thinking, reasoning_effort="max")
    usage = ask(server, NAME, "hotrouter-off", sent).json["usage"]
    assert usage["completion_tokens"] > 120


def test_a_small_cap_leaves_no_answer(server: MockServer) -> None:
    """[S for the cap] The hidden thinking has used it up."""
    answer = ask(server, NAME, "hotrouter-small", chat_body(max_tokens=8))
    check_whole(answer)
    assert list(answer.message) == ["role", "content"]
    assert answer.message["content"] == ""
    assert answer.json["usage"]["completion_tokens"] == 8


def test_without_stream_there_is_one_body(server: MockServer) -> None:
    """[S] The default is false."""
    for sent in (chat_body(), chat_body(stream=False), chat_body(stream=None)):
        answer = ask(server, NAME, "hotrouter-one", sent)
        assert answer.headers["content-type"].startswith("application/json")
        check_whole(answer)


@pytest.mark.parametrize(
    ("options", "shown"),
    [
        pytest.param({}, False, id="silent"),
        pytest.param({"stream_options": {}}, False, id="empty"),
        pytest.param({"stream_options": 5}, False, id="number"),
        pytest.param({"stream_options": {"include_usage": "yes"}}, False, id="text"),
        pytest.param({"stream_options": {"include_usage": False}}, False, id="false"),
        pytest.param({"stream_options": {"include_usage": True}}, True, id="true"),
    ],
)
def test_a_stream_has_usage_only_if_it_was_wished_for(
    options: dict[str, Any], *, shown: bool, server: MockServer
) -> None:
    """[S for the stream, I for its usage] Chunks hold no thinking at all."""
    session = f"hotrouter-usage-{len(str(options))}"
    answer = ask(server, NAME, session, chat_body(stream=True, **options))
    streamed = check_stream(NAME, answer)
    assert b"reasoning" not in answer.body
    assert (streamed.usage is not None) is shown
    if streamed.usage is not None:
        assert list(streamed.usage) == COUNTS
    assert journal(server, session)["effective"]["include_usage"] is shown


def test_a_stream_says_what_the_whole_answer_says(server: MockServer) -> None:
    """[I] Chunks are OpenAI's."""
    whole = ask(server, NAME, "hotrouter-whole", chat_body())
    sent = chat_body(stream=True, stream_options={"include_usage": True})
    streamed = check_stream(NAME, ask(server, NAME, "hotrouter-stream", sent))
    assert streamed.content == whole.message["content"] != ""
    assert (streamed.reasoning, streamed.end) == ("", "stop")
    assert streamed.usage == whole.json["usage"]


def test_a_repeated_prompt_shows_three_counts_again(server: MockServer) -> None:
    """[S] The example's usage, whatever the cache does."""
    first, second = (
        ask(server, NAME, "hotrouter-cache", chat_body()).json["usage"] for _ in range(2)
    )
    assert first == second
    assert list(second) == COUNTS


def test_neither_content_type_nor_accept_is_needed(server: MockServer) -> None:
    """[S] Both headers are optional."""
    sent = json.dumps(chat_body()).encode()
    head = [f"Content-Length: {len(sent)}"]
    check_whole(exchange(server, at(NAME, "hotrouter-bare"), head, sent))
    headers = {"Content-Type": "text/plain", "Accept": "text/plain"}
    check_whole(ask(server, NAME, "hotrouter-odd", sent, headers=headers))


def test_a_json_object_can_be_forced(server: MockServer) -> None:
    """[S] The content parses as one."""
    asked = turn("user", "Describe a bee as JSON with the keys name and legs.")
    sent = chat_body(asked, response_format={"type": "json_object"})
    content = json.loads(ask(server, NAME, "hotrouter-json", sent).message["content"])
    assert {"name", "legs"} <= set(content)
    odd = ask(server, NAME, "hotrouter-json", chat_body(response_format={"type": "odd"}))
    check_whole(odd)


@pytest.mark.parametrize(("choice", "calls"), [("auto", False), ("none", False), (NAMED, True)])
def test_the_choice_decides_whether_a_tool_is_called(
    choice: Any, *, calls: bool, server: MockServer
) -> None:
    """[S] And a call has its id, type and function, without an index."""
    sent = chat_body(tools=[FUNCTION], tool_choice=choice)
    message = ask(server, NAME, "hotrouter-choice", sent).message
    assert ("tool_calls" in message) is calls
    for made in message.get("tool_calls", []):
        assert list(made) == ["id", "type", "function"]
        assert list(made["function"]) == ["name", "arguments"]


def test_what_is_sent_back_is_not_passed_on(server: MockServer) -> None:
    """[I] Thinking and `partial` of earlier turns."""
    past = turn("assistant", "Yes.", reasoning_content="I think.", partial=True)
    ask(server, NAME, "hotrouter-replay", chat_body(turn("user"), past, turn("user")))
    passed = journal(server, "hotrouter-replay")["forwarded"]["messages"]
    assert passed == [turn("user"), turn("assistant", "Yes."), turn("user")]


@pytest.mark.parametrize(
    "sent",
    [
        pytest.param(chat_body(tools=[FUNCTION], tool_choice="auto"), id="auto"),
        pytest.param(chat_body(tools=[FUNCTION], tool_choice=NAMED), id="named"),
        pytest.param(chat_body(turn("system"), turn("user"), turn("assistant", "x")), id="roles"),
        pytest.param(chat_body(reasoning_effort="low", n=3), id="unlisted"),
    ],
)
def test_a_strict_profile_still_answers_what_the_table_names(
    sent: dict[str, Any], worlds: Worlds
) -> None:
    """[S] Strict is about listed values, not about unlisted parameters."""
    own = {"extends": NAME, "profile": f"my-{NAME}", **STRICT}
    check_whole(call(worlds(own), "/with/session=strict/v1/chat/completions", sent))


@pytest.mark.parametrize(
    ("sent", "param"),
    [
        pytest.param({"messages": 5, "stream": 5}, "model", id="model-first"),
        pytest.param({"model": "kimi-k3", "stream": 5}, "messages", id="then-messages"),
        pytest.param(chat_body(top_p=5, user=5), "user", id="then-types"),
        pytest.param(chat_body("x", top_p=5), "top_p", id="then-ranges"),
        pytest.param(chat_body("x"), "messages", id="then-each-message"),
        pytest.param(chat_body(turn("user", None)), None, id="then-the-engine"),
    ],
)
def test_the_first_failure_wins(
    sent: dict[str, Any], param: str | None, server: MockServer
) -> None:
    """[I] The table, the messages one by one, then the engine."""
    assert ask(server, NAME, "hotrouter-order", sent).error["param"] == param


def test_the_list_of_models_has_one_record(server: MockServer) -> None:
    """[I] The page has no such list."""
    record = b'{"id":"kimi-k3","object":"model","created":1784217600,"owned_by":"hotrouter"}'
    listed = call(server, at(NAME, "hotrouter-models", "/v1/models"))
    assert listed.body == b'{"object":"list","data":[' + record + b"]}"
    one = call(server, at(NAME, "hotrouter-models", "/v1/models/kimi-k3"))
    assert (one.status, one.body) == (200, record)
    check_headers(NAME, one)
    other = call(server, at(NAME, "hotrouter-models", "/v1/models/gpt-4o"))
    unknown = error("model must be kimi-k3, got gpt-4o", "model", "model_not_supported")
    assert (other.status, other.body) == (400, wire(unknown))
