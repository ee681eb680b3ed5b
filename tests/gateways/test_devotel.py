"""Devotel: its parameter table, its caps and its 404, and what it forwards unchanged."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.contract.black_box import JSON_TYPE, wire
from tests.gateways.table import (
    CALL,
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
    details,
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
from tests.support import CHAT, call

if TYPE_CHECKING:
    from collections.abc import Iterator

    from _pytest.mark import ParameterSet

    from k3mock.serving import MockServer
    from tests.contract.black_box import Worlds

NAME = "devotel"
HAIKU = chat_body(turn("user", "write a haiku about proxies"))
LIMIT = 2_097_152


def error(message: str, param: str | None, code: str | None, kind: str = INVALID) -> dict[str, Any]:
    """Return an error with its four keys in the gateway's order."""
    return {"message": message, "type": kind, "param": param, "code": code}


def wrong(field: str, expected: str) -> dict[str, Any]:
    """Return the refusal of a value of a listed parameter."""
    return error(f"Invalid value for '{field}': expected {expected}.", field, "invalid_value")


def bad_message(problem: str) -> dict[str, Any]:
    """Return the refusal of a message."""
    return error(f"Invalid value for 'messages{problem}.", "messages", "invalid_value")


TOO_LARGE = error("Request body too large. The limit is 2 MB.", None, "request_too_large")
BEFORE = {
    "path.unknown": error(
        "Unknown request URL: {method} {path}. Please check the URL for typos.", None, "unknown_url"
    ),
    "method.wrong": error("Not allowed to {method} on {path}.", None, "method_not_allowed"),
    "auth.missing": error("You did not provide a valid API key.", None, "invalid_api_key"),
    "auth.unknown_key": error("Incorrect API key provided.", None, "invalid_api_key"),
    "body.size": TOO_LARGE,
    "body.json": error("Invalid JSON body: {problem}.", None, "invalid_json"),
    "body.object": error("Invalid JSON body: expected an object, got {got}.", None, "invalid_json"),
}
UNKNOWN_PATHS = {
    "POST /v1/embeddings": "S",
    "POST /v1/completions": "S",
    "POST /v1/images/generations": "S",
    "GET /v1/nope": "S",
    "POST /v1/responses": "S",
    "GET /v1/credits/balance": "S",
}


def required() -> Iterator[ParameterSet]:
    """`model` and `messages`."""
    text = "Missing required parameter: '{}' ({})."
    missing = "missing_required_parameter"
    model = error(text.format("model", "a string"), "model", missing)
    yield refused("absent", "model.required", "S", model, sent=without("model"))
    yield refused("null", "model.required", "S", model, sent=chat_body(model=None))
    yield refused("number", "model.required", "S", model, sent=chat_body(model=5))
    unknown = error("The model 'gpt-4o' does not exist.", "model", "model_not_found")
    yield refused(
        "other", "model.unknown", "I", unknown, status=404, sent=chat_body(model="gpt-4o")
    )
    messages = error(text.format("messages", "an array"), "messages", missing)
    yield refused("absent", "messages.required", "S", messages, sent=without("messages"))
    yield refused("text", "messages.required", "S", messages, sent=chat_body(messages="hi"))
    empty = wrong("messages", "at least one message")
    yield refused("none", "messages.empty", "S", empty, sent=chat_body(messages=[]))


def parameters() -> Iterator[ParameterSet]:
    """The listed parameters, in the order of the table."""
    value: Any
    stream = wrong("stream", "a boolean")
    for name, value in (("text", "yes"), ("number", 1)):
        yield refused(name, "stream.type", "S", stream, sent=chat_body(stream=value))
    options = wrong("stream_options", "an object")
    yield refused("list", "stream_options.type", "S", options, sent=chat_body(stream_options=[]))
    temperature = wrong("temperature", "a number between 0 and 2")
    for name, value in (("above", 2.1), ("below", -0.1), ("text", "hot"), ("true", True)):
        sent = chat_body(temperature=value)
        yield refused(name, "temperature.range", "S", temperature, sent=sent)
    top_p = wrong("top_p", "a number between 0 and 1")
    for name, value in (("above", 1.01), ("below", -0.01), ("text", "x")):
        yield refused(name, "top_p.range", "S", top_p, sent=chat_body(top_p=value))
    cap = wrong("max_tokens", "an integer of at least 1")
    for name, value in (("zero", 0), ("negative", -5), ("fraction", 1.5), ("text", "10")):
        yield refused(name, "max_tokens.range", "S", cap, sent=chat_body(max_tokens=value))
    stop = wrong("stop", "a string or an array")
    yield refused("number", "stop.type", "S", stop, sent=chat_body(stop=7))
    items = error(
        "Invalid value for 'stop': expected strings, got number.", "stop", "invalid_value"
    )
    yield refused("numbers", "stop.items", "S", items, sent=chat_body(stop=[1]))
    five = wrong("stop", "at most 4 strings")
    yield refused("five", "stop.count", "S", five, sent=chat_body(stop=list("abcde")))


