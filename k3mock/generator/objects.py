"""Turns a prompt that wants JSON into a small object; source layer."""

from __future__ import annotations

from typing import TYPE_CHECKING

import orjson

from k3mock.generator.asking import named_keys
from k3mock.generator.facts import known
from k3mock.generator.keyed import kind_of, sentence, text_for, value_for
from k3mock.generator.schema import instance

if TYPE_CHECKING:
    from k3mock.generator.mentions import Hints
    from k3mock.generator.reading import Reading
    from k3mock.jsonvalue import JSONObject, JSONValue
    from k3mock.protocol.request import ChatRequest
    from k3mock.seed import Chance


def compact(value: JSONValue) -> str:
    """Write a value as compact JSON; `{}` if it cannot be written."""
    try:
        return orjson.dumps(value).decode()
    except TypeError:
        return "{}"


def wanted_schema(request: ChatRequest) -> JSONObject | None:
    """Return the schema that the content must be valid under, if the request gives one."""
    form = request.response_format
    return form.schema if form.kind == "json_schema" else None


def schema_text(schema: JSONObject, chance: Chance, hints: Hints) -> str:
    """Return JSON that is valid under a schema."""
    return compact(instance(schema, chance, hints))


def keys_of(reading: Reading) -> tuple[str, ...]:
    """Return the keys that the user, else the system, wants in an object."""
    for text in (reading.text, reading.instructions):
        keys = named_keys(text, reading.heard)
        if keys:
            return keys
    return ()


def made_object(reading: Reading, chance: Chance, hints: Hints) -> JSONObject:
    """Return an object with the keys that the prompt names, else a small one on its topic."""
    keys = keys_of(reading)
    if not keys:
        return _usual(reading, chance, hints)
    fact = known(reading.text, reading.heard)
    built: JSONObject = {}
    for key in keys:
        if fact and fact.kind == "fact" and _asks_for(key, "place"):
            built[key] = fact.of if kind_of(key) == "country" else fact.answer
        elif fact and fact.kind == "sum" and _asks_for(key, "text"):
            built[key] = orjson.loads(fact.answer)
        else:
            built[key] = value_for(key, chance, hints)
    return built


def _asks_for(key: str, kind: str) -> bool:
    return kind_of(key) in {kind, "text", "country" if kind == "place" else kind}


def _usual(reading: Reading, chance: Chance, hints: Hints) -> JSONObject:
    topic = hints.keyword()
    return {
        "topic": topic,
        "summary": sentence(chance, hints),
        "details": list(reading.keywords[:4]) or [text_for("query", chance, hints)],
        "contact": hints.names.person(),
        "score": round(chance.uniform(0.5, 1), 2),
        "complete": True,
    }
