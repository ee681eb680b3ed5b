"""Turns a YAML file into plain values that remember where they stood; files layer.

Only the safe subset is read, with limits on size, depth and aliases; a key given twice is an error,
not a silent loss.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

import yaml

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from k3mock.errors import K3MockError
    from k3mock.jsonvalue import JSONValue

MAX_BYTES = 8_000_000
MAX_DEPTH = 60
MAX_NODES = 400_000

_MERGE = "tag:yaml.org,2002:merge"

Place: TypeAlias = "tuple[str | int, ...]"


@dataclass(frozen=True, slots=True)
class Located:
    """A file's content and the line and column (both from 1) of each key and item."""

    name: str
    value: JSONValue
    places: Mapping[Place, tuple[int, int]]

    def where(self, *place: str | int) -> str:
        """Return `file:line:column` of a key or item, or of the nearest parent that is there."""
        at: Place = place
        while at and at not in self.places:
            at = at[:-1]
        line, column = self.places.get(at, (1, 1))
        return f"{self.name}:{line}:{column}"


def load(path: Path, error: type[K3MockError]) -> Located:
    """Read a YAML file.

    Raises:
        K3MockError: of the given class, when the file cannot be read or is not safe YAML.
    """
    try:
        raw = path.read_bytes()
    except OSError as cause:
        reason = str(cause.strerror or cause)
        raise error("the file cannot be read", where=str(path), found=reason) from cause
    return parse(raw, str(path), error)


def parse(raw: bytes, name: str, error: type[K3MockError]) -> Located:
    """Read YAML text; `name` stands in messages."""
    if len(raw) > MAX_BYTES:
        raise error("the file is too large", where=name, found=f"{len(raw)} bytes",
                    accepted=f"up to {MAX_BYTES} bytes")  # fmt: skip
    try:
        return _read(raw, name, error)
    except yaml.MarkedYAMLError as cause:
        mark = cause.problem_mark or cause.context_mark
        where = f"{name}:{mark.line + 1}:{mark.column + 1}" if mark else name
        raise error("not valid YAML", where=where, found=str(cause.problem)) from cause
    except (yaml.YAMLError, ValueError, OverflowError, RecursionError) as cause:
        found = str(cause).splitlines()[0] if str(cause) else type(cause).__name__
        raise error("not valid YAML", where=name, found=found) from cause


def _read(raw: bytes, name: str, error: type[K3MockError]) -> Located:
    loader = yaml.SafeLoader(raw)
    try:
        node = loader.get_single_node()
        builder = _Builder(loader, name, error)
        value = builder.build(node, ()) if node is not None else None
    finally:
        loader.dispose()
    return Located(name, value, builder.places)


class _Builder:
    def __init__(self, loader: yaml.SafeLoader, name: str, error: type[K3MockError]) -> None:
        self._loader = loader
        self._name = name
        self._error = error
        self._nodes = 0
        self.places: dict[Place, tuple[int, int]] = {}

    def build(self, node: yaml.Node, place: Place) -> JSONValue:
        self._nodes += 1
        if len(place) > MAX_DEPTH or self._nodes > MAX_NODES:
            raise self._error(
                "the file is nested too deeply or repeats too much through aliases",
                where=self._where(node),
                accepted=f"{MAX_DEPTH} levels, {MAX_NODES} values",
            )
        self.places.setdefault(place, _mark(node))
        match node:
            case yaml.MappingNode():
                return self._mapping(node, place)
            case yaml.SequenceNode():
                items = enumerate(node.value)
                return [self.build(item, (*place, index)) for index, item in items]
            case _:
                return self._scalar(node)

    def _mapping(self, node: yaml.MappingNode, place: Place) -> JSONValue:
        result: dict[str, JSONValue] = {}
        for key_node, value_node in node.value:
            if key_node.tag == _MERGE:
                raise self._error("merge keys are not read", where=self._where(key_node),
                                  found="<<", hint="write the keys out")  # fmt: skip
            key = self._scalar(key_node) if isinstance(key_node, yaml.ScalarNode) else None
            if isinstance(key, bool):
                # YAML 1.1 reads `on`, `off`, `yes` and `no` as booleans; as keys they are words.
                key = key_node.value
            if not isinstance(key, str | int):
                raise self._error("a key must be text", where=self._where(key_node))
            name = str(key)
            if name in result:
                raise self._error(f"the key {name!r} is given twice", where=self._where(key_node),
                                  hint="keep one of the two")  # fmt: skip
            self.places[*place, name] = _mark(key_node)
            result[name] = self.build(value_node, (*place, name))
        return result

    def _scalar(self, node: yaml.Node) -> JSONValue:
        try:
            value = self._loader.construct_object(node)
        except (ValueError, LookupError, AttributeError) as cause:
            # What PyYAML raises of a value that does not fit its tag, such as a 13th month.
            kind = node.tag.rpartition(":")[2]
            raise self._error(f"not a value of the type {kind}", where=self._where(node),
                              found=repr(str(node.value)[:60])) from cause  # fmt: skip
        if isinstance(value, bool) and node.value.lower() not in {"true", "false"}:
            # YAML 1.1 reads `on`, `off`, `yes` and `no` as booleans; here they are words.
            return str(node.value)
        if value is None or isinstance(value, bool | int | float | str):
            return value
        # Dates and other implicit types are text here.
        return str(node.value)

    def _where(self, node: yaml.Node) -> str:
        line, column = _mark(node)
        return f"{self._name}:{line}:{column}"


def _mark(node: yaml.Node) -> tuple[int, int]:
    mark = node.start_mark
    return (mark.line + 1, mark.column + 1) if mark is not None else (1, 1)
