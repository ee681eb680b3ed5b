"""Turns a regular expression into a search that cannot stop the server; matching layer.

Python's own engine can take for ever on a short text (`^(a+)+$`) and cannot be interrupted. Its
expressions are read by it, so that they mean what its documentation says; those that repeat
anything are searched for by an engine that gives up in time.
"""

from __future__ import annotations

import re
import warnings
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Protocol, cast

from k3mock.clock import processor_ms

if TYPE_CHECKING:
    from collections.abc import Callable

    from k3mock.matching.view import Memo

PATIENCE_MS = 200.0
"""So much time the expressions of all patterns together have for one request."""

_ESCAPED = re.compile(r"\\.", re.DOTALL)
_CLASS = re.compile(r"\[\^?\]?[^\]]*\]")
_REPEATS = re.compile(r"[*+?{]")
_BRACE = re.compile(r"(?<!\\N)\{(?![0-9,])")


class _Searching(Protocol):
    def search(self, text: str, *, timeout: float) -> object: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Expression:
    """A compiled expression; `doubts` is what its reader was not sure about."""

    found_in: Callable[[str, Memo], bool]
    doubts: tuple[str, ...] = ()


@lru_cache(maxsize=4096)
def read_expression(text: str, *, ignore_case: bool = False) -> Expression:
    """Compile an expression; once, for `re` voices its doubts only where it does not remember.

    Raises:
        re.error, OverflowError, RecursionError: it is none.
    """
    flags = re.IGNORECASE if ignore_case else 0
    with warnings.catch_warnings(record=True) as doubts:
        warnings.simplefilter("always")
        compiled = re.compile(text, flags)
        guarded = _guarded(text, flags) if _REPEATS.search(_bare(text)) else None
    told = tuple(str(each.message) for each in doubts if each.category is FutureWarning)
    if guarded is None:
        return Expression(found_in=lambda given, _: compiled.search(given) is not None, doubts=told)
    return Expression(found_in=_in_time(guarded), doubts=told)


def _guarded(text: str, flags: int) -> _Searching:
    # Late: an expression without repeats does not pay for the second engine.
    import regex  # noqa: PLC0415

    kept = regex.IGNORECASE if flags else 0
    return cast("_Searching", regex.compile(_plain_braces(text), kept | regex.VERSION0))


def _plain_braces(text: str) -> str:
    """Escape braces that are no repeats: the second engine has a meaning for them."""
    parts: list[str] = []
    at = 0
    for escaped in _ESCAPED.finditer(text):
        parts += (_BRACE.sub(r"\\{", text[at : escaped.start()]), escaped[0])
        at = escaped.end()
        if escaped[0] == r"\N" and text[at : at + 1] == "{":
            parts.append("{")
            at += 1
    return "".join((*parts, _BRACE.sub(r"\\{", text[at:])))


def _in_time(compiled: _Searching) -> Callable[[str, Memo], bool]:
    def found_in(text: str, memo: Memo) -> bool:
        if memo.patience_ms <= 0:
            return False
        began = processor_ms()
        try:
            return compiled.search(text, timeout=memo.patience_ms / 1000) is not None
        except TimeoutError:
            memo.patience_ms = 0
            return False
        finally:
            memo.patience_ms -= processor_ms() - began

    return found_in


def _bare(text: str) -> str:
    """Return an expression without its escapes and classes, of which none repeats anything."""
    return _CLASS.sub("x", _ESCAPED.sub("x", text)).replace("(?", "(")


def may_take_long(text: str) -> bool:
    """Say whether something that repeats is repeated: the usual way to an endless search."""
    bare = _bare(text)
    repeats = [False]
    ended = False
    for at, sign in enumerate(bare):
        following = bare[at + 1 : at + 2]
        if sign == "(":
            repeats.append(False)
        elif sign == ")" and len(repeats) > 1:
            ended = repeats.pop()
            repeats[-1] |= ended or following in _MANY
            if ended and following in _MANY:
                return True
        elif sign in _MANY:
            repeats[-1] = True
    return False


_MANY = frozenset("*+{")