def tool_rows() -> Iterator[ParameterSet]:
    """Tools and the choice among them."""
    value: Any
    yield refused("object", "tools.type", "S", wrong("tools", "an array"), sent=chat_body(tools={}))
    text = wrong("tools", "function definitions, got string")
    yield refused("text", "tools.item", "S", text, sent=chat_body(tools=["f"]))
    kind = wrong("tools", "function definitions, got the type 'web_search'")
    sent = chat_body(tools=[{"type": "web_search"}])
    yield refused("search", "tools.kind", "S", kind, sent=sent)
    bare = wrong("tools", "function definitions")
    yield refused("bare", "tools.function", "S", bare, sent=chat_body(tools=[{"type": "function"}]))
    choice = wrong("tool_choice", "a string or an object")
    sent = chat_body(tools=[FUNCTION], tool_choice=5)
    yield refused("number", "tool_choice.type", "S", choice, sent=sent)
    word = wrong("tool_choice", "auto, none, required or a named function")
    unnamed: list[Any] = [
        {"type": "function"},
        {"type": "function", "function": {}},
        {"function": {}},
    ]
    for name, value in (("any", "any"), *((f"unnamed-{n}", it) for n, it in enumerate(unnamed))):
        sent = chat_body(tools=[FUNCTION], tool_choice=value)
        yield refused(name, "tool_choice.value", "S", word, sent=sent)
    lonely = error(
        "Invalid value for 'tool_choice': 'required' needs at least one tool.",
        "tool_choice", "invalid_value",
    )  # fmt: skip
    rule = "tool_choice.required_without_tools"
    yield refused("alone", rule, "I", lonely, sent=chat_body(tool_choice="required"))
    stranger = error(
        "Invalid value for 'tool_choice': the function 'f' is not among the tools.",
        "tool_choice", "invalid_value",
    )  # fmt: skip
    rule = "tool_choice.named_unoffered"
    yield refused("alone", rule, "I", stranger, sent=chat_body(tool_choice=NAMED))
    sent = chat_body(tools=tools(2), tool_choice=NAMED)
    yield refused("other", rule, "I", stranger, sent=sent)


def messages() -> Iterator[ParameterSet]:
    """Roles and what each of them needs."""
    item = bad_message("': expected objects, got string")
    yield refused("text", "message.object", "I", item, sent=chat_body("hi"))
    role = bad_message("[0].role': expected system, user, assistant or tool")
    sent = chat_body(turn("developer"))
    yield refused("developer", "message.role", "S", role, sent=sent)
    yield refused("absent", "message.role", "S", role, sent=chat_body({"content": "hi"}))
    second = bad_message("[1].role': expected system, user, assistant or tool")
    sent = chat_body(turn("user"), turn("function"))
    yield refused("second", "message.role", "S", second, sent=sent)
    form = bad_message("[0].content': expected string or array")
    sent = chat_body(turn("user", {"text": "hi"}))
    yield refused("content", "message.fields", "S", form, sent=sent)
    calls = bad_message("[0].tool_calls': expected array")
    sent = chat_body(turn("assistant", None, tool_calls={}), turn("user"))
    yield refused("calls", "message.fields", "S", calls, sent=sent)
    null = bad_message("[0].content': it may be null only on assistant turns that call tools")
    system = {"role": "system", "tools": [FUNCTION]}
    for name, first in (
        ("user", turn("user", None)),
        ("system", turn("system", None)),
        ("assistant", turn("assistant", None)),
        ("no-calls", turn("assistant", None, tool_calls=[])),
        ("absent", {"role": "user"}),
        ("tools", system),
    ):
        sent = chat_body(first, turn("user"))
        yield refused(name, "message.content_null", "S", null, sent=sent)
    part = bad_message("[0].content': unknown part type 'input_audio'")
    sent = chat_body(turn("user", [{"type": "input_audio"}]))
    yield refused("audio", "message.part_type", "S", part, sent=sent)
    lost = error(
        "Missing required parameter: 'messages[2].tool_call_id'.",
        "messages", "missing_required_parameter",
    )  # fmt: skip
    for name, given in (("absent", {}), ("empty", {"tool_call_id": ""})):
        answer = {"role": "tool", "content": "sunny", **given}
        sent = chat_body(turn("user"), called(), answer)
        yield refused(name, "message.tool_call_id", "S", lost, sent=sent)


