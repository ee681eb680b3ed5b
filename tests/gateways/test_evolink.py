"""EvoLink: what its OpenAPI schema allows, three-key errors, whole details of usage."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from tests.contract.black_box import wire
from tests.gateways.table import (
    CALL,
    COUNTS,
    ENDS,
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

NAME = "evolink"
DETAILS = ["prompt_tokens_details", "completion_tokens_details"]
WEATHER = {
    "type": "function",
    "function": {
        "name": "get_weather",
        "description": "The weather in a city",
        "parameters": {
            "type": "object",
            "properties": {"city": {"type": "string", "description": "Name of a city"}},
            "required": ["city"],
        },
    },
}
ASKING = chat_body(turn("user", "How is the weather in Beijing today?"), tools=[WEATHER],
                   tool_choice="auto")  # fmt: skip


def error(
    message: str, code: str | None = "invalid_parameter", kind: str = INVALID
) -> dict[str, Any]:
    """Return an error with its three keys in the gateway's order."""
    return {"message": message, "type": kind, "code": code}


NO_KEY = error("API key is missing or invalid", "invalid_api_key", "authentication_error")
BEFORE = {
    "path.unknown": error("{method} {path} not found", "not_found"),
    "method.wrong": error("{method} is not allowed on {path}", "method_not_allowed"),
    "auth.missing": NO_KEY,
    "auth.unknown_key": NO_KEY,
    "body.size": error("request body too large", "request_too_large"),
    "body.json": error("invalid JSON body: {problem}"),
    "body.object": error("invalid JSON body: expected an object, got {got}"),
}


def required() -> Iterator[ParameterSet]:
    """`model` and `messages`."""
    model = error("model is required (a string)")
    yield refused("absent", "model.required", "S", model, sent=without("model"))
    yield refused("number", "model.required", "S", model, sent=chat_body(model=5))
    other = error("model must be one of: kimi-k3")
    for name in ("kimi-k2-thinking", "gpt-4o", ""):
        sent = chat_body(model=name)
        yield refused(f"as-{name or 'none'}", "model.unknown", "S", other, sent=sent)
    messages = error("messages is required (an array)")
    yield refused("absent", "messages.required", "S", messages, sent=without("messages"))
    yield refused("text", "messages.required", "S", messages, sent=chat_body(messages="hi"))
    empty = error("messages must have at least 1 item")
    yield refused("none", "messages.empty", "S", empty, sent=chat_body(messages=[]))


def parameters() -> Iterator[ParameterSet]:
    """Bounds, enums and types of the schema."""
    value: Any
    cap = error("max_completion_tokens must be an integer between 1 and 1048576")
    for value in (0, -1, 1_048_577, 1.5, "8", True):
        sent = chat_body(max_completion_tokens=value)
        yield refused(f"as-{value}", "cap.range", "S", cap, sent=sent)
    alias = error("max_tokens must be an integer between 1 and 1048576")
    on = {"rules": {"cap.alias": {"enabled": True}}}
    yield refused("zero", "cap.alias", "I", alias, sent=chat_body(max_tokens=0), own=on)
    effort = error("reasoning_effort must be one of: max")
    for word in ("low", "high", "medium", "none", "", 5):
        sent = chat_body(reasoning_effort=word)
        yield refused(f"as-{word}", "reasoning_effort.value", "S", effort, sent=sent)
    for field, kind, value, got in (
        ("stream", "bool", "yes", "string"),
        ("stream_options", "object", True, "bool"),
        ("tools", "array", {}, "object"),
        ("tool_choice", "string or object", [], "array"),
    ):
        text = error(f"{field} must be of type {kind}, got {got}")
        yield refused(field, "types.fields", "S", text, sent=chat_body(**{field: value}))
    usage = error("stream_options.include_usage must be a boolean")
    sent = chat_body(stream_options={"include_usage": "yes"})
    yield refused("text", "stream_options.include_usage", "S", usage, sent=sent)


