"""Turns a cassette into a scenario that gives the same answers to the same requests; source layer.

A turn is recognised by its last message and by how many assistant turns stand before it; where two
requests share these, what else tells them apart is added. Equal requests answer one after the
other.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING, TypeAlias

import yaml

from k3mock.cassette.answer import compact, json_of
from k3mock.cassette.key import VOLATILE, keys
from k3mock.cassette.problem import CassetteError
from k3mock.cassette.scripted import reply
from k3mock.cassette.show import path_of
from k3mock.contract.load import load_profile
from k3mock.contract.read import read_request
from k3mock.jsonvalue import JSONObject, JSONValue, as_list, as_object
from k3mock.yamlfile import MAX_BYTES

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from k3mock.cassette.interaction import Cassette, Interaction
    from k3mock.contract.profile import Profile
    from k3mock.protocol.request import ChatRequest

_Facet: TypeAlias = "Callable[[Sequence[ChatRequest]], list[JSONObject]]"

CHAT = "/chat/completions"
CONTENT_RULE = "content"
"""The rule of redaction that leaves no words to script."""

_VEILED = re.compile(rb"\[text:[0-9a-f]{12}\]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Converted:
    """A scenario as YAML, and what of the cassette is not in it."""

    text: str
    turns: int
    left_out: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Spoken:
    """A chat exchange: its request read, its turn's answer, its key."""

    number: int
    key: bytes
    request: ChatRequest
    reply: JSONValue


def to_scenario(cassette: Cassette) -> Converted:
    """Write a scenario.

    Raises:
        CassetteError: nothing in the cassette is a chat completion whose words were kept.
    """
    profile = load_profile("moonshot")
    left_out: list[str] = []
    spoken: list[_Spoken] = []
    for each in cassette.interactions:
        found = _spoken(each, profile)
        if isinstance(found, str):
            left_out.append(f"interaction {each.number}: {found}")
        else:
            spoken.append(found)
    if not spoken:
        raise CassetteError(
            "nothing in the cassette can be a scenario", where=str(cassette.path),
            found="; ".join(left_out)[:300] or "no interaction",
            accepted="chat completions whose texts were kept",
        )  # fmt: skip
    turns = _turns(spoken)
    scenario: JSONObject = {
        "name": re.sub(r"[^A-Za-z0-9_.-]+", "_", cassette.name).lstrip("_.-")[:100] or "recorded",
        "about": f"Recorded answers of {cassette.path.name}.",
        # What was recorded was answered, whatever our contract says of it.
        "contract": "off",
        "turns": [*turns],
    }
    text = _yaml(scenario)
    if len(text.encode()) > MAX_BYTES:
        raise CassetteError("the scenario would be too large to be loaded",
                            where=str(cassette.path), found=f"{len(text.encode())} bytes",
                            accepted=f"up to {MAX_BYTES} bytes",
                            hint="replay the cassette itself")  # fmt: skip
    return Converted(text=text, turns=len(turns), left_out=tuple(left_out))


def _spoken(interaction: Interaction, profile: Profile) -> _Spoken | str:
    """Read a chat exchange; a text says why it is none."""
    request, timing = interaction.request, interaction.timing
    path = path_of(interaction)
    if request.method != "POST" or not path.endswith(CHAT):
        return f"{request.method} {path} is no chat completion"
    if (timing is not None and CONTENT_RULE in timing.redacted) or _VEILED.search(request.body):
        return "its texts were redacted"
    body = as_object(json_of(request.body))
    if body is None:
        return "the request is no JSON object"
    read = read_request(body, profile)
    return _Spoken(
        number=interaction.number,
        key=keys(request.method, path, request.body).exact,
        request=read,
        reply=reply(interaction, {tool.name for tool in read.offered_tools}),
    )


def _turns(spoken: Sequence[_Spoken]) -> list[JSONObject]:
    """Return turns in the order of the recording; answers to equal requests form a sequence."""
    patterns = _patterns(spoken)
    last = {each.key: each.number for each in spoken}
    turns: list[JSONObject] = []
    # Equal answers to equal requests in a row are one turn that answers as often.
    for (key, _), group in groupby(spoken, lambda each: (each.key, repr(each.reply))):
        members = [*group]
        turn: JSONObject = {"when": patterns[key], "reply": members[0].reply}
        if members[-1].number != last[key]:
            turn["times"] = len(members)
        turns.append(turn)
    return turns


