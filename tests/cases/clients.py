"""What the cases do to a real client: the exceptions and damage that the field reports describe."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import httpx2
import openai
import pytest

from tests.cases.case import client
from tests.cases.history import called, result, user
from tests.support import tool

if TYPE_CHECKING:
    from openai.types.chat import ChatCompletion, ChatCompletionChunk

    from tests.cases.case import World

MODEL = "kimi-k3"


def _messages(content: str = "hi") -> Any:
    return [user(content)]


def _answer(world: World, content: str = "hi", **fields: Any) -> ChatCompletion:
    given: dict[str, Any] = {"messages": _messages(content), **fields}
    found: ChatCompletion = world.sdk().chat.completions.create(model=MODEL, **given)
    return found


def _chunks(world: World, content: str = "hi", **fields: Any) -> list[ChatCompletionChunk]:
    given: dict[str, Any] = {"messages": _messages(content), "stream": True, **fields}
    return list(world.sdk().chat.completions.create(model=MODEL, **given))


def _text(chunks: list[ChatCompletionChunk]) -> str:
    return "".join(chunk.choices[0].delta.content or "" for chunk in chunks if chunk.choices)


def _calls(chunks: list[ChatCompletionChunk]) -> list[Any]:
    return [
        call for chunk in chunks if chunk.choices
        for call in chunk.choices[0].delta.tool_calls or []
    ]  # fmt: skip


TOOLS = [tool("get_weather"), tool("get_time"), tool("ping")]


@client("B01")
def _(world: World) -> None:
    """Who reads `reasoning_content` sees no thinking at all."""
    deltas = [chunk.choices[0].delta for chunk in _chunks(world) if chunk.choices]
    assert not any(getattr(delta, "reasoning_content", None) for delta in deltas)
    assert any((delta.model_extra or {}).get("reasoning") for delta in deltas)


@client("B03")
def _(world: World) -> None:
    """An empty answer looks like success to whoever reads `content` only."""
    choice = _answer(world, max_tokens=200).choices[0]
    assert (choice.message.content, choice.finish_reason) == ("", "length")


@client("B04")
def _(world: World) -> None:
    """`stop` and nothing to show."""
    choice = _answer(world).choices[0]
    assert (choice.message.content, choice.finish_reason) == ("", "stop")


@client("B07")
def _(world: World) -> None:
    """Joining deltas without a guard fails on null."""
    chunks = _chunks(world)
    with pytest.raises(TypeError):
        "".join(chunk.choices[0].delta.content for chunk in chunks)  # type: ignore[misc]  # the bug


@client("B10")
def _(world: World) -> None:
    """Joining lists with text fails."""
    chunks = _chunks(world)
    with pytest.raises(TypeError):
        "".join(chunk.choices[0].delta.content for chunk in chunks if chunk.choices)  # type: ignore[misc]  # the bug


@client("C01")
def _(world: World) -> None:
    """The SDK's own stream helper cannot put the deltas together."""
    with (
        pytest.raises((TypeError, KeyError, AttributeError, RuntimeError)),
        world.sdk().chat.completions.stream(
            model=MODEL,
            messages=_messages("weather?"),
            tools=TOOLS,  # type: ignore[arg-type]  # plain dicts
        ) as stream,
    ):
        stream.until_done()


@client("C04")
def _(world: World) -> None:
    """Who takes the last id and name that came loses both."""
    last = _calls(_chunks(world, tools=TOOLS))[-1]
    assert (last.id, last.function.name) == ("", "")


@client("C08")
def _(world: World) -> None:
    """Empty text is no JSON."""
    calls = _answer(world, tools=TOOLS).choices[0].message.tool_calls
    assert calls
    with pytest.raises(json.JSONDecodeError):
        json.loads(calls[0].function.arguments)  # type: ignore[union-attr]  # a function call


@client("C11")
def _(world: World) -> None:
    """A loop that looks at the finish reason never runs the tool."""
    choice = _answer(world, tools=TOOLS).choices[0]
    assert choice.finish_reason == "stop"
    assert choice.message.tool_calls