def tool_rows() -> Iterator[ParameterSet]:
    """Tools and the choice among them."""
    value: Any
    choice: Any
    count = error("tools must have at most 128 items")
    yield refused("129", "tools.count", "S", count, sent=chat_body(tools=tools(129)))
    item = error("tools must hold objects, got string")
    yield refused("text", "tools.item", "S", item, sent=chat_body(tools=["f"]))
    kind = error("tools[].type must be one of: function")
    for name, tool in (("search", {**FUNCTION, "type": "web_search"}),
                       ("absent", {"function": FUNCTION["function"]})):  # fmt: skip
        yield refused(name, "tools.kind", "S", kind, sent=chat_body(tools=[tool]))
    bare = error("tools[].function is required")
    yield refused(
        "absent", "tools.function", "S", bare, sent=chat_body(tools=[{"type": "function"}])
    )

    def declaring(**function: Any) -> dict[str, Any]:
        return chat_body(tools=[{"type": "function", "function": function}])

    shape: dict[str, Any] = {"type": "object", "properties": {}}
    rule = "tools.function_keys"
    nameless = error("tools[].function.name is required (string)")
    yield refused("name", rule, "S", nameless, sent=declaring(parameters=shape))
    yield refused("number", rule, "S", nameless, sent=declaring(name=5, parameters=shape))
    shapeless = error("tools[].function.parameters is required (object)")
    yield refused("parameters", rule, "S", shapeless, sent=declaring(name="f"))
    yield refused("null", rule, "S", shapeless, sent=declaring(name="f", parameters=None))
    yield refused("list", rule, "S", shapeless, sent=declaring(name="f", parameters=[]))
    for field, kind_name, value, got in (
        ("description", "string", 5, "number"), ("strict", "bool", "yes", "string"),
    ):  # fmt: skip
        text = error(f"tools[].function.{field} must be of type {kind_name}, got {got}")
        sent = declaring(name="f", parameters=shape, **{field: value})
        yield refused(field, "tools.function_types", "S", text, sent=sent)
    twice = error("function name f is duplicated")
    yield refused(
        "twice", "tools.duplicate", "I", twice, sent=chat_body(tools=[FUNCTION, FUNCTION])
    )
    word = error("tool_choice must be one of: auto, none, required, or name a function")
    for name, choice in (
        ("any", "any"),
        ("no-function", {"type": "function"}),
        ("no-name", {"type": "function", "function": {}}),
        ("number", {"type": "function", "function": {"name": 5}}),
        ("no-type", {"function": {"name": "f"}}),
    ):
        sent = chat_body(tools=[FUNCTION], tool_choice=choice)
        yield refused(name, "tool_choice.value", "S", word, sent=sent)
    alone = error("tool_choice required needs at least one tool")
    rule = "tool_choice.required_without_tools"
    yield refused("alone", rule, "I", alone, sent=chat_body(tool_choice="required"))


def messages() -> Iterator[ParameterSet]:
    """A role of four, content that is text or null, and whole calls."""
    value: Any
    item = error("messages[0] must be an object, got string")
    yield refused("text", "message.object", "S", item, sent=chat_body("hi"))
    role = error("messages[0].role must be one of: system, user, assistant, tool")
    sent = chat_body(turn("developer"))
    yield refused("developer", "message.role", "S", role, sent=sent)
    yield refused("absent", "message.role", "S", role, sent=chat_body({"content": "hi"}))
    parts = error("messages[0].content must be of type string, got array")
    for name, message in (
        ("text-parts", turn("user", [{"type": "text", "text": "hi"}])),
        ("data-url", picture(PNG)),
        ("public-url", picture(JPEG_URL)),
        ("file", picture("ms://file-1")),
        ("no-parts", turn("user", [])),
    ):
        yield refused(name, "message.fields", "S", parts, sent=chat_body(message))
    for field, kind, value, got in (
        ("content", "string", {"text": "hi"}, "object"),
        ("reasoning_content", "string", 5, "number"),
        ("tool_calls", "array", {}, "object"),
        ("tool_call_id", "string", 5, "number"),
    ):
        text = error(f"messages[1].{field} must be of type {kind}, got {got}")
        sent = chat_body(turn("user"), turn("assistant", "x", **{field: value})
                         if field != "content" else turn("assistant", value))  # fmt: skip
        yield refused(field, "message.fields", "S", text, sent=sent)
    yield from calls()
    lost = error("messages[2].tool_call_id is required on tool messages")
    sent = chat_body(turn("user"), called(), {"role": "tool", "content": "sunny"})
    yield refused("absent", "message.tool_call_id", "I", lost, sent=sent)


