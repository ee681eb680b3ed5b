"""Turns `{tokens}`, `{json}`, `{template}`, `{file}`, `{generate}` into text; source layer."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, TypeAlias

import orjson

from k3mock.jsonvalue import as_int, as_object
from k3mock.scenario.budget import TemplateError
from k3mock.scenario.files import read_text
from k3mock.scenario.template import fill
from k3mock.scenario.words import words

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from k3mock.jsonvalue import JSONValue
    from k3mock.scenario.making import Making

Said: TypeAlias = "Callable[[Making], str]"

_SPARE = 64
_MANY_TOKENS = 500


def said(spec: JSONValue, place: str, folder: Path | None, *, cut: bool = True) -> Said:
    """Compile a checked text of a reply; `place` names it, files are read now.

    `cut` says that the answer ends at the cap of the request: no more is made up than it takes.
    """
    given = as_object(spec)
    if given is None:
        return fixed("" if spec is None else str(spec))
    if "template" in given:
        return templated(str(given["template"]), place)
    if "file" in given:
        return fixed(read_text(str(given["file"]), folder))
    if "json" in given:
        return fixed(compact(given["json"]))
    if "tokens" in given:
        return _made_up(as_int(given["tokens"]) or 0, place, cut=cut)
    if "generate" in given:
        channel = "reasoning" if place.endswith("reasoning") else "content"
        return lambda making: str(getattr(making.generated, channel))
    return fixed(str(given.get("text", "")))


def takes_long(spec: JSONValue) -> bool:
    """Say whether a text is worked out at length: a template, or many made-up words."""
    given = as_object(spec) or {}
    return "template" in given or (as_int(given.get("tokens")) or 0) > _MANY_TOKENS


def _made_up(tokens: int, place: str, *, cut: bool) -> Said:
    def made(making: Making) -> str:
        cap = making.view.asked.cap if cut else None
        wanted = tokens if cap is None else min(tokens, cap + _SPARE)
        return words(wanted, making.counter, making.chance(place))

    return made


def fixed(text: str) -> Said:
    """Return what always says the same."""
    return lambda _: text


def templated(text: str, place: str) -> Said:
    """Return what fills a template in."""

    def filled(making: Making) -> str:
        try:
            return fill(text, making.view, lambda: making.chance(place))
        except TemplateError as error:
            raise TemplateError(f"{place}: {error.what}", hint="the names in a template are those "
                                "of this request; default(…) helps where one may be absent",
                                ) from error  # fmt: skip

    return filled


def compact(value: JSONValue) -> str:
    """Write JSON without blanks, as the endpoint does."""
    try:
        return orjson.dumps(value).decode()
    except (TypeError, orjson.JSONEncodeError):
        # Numbers beyond 64 bits; that all are finite was checked.
        return json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
