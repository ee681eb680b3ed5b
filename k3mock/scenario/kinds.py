"""Turns the layout of a file into values that the check and the JSON Schema share; source layer.

A shape says what a value may be. The check walks a file by it, `k3mock.scenario.schema` writes it
as a schema, and messages take their words from it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias

from k3mock.scenario.problem import Severity

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from pathlib import Path

    from k3mock.contract.profile import Profile
    from k3mock.jsonvalue import JSONValue
    from k3mock.scenario.files import Stamp


@dataclass(frozen=True, slots=True, kw_only=True)
class Complaint:
    """What is wrong with a value; `at` leads to the part of it that is meant."""

    what: str
    found: str | None = None
    accepted: str | None = None
    severity: Severity = Severity.ERROR
    at: tuple[str | int, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Context:
    """What judging a value needs beside it.

    Attributes:
        folder: where files may be read, below the scenario file; None where none may.
        check_pace: raises `K3MockError` on a pace that cannot be used.
        profile: the server's own profile, whose errors may be named beside the built-in ones.
        read: the files that were read, or were to be, with how they were found before that.
    """

    folder: Path | None
    check_pace: Callable[[str], object]
    profile: Profile | None = None
    read: dict[Path, Stamp] = field(default_factory=dict)


Judge: TypeAlias = "Callable[[JSONValue, Context], Iterable[Complaint]]"


def no_complaints(_value: JSONValue, _context: Context) -> Iterable[Complaint]:
    """Accept every value of the right type."""
    return ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Text:
    """A text: any, or one of `choices`, or one that `pattern` matches.

    A text that is not among the `usual` ones is taken with a warning. `form` is a pattern for the
    schema, where the judge says better what is wrong.
    """

    about: str = ""
    choices: tuple[str, ...] = ()
    usual: tuple[str, ...] = ()
    pattern: str | None = None
    form: str | None = None
    judge: Judge = no_complaints


@dataclass(frozen=True, slots=True, kw_only=True)
class Number:
    """A number within limits; `whole` excludes fractions."""

    about: str = ""
    whole: bool = True
    least: float | None = None
    most: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Flag:
    """True or false, or only one of them."""

    about: str = ""
    only: bool | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Null:
    """Null."""

    about: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Anything:
    """Any value; `written` says that it becomes text, where numbers may have any size."""

    about: str = ""
    written: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Items:
    """A list."""

    item: Shape
    about: str = ""
    least: int = 0
    judge: Judge = no_complaints


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """A mapping.

    Attributes:
        fields: its keys.
        required: those that must be there.
        some_of: keys of which at least one must be there.
        single: whether exactly one of `some_of` may be there.
        least: how many keys there must be; the judge says it better.
        others: the shape of keys that are not listed; None allows none.
    """

    fields: Mapping[str, Shape] = field(default_factory=dict)
    about: str = ""
    required: tuple[str, ...] = ()
    some_of: tuple[str, ...] = ()
    single: bool = False
    least: int = 0
    others: Shape | None = None
    judge: Judge = no_complaints


@dataclass(frozen=True, slots=True, kw_only=True)
class Either:
    """One of several shapes that differ in their types."""

    options: tuple[Shape, ...]
    about: str = ""
    judge: Judge = no_complaints


@dataclass(frozen=True, slots=True, kw_only=True)
class Ref:
    """A shape by name, which may contain itself."""

    name: str
    about: str = ""


Shape: TypeAlias = "Text | Number | Flag | Null | Anything | Items | Record | Either | Ref"


def accepts(shape: Shape, names: Mapping[str, Shape]) -> str:
    """Say what a shape accepts, for messages."""
    match shape:
        case Text():
            return f"one of {', '.join(shape.choices)}" if shape.choices else "text"
        case Number():
            return _number_words(shape)
        case Flag():
            return "true or false" if shape.only is None else str(shape.only).lower()
        case Record():
            keys = ", ".join(shape.fields)
            return f"a mapping with {keys}" if keys else "a mapping"
        case Either():
            return "; or ".join(accepts(option, names) for option in shape.options)
        case Ref():
            return accepts(names[shape.name], names)
        case Null() | Anything() | Items():
            return {Null: "null", Anything: "any value", Items: "a list"}[type(shape)]


def _number_words(shape: Number) -> str:
    kind = "a whole number" if shape.whole else "a number"
    if shape.least is not None and shape.most is not None:
        return f"{kind} from {shape.least} to {shape.most}"
    return kind if shape.least is None else f"{kind} from {shape.least} up"


def takes(shape: Shape, value: JSONValue, names: Mapping[str, Shape]) -> bool:
    """Say whether a value has a type that a shape is about."""
    match shape:
        case Ref():
            return takes(names[shape.name], value, names)
        case Either():
            return any(takes(option, value, names) for option in shape.options)
        case Flag():
            return isinstance(value, bool) and shape.only in {None, value}
        case Number():
            return isinstance(value, int | float) and not isinstance(value, bool)
        case Null():
            return value is None
        case Anything():
            return True
        case Text() | Items() | Record():
            return isinstance(value, _TYPES[type(shape)])


_TYPES: Mapping[type, type] = {Text: str, Items: list, Record: dict}
