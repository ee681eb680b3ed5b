"""Cases about reasoning: replayed in the history (A), and its shape in the answer (B)."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from tests.cases.case import case
from tests.cases.history import round_trip, user
from tests.support import request

if TYPE_CHECKING:
    from tests.cases.case import World

MISSING = (
    "thinking is enabled but reasoning_content is missing in assistant tool call message at index 1"
)


@case(
    "A02",
    """The refusal of a history without reasoning, in the envelope of whichever gateway stands in
    between: flat, like the Messages API, or as escaped text inside an aggregator's own error.""",
    profile="""
    extends: moonshot
    switches: {reasoning_replay: refuse}
    wire: {error_envelope: flat}
    """,
)
def _(world: World) -> None:
    body = request(messages=round_trip())
    flat = world.send(body)
    assert flat.status == 400
    assert set(flat.json) == {"code", "message", "data"}
    assert (flat.json["message"], flat.json["data"]) == (MISSING, None)
    anthropic = world.send(body, options="wire.error_envelope=anthropic").json
    assert anthropic["type"] == "error"
    assert anthropic["error"]["message"] == MISSING
    wrapped = world.send(body, options="wire.error_envelope=aggregator").json["error"]
    assert wrapped["message"] == "Provider returned error"
    assert json.loads(wrapped["metadata"]["raw"])["error"]["message"] == MISSING
    assert world.send(body, options="wire.error_envelope=moonshot").error["message"] == MISSING


@case(
    "A03",
    """Some hosts want the key `reasoning_content` to be there, some want it not null, some want
    text in it: an empty string and a blank make the difference.""",
    profile="""
    extends: moonshot
    switches: {reasoning_replay: refuse, reasoning_presence: non_empty}
    """,
)
def _(world: World) -> None:
    def status(**more: object) -> int:
        return world.send(request(messages=round_trip(**more))).status

    assert status() == 400
    assert status(reasoning_content=None) == 400
    assert status(reasoning_content="") == 400
    assert status(reasoning_content=" ") == 200
    assert status(reasoning_content="Look it up.") == 200


@case(
    "A05",
    """A client keeps the reasoning of some earlier turns only, or changes it: every assistant
    message must come back as it was sent.""",
    profile="""
    extends: moonshot
    switches:
      reasoning_replay: refuse
      reasoning_messages: all
      reasoning_compare: issued
    """,
)
def _(world: World) -> None:
    first = world.ask("Name a colour.")
    replayed = first.message
    follow_up = [user("Name a colour."), replayed, user("Another one.")]
    assert world.send(request(messages=follow_up)).status == 200
    trimmed = {key: value for key, value in replayed.items() if key != "reasoning_content"}
    refused = world.send(request(messages=[follow_up[0], trimmed, follow_up[2]]))
    assert refused.status == 400
    assert "reasoning_content" in refused.error["message"]
    changed = {**replayed, "reasoning_content": "Something else."}
    assert world.send(request(messages=[follow_up[0], changed, follow_up[2]])).status == 400


SPOKEN = """
    name: {name}
    turns:
      - reply: {{reasoning: We add them., content: "4"}}
    """


@case(
    "B01",
    "Reasoning comes under the name `reasoning`; `reasoning_content` never appears.",
    scenario=SPOKEN.format(name="b01"),
    options="wire.reasoning_field=reasoning",
)
def _(world: World) -> None:
    streamed = world.stream()
    assert streamed.joined("reasoning") == "We add them."
    assert b"reasoning_content" not in streamed.body
    assert world.ask().message["reasoning"] == "We add them."
    twice = world.send(request(stream=True), options="wire.reasoning_field=both")
    assert twice.joined("reasoning") == twice.joined("reasoning_content") == "We add them."


@case(
    "B02",
    """The ordinary stream of the model: deltas of reasoning alone before the first content, with
    `content` left out, null or empty in them.""",
    scenario=SPOKEN.format(name="b02"),
)
def _(world: World) -> None:
    plain = world.stream()
    thoughts = [delta for delta in plain.deltas if "reasoning_content" in delta]
    assert len(thoughts) >= 3
    assert all(set(delta) == {"reasoning_content"} for delta in thoughts)
    for shown, value in (("null", None), ("empty", "")):
        other = world.send(request(stream=True), options=f"wire.delta_content={shown}")
        deltas = [delta for delta in other.deltas if delta.get("reasoning_content")]
        assert all(delta["content"] == value for delta in deltas)