def calls() -> Iterator[ParameterSet]:
    """Calls that are sent back: id, type and function, arguments as text."""

    def sent(made: Any) -> dict[str, Any]:
        return chat_body(turn("user"), {**called(), "tool_calls": [made]}, result())

    for name, made, field, kind, got in (
        ("text", "f", "tool_calls", "object", "string"),
        ("no-function", {"id": "f_0", "type": "function"}, "tool_calls.function", "object", "null"),
        ("arguments", {**CALL, "function": {"name": "f", "arguments": {}}},
         "tool_calls.function.arguments", "string", "object"),
        ("name", {**CALL, "function": {"name": 5, "arguments": "{}"}},
         "tool_calls.function.name", "string", "number"),
    ):  # fmt: skip
        text = error(f"messages[1].{field} must be of type {kind}, got {got}")
        yield refused(name, "message.call_shape", "S", text, sent=sent(made))
    for field in ("id", "type"):
        text = error(f"messages[1].tool_calls[].{field} is required (string)")
        without_it = {key: value for key, value in CALL.items() if key != field}
        yield refused(field, "message.call_keys", "S", text, sent=sent(without_it))
        yield refused(f"{field}-5", "message.call_keys", "S", text, sent=sent({**CALL, field: 5}))
    listed = error("messages[1].tool_calls[].type must be one of: function")
    yield refused("plugin", "message.call_type", "S", listed, sent=sent({**CALL, "type": "plugin"}))


def behind() -> Iterator[ParameterSet]:
    """The engine's rules that hold here: history and the window; the code is null."""
    null = error(
        "Invalid request: the message at position 0 with role 'user' must not be empty", None
    )
    sent = chat_body(turn("user", None))
    yield refused("null", "engine:message.content_required", "I", null, sent=sent)
    lost = error("Invalid request: tool_call_id f_9 is not found", None)
    sent = chat_body(turn("user"), called(), result(tool_call_id="f_9"))
    yield refused("other", "engine:message.result_known", "I", lost, sent=sent)


REFUSED = rows(
    transport(
        BEFORE,
        limit=104_857_600,
        paths={"POST /v1/embeddings": "I", "GET /v1/nope": "I"},
        marks={"auth.missing": "S", "auth.unknown_key": "S", "body.json": "S", "body.object": "S"},
    ),
    required(),
    parameters(),
    tool_rows(),
    messages(),
    behind(),
)


@pytest.mark.parametrize("case", REFUSED)
def test_what_the_schema_does_not_allow_is_refused_to_the_byte(
    case: Refused, worlds: Worlds, request: pytest.FixtureRequest
) -> None:
    """Three keys each, and no other."""
    check_refused(NAME, case, worlds, request)
    assert list(case.error) == ["message", "type", "code"]


GONE = ("temperature", "top_p", "frequency_penalty", "presence_penalty", "n", "logprobs",
        "top_logprobs", "logit_bias", "thinking")  # fmt: skip