def _patterns(spoken: Sequence[_Spoken]) -> dict[bytes, JSONObject]:
    """Return a pattern for each request, as short as the others allow."""
    requests = {each.key: each.request for each in spoken}
    patterns: dict[bytes, JSONObject] = {key: _base(request) for key, request in requests.items()}
    for facet in _FACETS:
        crowds = _alike(patterns)
        for crowd in crowds:
            parts = facet([requests[key] for key in crowd])
            if len({repr(part) for part in parts}) > 1:
                for key, part in zip(crowd, parts, strict=True):
                    patterns[key] = {**patterns[key], **part}
    for each in spoken:
        if _calls_offered(each.reply):
            patterns[each.key] |= _tools(each.request)
    return patterns


def _calls_offered(reply: JSONValue) -> bool:
    """Say whether a reply calls a tool that it needs the request to offer."""
    given = as_object(reply) or {}
    events = [as_object(each) or {} for each in as_list(given.get("events")) or []]
    calls = [*(as_list(given.get("tool_calls")) or []),
             *(event["tool_call"] for event in events if "tool_call" in event)]  # fmt: skip
    return any("force" not in (as_object(call) or {}) for call in calls)


def _alike(patterns: Mapping[bytes, JSONObject]) -> Iterator[list[bytes]]:
    crowds: dict[str, list[bytes]] = {}
    for key, pattern in patterns.items():
        crowds.setdefault(repr(pattern), []).append(key)
    return (crowd for crowd in crowds.values() if len(crowd) > 1)


def _base(request: ChatRequest) -> JSONObject:
    last = request.last
    if last is None:
        return {"messages": {"count": 0}}
    turn = sum(1 for message in request.messages if message.role == "assistant")
    return {"last": {"role": last.role, "content": {"equals": last.text}}, "turn": turn}


def _each(facet: Callable[[ChatRequest], JSONObject]) -> _Facet:
    return lambda crowd: [facet(request) for request in crowd]


def _tools(request: ChatRequest) -> JSONObject:
    names: list[JSONValue] = [*sorted({tool.name for tool in request.offered_tools})]
    return {"tools": {"all": names, "count": len(names)} if names else False}


def _system(request: ChatRequest) -> JSONObject:
    texts = (message.text for message in request.messages if message.role == "system")
    return {"system": {"equals": "\n".join(texts)}}


def _fields(crowd: Sequence[ChatRequest]) -> list[JSONObject]:
    """Return what the fields that differ hold."""
    names = sorted({name for request in crowd for name in request.body})
    differing = [name for name in names
                 if len({repr(request.body.get(name)) for request in crowd}) > 1]  # fmt: skip
    chosen = [name for name in differing if name not in VOLATILE] or differing
    expression = f"[{', '.join(map(compact, chosen))}]"
    return [
        {"jmespath": {"expression": expression,
                      "equals": [request.body.get(name) for name in chosen]}}
        for request in crowd
    ]  # fmt: skip


_FACETS: tuple[_Facet, ...] = (
    _each(lambda request: {"stream": request.stream}),
    _each(lambda request: {"model": {"equals": request.model}}),
    _each(_tools),
    _each(_system),
    _each(lambda request: {"messages": {"count": len(request.messages)}}),
    _each(lambda request: {"reasoning_effort": request.effort}),
    _fields,
)
"""What tells requests apart, from what people would name first to whole fields."""


_ODD = re.compile(
    "[^\n\x20-\x7e\xa0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]"
)
"""What YAML reads as itself only inside double quotes."""

_BLANK_ENDS = re.compile(r"[ \t](\n|$)")


class _Dumper(yaml.SafeDumper):
    """Writes texts of several lines as blocks where YAML can, and never an alias."""

    def ignore_aliases(self, data: object) -> bool:
        del data
        return True


def _text(dumper: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
    style = None
    if _ODD.search(text):
        style = '"'
    elif "\n" in text and not text[0].isspace() and not _BLANK_ENDS.search(text):
        style = "|"
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=style)


_Dumper.add_representer(str, _text)


def _yaml(value: JSONObject) -> str:
    return yaml.dump(value, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=100)
