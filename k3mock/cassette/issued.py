"""Turns a recorded answer into what its session should know of it; source layer."""

from __future__ import annotations

from typing import TYPE_CHECKING

import orjson

from k3mock.jsonvalue import JSONValue, as_list, as_object, as_text

if TYPE_CHECKING:
    from collections.abc import Iterator

_CALLS = b'"tool_calls"'
_DATA = b"data:"


def call_ids(body: bytes) -> tuple[str, ...]:
    """Return the ids of the tool calls that an answer holds, streamed or whole."""
    if _CALLS not in body:
        return ()
    found = (_ids(document) for document in _documents(body))
    return tuple(dict.fromkeys(each for ids in found for each in ids))


def _documents(body: bytes) -> Iterator[bytes]:
    if not body.lstrip().startswith(b"{"):
        for line in body.splitlines():
            if line.startswith(_DATA) and _CALLS in line:
                yield line.removeprefix(_DATA)
        return
    yield body


def _ids(document: bytes) -> Iterator[str]:
    try:
        value: JSONValue = orjson.loads(document)
    except orjson.JSONDecodeError:
        # A stream that was cut off, or no JSON at all.
        return
    for choice in as_list((as_object(value) or {}).get("choices")) or []:
        for key in ("delta", "message"):
            said = as_object((as_object(choice) or {}).get(key)) or {}
            for call in as_list(said.get("tool_calls")) or []:
                name = as_text((as_object(call) or {}).get("id"))
                if name is not None:
                    yield name
