"""Turns a YAML file into plain values that remember where they stood; files layer.

Only the safe subset is read, with limits on size, depth and aliases; a key given twice is an error,
not a silent loss.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

import yaml

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from k3mock.errors import K3MockError
    from k3mock.jsonvalue import JSONValue

MAX_BYTES = 8_000_000
MAX_DEPTH = 60
MAX_NODES = 400_000

_NO_NUMBER = re.compile(r":|\.(?:inf|nan)$", re.IGNORECASE)
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


def load(
    path: Path,
    error: type[K3MockError],
    report: Callable[[K3MockError], None] | None = None,
) -> Located:
    """Read a YAML file.

    What is wrong with single keys and values goes to `report`, if there is one, and reading goes
    on.

    Raises:
        K3MockError: of the given class, when the file cannot be read or is not safe YAML.
    """
    try:
        raw = path.read_bytes()
    except OSError as cause:
        reason = str(cause.strerror or cause)
        raise error("the file cannot be read", where=str(path), found=reason) from cause
    return parse(raw, str(path), error, report)


def parse(
    raw: bytes,
    name: str,
    error: type[K3MockError],
    report: Callable[[K3MockError], None] | None = None,
) -> Located:
    """Read YAML text; `name` stands in messages, `report` is as for `load`."""
    if len(raw) > MAX_BYTES:
        raise error("the file is too large", where=name, found=f"{len(raw)} bytes",
                    accepted=f"up to {MAX_BYTES} bytes")  # fmt: skip
    try:
        return _read(raw, _Builder(name, error, report))
    except yaml.MarkedYAMLError as cause:
        mark = cause.problem_mark or cause.context_mark
        where = f"{name}:{mark.line + 1}:{mark.column + 1}" if mark else name
        raise error("not valid YAML", where=where, found=str(cause.problem)) from cause
    except (yaml.YAMLError, ValueError, OverflowError, RecursionError) as cause:
        found = str(cause).splitlines()[0] if str(cause) else type(cause).__name__
        raise error("not valid YAML", where=name, found=found) from cause


def _read(raw: bytes, builder: _Builder) -> Located:
    try:
        return _read_with(_FAST, raw, builder)
    except (yaml.YAMLError, ValueError):
        # Its messages are other ones, and it knows fewer places.
        builder.forget()
        return _read_with(yaml.SafeLoader, raw, builder)


def _read_with(kind: type[yaml.SafeLoader], raw: bytes, builder: _Builder) -> Located:
    loader = kind(raw)
    try:
        node = loader.get_single_node()
        value = builder.built(loader, node)
    finally:
        loader.dispose()
    return Located(builder.name, value, builder.places)


# The parser of libyaml takes a tenth of the time; wheels of PyYAML bring it on most systems.
_FAST: type[yaml.SafeLoader] = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


class _Builder:
    _loader: yaml.SafeLoader

    def __init__(
        self,
        name: str,
        error: type[K3MockError],
        report: Callable[[K3MockError], None] | None,
    ) -> None:
        self.name = name
        self._error = error
        self._report = report
        self._nodes = 0
        self.places: dict[Place, tuple[int, int]] = {}

    def built(self, loader: yaml.SafeLoader, node: yaml.Node | None) -> JSONValue:
        """Return the value of a whole file."""
        self._loader = loader
        return self.build(node, ()) if node is not None else None

    def forget(self) -> None:
        """Begin anew."""
        self._nodes = 0
        self.places.clear()

    def _wrong(self, error: K3MockError) -> None:
        """Report what is wrong, or raise it where nobody listens."""
        if self._report is None:
            raise error
        self._report(error)

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
            name = self._key(key_node)
            if name is None:
                continue
            if name in result:
                self._wrong(self._error(f"the key {name!r} is given twice",
                                        where=self._where(key_node),
                                        hint="keep one of the two"))  # fmt: skip
                continue
            self.places[*place, name] = _mark(key_node)
            result[name] = self.build(value_node, (*place, name))
        return result

    def _key(self, node: yaml.Node) -> str | None:
        """Return a key as text, None where it is none."""
        if node.tag == _MERGE:
            self._wrong(self._error("merge keys are not read", where=self._where(node),
                                    found="<<", hint="write the keys out"))  # fmt: skip
            return None
        key = self._scalar(node) if isinstance(node, yaml.ScalarNode) else None
        if isinstance(key, bool):
            # YAML 1.1 reads `on`, `off`, `yes` and `no` as booleans; as keys they are words.
            key = node.value
        if not isinstance(key, str | int):
            self._wrong(self._error("a key must be text", where=self._where(node)))
            return None
        return str(key)

    def _scalar(self, node: yaml.Node) -> JSONValue:
        try:
            value = self._loader.construct_object(node)
        except (ValueError, LookupError, AttributeError) as cause:
            # What PyYAML raises of a value that does not fit its tag, such as a 13th month.
            kind = node.tag.rpartition(":")[2]
            wrong = self._error(f"not a value of the type {kind}", where=self._where(node),
                                found=repr(str(node.value)[:60]))  # fmt: skip
            wrong.__cause__ = cause
            self._wrong(wrong)
            return None
        if isinstance(value, bool) and node.value.lower() not in {"true", "false"}:
            # YAML 1.1 reads `on`, `off`, `yes` and `no` as booleans; here they are words.
            return str(node.value)
        if isinstance(value, int | float) and _NO_NUMBER.search(str(node.value)):
            # YAML 1.1 reads 12:30 as 750 minutes; JSON has neither that nor infinity.
            return str(node.value)
        if value is None or isinstance(value, bool | int | float | str):
            return value
        # Dates and other implicit types are text here.
        return str(node.value)

    def _where(self, node: yaml.Node) -> str:
        line, column = _mark(node)
        return f"{self.name}:{line}:{column}"


def _mark(node: yaml.Node) -> tuple[int, int]:
    mark = node.start_mark
    return (mark.line + 1, mark.column + 1) if mark is not None else (1, 1)
