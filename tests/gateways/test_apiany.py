"""APIAny.AI: what it changes before the engine, its effort rules, its errors and its records."""

from __future__ import annotations

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
    details,
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

NAME = "apiany"
EFFORT = "invalid_reasoning_effort"
FIXED = {"temperature": 0.2, "top_p": 0.5, "frequency_penalty": 1, "presence_penalty": 1}


def error(message: str, code: str | None, param: str | None, kind: str = INVALID) -> dict[str, Any]:
    """Return an error with its four keys in the gateway's order."""
    return {"message": message, "type": kind, "code": code, "param": param}


NOT_FOUND = "not_found_error"
NO_KEY = error("Invalid API key", "invalid_api_key", None, "authentication_error")
BEFORE = {
    "path.unknown": error("No endpoint {method} {path}", "not_found", None, NOT_FOUND),
    "method.wrong": error("{method} is not allowed on {path}", "method_not_allowed", None),
    "auth.missing": NO_KEY,
    "auth.unknown_key": NO_KEY,
    "body.size": error("Request body too large", "request_too_large", None),
    "body.json": error("Invalid JSON body: {problem}", "invalid_json", None),
    "body.object": error("Invalid JSON body: expected an object, got {got}", "invalid_json", None),
}


def top_level() -> Iterator[ParameterSet]:
    """The model, the messages as a whole, and the types of fields."""
    model = error("model is required (a string)", "invalid_value", "model")
    yield refused("absent", "model.required", "I", model, sent=without("model"))
    yield refused("number", "model.required", "I", model, sent=chat_body(model=5))
    unknown = error("Model 'gpt-4o' not found", "model_not_found", "model", NOT_FOUND)
    yield refused(
        "other", "model.unknown", "P", unknown, status=404, sent=chat_body(model="gpt-4o")
    )
    empty = error("messages must contain at least one message", "invalid_value", "messages")
    yield refused("absent", "messages.empty", "I", empty, sent=without("messages"))
    yield refused("none", "messages.empty", "I", empty, sent=chat_body(messages=[]))
    for field, kind, value, got in (
        ("messages", "array", "hi", "string"),
        ("stream", "bool", "yes", "string"),
        ("stream_options", "object", [], "array"),
        ("n", "integer", 1.5, "number"),
        ("max_completion_tokens", "integer", "8", "string"),
        ("max_tokens", "integer", 1.5, "number"),
        ("stop", "string or array", 7, "number"),
        ("tools", "array", {}, "object"),
        ("tool_choice", "string or object", 5, "number"),
        ("response_format", "object", "json", "string"),
        ("reasoning_effort", "string", 1, "number"),
        ("reasoning", "object", "high", "string"),
        ("thinking", "object", True, "bool"),
        ("user", "string", 5, "number"),
    ):
        text = error(f"{field} must be of type {kind}, got {got}", "invalid_value", field)
        yield refused(field, "types.fields", "P", text, sent=chat_body(**{field: value}))


def efforts() -> Iterator[ParameterSet]:
    """Reasoning cannot be turned off, and has three levels."""
    text = "kimi-k3 does not support reasoning_effort '{}'. Supported values: low, high, max."
    for word, mark in (
        ("medium", "SP"), ("none", "SP"), ("minimal", "SP"), ("xhigh", "SP"), ("ultra", "SP"),
        ("turbo", "P"), ("", "P"), ("MAX", "P"),
    ):  # fmt: skip
        named = word or "empty"
        refusal = error(text.format(word), EFFORT, "reasoning_effort")
        sent = chat_body(reasoning_effort=word)
        yield refused(f"{named}-{len(named)}", "reasoning_effort.value", mark, refusal, sent=sent)
        refusal = error(text.format(word), EFFORT, "reasoning.effort")
        sent = chat_body(reasoning={"effort": word})
        yield refused(f"{named}-{len(named)}", "reasoning.effort", mark, refusal, sent=sent)
    both = error(
        "reasoning_effort and reasoning.effort must match when both are given",
        EFFORT, "reasoning_effort",
    )  # fmt: skip
    sent = chat_body(reasoning_effort="low", reasoning={"effort": "high"})
    yield refused("both", "reasoning.conflict", "S", both, sent=sent)
    always = error("kimi-k3 always reasons; thinking.type must be enabled", EFFORT, "thinking")
    for word in ("disabled", "auto"):
        sent = chat_body(thinking={"type": word})
        yield refused(word, "thinking.disabled", "S", always, sent=sent)


