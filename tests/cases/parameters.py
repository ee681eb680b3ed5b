"""Cases about parameters and modes (K), tool schemas (L), messages and content (M)."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import jsonschema

from tests.cases.case import case
from tests.cases.history import called, result, said, user
from tests.support import request, tool

if TYPE_CHECKING:
    from tests.cases.case import World
    from tests.cases.raw import Exchange


def _refused(answer: Exchange, message: str, status: int = 400) -> None:
    assert (answer.status, answer.error["message"]) == (status, message)


@case(
    "K02",
    "The only allowed temperature depends on whether thinking is on.",
    profile="""
    extends: moonshot
    switches: {thinking: honour}
    rules:
      temperature.fixed: {thinking: enabled}
      temperature.unthinking:
        check: only
        field: temperature
        value: 0.6
        thinking: disabled
        group: sampling
        message: "invalid {field}: only {value} is allowed for this model"
    """,
)
def _(world: World) -> None:
    off: dict[str, Any] = {"thinking": {"type": "disabled"}}
    only = "invalid temperature: only {} is allowed for this model"
    _refused(world.ask(temperature=0.6), only.format(1))
    _refused(world.ask(temperature=1, **off), only.format(0.6))
    assert world.ask(temperature=1).status == 200
    assert world.ask(temperature=0.6, **off).status == 200


@case(
    "K05",
    "Thinking cannot be switched off: it is refused, ignored or honoured, as the host likes.",
    profile="""
    extends: moonshot
    switches: {thinking: honour}
    """,
)
def _(world: World) -> None:
    off: dict[str, Any] = {"thinking": {"type": "disabled"}}
    honoured = world.ask(**off)
    assert "reasoning_content" not in honoured.message
    assert honoured.message["content"]
    refused = world.send(request(**off), options="profile=moonshot")
    _refused(refused, "invalid thinking: only type=enabled is allowed for this model")
    ignored = world.send(request(**off), options="profile=evolink")
    assert ignored.status == 200


@case(
    "K07",
    "`response_format` is a string.",
)
def _(world: World) -> None:
    _refused(
        world.ask(response_format="json_object"),
        "Invalid request: the `response_format` field in the request (expected type object) is "
        "illegal, and string is not acceptable",
    )


SCHEMA: dict[str, Any] = {
    "type": "json_schema",
    "json_schema": {
        "name": "person",
        "schema": {
            "type": "object",
            "properties": {"name": {"type": "string"}, "age": {"type": "integer"}},
            "required": ["name", "age"],
            "additionalProperties": False,
        },
    },
}


@case(
    "K08",
    "A schema was demanded, but the answer breaks it, stands in a fence, or is cut.",
    scenario="""
    name: k08
    turns:
      - when: {last: {content: {contains: fence}}}
        reply: {content: "```json\\n{\\"name\\": \\"Ada\\", \\"age\\": 36}\\n```"}
      - when: {last: {content: {contains: cut}}}
        reply: {content: {json: {name: Ada, age: 36}}, faults: [length_in_content]}
      - when: {last: {content: {contains: invented}}}
        reply: {}
      - reply: {content: {json: {name: Ada, age: thirty-six}}}
    """,
)
def _(world: World) -> None:
    wrong = world.ask(response_format=SCHEMA)
    assert json.loads(wrong.message["content"])["age"] == "thirty-six"
    assert world.ask("fence", response_format=SCHEMA).message["content"].startswith("```json\n")
    cut = world.ask("cut", response_format=SCHEMA)
    assert cut.json["choices"][0]["finish_reason"] == "length"
    assert '{"name":"Ada","age":36}'.startswith(cut.message["content"])
    invented = request("invented", response_format=SCHEMA)
    assert set(json.loads(world.send(invented).message["content"])) == {"name", "age"}
    fenced = world.send(invented, options="fault=fenced_json").message["content"]
    assert fenced.startswith("```json\n")
    broken = json.loads(world.send(invented, options="fault=schema_violation").message["content"])
    schema = SCHEMA["json_schema"]["schema"]
    assert not jsonschema.Draft202012Validator(schema).is_valid(broken)


@case(
    "K09",
    "The last message is a prefix to go on with; the answer continues, repeats it, or is empty.",
    scenario="""
    name: k09
    turns:
      - when: {last: {role: assistant}}
        reply: {content: '"age": 36}'}
      - reply: {content: No prefix.}
    """,
)
def _(world: World) -> None:
    messages = [user("Who?"), {"role": "assistant", "content": "{", "partial": True}]
    assert world.send(request(messages=messages)).message["content"] == '"age": 36}'
    repeated = world.send(request(messages=messages), options="wire.partial_result=repeat_prefix")
    assert repeated.message["content"] == '{"age": 36}'
    empty = world.send(request(messages=messages), options="wire.partial_result=empty")
    assert empty.message["content"] == ""
    assert world.ask().message["content"] == "No prefix."


@case(
    "K10",
    "`top_p`, the penalties and `n` have one value; the request counter shows who tries again.",
)
def _(world: World) -> None:
    fixed: dict[str, tuple[Any, float]] = {
        "top_p": (1, 0.95), "presence_penalty": (0.5, 0), "frequency_penalty": (1, 0), "n": (2, 1),
    }  # fmt: skip
    for field, (value, only) in fixed.items():
        refused = world.send(request(**{field: value}))
        _refused(refused, f"invalid {field}: only {only} is allowed for this model")
    assert len(world.entries()) == 4


@case(
    "K11",
    "The output cap that holds when none is sent is small; both names of the cap are read.",
    profile="""
    extends: moonshot
    limits: {default_cap_tokens: 40}
    """,
)
def _(world: World) -> None:
    for name in ("", "max_tokens", "max_completion_tokens"):
        fields: dict[str, Any] = {name: 40} if name else {}
        answer = world.ask(**fields)
        assert answer.json["choices"][0]["finish_reason"] == "length"
        assert answer.usage["completion_tokens"] == 40
    both = world.ask(max_tokens=10, max_completion_tokens=30)
    assert both.usage["completion_tokens"] == 30
    assert world.ask(max_tokens=0).status == 400
    assert world.ask(max_tokens=4000).json["choices"][0]["finish_reason"] == "stop"


@case(
    "K12",
    "A `thinking` object meant for an older model is refused, ignored, or one value is accepted.",
    profile="""
    extends: moonshot
    switches: {thinking: refuse}
    """,
)
def _(world: World) -> None:
    thinking: dict[str, Any] = {"thinking": {"type": "enabled"}}
    assert world.ask(**thinking).status == 400
    assert world.send(request(**thinking), options="profile=moonshot").status == 200
    assert world.ask().status == 200


@case(
    "K13",
    "The same model at another host refuses other values in other words.",
    profile="""
    extends: moonshot
    about: a host of the same model
    rules:
      temperature.fixed: null
      temperature.range:
        check: range
        field: temperature
        min: 0
        max: 1
        message: "Validation: `temperature` must be between {min} and {max}"
      top_p.fixed:
        message: "Validation: `top_p` is immutable for this model and must be {value}, got {got}"
    """,
)
def _(world: World) -> None:
    assert world.ask(temperature=0.2).status == 200
    assert world.ask(temperature=1.2).status == 400
    _refused(
        world.ask(top_p=1),
        "Validation: `top_p` is immutable for this model and must be 0.95, got 1",
    )


@case(
    "K15",
    """`reasoning_effort` never leaves the client, or a proxy changes it: the journal and a header
    say what arrived and what holds.""",
)
def _(world: World) -> None:
    assert world.ask(reasoning_effort="low").headers["x-k3mock-effort"] == "low"
    assert world.ask().headers["x-k3mock-effort"] == "max"
    first, second = world.entries()
    assert isinstance(first.body, dict)
    assert first.body["reasoning_effort"] == "low"
    assert isinstance(second.body, dict)
    assert "reasoning_effort" not in second.body
    assert second.effective is not None
    assert second.effective["reasoning_effort"] == "max"


def _offered(**properties: Any) -> dict[str, Any]:
    return request(tools=[tool("f", **properties)])


@case(
    "L01",
    "A tool schema has `type` beside `anyOf`.",
    profile="""
    extends: moonshot
    switches: {anyof_rule: refuse}
    """,
)
def _(world: World) -> None:
    body = _offered(skill={"type": "string", "anyOf": [{"type": "string"}, {"type": "null"}]})
    refused = world.send(body)
    assert refused.status == 400
    assert (
        "<At path 'properties.skill': when using anyOf, type should be defined in anyOf items "
        "instead of the parent schema>"
    ) in refused.error["message"]
    assert world.send(body, options="profile=moonshot").status == 200


@case("L02", "A property of a tool schema has no `type`.")
def _(world: World) -> None:
    refused = world.send(_offered(source={"description": "any"}))
    assert refused.status == 400
    assert "<At path 'properties.source': type is not defined>" in refused.error["message"]


@case("L05", "Two tools have the same name.")
def _(world: World) -> None:
    _refused(world.ask(tools=[tool("files"), tool("files")]), "function name files is duplicated")


@case("M01", "An empty text part, as it comes from sending back the API's own empty content.")
def _(world: World) -> None:
    parts = [{"type": "text", "text": ""}]
    history = [user(), {**called("a_0"), "content": parts}, result("a_0")]
    _refused(world.send(request(messages=history)), "text content is empty")
    own = world.send(
        request(tools=[tool()], tool_choice="required"), options="contract=enforce"
    ).message
    assert own["content"] == ""
    assert own["tool_calls"]


@case(
    "M02",
    "A strict host wants the key `content` on every message, also beside tool calls.",
    profile="""
    extends: moonshot
    switches: {content_presence: key_required}
    """,
)
def _(world: World) -> None:
    without = called("a_0")
    del without["content"]
    history = [user(), without, result("a_0")]
    assert world.send(request(messages=history)).status in {400, 422}
    history[1] = {**without, "content": None}
    assert world.send(request(messages=history)).status == 200
    assert world.send(request(messages=[user(), without, result("a_0")]),
                      options="profile=moonshot").status == 200  # fmt: skip


@case(
    "M03",
    "The role `developer` is refused, in words that changed with host and time.",
    profile="""
    extends: moonshot
    rules:
      message.role: {message: "role '{role}' is not allowed"}
    """,
)
def _(world: World) -> None:
    body = request(messages=[{"role": "developer", "content": "Be brief."}, user()])
    _refused(world.send(body), "role 'developer' is not allowed")
    _refused(world.send(body, options="profile=moonshot"), "unsupported role ROLE_UNSPECIFIED")


@case("M04", "An empty assistant message is left in the history by an aborted turn.")
def _(world: World) -> None:
    _refused(
        world.send(request(messages=[user(), said(""), user("again")])),
        "Invalid request: the message at position 1 with role 'assistant' must not be empty",
    )


@case(
    "M05",
    "A content part has a type that this model does not take.",
    profile="""
    extends: moonshot
    rules:
      message.part_type: {values: [text, image_url]}
    """,
)
def _(world: World) -> None:
    parts = [{"type": "video_url", "video_url": {"url": "data:video/mp4;base64,AAAA"}}]
    _refused(
        world.send(request(messages=[said("Hello."), user(parts)])),
        "the message at position 1 with role 'user' contains an invalid part type: video_url",
    )


PIXEL = "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="


@case(
    "M07",
    "A translation layer drops images on the way; the pattern and the journal tell.",
    scenario="""
    name: m07
    turns:
      - when: {messages: {any: {parts: [image]}}}
        reply: {content: I see a picture.}
      - reply: {content: I see no picture.}
    """,
)
def _(world: World) -> None:
    seen = [{"type": "text", "text": "Look"}, {"type": "image_url", "image_url": {"url": PIXEL}}]
    assert world.send(request(messages=[user(seen)])).message["content"] == "I see a picture."
    assert world.ask("Look").message["content"] == "I see no picture."
    first, second = world.entries()
    assert b"image_url" in first.raw
    assert b"image_url" not in second.raw


@case(
    "M09",
    "Two messages of one role in a row are refused.",
    profile="""
    extends: moonshot
    switches: {strict_alternation: refuse}
    """,
)
def _(world: World) -> None:
    refused = world.send(request(messages=[said("Hi."), user("One."), user("Two.")]))
    assert refused.status == 400
    assert (
        "successive user or assistant messages (messages[1] and messages[2] in your input)"
        in (refused.error["message"])
    )
    assert world.send(request(messages=[user(), said(), user()])).status == 200