@case(
    "B03",
    """A small cap is used up by thinking: content is empty, the finish reason is `length`, and
    usage says where the tokens went.""",
    scenario="""
    name: b03
    turns:
      - reply:
          reasoning: {tokens: 400}
          content: The answer that nobody will see.
    """,
)
def _(world: World) -> None:
    answer = world.ask(max_tokens=200)
    assert answer.message["content"] == ""
    assert answer.message["reasoning_content"]
    assert answer.json["choices"][0]["finish_reason"] == "length"
    assert answer.usage["completion_tokens"] == 200
    assert answer.usage["completion_tokens_details"]["reasoning_tokens"] == 197
    streamed = world.stream(max_tokens=200)
    assert streamed.joined("content") == ""
    assert streamed.finishes == ["length"]


@case(
    "B04",
    """The whole answer is sent as reasoning, content stays empty and the finish reason is `stop`;
    self-hosted servers leave a rest of the markup at its end.""",
    scenario="""
    name: b04
    turns:
      - reply:
          reasoning: "The sum is 4.<|close|>response<|sep|>"
          content: ""
          finish_reason: stop
    """,
)
def _(world: World) -> None:
    streamed = world.stream()
    assert streamed.joined("content") == ""
    assert streamed.joined("reasoning_content") == "The sum is 4.<|close|>response<|sep|>"
    assert streamed.finishes == ["stop"]
    assert world.ask().message["content"] == ""
    moved = world.send(request(stream=True), options="scenario=b01;fault=answer_in_reasoning")
    assert moved.joined("content") == ""
    assert moved.joined("reasoning_content").endswith("4")


@case(
    "B07",
    "Both keys are in every delta, the one without text as null.",
    scenario=SPOKEN.format(name="b07"),
    options="wire.absent_channel=null;wire.delta_content=null",
)
def _(world: World) -> None:
    deltas = world.stream().deltas[1:-1]
    assert {"content": None, "reasoning_content": "We"} in deltas
    assert {"content": "4", "reasoning_content": None} in deltas
    assert all({"content", "reasoning_content"} <= set(delta) for delta in deltas)


@case(
    "B09",
    """Behind a tool result come reasoning and a finish, but neither text nor call; or nothing at
    all. It happens several times in a row before a good answer.""",
    scenario="""
    name: b09
    turns:
      - times: 2
        reply: {faults: [{name: reasoning_only, finish: tool_calls}]}
      - times: 1
        reply: {faults: [empty_stream]}
      - reply: {content: It is 31 degrees.}
    """,
)
def _(world: World) -> None:
    body = request(messages=round_trip(reasoning_content="Look."), stream=True)
    for _attempt in range(2):
        thought = world.send(body)
        assert thought.joined("reasoning_content")
        assert thought.joined("content") == ""
        assert thought.tool_deltas == []
        assert thought.finishes == ["tool_calls"]
    empty = world.send(body)
    assert empty.joined("reasoning_content") + empty.joined("content") == ""
    assert empty.finishes == ["stop"]
    assert world.send(body).joined("content") == "It is 31 degrees."


@case(
    "B10",
    "`content` of a delta is a list of typed blocks instead of a string.",
    scenario=SPOKEN.format(name="b10"),
    options="wire.content_encoding=typed_blocks",
)
def _(world: World) -> None:
    blocks = [
        block for delta in world.stream().deltas for block in (delta or {}).get("content") or []
    ]
    assert {"type": "text", "text": "4"} in blocks
    thoughts = [block for block in blocks if block["type"] == "thinking"]
    assert (
        "".join(part["text"] for block in thoughts for part in block["thinking"]) == "We add them."
    )
    assert isinstance(world.ask().message["content"], list)


@case(
    "B12",
    "The reasoning is a placeholder text, the real one is kept back.",
    scenario="""
    name: b12
    turns:
      - times: 1
        reply: {reasoning: The user greets. I greet back., content: Hello.}
      - reply: {reasoning: "[reasoning unavailable]", content: Hello again.}
    """,
)
def _(world: World) -> None:
    assert world.ask().message["reasoning_content"] == "The user greets. I greet back."
    later = world.ask("and now?")
    assert later.message["reasoning_content"] == "[reasoning unavailable]"
    assert later.usage["completion_tokens_details"]["reasoning_tokens"] < 10