def numbers() -> Iterator[ParameterSet]:
    """One choice, and a cap within bounds under either name."""
    one = error("n must be 1 for kimi-k3", "invalid_value", "n")
    for value in (0, 2):
        yield refused(str(value), "n.fixed", "S", one, sent=chat_body(n=value))
    cap = error(
        "max_completion_tokens must be between 1 and 1048576",
        "invalid_value", "max_completion_tokens",
    )  # fmt: skip
    for field in ("max_completion_tokens", "max_tokens"):
        for value, mark in ((1_048_577, "S"), (0, "I"), (-1, "I")):
            sent = chat_body(**{field: value})
            yield refused(f"{field}{value}", "cap.range", mark, cap, sent=sent)


def media() -> Iterator[ParameterSet]:
    """Public addresses of pictures and films, in every way they can be written."""
    text = (
        "{} blocks for kimi-k3 need a Base64 data: URL or an ms:// file ID; "
        "public URLs are not supported"
    )
    for kind, url, bare in (
        ("image", JPEG_URL, False),
        ("image", JPEG_URL, True),
        ("image", "http://example.com/a.png", False),
        ("video", "http://example.com/a.mp4", False),
        ("video", "https://example.com/a.mp4", True),
        ("image", "data:image/png,iVBORw0KGgo=", False),
        ("image", "", False),
    ):
        refusal = error(text.format(kind), "invalid_media_url", "messages")
        name = f"{kind}-{url.partition(':')[0] or 'none'}-{'bare' if bare else 'object'}"
        sent = chat_body(picture(url, kind, bare=bare))
        yield refused(name, "message.media_url", "S", refusal, sent=sent)
    later = chat_body(turn("user"), turn("assistant", "Hm."), picture(JPEG_URL))
    refusal = error(text.format("image"), "invalid_media_url", "messages")
    yield refused("in-a-later-turn", "message.media_url", "S", refusal, sent=later)


def behind() -> Iterator[ParameterSet]:
    """What only the engine refuses: its text and status, the gateway's four keys and types."""

    def rewrapped(text: str) -> dict[str, Any]:
        return error(text, None, None)

    role = rewrapped("unsupported role ROLE_UNSPECIFIED")
    sent = chat_body(turn("developer"))
    yield refused("developer", "engine:message.role", "I", role, sent=sent)
    stop = rewrapped("Invalid request: stop must not have more than 5 items")
    yield refused("six", "engine:stop.count", "I", stop, sent=chat_body(stop=list("abcdef")))
    many = rewrapped("Invalid request: tools must not have more than 128 items")
    yield refused("129", "engine:tools.count", "I", many, sent=chat_body(tools=tools(129)))
    word = rewrapped("Invalid request: tool_choice must be one of auto, none, required")
    sent = chat_body(tools=[FUNCTION], tool_choice="any")
    yield refused("any", "engine:tool_choice.value", "I", word, sent=sent)
    lost = rewrapped("Invalid request: tool_call_id f_9 is not found")
    sent = chat_body(turn("user"), called(), result(tool_call_id="f_9"))
    yield refused("other", "engine:message.result_known", "I", lost, sent=sent)
    mime = rewrapped("Invalid request: unsupported image url: the type image/tiff is not supported")
    sent = chat_body(picture("data:image/tiff;base64,AAAA"))
    yield refused("tiff", "engine:message.media_type", "I", mime, sent=sent)
    sized = rewrapped("Invalid request: response_format.json_schema.name is required")
    wanted = {"type": "json_schema", "json_schema": {"schema": {"type": "object"}}}
    sent = chat_body(response_format=wanted)
    yield refused("unnamed", "engine:response_format.value", "I", sized, sent=sent)


