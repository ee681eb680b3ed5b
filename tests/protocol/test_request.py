from __future__ import annotations

from typing import Any

from k3mock.protocol.request import (
    ChatRequest,
    MediaPart,
    Message,
    OtherPart,
    TextPart,
    Tool,
)


def asked(*messages: Message, **fields: Any) -> ChatRequest:
    return ChatRequest(body={}, digest=b"", model="kimi-k3", messages=messages, **fields)


def tool(name: str) -> Tool:
    return Tool(name=name, description="", parameters={}, declared={})


def test_a_message_knows_its_texts_and_its_media() -> None:
    image = MediaPart("image", "ms://a")
    parts = (TextPart("one "), image, OtherPart("audio"), TextPart("two"))
    message = Message(position=0, role="user", parts=parts)
    assert message.text == "one two"
    assert message.media == (image,)


def test_the_last_message_may_be_the_beginning_of_the_answer() -> None:
    user = Message(position=0, role="user")
    begun = Message(position=1, role="assistant", partial=True)
    assert asked(user, begun).partial is begun
    assert asked(begun, user).partial is None
    assert asked(user, Message(position=1, role="assistant")).partial is None
    assert asked(Message(position=0, role="user", partial=True)).partial is None
    assert asked().partial is None
    assert asked().last is None


def test_dynamic_tools_are_offered_behind_those_at_the_top() -> None:
    declared = Message(position=0, role="system", tools=(tool("b"), tool("c")))
    request = asked(declared, tools=(tool("a"),))
    assert [offered.name for offered in request.offered_tools] == ["a", "b", "c"]