def behind() -> Iterator[ParameterSet]:
    """What only the engine refuses: its text and status, the gateway's four keys."""

    def rewrapped(text: str) -> dict[str, Any]:
        return error(text, None, None)

    two = rewrapped("invalid n: only 1 is allowed for this model")
    yield refused("two", "engine:n.fixed", "I", two, sent=chat_body(n=2))
    effort = rewrapped(
        "Invalid request: invalid reasoning_effort: only low, high, max are allowed for this model"
    )
    sent = chat_body(reasoning_effort="medium")
    yield refused("medium", "engine:reasoning_effort.value", "I", effort, sent=sent)
    disabled = rewrapped("invalid thinking: only type=enabled is allowed for this model")
    sent = chat_body(thinking={"type": "disabled"})
    yield refused("disabled", "engine:thinking.disabled", "I", disabled, sent=sent)
    url = rewrapped(f"Invalid request: unsupported image url: {JPEG_URL}")
    sent = chat_body(picture(JPEG_URL))
    yield refused("public", "engine:message.media_url", "I", url, sent=sent)
    long = rewrapped("Invalid request: stop must not be longer than 32 bytes")
    yield refused("long", "engine:stop.bytes", "I", long, sent=chat_body(stop="x" * 33))
    cap = rewrapped(
        "Invalid request: Your request exceeded model token limit: 1048576 (requested: 1048666)"
    )
    sent = chat_body(max_tokens=1_048_577)
    yield refused("huge", "engine:cap.range", "I", cap, sent=sent)
    count = rewrapped("Invalid request: tools must not have more than 128 items")
    yield refused("129", "engine:tools.count", "I", count, sent=chat_body(tools=tools(129)))
    penalty = rewrapped(
        "Invalid request: the `presence_penalty` field in the request (expected type number) is "
        "illegal, and string is not acceptable"
    )
    sent = chat_body(presence_penalty="x")
    yield refused("penalty", "engine:types.fields", "I", penalty, sent=sent)


REFUSED = rows(
    transport(
        BEFORE,
        limit=LIMIT,
        paths=UNKNOWN_PATHS,
        marks={"body.size": "S"},
    ),
    required(),
    parameters(),
    tool_rows(),
    messages(),
    behind(),
)


@pytest.mark.parametrize("case", REFUSED)
def test_what_the_table_does_not_allow_is_refused_to_the_byte(
    case: Refused, worlds: Worlds, request: pytest.FixtureRequest
) -> None:
    check_refused(NAME, case, worlds, request)