REFUSED = rows(
    transport(
        BEFORE,
        limit=104_857_600,
        paths={"POST /v1/embeddings": "P", "GET /v1/nope": "P", "POST /v1/completions": "P"},
        marks={"auth.missing": "P", "auth.unknown_key": "P", "body.json": "P", "body.object": "P"},
    ),
    top_level(),
    efforts(),
    numbers(),
    media(),
    behind(),
)


@pytest.mark.parametrize("case", REFUSED)
def test_what_the_pages_do_not_allow_is_refused_to_the_byte(
    case: Refused, worlds: Worlds, request: pytest.FixtureRequest
) -> None:
    check_refused(NAME, case, worlds, request)


def accepted() -> Iterator[ParameterSet]:
    """What the page lists, and what becomes of it."""
    yield answered("plain", "S", chat_body(), effective={"reasoning_effort": "max"}, whole=True)
    for word in ("low", "high", "max"):
        shown: dict[str, Any] = {"effective": {"reasoning_effort": word}}
        yield answered(f"effort-{word}", "S", chat_body(reasoning_effort=word), whole=True, **shown)
        folded: dict[str, Any] = {
            "forwarded": {"reasoning_effort": word}, "gone": ("reasoning",), **shown,
        }  # fmt: skip
        sent = chat_body(reasoning={"effort": word})
        yield answered(f"inner-effort-{word}", "S", sent, **folded)
        sent = chat_body(reasoning={"effort": word, "summary": "auto"}, reasoning_effort=word)
        yield answered(f"equal-efforts-{word}", "S", sent, **folded)
    default = {"effective": {"reasoning_effort": "max"}}
    sent = chat_body(reasoning={"effort": None}, reasoning_effort=None)
    yield answered("null-efforts", "I", sent, gone=("reasoning",), **default)
    for name, thinking in (
        ("enabled", {"type": "enabled"}),
        ("enabled-low", {"type": "enabled", "effort": "low"}),
        ("empty", {}),
    ):
        sent = chat_body(thinking=thinking)
        yield answered(f"thinking-{name}", "S", sent, gone=("thinking",), **default)
    yield from caps()
    gone = tuple(FIXED)
    yield answered("sampling", "S", chat_body(**FIXED), gone=gone)
    for value in (5, -1, "hot", True, None):
        yield answered(f"temperature-{value}", "S", chat_body(temperature=value), gone=gone)
    yield answered("top-p-above", "S", chat_body(top_p=1.5), gone=gone)
    yield answered("n-1", "S", chat_body(n=1), forwarded={"n": 1})
    listed = {
        "seed": 3, "stop": ["zebra"], "response_format": {"type": "text"}, "logprobs": True,
        "top_logprobs": 3, "logit_bias": {"50": -1}, "user": "u1", "max_completion_tokens": 4000,
    }  # fmt: skip
    yield answered("listed", "S", chat_body(**listed), whole=True)
    yield answered("unlisted", "I", chat_body(x_unknown={"a": [1]}, metadata={}), whole=True)
    yield answered("stop-word", "I", chat_body(stop="zebra"), whole=True)
    yield answered("stop-five", "I", chat_body(stop=["q1", "q2", "q3", "q4", "q5"]), whole=True)
    yield from calling()
    yield from seeing()


