"""Turns files in vcrpy's format into cassettes and interactions into such files; source layer.

vcrpy's own serialisers do the writing, so that a file is to the byte what vcrpy would have written.
Its loader is not used: it takes a file that was cut off for a shorter one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from k3mock.cassette import timing as times
from k3mock.cassette.atomic import replace_file
from k3mock.cassette.interaction import Cassette
from k3mock.cassette.journal import journal_file, unfinished
from k3mock.cassette.layout import VERSION, checked, deserialized, is_json
from k3mock.cassette.normalise import interaction as normalised
from k3mock.cassette.problem import CassetteError, of_disk

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

    from k3mock.cassette.interaction import Interaction, Pairs
    from k3mock.jsonvalue import JSONObject

HEAD = "interactions:\n"
TAIL = f"version: {VERSION}\n"


class _Serializer(Protocol):
    def serialize(self, cassette_dict: object) -> str: ...
    def deserialize(self, cassette_string: str) -> object: ...


def load(path: Path) -> Cassette:
    """Read a cassette, whoever wrote it.

    Raises:
        CassetteError: the file is missing, damaged, cut off or no cassette.
    """
    try:
        raw = path.read_bytes()
    except FileNotFoundError as error:
        if journal_file(path).is_file():
            raise CassetteError(unfinished(path), where=str(path)) from error
        raise CassetteError("there is no such cassette", where=str(path),
                            hint="check the path, or record it first") from error  # fmt: skip
    except OSError as error:
        raise of_disk(error, path, "the cassette cannot be read") from error
    return parse(raw, path)


def parse(raw: bytes, path: Path) -> Cassette:
    """Read a cassette's bytes; `path` says which format they have and stands in messages.

    Raises:
        CassetteError: as for `load`.
    """
    reading = _serializer(json=is_json(path)).deserialize
    items, warnings = checked(deserialized(raw, path, reading), path)
    interactions = []
    told: dict[str, list[int]] = {}
    for number, item in enumerate(items, 1):
        found, notes = normalised(item, number, str(path))
        interactions.append(found)
        for note in notes:
            told.setdefault(note, []).append(number)
    warnings += [f"{_numbered(numbers)}: {note}" for note, numbers in told.items()]
    return Cassette(path=path, interactions=tuple(interactions), warnings=tuple(warnings))


def document(interaction: Interaction) -> str:
    """Return a whole YAML cassette that holds this interaction only."""
    return _serialized([interaction], _serializer(json=False))


def items_of(text: str) -> str:
    """Return the lines of a YAML cassette that stand between its first and its last one.

    Raises:
        CassetteError: the text has another layout, as a later vcrpy might write.
    """
    if not text.startswith(HEAD) or not text.endswith(TAIL):
        raise CassetteError("vcrpy wrote a layout that is not known",
                            found=f"{text[:40]!r} … {text[-40:]!r}",
                            accepted=f"{HEAD!r} … {TAIL!r}",
                            hint="install a version of vcrpy below 10")  # fmt: skip
    return text[len(HEAD) : -len(TAIL)]


def joined(documents: Iterable[str]) -> Iterator[bytes]:
    """Yield the bytes of one YAML cassette made of the items of several, without reading them."""
    empty = True
    for text in documents:
        if empty:
            yield HEAD.encode("ascii")
            empty = False
        yield items_of(text).encode("ascii")
    if empty:
        yield b"interactions: []\n"
    yield TAIL.encode("ascii")


def rendered(path: Path, interactions: Sequence[Interaction]) -> Iterator[bytes]:
    """Yield the bytes of a cassette, in the format that its name asks for.

    Raises:
        CassetteError: JSON was asked for and a body is not text.
    """
    if not is_json(path):
        yield from joined(map(document, interactions))
        return
    try:
        text = _serialized(interactions, _serializer(json=True))
    except TypeError as error:
        binary = next((each.number for each in interactions if _is_binary(each)), 0)
        raise CassetteError("JSON cannot hold a binary body",
                            where=f"{path}: interaction {binary}",
                            hint=f"use YAML: {path.stem}.yaml") from error  # fmt: skip
    yield text.encode("ascii")


def write(path: Path, interactions: Iterable[Interaction]) -> None:
    """Write a cassette so that the file is there whole or not at all; readable by its owner only.

    Raises:
        CassetteError: the disk refuses, or a body does not fit the format.
    """
    replace_file(path, rendered(path, tuple(interactions)))


def _serializer(*, json: bool) -> _Serializer:
    # vcrpy takes a third of a second to import, most of it for clients that it patches.
    from vcr.serializers import jsonserializer, yamlserializer  # noqa: PLC0415

    chosen: _Serializer = jsonserializer if json else yamlserializer
    return chosen


def _serialized(interactions: Sequence[Interaction], serializer: _Serializer) -> str:
    from vcr.request import Request  # noqa: PLC0415
    from vcr.serialize import serialize  # noqa: PLC0415

    requests = [
        Request(
            each.request.method,
            each.request.uri,
            each.request.body,
            {name: values[0] for name, values in _grouped(each.request.headers).items()},
        )
        for each in interactions
    ]
    # vcrpy turns bytes into text inside what it is given, so it is given values of its own.
    responses = [_response(each) for each in interactions]
    text: str = serialize({"requests": requests, "responses": responses}, serializer)
    return text


def _response(interaction: Interaction) -> dict[str, object]:
    response = interaction.response
    result: dict[str, object] = {
        "status": {"code": response.status, "message": response.reason},
        "headers": _grouped(response.headers),
        "body": {"string": response.body},
    }
    if interaction.timing is not None:
        key: JSONObject = times.encode(interaction.timing)
        result[times.KEY] = key
    return result


def _grouped(headers: Pairs) -> dict[str, list[str]]:
    grouped: dict[str, list[str]] = {}
    for name, value in headers:
        grouped.setdefault(name, []).append(value)
    return grouped


def _is_binary(interaction: Interaction) -> bool:
    for body in (interaction.request.body, interaction.response.body):
        try:
            body.decode("utf-8")
        except UnicodeDecodeError:
            return True
    return False


def _numbered(numbers: list[int]) -> str:
    if len(numbers) == 1:
        return f"interaction {numbers[0]}"
    shown = ", ".join(map(str, numbers[:5]))
    more = len(numbers) - 5
    return f"interactions {shown} and {more} more" if more > 0 else f"interactions {shown}"