def accepted() -> Iterator[ParameterSet]:
    """The ends of the ranges, every documented form, and whatever is not listed."""
    value: Any
    yield answered("plain", "S", chat_body())
    for value in (0, 0.7, 1, 2, 1.0):
        yield answered(f"temperature-{value}", "S", chat_body(temperature=value), whole=True)
    for value in (0, 0.5, 1):
        yield answered(f"top-p-{value}", "S", chat_body(top_p=value), whole=True)
    yield answered("cap-1", "S", chat_body(max_tokens=1), end="length",
                   effective={"max_completion_tokens": 1})  # fmt: skip
    yield answered("no-cap", "I", chat_body(), effective={"max_completion_tokens": 131_072})
    both = chat_body(max_tokens=5, max_completion_tokens=2000)
    yield answered("two-caps", "I", both, effective={"max_completion_tokens": 2000}, whole=True)
    yield answered("stop-word", "S", chat_body(stop="zebra"))
    yield answered("stop-four", "S", chat_body(stop=["q9", "q8", "q7", "q6"]))
    yield answered("choice-auto", "S", chat_body(tools=[FUNCTION], tool_choice="auto"))
    yield answered("choice-none", "S", chat_body(tools=[FUNCTION], tool_choice="none"))
    for name, value in (("required", "required"), ("named", NAMED)):
        sent = chat_body(tools=[FUNCTION], tool_choice=value)
        yield answered(f"choice-{name}", "S", sent, end="tool_calls", whole=True)
    bare = {"type": "function", "function": {"name": "f"}}
    yield answered("no-parameters", "I", chat_body(tools=[bare]))
    turns = (turn("system", "Be short."), turn("user"), called(), result())
    yield answered("tool-round", "S", chat_body(*turns), whole=True)
    yield answered("picture", "S", chat_body(picture(PNG)), whole=True)
    yield answered("file", "I", chat_body(picture("ms://file-1")))
    unlisted = {
        "seed": 7,
        "presence_penalty": 0.5,
        "frequency_penalty": -0.5,
        "response_format": {"type": "text"},
        "parallel_tool_calls": False,
        "user": "u1",
    }
    yield answered("unlisted", "S", chat_body(**unlisted), whole=True)
    yield answered("unknown", "S", chat_body(x_unknown={"a": 1}), whole=True)
    yield answered("enabled", "S", chat_body(thinking={"type": "enabled"}), whole=True)
    for effort in ("low", "high", "max"):
        yield answered(f"effort-{effort}", "S", chat_body(reasoning_effort=effort), whole=True,
                       effective={"reasoning_effort": effort})  # fmt: skip
    yield answered("default-effort", "I", chat_body(), effective={"reasoning_effort": "max"})
    options = chat_body(stream_options={"include_usage": False})
    yield answered("options-without-stream", "I", options, whole=True)


ACCEPTED = rows(accepted())


@pytest.mark.parametrize("case", ACCEPTED)
def test_what_the_table_allows_is_answered_and_forwarded(
    case: Answered, server: MockServer, request: pytest.FixtureRequest
) -> None:
    answer = check_answered(NAME, case, server, request)
    keys = ["role", "content", "reasoning_content", "tool_calls"]
    assert list(answer.message) == [key for key in keys if key in answer.message]
    assert list(answer.json["usage"]) == [*COUNTS, *details(answer)]


def test_the_example_of_the_page_has_its_prompt_tokens(server: MockServer) -> None:
    """[S] 94 prompt tokens are a measurement of the vendor's for this very request."""
    answer = ask(server, NAME, "devotel-haiku", HAIKU)
    check_whole(answer)
    assert answer.json["usage"]["prompt_tokens"] == 94


def test_answer_and_thinking_are_apart(server: MockServer) -> None:
    """[S] Both are there, and the answer does not hold the thinking."""
    message = ask(server, NAME, "devotel-apart", chat_body()).message
    assert list(message) == ["role", "content", "reasoning_content"]
    assert message["content"]
    assert message["reasoning_content"]
    assert message["reasoning_content"] not in message["content"]


def test_thinking_is_counted_among_the_output(server: MockServer) -> None:
    """[S] A short answer is not a cheap one."""
    usage = ask(server, NAME, "devotel-count", chat_body()).json["usage"]
    thought = usage["completion_tokens_details"]["reasoning_tokens"]
    assert 0 < thought < usage["completion_tokens"]


def test_a_small_cap_is_spent_on_thinking(server: MockServer) -> None:
    """[S] Cut off with `length` and an empty answer."""
    answer = ask(server, NAME, "devotel-small", chat_body(max_tokens=5))
    assert answer.json["choices"][0]["finish_reason"] == "length"
    assert answer.message["content"] == ""
    assert answer.message["reasoning_content"]
    assert answer.json["usage"]["completion_tokens"] <= 5


def test_with_the_choice_none_nothing_is_called(server: MockServer) -> None:
    """[S] Though the words ask for the tool."""
    asked = turn("user", "Call f for the city of Rome")
    sent = chat_body(asked, tools=[FUNCTION], tool_choice="none")
    assert "tool_calls" not in ask(server, NAME, "devotel-none", sent).message