def caps() -> Iterator[ParameterSet]:
    """One cap behind two names."""

    def cap(value: int) -> dict[str, Any]:
        return {
            "forwarded": {"max_completion_tokens": value},
            "gone": ("max_tokens",),
            "effective": {"max_completion_tokens": value},
        }

    yield answered("cap-deprecated", "S", chat_body(max_tokens=64), end="length", **cap(64))
    sent = chat_body(max_completion_tokens=64)
    yield answered("cap-preferred", "S", sent, end="length", **cap(64))
    both = chat_body(max_tokens=1, max_completion_tokens=3000)
    yield answered("cap-both", "I", both, **cap(3000))
    zero = chat_body(max_tokens=0, max_completion_tokens=3000)
    yield answered("cap-both-zero", "I", zero, **cap(3000))
    null = chat_body(max_completion_tokens=None, max_tokens=64)
    yield answered("cap-null", "I", null, end="length", **cap(64))
    most = chat_body(max_completion_tokens=1_048_576)
    yield answered("cap-most", "S", most, forwarded={"max_completion_tokens": 1_048_576})
    yield answered("cap-none", "S", chat_body(), effective={"max_completion_tokens": 131_072})
    low = chat_body(reasoning_effort="low")
    yield answered("low-is-no-cap", "S", low, effective={"max_completion_tokens": 131_072})


def calling() -> Iterator[ParameterSet]:
    """Tools, at the top or in a system message, and replayed turns."""
    yield answered("tools", "S", chat_body(tools=[FUNCTION], tool_choice="auto"), whole=True)
    for name, choice in (("required", "required"), ("named", NAMED)):
        sent = chat_body(tools=[FUNCTION], tool_choice=choice)
        yield answered(f"choice-{name}", "S", sent, end="tool_calls", whole=True)
    replayed = called(reasoning_content="I need the weather.", content="")
    sent = chat_body(turn("user"), replayed, result())
    yield answered("replay", "S", sent, whole=True)
    yield answered("replay-without-reasoning", "I", chat_body(turn("user"), called(), result()))
    partial = turn("assistant", "Once upon", partial=True)
    yield answered("partial", "S", chat_body(turn("user"), partial), whole=True)
    early = chat_body(turn("user"), turn("assistant", "Hm.", partial=True), turn("user"))
    yield answered("partial-not-last", "I", early)
    dynamic = {"role": "system", "tools": [FUNCTION]}
    sent = chat_body(dynamic, turn("user"), tool_choice="required")
    yield answered("dynamic-tools", "S", sent, end="tool_calls", whole=True)


def seeing() -> Iterator[ParameterSet]:
    """Pictures and films that are there."""
    for name, message in (
        ("data", picture(PNG)),
        ("data-bare", picture(PNG, bare=True)),
        ("file", picture("ms://file-1")),
        ("film", picture("data:video/mp4;base64,AAAA", "video")),
        ("film-file", picture("ms://file-1", "video")),
    ):
        yield answered(f"media-{name}", "S", chat_body(message), whole=True)


ACCEPTED = rows(accepted())


@pytest.mark.parametrize("case", ACCEPTED)
def test_what_the_page_lists_is_answered_and_changed_as_it_says(
    case: Answered, server: MockServer, request: pytest.FixtureRequest
) -> None:
    answer = check_answered(NAME, case, server, request)
    keys = ["role", "content", "reasoning_content", "tool_calls"]
    assert list(answer.message) == [key for key in keys if key in answer.message]
    assert list(answer.json["usage"]) == [*COUNTS, *details(answer)]


def test_a_dynamic_tool_is_called_by_its_name(server: MockServer) -> None:
    """[S] A system message without content brings it."""
    sent = chat_body({"role": "system", "tools": [FUNCTION]}, turn("user"), tool_choice=NAMED)
    [made] = ask(server, NAME, "apiany-dynamic", sent).message["tool_calls"]
    assert made["function"]["name"] == "f"


def test_a_partial_message_is_gone_on_with(server: MockServer) -> None:
    """[S] The answer is the rest, not the whole."""
    sent = chat_body(turn("user", "A tale"), turn("assistant", "Once upon", partial=True))
    content = ask(server, NAME, "apiany-partial", sent).message["content"]
    assert content
    assert not content.startswith("Once upon")


