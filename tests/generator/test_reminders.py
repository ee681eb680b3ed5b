"""What an agent says beside its user is not taken for a question."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import pytest

from k3mock.generator.reminders import without_reminders
from k3mock.protocol.request import MediaPart, Message, TextPart, Tool, ToolCall

if TYPE_CHECKING:
    from collections.abc import Callable

    from k3mock.generator.source import GeneratorSource
    from k3mock.protocol.request import ChatRequest

DATE = "<system-reminder>\nToday's date is 2026-11-30. Do not mention it.\n</system-reminder>"
MODE = (
    "<system-reminder>\nPlan mode is active. Use Read and Grep to investigate the codebase, and "
    "Bash only when needed. Do not call AskUserQuestion.\n</system-reminder>"
)


def tool(name: str, description: str, key: str) -> Tool:
    shape = {"type": "object", "properties": {key: {"type": "string"}}, "required": [key]}
    return Tool(name=name, description=description, parameters=shape, declared={})  # type: ignore[arg-type] # plain JSON


TOOLS = (
    tool("Bash", "Run a shell command, only when needed", "command"),
    tool("Read", "Read a text file of the codebase", "path"),
    tool("Grep", "Search the codebase with a pattern", "pattern"),
    tool("AskUserQuestion", "Ask the user a question", "question"),
)


@pytest.mark.parametrize(
    ("said", "left"),
    [
        (f"Hello.\n{DATE}", "Hello."),
        (f"{DATE}{MODE}\nHello.", "Hello."),
        (f"Hello, {DATE} world.", "Hello,  world."),
        ("What is <system-reminder>?", "What is <system-reminder>?"),
        (f"{DATE} and <system-reminder> is open", "and <system-reminder> is open"),
        ("a </system-reminder> b", "a </system-reminder> b"),
    ],
)
def test_a_reminder_is_cut_out_of_a_text(
    said: str, left: str, chat: Callable[..., ChatRequest]
) -> None:
    assert [message.text for message in without_reminders(chat(said)).messages] == [left]


def test_a_message_that_is_a_reminder_is_left_out_and_its_pictures_stay(
    chat: Callable[..., ChatRequest],
) -> None:
    picture = Message(position=1, role="user", parts=(TextPart(DATE), MediaPart("image", "data:")))
    request = without_reminders(chat("Hello.", DATE, picture))
    assert [message.text for message in request.messages] == ["Hello.", ""]
    assert request.messages[1].media == picture.media


def test_a_tool_s_result_and_other_roles_keep_their_place(
    chat: Callable[..., ChatRequest],
) -> None:
    request = chat("Hello.", ("assistant", DATE), ("tool", DATE), ("system", DATE))
    found = [(message.role, message.text) for message in without_reminders(request).messages]
    assert found == [("user", "Hello."), ("assistant", DATE), ("tool", ""), ("system", DATE)]


def test_what_has_no_reminder_or_nothing_else_stays_as_it_is(
    chat: Callable[..., ChatRequest],
) -> None:
    for request in (chat("Hello."), chat(DATE), chat(("assistant", DATE))):
        assert without_reminders(request) is request


def test_openings_without_an_end_take_no_longer(chat: Callable[..., ChatRequest]) -> None:
    request = chat("<system-reminder>" * 200_000)
    before = time.process_time()
    without_reminders(request)
    assert time.process_time() - before < 1


def test_a_question_without_tools_gets_an_answer_whatever_an_agent_reminds_of(
    chat: Callable[..., ChatRequest], source: GeneratorSource
) -> None:
    plain = source.reply(chat("Tell me about bees.", tools=TOOLS))
    assert plain.calls == ()
    reminded = source.reply(chat("Tell me about bees.", DATE, MODE, tools=TOOLS))
    assert reminded.calls == ()
    assert "bees" in reminded.content


def test_a_loop_ends_though_reminders_follow_every_result(
    chat: Callable[..., ChatRequest], source: GeneratorSource
) -> None:
    history: list[Message | str] = ["Read the file notes.txt and tell me what it says.", DATE]
    turn, reply = 0, source.reply(chat(*history, tools=TOOLS))
    while reply.calls and turn < 5:
        calls = tuple(
            ToolCall(id=f"{turn}-{at}", name=call.name, arguments=call.arguments)
            for at, call in enumerate(reply.calls)
        )
        history.append(Message(position=0, role="assistant", tool_calls=calls))
        history += [
            Message(position=0, role="tool", tool_call_id=each.id, parts=(TextPart("Buy milk."),))
            for each in calls
        ]
        history.append(MODE)
        turn, reply = turn + 1, source.reply(chat(*history, tools=TOOLS))
    assert turn == 1
    assert "milk" in reply.content