def test_a_named_function_is_called(server: MockServer) -> None:
    """[S] By its name, with an id, without an index."""
    sent = chat_body(tools=[FUNCTION], tool_choice=NAMED)
    [made] = ask(server, NAME, "devotel-named", sent).message["tool_calls"]
    assert list(made) == ["id", "type", "function"]
    assert made["function"]["name"] == "f"


@pytest.mark.parametrize(
    "options",
    [
        pytest.param({}, id="silent"),
        pytest.param({"stream_options": {}}, id="empty"),
        pytest.param({"stream_options": None}, id="null"),
        pytest.param({"stream_options": {"include_usage": False}}, id="false"),
        pytest.param({"stream_options": {"include_usage": True}}, id="true"),
    ],
)
def test_every_stream_ends_with_usage(options: dict[str, Any], server: MockServer) -> None:
    """[S] The option is forced on; what is forwarded says so, and nothing else is changed."""
    session = f"devotel-usage-{len(str(options))}"
    sent = chat_body(stream=True, **options)
    streamed = check_stream(NAME, ask(server, NAME, session, sent))
    assert streamed.usage is not None
    assert list(streamed.usage) == [*COUNTS, "completion_tokens_details"]
    entry = journal(server, session)
    assert entry["forwarded"] == {**sent, "stream_options": {"include_usage": True}}
    assert entry["effective"]["include_usage"] is True


def test_a_stream_says_what_the_whole_answer_says(server: MockServer) -> None:
    """[S, form of chunks I] Thinking and answer both there and kept apart."""
    whole = ask(server, NAME, "devotel-whole", HAIKU)
    streamed = check_stream(NAME, ask(server, NAME, "devotel-stream", {**HAIKU, "stream": True}))
    assert streamed.reasoning == whole.message["reasoning_content"] != ""
    assert streamed.content == whole.message["content"] != ""
    assert streamed.end == "stop"
    assert streamed.usage == whole.json["usage"]


def test_a_repeated_prompt_is_reported_from_the_cache(server: MockServer) -> None:
    """[S] Three keys behind `prompt_tokens`, which stays as it was; the page shows them so."""
    first, second = (ask(server, NAME, "devotel-cache", HAIKU).json["usage"] for _ in range(2))
    assert list(first) == [*COUNTS, "completion_tokens_details"]
    assert list(second) == [
        "prompt_tokens", "prompt_tokens_details", "cache_read_input_tokens",
        "cache_created_input_tokens", "completion_tokens", "total_tokens",
        "completion_tokens_details",
    ]  # fmt: skip
    assert second["prompt_tokens_details"] == {"cached_tokens": 94}
    assert type(second["cache_read_input_tokens"]) is int
    assert second["cache_created_input_tokens"] == 0
    assert {key: second[key] for key in first} == first
    streamed = check_stream(NAME, ask(server, NAME, "devotel-cache", {**HAIKU, "stream": True}))
    assert streamed.usage == second


@pytest.mark.parametrize("size", [LIMIT + 1, 2_200_000])
@pytest.mark.parametrize("form", ["sent", "announced", "chunked"])
def test_a_body_above_two_megabytes_is_too_large(form: str, size: int, server: MockServer) -> None:
    """[S, exact size I] However it arrives, and without being read when it is announced."""
    path = at(NAME, "devotel-large")
    valid = b'{"model":"kimi-k3","messages":[{"role":"user","content":"hi"}]}'
    if form == "sent":
        answer = call(server, path, valid.ljust(size))
    elif form == "announced":
        answer = exchange(server, path, [f"Content-Length: {size}"])
    else:
        chunk = f"{size:x}\r\n".encode() + valid.ljust(size) + b"\r\n0\r\n\r\n"
        answer = exchange(server, path, ["Transfer-Encoding: chunked"], chunk)
    assert answer.status == 413
    assert answer.body == wire(TOO_LARGE)
    assert answer.headers["content-type"] == JSON_TYPE
    check_headers(NAME, answer)


@pytest.mark.parametrize("size", [1_900_000, LIMIT])
def test_a_body_below_two_megabytes_is_read(size: int, server: MockServer) -> None:
    """[S, exact size I] White space counts as any other byte."""
    sent = b'{"model":"kimi-k3","messages":[{"role":"user","content":"hi"}]}'.ljust(size)
    assert call(server, at(NAME, "devotel-fits"), sent).status == 200


