"""Turns a template and a request into text, in a sandbox; source layer.

Templates are Jinja2 in its immutable sandbox; a name that is not there is a mistake, not an empty
text.
"""

from __future__ import annotations

import json
from functools import lru_cache
from typing import TYPE_CHECKING

from k3mock.errors import did_you_mean
from k3mock.scenario.budget import MAX_CHARS, Budget, TemplateError
from k3mock.scenario.kinds import Complaint

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from jinja2 import Template

    from k3mock.jsonvalue import JSONObject, JSONValue
    from k3mock.matching.view import View
    from k3mock.protocol.request import Message
    from k3mock.seed import Chance

_UNFIT = (SyntaxError, RecursionError, MemoryError, ValueError, OverflowError)
"""What Python itself may find wrong with the code of a template."""


@lru_cache(maxsize=4096)
def _compiled(text: str) -> Template:
    # Late: scenarios without templates do not pay for Jinja2.
    from k3mock.scenario.sandbox import compiled  # noqa: PLC0415

    return compiled(text)


@lru_cache(maxsize=4096)
def _used(text: str) -> frozenset[str]:
    from jinja2 import meta  # noqa: PLC0415

    from k3mock.scenario.sandbox import environment  # noqa: PLC0415

    return frozenset(meta.find_undeclared_variables(environment().parse(text)))


def complaints(text: str) -> Iterator[Complaint]:
    """Yield what is wrong with a template before it is ever filled in."""
    from jinja2 import TemplateError as JinjaError  # noqa: PLC0415
    from jinja2 import TemplateSyntaxError  # noqa: PLC0415

    from k3mock.scenario.sandbox import MAX_SOURCE, environment  # noqa: PLC0415

    if len(text) > MAX_SOURCE:
        yield Complaint(what=f"the template is longer than {MAX_SOURCE} characters")
        return
    try:
        _compiled(text)
        used = _used(text)
    except TemplateSyntaxError as error:
        yield Complaint(what=f"the template has a mistake in its line {error.lineno}: "
                        f"{error.message}")  # fmt: skip
        return
    except (JinjaError, *_UNFIT) as error:
        yield Complaint(what=f"the template cannot be used: {error}")
        return
    for name in sorted(used - set(_VALUES) - set(environment().globals)):
        yield Complaint(what=f"the template uses an unknown name {name[:60]!r}",
                        accepted=did_you_mean(name[:60], _VALUES))  # fmt: skip


def fill(text: str, view: View, chance: Callable[[], Chance]) -> str:
    """Fill a template in for a request; what it draws, it draws by `chance`.

    Raises:
        TemplateError: something it uses is not there, or it costs or says too much.
    """
    from jinja2 import TemplateError as JinjaError  # noqa: PLC0415

    from k3mock.scenario.sandbox import BUDGET  # noqa: PLC0415

    values = {name: _VALUES[name](view) for name in _used(text) & set(_VALUES)}
    values = {name: value for name, value in values.items() if value is not _ABSENT}
    values[BUDGET] = Budget(chance)
    pieces: list[str] = []
    size = 0
    try:
        for piece in _compiled(text).generate(values):
            pieces.append(piece)
            size += len(piece)
            if size > MAX_CHARS:
                raise TemplateError(f"the template says more than {MAX_CHARS} characters")
    except (JinjaError, ArithmeticError, TypeError, LookupError, AttributeError, *_UNFIT) as error:
        raise TemplateError(f"the template failed: {error}") from error
    return "".join(pieces).encode("utf-8", "replace").decode()


_ABSENT = object()


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