@pytest.mark.parametrize("effort", ["low", "max"])
def test_a_small_budget_ends_in_length_whatever_the_effort(effort: str, server: MockServer) -> None:
    """[S] Effort is no limit of tokens; the answer may be missing."""
    sent = chat_body(max_completion_tokens=8, reasoning_effort=effort)
    answer = ask(server, NAME, f"apiany-small-{effort}", sent)
    assert answer.json["choices"][0]["finish_reason"] == "length"
    assert answer.message["content"] == ""
    assert answer.json["usage"]["completion_tokens"] == 8


def test_more_effort_is_more_thinking(server: MockServer) -> None:
    """[S] A lower effort trades depth for time."""
    question = turn("user", "Hens and rabbits have 35 heads and 94 legs. How many of each?")
    low, most = (
        ask(server, NAME, "apiany-depth", chat_body(question, reasoning_effort=word)).json["usage"]
        for word in ("low", "max")
    )
    thought = "completion_tokens_details"
    assert low[thought]["reasoning_tokens"] < most[thought]["reasoning_tokens"]


def test_a_lone_small_cap_cuts_a_stream_as_well(server: MockServer) -> None:
    """[S] `length` is never told as `stop`."""
    sent = chat_body(max_tokens=8, stream=True)
    streamed = check_stream(NAME, ask(server, NAME, "apiany-cut", sent))
    assert streamed.end == "length"
    assert streamed.content == ""


@pytest.mark.parametrize(
    ("options", "shown"),
    [
        pytest.param({}, True, id="silent"),
        pytest.param({"stream_options": None}, True, id="null"),
        pytest.param({"stream_options": {}}, True, id="empty"),
        pytest.param({"stream_options": {"include_usage": True}}, True, id="true"),
        pytest.param({"stream_options": {"include_usage": False}}, False, id="false"),
    ],
)
def test_a_stream_ends_with_usage_unless_it_was_declined(
    options: dict[str, Any], *, shown: bool, server: MockServer
) -> None:
    """[S for a wish, I without one or against it] Readers are told to expect the chunk."""
    session = f"apiany-usage-{len(str(options))}"
    sent = chat_body(stream=True, **options)
    streamed = check_stream(NAME, ask(server, NAME, session, sent))
    assert (streamed.usage is not None) is shown
    assert journal(server, session)["effective"]["include_usage"] is shown
    assert journal(server, session)["forwarded"] == sent
    if streamed.usage is not None:
        assert list(streamed.usage) == [*COUNTS, "completion_tokens_details"]


def test_a_stream_says_what_the_whole_answer_says(server: MockServer) -> None:
    """[S] Thinking and answer come as separate deltas."""
    whole = ask(server, NAME, "apiany-whole", chat_body())
    streamed = check_stream(NAME, ask(server, NAME, "apiany-stream", chat_body(stream=True)))
    assert streamed.reasoning == whole.message["reasoning_content"] != ""
    assert streamed.content == whole.message["content"] != ""
    assert streamed.usage == whole.json["usage"]


def test_a_repeated_prompt_shows_in_openai_s_key_alone(server: MockServer) -> None:
    """[S] Usage is normalised to OpenAI's object."""
    first, second = (ask(server, NAME, "apiany-cache", chat_body()).json["usage"] for _ in range(2))
    assert list(first) == [*COUNTS, "completion_tokens_details"]
    assert list(second) == [*COUNTS, "prompt_tokens_details", "completion_tokens_details"]
    assert second["prompt_tokens_details"] == {"cached_tokens": first["prompt_tokens"]}


def test_a_public_address_is_refused_before_the_engine(server: MockServer) -> None:
    """[S] No usage is charged, and a stream is not even opened."""
    for stream in (False, True):
        answer = ask(server, NAME, "apiany-url", chat_body(picture(JPEG_URL), stream=stream))
        assert answer.status == 400
        assert list(answer.json) == ["error"]
        assert not journal(server, "apiany-url")["source"].startswith("contract:engine:")


