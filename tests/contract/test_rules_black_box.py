"""What the vendor's tables say, row by row, over a real socket, where one fixture is too few.

Each row carries the marks of its rule; a test compares them with the profile's.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.contract import rows_fields, rows_messages, rows_tools
from tests.contract.black_box import (
    assert_accepted,
    assert_refused,
    body,
    called,
    entries,
    function,
    marks,
    post,
    result,
    user,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from _pytest.mark import ParameterSet

    from k3mock.contract.profile import Profile
    from tests.contract.black_box import Row, Worlds

TABLES = (
    rows_fields.fixed,
    rows_fields.types,
    rows_fields.plain_fields,
    rows_fields.thinking_switch,
    rows_fields.sizes,
    rows_tools.tools,
    rows_tools.schemas,
    rows_tools.tool_choice_and_format,
    rows_messages.messages,
    rows_messages.history,
)
ROWS = [case for table in TABLES for case in table()]


@pytest.mark.parametrize("case", ROWS)
def test_a_row_of_the_tables_is_refused_to_the_byte(
    case: Row, worlds: Worlds, moonshot: Profile, request: pytest.FixtureRequest
) -> None:
    """The texts are the vendor's where the marks say so, else of the house (see each rule)."""
    assert marks(moonshot, case.rule) == case.evidence
    answer = post(worlds(case.profile), case.body, session="rows")
    error = {"message": case.message, "type": case.type}
    assert_refused(answer, case.rule, error, status=case.status)


def accepted() -> Iterator[ParameterSet]:
    """What a switch lets through, or what stands right at a limit."""
    both = {"type": "object", "anyOf": [{"type": "object"}]}
    tool = [function(parameters={"type": "object", "properties": {"a": both}})]
    yield pytest.param(None, body(tools=tool), id="anyof-by-default")
    tool = [function(parameters=both)]
    yield pytest.param({"switches": {"anyof_rule": "accept"}}, body(tools=tool), id="anyof-accept")
    named = {"tool_choice": {"type": "function", "function": {"name": "find_train"}}}
    for name, choice in (("named", named), ("required", {"tool_choice": "required"})):
        sent = body(tools=[function()], **choice)
        yield pytest.param({"switches": {"named_tool_choice": "accept"}}, sent, id=f"{name}-choice")
    ignore = {"switches": {"thinking": "ignore"}}
    for kind in ("enabled", "disabled", "auto"):
        sent = body(thinking={"type": kind, "effort": "extreme"})
        yield pytest.param(ignore, sent, id=f"thinking-{kind}-ignored")
    refuse = {"switches": {"thinking": "refuse"}}
    yield pytest.param(refuse, body(thinking=None), id="thinking-null-where-refused")
    strict = {"switches": {"reasoning_replay": "refuse"}}
    spoken = body(user(), {"role": "assistant", "content": "x"}, user())
    yield pytest.param(strict, spoken, id="plain-turn-without-reasoning")
    kept = body(user(), called("a_0", reasoning_content="Hm."), result("a_0"))
    yield pytest.param(strict, kept, id="call-with-reasoning")
    limited = {"switches": {"message_size": "limited"}}
    yield pytest.param(limited, body(user("fig " * 50)), id="small-messages")
    window = {"limits": {"window_tokens": 200}}
    yield pytest.param(window, body(user("fig " * 113 + "fig")), id="room-for-one-token")
    many = [function(f"tool_{number}") for number in range(128)]
    yield pytest.param(None, body(tools=many), id="128-tools")
    deep: dict[str, Any] = {"type": "string"}
    for _ in range(30):
        deep = {"type": "object", "properties": {"in": deep}}
    yield pytest.param(None, body(tools=[function(parameters=deep)]), id="30-levels")
    rows: dict[str, Any] = {"type": "string"}
    for _ in range(40):
        rows = {"type": "array", "items": rows}
    yield pytest.param(None, body(tools=[function(parameters=rows)]), id="40-nested-arrays")
    enum = {"type": "object", "properties": {"a": {"type": "string", "enum": ["x" * 80_000]}}}
    yield pytest.param(None, body(tools=[function(parameters=enum)]), id="one-long-enum-text")
    bare = {"type": "function", "function": {"name": "find_train", "parameters": None}}
    yield pytest.param(None, body(tools=[bare]), id="null-parameters")
    yield from accepted_media()