def accepted() -> Iterator[ParameterSet]:
    """What the schema has, and unknown keys, which never fail it."""
    simple = chat_body(turn("user", "Who is Kimi K3? Three sentences."))
    yield answered("simple", "S", simple, whole=True)
    yield answered("effort", "S", chat_body(reasoning_effort="max"), whole=True,
                   effective={"reasoning_effort": "max"})  # fmt: skip
    yield answered("no-effort", "S", chat_body(), effective={"reasoning_effort": "max"})
    yield answered("no-cap", "S", chat_body(), effective={"max_completion_tokens": 131_072})
    yield answered("cap-1", "S", chat_body(max_completion_tokens=1), end="length",
                   effective={"max_completion_tokens": 1})  # fmt: skip
    yield answered("cap-most", "S", chat_body(max_completion_tokens=1_048_576), whole=True)
    options = chat_body(stream=False, stream_options={"include_usage": True})
    yield answered("options-without-stream", "S", options, whole=True)
    yield answered("weather", "S", ASKING, end="tool_calls", whole=True)
    yield answered("tools-128", "S", chat_body(tools=tools(128)), whole=True)
    strict = {"type": "function", "function": {**FUNCTION["function"], "strict": True}}
    yield answered("strict", "S", chat_body(tools=[strict]), whole=True)
    for name, choice, end in (
        ("auto", "auto", "stop"), ("none", "none", "stop"),
        ("required", "required", "tool_calls"), ("named", NAMED, "tool_calls"),
    ):  # fmt: skip
        sent = chat_body(tools=[FUNCTION], tool_choice=choice)
        yield answered(f"choice-{name}", "S", sent, end=end, whole=True)
    turns = (turn("system", "Be short."), turn("user"), called(), result())
    yield answered("tool-round", "S", chat_body(*turns), whole=True)
    replayed = called(reasoning_content="The weather is needed.")
    yield answered("replay", "S", chat_body(turn("user"), replayed, result()), whole=True)
    yield from unlisted()


def unlisted() -> Iterator[ParameterSet]:
    """Sampling is dropped; `max_tokens`, `stop` and the like are applied."""
    odd = {
        "temperature": 0.2,
        "top_p": 7,
        "n": 2,
        "x_unknown": {"a": 1},
        "thinking": {"type": "disabled"},
        "frequency_penalty": "x",
        "logprobs": True,
    }
    yield answered("odd", "I", chat_body(**odd), gone=GONE, forwarded={"x_unknown": {"a": 1}})
    yield answered("stop", "I", chat_body(stop=["q9", 5]), whole=True)
    yield answered("stop-word", "I", chat_body(stop="q9"))
    yield answered("format", "I", chat_body(response_format="json"))
    alias = chat_body(max_tokens=30)
    yield answered("alias", "I", alias, end="length", effective={"max_completion_tokens": 30})
    both = chat_body(max_tokens=5, max_completion_tokens=3000)
    yield answered("alias-beside", "I", both, effective={"max_completion_tokens": 3000})
    usual = {"effective": {"max_completion_tokens": 131_072}}
    for name, value in (("zero", 0), ("negative", -1), ("text", "8")):
        yield answered(f"alias-{name}", "I", chat_body(max_tokens=value), **usual)
    yield answered("alias-huge", "I", chat_body(max_tokens=9_000_000),
                   effective={"max_completion_tokens": 1_048_490})  # fmt: skip
    yield answered("inner-effort", "I", chat_body(reasoning={"effort": "low"}),
                   effective={"reasoning_effort": "max"})  # fmt: skip
    partial = turn("assistant", "Once upon", partial=True)
    yield answered("partial", "I", chat_body(turn("user"), partial))
    system = {"role": "system", "tools": [FUNCTION]}
    yield answered("dynamic-tools", "I", chat_body(turn("user"), system))
    bogus = turn("system", "Be short.", tools=[{"type": "bogus"}, *tools(200), "x"])
    yield answered("dynamic-bogus", "S", chat_body(bogus, turn("user")))
    nulls = {"stream": None, "tools": None, "tool_choice": None, "max_completion_tokens": None,
             "reasoning_effort": None, "stream_options": None}  # fmt: skip
    yield answered("nulls", "I", chat_body(**nulls))
    nulls = {"reasoning_content": None, "tool_calls": None, "tool_call_id": None, "name": None}
    yield answered("message-nulls", "I", chat_body(turn("user", **nulls)))