@pytest.mark.parametrize(
    ("sent", "param"),
    [
        pytest.param({"messages": 5, "n": 2}, "model", id="model-first"),
        pytest.param({"model": "kimi-k3", "n": 2}, "messages", id="then-messages"),
        pytest.param(chat_body(n=2, user=5), "user", id="then-types"),
        pytest.param(chat_body(n=2, reasoning_effort="x"), "reasoning_effort", id="then-effort"),
        pytest.param(chat_body(picture(JPEG_URL), n=2), "n", id="then-numbers"),
        pytest.param(chat_body(picture(JPEG_URL), stop=list("abcdef")), "messages", id="messages"),
        pytest.param(chat_body(stop=list("abcdef")), None, id="then-the-engine"),
    ],
)
def test_the_first_failure_wins(sent: dict[str, Any], param: str, server: MockServer) -> None:
    """[I] The gateway's own rules come before the engine's."""
    assert ask(server, NAME, "apiany-order", sent).error["param"] == param


REASONING = (
    b'"reasoning":{"supported":true,"mode":"always-on","efforts":["low","high","max"],'
    b'"defaultEffort":"max"}'
)
RECORD = (
    b'{"id":"kimi-k3","object":"model","type":"chat","created":1784217600,'
    b'"owned_by":"APIAny.AI","display_name":"Kimi K3","status":"active","capability_metadata":{'
    b'"input":{"text":true,"image":true,"video":true},"output":{"text":true},'
    b'"features":{"stream":true,"tools":true,"vision":true,"jsonMode":true,"thinking":true},'
    + REASONING
    + b',"limits":{"contextWindow":1048576,"maxOutputTokens":1048576}}}'
)


def test_the_record_of_the_model_says_how_it_reasons(server: MockServer) -> None:
    """[S, P for the names of fields] Always, at three efforts, and it cannot be turned off."""
    listed = call(server, at(NAME, "apiany-models", "/v1/models"))
    assert listed.body == b'{"object":"list","data":[' + RECORD + b"]}"
    one = call(server, at(NAME, "apiany-models", "/v1/models/kimi-k3"))
    assert (one.status, one.body) == (200, RECORD)
    assert b"disableWith" not in RECORD
    for answer in (listed, one):
        check_headers(NAME, answer)
    other = call(server, at(NAME, "apiany-models", "/v1/models/gpt-4o"))
    unknown = error("Model 'gpt-4o' not found", "model_not_found", "model", NOT_FOUND)
    assert (other.status, other.body) == (404, wire(unknown))


def test_the_balance_is_a_constant(server: MockServer) -> None:
    """[P] A number of credits; it needs a key and takes no other method."""
    path = at(NAME, "apiany-balance", "/v1/credits/balance")
    answer = call(server, path)
    assert (answer.status, answer.body) == (200, b'{"credits":1000,"currency":"credits"}')
    check_headers(NAME, answer)
    keyless = call(server, path, key=None)
    assert (keyless.status, keyless.body) == (401, wire(NO_KEY))
    check_headers(NAME, keyless)
    posted = call(server, path, {})
    refusal = error("POST is not allowed on /v1/credits/balance", "method_not_allowed", None)
    assert (posted.status, posted.body) == (405, wire(refusal))
    check_headers(NAME, posted)


def test_ids_of_requests_differ(server: MockServer) -> None:
    """[P] Every answer has one to ask the vendor about."""
    found = {
        call(server, at(NAME, "apiany-ids"), sent).headers["x-request-id"]
        for sent in (chat_body(), chat_body(), chat_body(n=2), chat_body(stream=True), b"{")
    }
    assert len(found) == 5


def test_the_mock_s_own_errors_have_an_id_as_well(server: MockServer) -> None:
    """[I] They travel as any other answer of the gateway."""
    answer = call(server, at(NAME, "apiany-mock", fault="no_such"), chat_body())
    assert (answer.status, answer.error["type"]) == (422, "k3mock_error")
    check_headers(NAME, answer)
    check_whole(call(server, at(NAME, "apiany-mock"), chat_body()))