def accepted_media() -> Iterator[ParameterSet]:
    """The types of the vision page; animated pictures are read as films."""
    for mime in ("image/png", "IMAGE/PNG", "image/jpeg", "image/gif", "image/webp", "image/bmp",
                 "image/heic", "image/heif", "image/png;charset=utf-8"):  # fmt: skip
        part: dict[str, Any] = {"type": "image_url", "image_url": f"data:{mime};base64,AAAA"}
        yield pytest.param(None, body(user([part])), id=mime)
    for mime in ("mp4", "mpeg", "mov", "avi", "x-flv", "mpg", "webm", "wmv", "3gpp"):
        part = {"type": "video_url", "video_url": {"url": f"data:video/{mime};base64,AAAA"}}
        yield pytest.param(None, body(user([part])), id=f"video/{mime}")
    for mime in ("image/gif", "image/webp"):
        part = {"type": "video_url", "video_url": {"url": f"data:{mime};base64,AAAA"}}
        yield pytest.param(None, body(user([part])), id=f"animated-{mime}")


@pytest.mark.parametrize(("profile", "sent"), list(accepted()))
def test_what_is_allowed_or_switched_off_is_answered(
    profile: dict[str, Any] | None, sent: dict[str, Any], worlds: Worlds
) -> None:
    """Limits from the vendor's validator and pages; switches where the sources disagree."""
    assert_accepted(post(worlds(profile), sent, session="accepted"))


def test_an_ignored_thinking_object_has_no_effect_on_the_effort(worlds: Worlds) -> None:
    """Ignored means 200 and no visible effect, as for every field that the model does not know."""
    world = worlds({"switches": {"thinking": "ignore"}})
    sent = body(thinking={"type": "enabled", "effort": "low"}, reasoning_effort="high")
    assert_accepted(post(world, sent, session="ignored-thinking"))
    [entry] = entries(world, "ignored-thinking")
    assert entry["effective"]["reasoning_effort"] == "high"


def test_the_window_leaves_less_than_the_cap_that_was_asked_for(worlds: Worlds) -> None:
    """A window of 200 and a prompt of 86 tokens leave 114; the answer is cut there."""
    world = worlds({"limits": {"window_tokens": 200}})
    answer = post(world, body(max_completion_tokens=150), session="clamped")
    assert_accepted(answer)
    [entry] = entries(world, "clamped")
    assert entry["effective"]["max_completion_tokens"] == 114
    assert answer.json["usage"]["prompt_tokens"] == 86
    assert answer.json["usage"]["completion_tokens"] == 114
    assert answer.json["choices"][0]["finish_reason"] == "length"


@pytest.mark.parametrize(
    ("asked", "effective"),
    [
        pytest.param({}, 131_072, id="default"),
        pytest.param({"max_tokens": 64}, 64, id="deprecated-name"),
        pytest.param({"max_completion_tokens": 32, "max_tokens": 64}, 32, id="both"),
        pytest.param({"max_completion_tokens": None, "max_tokens": 64}, 64, id="null-and-number"),
        pytest.param({"max_completion_tokens": 1_048_576}, 1_048_490, id="whole-window"),
    ],
)
def test_the_effective_cap_is_noted(asked: dict[str, Any], effective: int, worlds: Worlds) -> None:
    """The default is documented; that the newer name wins is a note in the vendor's own client."""
    session = f"cap-{effective}-{len(asked)}"
    assert_accepted(post(worlds(), body(**asked), session=session))
    [entry] = entries(worlds(), session)
    assert entry["effective"]["max_completion_tokens"] == effective