@client("C13")
def _(world: World) -> None:
    """Who appends to the latest call gets broken JSON."""
    texts: list[str] = []
    for call in _calls(_chunks(world, tools=TOOLS)):
        if call.id:
            texts.append("")
        texts[-1] += call.function.arguments or ""
    with pytest.raises(json.JSONDecodeError):
        [json.loads(text) for text in texts]


@client("C15")
def _(world: World) -> None:
    """The SDK passes an object on; parsing it as text fails."""
    calls = _answer(world, tools=TOOLS).choices[0].message.tool_calls
    assert calls
    with pytest.raises(TypeError):
        json.loads(calls[0].function.arguments)  # type: ignore[union-attr]  # a function call


@client("C17")
def _(world: World) -> None:
    """The finished arguments cannot be parsed."""
    joined = "".join(call.function.arguments or "" for call in _calls(_chunks(world, tools=TOOLS)))
    with pytest.raises(json.JSONDecodeError):
        json.loads(joined)


@client("D01")
def _(world: World) -> None:
    """The history is refused until its id is mended."""
    with pytest.raises(openai.BadRequestError, match="tool_call_id  is not found"):
        _answer(world, messages=[user(), called("a_0"), result("")])


@client("E01")
def _(world: World) -> None:
    """The markup is shown to the user, and no tool is called."""
    message = _answer(world).choices[0].message
    assert "<|tool_call_begin|>" in (message.model_extra or {})["reasoning_content"]
    assert message.tool_calls is None


@client("F02")
def _(world: World) -> None:
    """`choices[0]` of the last chunk fails."""
    chunks = _chunks(world, stream_options={"include_usage": True})
    with pytest.raises(IndexError):
        [chunk.choices[0] for chunk in chunks]


@client("F05")
def _(world: World) -> None:
    """Adding up usage gives a multiple."""
    counts = [chunk.usage.completion_tokens for chunk in _chunks(world) if chunk.usage]
    assert sum(counts) > 2 * counts[-1]


@client("F06")
def _(world: World) -> None:
    """Readers of the nested path see no hit."""
    _answer(world)
    usage = _answer(world).usage
    assert usage is not None
    assert usage.prompt_tokens_details is None
    assert (usage.model_extra or {})["cached_tokens"] == usage.prompt_tokens


@client("G05")
def _(world: World) -> None:
    """Decoding read by read leaves replacement characters; the SDK itself copes."""
    with world.sdk().chat.completions.with_streaming_response.create(
        model=MODEL, messages=_messages(), stream=True
    ) as response:
        damaged = "".join(piece.decode("utf-8", "replace") for piece in response.iter_bytes())
    assert "\ufffd" in damaged
    assert "🌷" in _text(_chunks(world))


@client("G07")
def _(world: World) -> None:
    """The stream is over before it began, without an error."""
    assert _chunks(world) == []


@client("H01")
def _(world: World) -> None:
    """Half a text is reported as success."""
    chunks = _chunks(world)
    assert _text(chunks) == "one two three"
    assert not any(chunk.choices[0].finish_reason for chunk in chunks)


@client("H02")
def _(world: World) -> None:
    """What came of the arguments is half a JSON text."""
    joined = ""
    offered = [tool("write_file", path={"type": "string"}, text={"type": "string"})]
    given: Any = {"messages": _messages(), "tools": offered}
    stream: Any = world.sdk().chat.completions.create(model=MODEL, stream=True, **given)
    with pytest.raises(openai.APIConnectionError):
        for chunk in stream:
            for call in chunk.choices[0].delta.tool_calls or []:
                joined += (call.function.arguments if call.function else None) or ""
    assert len(joined) == 20
    with pytest.raises(json.JSONDecodeError):
        json.loads(joined)


@client("H03")
def _(world: World) -> None:
    """A whole answer never says that it is finished."""
    assert not any(chunk.choices[0].finish_reason for chunk in _chunks(world))