@pytest.mark.parametrize("content", ["Checked.", None])
def test_thinking_that_is_sent_back_is_not_passed_on(
    content: str | None, server: MockServer
) -> None:
    """[S: send role and content only; I: what is sent all the same is dropped]."""
    calls = {"tool_calls": [CALL]}
    past = turn("assistant", content, reasoning_content="I think.", **calls)
    sent = chat_body(turn("user"), past, result())
    session = f"devotel-replay-{content}"
    bare = ask(server, NAME, session, chat_body(turn("user"), turn("assistant", content, **calls),
               result()))  # fmt: skip
    answer = ask(server, NAME, session, sent)
    check_whole(answer)
    entry = journal(server, session)
    assert entry["forwarded"]["messages"][1] == turn("assistant", content, **calls)
    assert entry["received"]["body"] == sent
    counted = answer.json["usage"]
    assert counted["prompt_tokens"] == bare.json["usage"]["prompt_tokens"]
    assert counted["prompt_tokens_details"]["cached_tokens"] == counted["prompt_tokens"]


def test_a_history_without_thinking_is_never_complained_of(server: MockServer) -> None:
    """[S] The page tells clients to leave it out."""
    sent = chat_body(turn("user"), called(), result(), turn("assistant", "Sunny."), turn("user"))
    answer = ask(server, NAME, "devotel-bare", sent)
    check_whole(answer)
    assert b"is missing" not in answer.body


@pytest.mark.parametrize(
    ("sent", "code", "param"),
    [
        pytest.param({"messages": 5, "stream": 5}, "missing_required_parameter", "model",
                     id="model-first"),
        pytest.param({"model": "x", "stream": 5}, "model_not_found", "model", id="then-its-name"),
        pytest.param({"stream": 5, "model": "kimi-k3"}, "missing_required_parameter", "messages",
                     id="then-messages"),
        pytest.param(chat_body(top_p=5, temperature=5, stream=5), "invalid_value", "stream",
                     id="then-the-table"),
        pytest.param(chat_body(top_p=5, temperature=5), "invalid_value", "temperature",
                     id="in-its-order"),
        pytest.param(chat_body(n=2, tool_choice="any"), "invalid_value", "tool_choice",
                     id="then-the-engine"),
    ],
)  # fmt: skip
def test_the_first_failure_wins(
    sent: dict[str, Any], code: str, param: str, server: MockServer
) -> None:
    """[I] Path, method, key, size, bytes, and then the table from top to bottom."""
    answer = ask(server, NAME, "devotel-order", sent)
    assert (answer.error["code"], answer.error["param"]) == (code, param)


def test_the_steps_before_the_body_have_their_order(server: MockServer, worlds: Worlds) -> None:
    """[I] Each request fails in all the later steps, too."""
    large = "Content-Length: 9000000"
    nowhere = exchange(server, at(NAME, "order", "/v1/nope"), [large])
    assert nowhere.error["code"] == "unknown_url"
    wrong_method = call(server, at(NAME, "order"), method="GET")
    assert wrong_method.error["code"] == "method_not_allowed"
    keyed = worlds(None, ("sk-good",))
    assert exchange(keyed, at(NAME, "order"), [large]).error["code"] == "invalid_api_key"
    assert exchange(server, at(NAME, "order"), [large]).error["code"] == "request_too_large"


def test_the_list_of_models_has_one_record(server: MockServer) -> None:
    """[I] The page of models is not known."""
    record = b'{"id":"kimi-k3","object":"model","created":1784217600,"owned_by":"moonshot"}'
    listed = call(server, at(NAME, "devotel-models", "/v1/models"))
    assert listed.body == b'{"object":"list","data":[' + record + b"]}"
    one = call(server, at(NAME, "devotel-models", "/v1/models/kimi-k3"))
    assert (one.status, one.body) == (200, record)
    check_headers(NAME, one)
    other = call(server, at(NAME, "devotel-models", "/v1/models/gpt-4o"))
    unknown = error("The model 'gpt-4o' does not exist.", "model", "model_not_found")
    assert (other.status, other.body) == (404, wire(unknown))


def test_the_address_works_with_a_query(server: MockServer) -> None:
    """[I] As OpenAI's does."""
    assert call(server, at(NAME, "devotel-query", f"{CHAT}?x=1"), chat_body()).status == 200