ACCEPTED = rows(accepted())


@pytest.mark.parametrize("case", ACCEPTED)
def test_what_the_schema_allows_is_answered(
    case: Answered, server: MockServer, request: pytest.FixtureRequest
) -> None:
    """[S for the shape] Thinking is a text in every message, usage has both details."""
    answer = check_answered(NAME, case, server, request)
    message, usage = answer.message, answer.json["usage"]
    made = ["tool_calls"] if case.end == "tool_calls" else []
    assert list(message) == ["role", "content", "reasoning_content", *made]
    assert isinstance(message["reasoning_content"], str)
    assert list(usage) == [*COUNTS, *DETAILS]
    assert list(usage["prompt_tokens_details"]) == ["cached_tokens"]
    assert list(usage["completion_tokens_details"]) == ["reasoning_tokens"]


def test_calls_are_whole(server: MockServer) -> None:
    """[S] Id, type and a function whose arguments are JSON in a text."""
    answer = ask(server, NAME, "evolink-calls", ASKING)
    [made] = answer.message["tool_calls"]
    assert list(made) == ["id", "type", "function"]
    assert made["id"]
    assert made["type"] == "function"
    assert list(made["function"]) == ["name", "arguments"]
    assert made["function"]["name"] == "get_weather"
    assert set(json.loads(made["function"]["arguments"])) == {"city"}


def test_the_named_function_is_called(server: MockServer) -> None:
    """[S] Whatever the words say."""
    sent = chat_body(tools=[WEATHER, FUNCTION], tool_choice=NAMED)
    [made] = ask(server, NAME, "evolink-named", sent).message["tool_calls"]
    assert made["function"]["name"] == "f"


@pytest.mark.parametrize(
    ("options", "shown"),
    [
        pytest.param({}, False, id="silent"),
        pytest.param({"stream_options": None}, False, id="null"),
        pytest.param({"stream_options": {}}, False, id="empty"),
        pytest.param({"stream_options": {"include_usage": False}}, False, id="false"),
        pytest.param({"stream_options": {"include_usage": True}}, True, id="true"),
    ],
)
def test_a_stream_has_usage_only_if_it_was_wished_for(
    options: dict[str, Any], *, shown: bool, server: MockServer
) -> None:
    """[S] The default is false, and the wish changes no count."""
    sent = chat_body(turn("user", "A short poem about a summer night."))
    session = f"evolink-usage-{len(str(options))}"
    whole = ask(server, NAME, session, sent)
    call(server, f"/__k3mock__/reset?session={session}", method="POST", key=None)
    answer = ask(server, NAME, session, {**sent, "stream": True, **options})
    streamed = check_stream(NAME, answer)
    assert streamed.content == whole.message["content"] != ""
    assert streamed.reasoning == whole.message["reasoning_content"] != ""
    assert streamed.end in ENDS
    assert streamed.usage == (whole.json["usage"] if shown else None)
    entry = journal(server, session)
    assert entry["effective"]["include_usage"] is shown
    assert entry["outcome"]["tokens"] > 0


def test_a_repeated_prompt_shows_what_the_cache_served(server: MockServer) -> None:
    """[S] Within `prompt_tokens`, and zero where there was no hit."""
    first, second = (ask(server, NAME, "evolink-cache", chat_body()).json["usage"]
                     for _ in range(2))  # fmt: skip
    assert first["prompt_tokens_details"] == {"cached_tokens": 0}
    assert second["prompt_tokens_details"] == {"cached_tokens": first["prompt_tokens"]}
    assert first["prompt_tokens"] == second["prompt_tokens"]