@client("H05")
def _(world: World) -> None:
    """The SDK raises in the middle of the iteration; the partial text is the caller's to keep."""
    seen = ""
    with pytest.raises(openai.APIError):
        for chunk in world.sdk().chat.completions.create(
            model=MODEL, messages=_messages(), stream=True
        ):
            seen += chunk.choices[0].delta.content or ""
    assert seen


@client("H06")
def _(world: World) -> None:
    """The SDK sees the error although the chunk looks ordinary."""
    with pytest.raises(openai.APIError):
        _chunks(world)


@client("H08")
def _(world: World) -> None:
    """Two chunks say that the answer is finished."""
    chunks = _chunks(world, tools=[tool()])
    finished = [chunk for chunk in chunks if chunk.choices[0].finish_reason == "tool_calls"]
    assert len(finished) == 2


@client("H12")
def _(world: World) -> None:
    """A connection error in the middle of the iteration, which the SDK does not try again."""
    stream = world.sdk(max_retries=2).chat.completions.create(
        model=MODEL, messages=_messages(), stream=True
    )
    with pytest.raises(openai.APIConnectionError) as caught:
        list(stream)
    assert "incomplete chunked read" in str(caught.value.__cause__)
    assert len(world.entries()) == 1


@client("H13")
def _(world: World) -> None:
    """An empty body is a decoding error, not a refusal."""
    with pytest.raises((openai.APIResponseValidationError, json.JSONDecodeError)):
        _answer(world)


@client("H16")
def _(world: World) -> None:
    """`delta` is None where everybody reads an attribute of it."""
    with pytest.raises(AttributeError):
        _text(_chunks(world))


@client("I03")
def _(world: World) -> None:
    """The SDK tries a 429 again that must not be tried again."""
    with pytest.raises(openai.RateLimitError, match="suspended due to insufficient balance"):
        world.sdk(max_retries=2).chat.completions.create(model=MODEL, messages=_messages())
    assert len(world.entries()) == 3


@client("I06")
def _(world: World) -> None:
    """The wrong site looks like a wrong key."""
    other = world.sdk().with_options(api_key="sk-from-the-other-site")
    with pytest.raises(openai.AuthenticationError, match="Invalid Authentication"):
        other.models.list()


@client("I07")
def _(world: World) -> None:
    """Detectors of `context_length_exceeded` miss it."""
    with pytest.raises(openai.BadRequestError, match="exceeded model token limit") as caught:
        _answer(world, "word " * 900)
    assert caught.value.code is None


@client("I10")
def _(world: World) -> None:
    """Only the type tells it from other 400s."""
    with pytest.raises(openai.BadRequestError) as caught:
        _answer(world, "forbidden")
    assert (caught.value.type, caught.value.param) == ("content_filter", "prompt")


@client("I12")
def _(world: World) -> None:
    """A success without choices."""
    answer = _answer(world)
    with pytest.raises(TypeError):
        answer.choices[0]


@client("I14")
def _(world: World) -> None:
    """A configuration error."""
    with pytest.raises(openai.NotFoundError, match="Not found the model"):
        world.sdk().chat.completions.create(model="kimi-k2.5", messages=_messages())


@client("I16")
def _(world: World) -> None:
    """A page instead of an error object."""
    with pytest.raises(openai.InternalServerError) as caught:
        _answer(world)
    assert caught.value.status_code == 524


@client("I17")
def _(world: World) -> None:
    """Refused once, accepted the second time."""
    with pytest.raises(openai.BadRequestError):
        _answer(world)
    assert _answer(world).choices[0].message.content == "Fine this time."


@client("J01")
def _(world: World) -> None:
    """Only a read time-out ends the wait."""
    seen = ""
    stream = world.sdk(timeout=0.5).chat.completions.create(
        model=MODEL, messages=_messages(), stream=True
    )
    with pytest.raises((openai.APITimeoutError, httpx2.ReadTimeout)):
        for chunk in stream:
            seen += chunk.choices[0].delta.content or ""
    assert seen == "one two"


@client("K10")
def _(world: World) -> None:
    """Sampling parameters of generic clients are refused."""
    with pytest.raises(openai.BadRequestError, match=r"invalid top_p: only 0\.95 is allowed"):
        _answer(world, top_p=1)
