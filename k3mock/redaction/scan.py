"""Turns a recording into the list of secrets that it still holds; matching layer.

It decodes what a plain search does not see and says place and rule, never a value. What is packed
too deeply to be looked through counts as found.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Protocol

from k3mock.redaction import unpack
from k3mock.redaction.draft import as_text
from k3mock.redaction.events import documents, is_stream, joined
from k3mock.redaction.find import UNREADABLE, find, usable
from k3mock.redaction.leak import Leak
from k3mock.redaction.rules import NEVER

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from k3mock.redaction.heads import Pairs

MAX_DEPTH = 60
"""Nesting of a parsed document that is walked; what is deeper counts as found."""


class ScannedRequest(Protocol):
    """A request as recorded."""

    @property
    def uri(self) -> str: ...

    @property
    def headers(self) -> Pairs: ...

    @property
    def body(self) -> bytes: ...


class ScannedResponse(Protocol):
    """A response as recorded."""

    @property
    def headers(self) -> Pairs: ...

    @property
    def body(self) -> bytes: ...


class Scanned(Protocol):
    """A request with its response and their number in the recording."""

    @property
    def number(self) -> int: ...

    @property
    def request(self) -> ScannedRequest: ...

    @property
    def response(self) -> ScannedResponse: ...


def scan(interactions: Iterable[Scanned], known: Iterable[str] = ()) -> list[Leak]:
    """Return what interactions hold that may not be kept, in their order."""
    return [
        leak
        for interaction in interactions
        for leak in scan_document(_as_document(interaction), known, f"#{interaction.number}")
    ]


def _as_document(interaction: Scanned) -> dict[str, object]:
    request, response = interaction.request, interaction.response
    return {
        "request": {
            "uri": request.uri,
            "headers": _as_mapping(request.headers),
            "body": request.body,
        },
        "response": {"headers": _as_mapping(response.headers), "body": response.body},
    }


def _as_mapping(headers: Pairs) -> dict[str, list[str]]:
    values: dict[str, list[str]] = {}
    for name, value in headers:
        values.setdefault(name, []).append(value)
    return values


def scan_document(document: object, known: Iterable[str] = (), place: str = "") -> list[Leak]:
    """Return what a parsed document holds that may not be kept: every string and every key.

    A document is what a YAML or JSON parser returns; `headers` in it are looked through by name.
    """
    secrets = usable(known)
    return list(dict.fromkeys(_walk(document, secrets, place, MAX_DEPTH)))


def scan_text(text: str | bytes, known: Iterable[str] = (), place: str = "text") -> list[Leak]:
    """Return what one text or file holds that may not be kept."""
    return list(dict.fromkeys(_text(text, usable(known), place)))


def _walk(value: object, secrets: tuple[str, ...], place: str, depth: int) -> Iterator[Leak]:
    if not depth:
        yield Leak(place, UNREADABLE)
    elif isinstance(value, str | bytes):
        yield from _text(value, secrets, place)
    elif isinstance(value, Mapping):
        for number, (key, item) in enumerate(value.items()):
            yield from _entry(number, str(key), item, (secrets, place, depth - 1))
    elif isinstance(value, list | tuple):
        for number, item in enumerate(value):
            yield from _walk(item, secrets, f"{place}[{number}]", depth - 1)
    elif value is not None:
        yield from _text(str(value), secrets, place)


def _entry(
    number: int, key: str, item: object, at: tuple[tuple[str, ...], str, int]
) -> Iterator[Leak]:
    """Look through a key and its value; a key that is a secret is named by its number."""
    secrets, place, depth = at
    leaks = list(_text(key, secrets, _joined(place, f"(key {number + 1})")))
    yield from leaks
    inner = _joined(place, f"({number + 1})" if leaks else key)
    if key.lower() == "headers" and isinstance(item, Mapping):
        for name in item:
            if str(name).lower() in NEVER:
                yield Leak(_joined(inner, str(name).lower()), "header")
    yield from _walk(item, secrets, inner, depth)


def _joined(place: str, name: str) -> str:
    return f"{place}.{name}" if place else name


def _text(value: str | bytes, secrets: tuple[str, ...], place: str) -> Iterator[Leak]:
    text = as_text(value) if isinstance(value, bytes) else value
    for hit in find(text, secrets):
        yield Leak(place, hit.rule)
    for sent in joined(documents(text)) if is_stream(text) else ():
        for hit in find(sent.text, secrets):
            yield Leak(f"{place}: {sent.place}", hit.rule)
    for plain in unpack.inflated(value) if isinstance(value, bytes) else ():
        if len(plain) > unpack.MAX_INFLATED:
            yield Leak(place, UNREADABLE)
        else:
            yield from _text(as_text(plain), secrets, place)
