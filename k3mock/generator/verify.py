"""Turns a schema and an instance into a verdict, in bounded time; source layer.

`jsonschema` judges. It is imported when the first instance is judged, or by `warm`.
"""

from __future__ import annotations

from enum import Enum
from functools import cache
from typing import TYPE_CHECKING, Any, TypeAlias

from k3mock.generator.pattern import checkable
from k3mock.jsonvalue import as_object

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from k3mock.jsonvalue import JSONObject, JSONValue

    _Any: TypeAlias = Any
    """What the library hands from one keyword to the next; it is only passed on."""

    _Errors: TypeAlias = "Iterator[_Any] | None"
    Judge: TypeAlias = "Callable[[_Any, _Any, _Any, _Any], _Errors]"

MOST_STEPS = 4_000
"""So many keywords are looked at before a schema counts as too costly to judge."""

_BY_PATTERN = frozenset(("patternProperties", "additionalProperties", "unevaluatedProperties"))


class Verdict(Enum):
    """Whether an instance is valid; hostile schemas may be too costly or too odd to tell."""

    VALID = "valid"
    INVALID = "invalid"
    UNKNOWN = "unknown"


class _CannotTellError(Exception):
    """The schema costs too much, or uses an expression that is not safe to run."""


def verdict(schema: JSONObject, instance: JSONValue) -> Verdict:
    """Judge an instance by a schema, formats included; nothing remote is ever fetched."""
    judge = warm()
    try:
        valid = judge(schema, instance)
    except Exception:  # noqa: BLE001 - a hostile schema can break the validator in any way
        return Verdict.UNKNOWN
    return Verdict.VALID if valid else Verdict.INVALID


@cache
def warm() -> Callable[[JSONObject, JSONValue], bool]:
    """Import the validator and return the function that asks it."""
    from jsonschema import Draft202012Validator, FormatChecker  # noqa: PLC0415 - late: heavy
    from jsonschema.validators import extend  # noqa: PLC0415
    from referencing import Registry  # noqa: PLC0415

    class Meter(FormatChecker):
        """Counts steps; it rides on the format checker, which every nested validator is given."""

        steps = 0
        checkers = Draft202012Validator.FORMAT_CHECKER.checkers

        def step(self) -> None:
            self.steps += 1
            if self.steps > MOST_STEPS:
                raise _CannotTellError

    def metered(keyword: str, judge: Judge) -> Judge:
        def judged(validator: _Any, value: _Any, instance: _Any, schema: _Any) -> _Errors:
            validator.format_checker.step()
            if keyword == "pattern" and not (
                checkable(value) and not (isinstance(instance, str) and len(instance) > 100)
            ):
                raise _CannotTellError
            if keyword in _BY_PATTERN and not all(
                checkable(pattern) for pattern in as_object(schema.get("patternProperties")) or {}
            ):
                raise _CannotTellError
            return judge(validator, value, instance, schema)

        return judged

    judges = {
        keyword: metered(keyword, judge)
        for keyword, judge in Draft202012Validator.VALIDATORS.items()
    }
    extended: Any = extend
    validator = extended(Draft202012Validator, judges)
    registry: Any = Registry()

    def is_valid(schema: JSONObject, instance: JSONValue) -> bool:
        judge: Any = validator(schema, registry=registry, format_checker=Meter())
        return bool(judge.is_valid(instance))

    return is_valid