def test_thinking_counts_toward_the_cap(server: MockServer) -> None:
    """[S] Eight tokens of it, and no answer."""
    answer = ask(server, NAME, "evolink-small", chat_body(max_completion_tokens=8))
    check_whole(answer)
    assert answer.json["choices"][0]["finish_reason"] == "length"
    assert answer.message["content"] == ""
    usage = answer.json["usage"]
    assert usage["completion_tokens"] == 8
    assert 0 < usage["completion_tokens_details"]["reasoning_tokens"] <= 8


def test_an_answer_without_thinking_has_an_empty_text_of_it(server: MockServer) -> None:
    """[S for the type] One token is the opening of the thinking alone."""
    answer = ask(server, NAME, "evolink-one", chat_body(max_completion_tokens=1))
    assert answer.message["reasoning_content"] == ""
    assert answer.json["usage"]["completion_tokens_details"] == {"reasoning_tokens": 0}


def test_what_the_gateway_does_not_know_is_not_passed_on(server: MockServer) -> None:
    """[I] `partial` and tools of messages; thinking that is sent back stays as it is."""
    past = turn("assistant", "Yes.", reasoning_content="I think.", partial=True)
    declared = {"role": "system", "tools": [FUNCTION]}
    ask(server, NAME, "evolink-passed", chat_body(turn("user"), past, declared, turn("user")))
    passed = journal(server, "evolink-passed")["forwarded"]["messages"]
    kept = turn("assistant", "Yes.", reasoning_content="I think.")
    assert passed == [turn("user"), kept, turn("user")]


def test_an_unknown_tool_of_a_message_is_never_called(server: MockServer) -> None:
    """[I] It was not passed on."""
    sent = chat_body(turn("user", "Call f for Rome"), {"role": "system", "tools": [FUNCTION]})
    assert "tool_calls" not in ask(server, NAME, "evolink-none", sent).message


@pytest.mark.parametrize(
    ("sent", "word"),
    [
        pytest.param({"messages": 5, "stream": 5}, "model", id="model-first"),
        pytest.param({"model": "kimi-k3", "stream": 5}, "messages", id="then-messages"),
        pytest.param(chat_body(max_completion_tokens=0, reasoning_effort="x"),
                     "max_completion_tokens", id="then-the-cap"),
        pytest.param(chat_body(reasoning_effort="x", stream=5), "reasoning_effort",
                     id="then-effort"),
        pytest.param(chat_body(stream=5, tools=5), "stream", id="then-types"),
        pytest.param(chat_body("x", tools=[5]), "tools", id="then-tools"),
        pytest.param(chat_body("x"), "messages[0]", id="then-each-message"),
        pytest.param(chat_body(turn("user", None)), "Invalid request:", id="then-the-engine"),
    ],
)  # fmt: skip
def test_the_first_failure_wins(sent: dict[str, Any], word: str, server: MockServer) -> None:
    """[I] The schema from top to bottom, the messages one by one, then the engine."""
    assert ask(server, NAME, "evolink-order", sent).error["message"].startswith(word)


def test_the_list_of_models_has_one_record(server: MockServer) -> None:
    """[I] The page has no such list."""
    record = b'{"id":"kimi-k3","object":"model","created":1784217600,"owned_by":"evolink"}'
    listed = call(server, at(NAME, "evolink-models", "/v1/models"))
    assert listed.body == b'{"object":"list","data":[' + record + b"]}"
    one = call(server, at(NAME, "evolink-models", "/v1/models/kimi-k3"))
    assert (one.status, one.body) == (200, record)
    check_headers(NAME, one)
    other = call(server, at(NAME, "evolink-models", "/v1/models/gpt-4o"))
    assert (other.status, other.body) == (400, wire(error("model must be one of: kimi-k3")))
