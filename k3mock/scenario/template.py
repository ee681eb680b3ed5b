"""Turns a template and a request into text, in a sandbox; source layer.

Templates are Jinja2 in its immutable sandbox; a name that is not there is a mistake, not an empty
text.
"""

from __future__ import annotations

import json
from functools import cache, lru_cache
from typing import TYPE_CHECKING

from k3mock.errors import did_you_mean
from k3mock.scenario.kinds import Complaint
from k3mock.scenario.problem import ScenarioError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from jinja2 import Template
    from jinja2.sandbox import ImmutableSandboxedEnvironment

    from k3mock.jsonvalue import JSONObject, JSONValue
    from k3mock.matching.view import View
    from k3mock.protocol.request import Message

MAX_CHARS = 2_000_000


class TemplateError(ScenarioError):
    """A template cannot be filled in."""


@cache
def _environment() -> ImmutableSandboxedEnvironment:
    # Late: scenarios without templates do not pay for Jinja2.
    from jinja2 import StrictUndefined  # noqa: PLC0415
    from jinja2.sandbox import ImmutableSandboxedEnvironment  # noqa: PLC0415

    class Sandbox(ImmutableSandboxedEnvironment):
        """Refuses operations that could fill the memory."""

        intercepted_binops = frozenset({"*", "**", "%"})

        def call_binop(self, context: object, operator: str, left: object, right: object) -> object:
            if not _FITS[operator](left, right):
                raise TemplateError(f"the operation {operator!r} is too large for a template")
            return super().call_binop(context, operator, left, right)  # type: ignore[arg-type]

        def is_safe_attribute(self, obj: object, attr: str, value: object) -> bool:
            # A width in a format could ask for any amount of memory.
            formats = isinstance(obj, str) and attr in _WIDE
            return not formats and super().is_safe_attribute(obj, attr, value)

    made = Sandbox(undefined=StrictUndefined, keep_trailing_newline=True, autoescape=False)
    made.filters["tojson"] = _tojson
    for name in ("format", "center", "indent", "wordwrap"):
        made.filters.pop(name)
    return made


def _small(left: object, right: object) -> bool:
    sizes = [len(each) if isinstance(each, str | list | tuple) else each for each in (left, right)]
    repeats = any(isinstance(each, str | list | tuple) for each in (left, right))
    numbers = [each for each in sizes if isinstance(each, int | float)]
    return not repeats or len(numbers) < 2 or numbers[0] * numbers[1] <= MAX_CHARS


def _small_power(left: object, right: object) -> bool:
    return isinstance(left, int | float) and isinstance(right, int | float) and (
        abs(left) <= 1_000_000 and abs(right) <= 64
    )  # fmt: skip


def _no_text(left: object, _right: object) -> bool:
    return not isinstance(left, str)


_FITS = {"*": _small, "**": _small_power, "%": _no_text}
_WIDE = frozenset({"format", "format_map", "center", "ljust", "rjust", "zfill", "expandtabs"})


def _tojson(value: object, indent: int | None = None) -> str:
    """Write JSON as it is, without the escapes for HTML that Jinja2's own filter makes."""
    separators = (",", ":") if indent is None else (",", ": ")
    return json.dumps(value, ensure_ascii=False, indent=indent, separators=separators)


@lru_cache(maxsize=4096)
def _compiled(text: str) -> Template:
    return _environment().from_string(text)


@lru_cache(maxsize=4096)
def _used(text: str) -> frozenset[str]:
    from jinja2 import meta  # noqa: PLC0415

    return frozenset(meta.find_undeclared_variables(_environment().parse(text)))


def complaints(text: str) -> Iterator[Complaint]:
    """Yield what is wrong with a template before it is ever filled in."""
    from jinja2 import TemplateError as JinjaError  # noqa: PLC0415
    from jinja2 import TemplateSyntaxError  # noqa: PLC0415

    try:
        _compiled(text)
        used = _used(text)
    except TemplateSyntaxError as error:
        yield Complaint(what=f"the template has a mistake in its line {error.lineno}: "
                        f"{error.message}")  # fmt: skip
        return
    except (JinjaError, RecursionError) as error:
        yield Complaint(what=f"the template cannot be used: {error}")
        return
    for name in sorted(used - set(_VALUES) - set(_environment().globals)):
        yield Complaint(what=f"the template uses an unknown name {name[:60]!r}",
                        accepted=did_you_mean(name[:60], _VALUES))  # fmt: skip


def fill(text: str, view: View) -> str:
    """Fill a template in for a request.

    Raises:
        TemplateError: something it uses is not there, or it says too much.
    """
    from jinja2 import TemplateError as JinjaError  # noqa: PLC0415

    values = {name: _VALUES[name](view) for name in _used(text) & set(_VALUES)}
    pieces: list[str] = []
    size = 0
    try:
        for piece in _compiled(text).generate(_without_absent(values)):
            pieces.append(piece)
            size += len(piece)
            if size > MAX_CHARS:
                raise TemplateError(f"the template says more than {MAX_CHARS} characters")
    except (JinjaError, ArithmeticError, TypeError, ValueError, LookupError, AttributeError,
            RecursionError) as error:  # fmt: skip
        raise TemplateError(f"the template failed: {error}") from error
    return "".join(pieces).encode("utf-8", "replace").decode()


_ABSENT = object()


def _without_absent(values: Mapping[str, object]) -> dict[str, object]:
    return {name: value for name, value in values.items() if value is not _ABSENT}


def _shown(message: Message, view: View) -> JSONObject:
    return {
        "role": message.role,
        "content": view.text(message),
        "reasoning": message.reasoning or "",
        "name": message.name or "",
        "tool_call_id": message.tool_call_id or "",
        "tool_calls": [
            {"id": call.id, "name": call.name, "arguments": _parsed(call.arguments)}
            for call in message.tool_calls
        ],
    }


def _parsed(text: str) -> JSONValue:
    try:
        value: JSONValue = json.loads(text)
    except (ValueError, RecursionError):
        return text
    return value


def _last(view: View) -> object:
    return _ABSENT if view.last is None else _shown(view.last, view)


def _tool_result(view: View) -> object:
    """Return the text of the last tool message, parsed where it is JSON."""
    results = [each for each in view.messages if each.role == "tool"]
    return _parsed(view.text(results[-1])) if results else _ABSENT


_VALUES: Mapping[str, Callable[[View], object]] = {
    "request": lambda view: view.asked.body,
    "last": _last,
    "messages": lambda view: [_shown(each, view) for each in view.messages],
    "system": lambda view: view.system,
    "tools": lambda view: [tool.name for tool in view.request.offered_tools],
    "turn": lambda view: view.turn,
    "attempt": lambda view: view.asked.attempt,
    "session": lambda view: view.asked.session.name,
    "model": lambda view: view.request.model,
    "tool_result": _tool_result,
}
NAMES = tuple(_VALUES)
