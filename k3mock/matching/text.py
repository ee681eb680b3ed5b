"""Turns a text matcher into a test of texts; matching layer."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from k3mock.matching.search import read_expression
from k3mock.matching.view import Memo, normalised

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from k3mock.jsonvalue import JSONObject

Test: TypeAlias = "Callable[[str, Memo], bool]"

_UUID = re.compile(r"\b[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}\b")
_MONTH = (
    r"(?:Jan(?:uary)?|Feb(?:ruary)?|Mar(?:ch)?|Apr(?:il)?|May|June?|July?|Aug(?:ust)?"
    r"|Sep(?:t(?:ember)?)?|Oct(?:ober)?|Nov(?:ember)?|Dec(?:ember)?)"
)
_DATE = re.compile(
    r"\b\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:[.,]\d+)?)?(?:Z|[+-]\d{2}:?\d{2})?)?"
    r"|\b\d{1,2}[./]\d{1,2}[./](?:\d{4}|\d{2})\b"
    rf"|\b{_MONTH}\.? \d{{1,2}}(?:st|[nr]d|th)?,? \d{{4}}\b"
    rf"|\b\d{{1,2}}\.? {_MONTH}\.? \d{{4}}\b"
    r"|\d{4}年\d{1,2}月\d{1,2}日"
)
_TIME = re.compile(r"\b\d{1,2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?: ?[AaPp][Mm]\b)?")
_DIGITS = re.compile(r"\d+(?:[.,]\d+)*")

_CHANGES: Mapping[str, Callable[[str], str]] = {
    "uuids": lambda text: _UUID.sub("<uuid>", text),
    "dates": lambda text: _TIME.sub("<time>", _DATE.sub("<date>", text)),
    "digits": lambda text: _DIGITS.sub("0", text),
    "whitespace": lambda text: " ".join(text.split()),
}
"""In the order in which they act, whatever the order in which they are named."""

NORMALISERS = tuple(sorted(_CHANGES))


@dataclass(frozen=True, slots=True, kw_only=True)
class TextMatcher:
    """A test of a text, and what it wants in words.

    `literal` is the one text that fits, where there is only one and no change before it.
    """

    holds: Test
    wanted: str
    literal: str | None = None


def text_matcher(spec: str | JSONObject, *, bare: str = "equals") -> TextMatcher:
    """Compile a matcher; a bare text is one of the kind `bare`.

    Volatile text is normalised in the request and in the matcher alike (not in `matches`, which is
    a pattern already).
    """
    given: JSONObject = {bare: spec} if isinstance(spec, str) else spec
    change = _change(given)
    key = repr((given.get("normalise"), given.get("ignore_case")))
    tests: list[Test] = []
    words: list[str] = []
    for kind, compare in _KINDS.items():
        wanted = given.get(kind)
        if wanted is None:
            continue
        text = str(wanted)
        words.append(f"{kind} {text!r}")
        if kind == "matches":
            any_case = given.get("ignore_case") is True
            found_in = read_expression(text, ignore_case=any_case).found_in
            tests.append(_changed(found_in, _plain(given), f"{key}."))
        else:
            tests.append(_changed(compare(change(text) if change else text), change, key))
    literal = str(given["equals"]) if set(given) == {"equals"} else None
    return TextMatcher(holds=_all(tests), wanted=" and ".join(words) + _aside(given),
                       literal=literal)  # fmt: skip


def _equals(wanted: str) -> Test:
    return lambda text, _: text == wanted


def _contains(wanted: str) -> Test:
    return lambda text, _: wanted in text


def _starts_with(wanted: str) -> Test:
    return lambda text, _: text.startswith(wanted)


_KINDS: Mapping[str, Callable[[str], Test]] = {
    "equals": _equals,
    "contains": _contains,
    "starts_with": _starts_with,
    "matches": _equals,
}
KINDS = tuple(_KINDS)


def _plain(given: JSONObject) -> Callable[[str], str] | None:
    """Return the normalising alone: letters keep their case."""
    named = given.get("normalise")
    names = [named] if isinstance(named, str) else named
    chosen = [change for name, change in _CHANGES.items()
              if isinstance(names, list) and name in names]  # fmt: skip
    if not chosen:
        return None

    def change(text: str) -> str:
        for each in chosen:
            text = each(text)
        return text

    return change


def _change(given: JSONObject) -> Callable[[str], str] | None:
    plain = _plain(given)
    if given.get("ignore_case") is not True:
        return plain
    if plain is None:
        return str.casefold
    return lambda text: plain(text).casefold()


def _changed(test: Test, change: Callable[[str], str] | None, key: str) -> Test:
    if change is None:
        return test
    return lambda text, memo: test(normalised(text, key, change, memo), memo)


def _all(tests: list[Test]) -> Test:
    if len(tests) == 1:
        return tests[0]
    return lambda text, memo: all(test(text, memo) for test in tests)


def _aside(given: JSONObject) -> str:
    asides = []
    if given.get("ignore_case") is True:
        asides.append("whatever the case")
    if _plain(given) is not None:
        asides.append("normalised")
    return f" ({', '.join(asides)})" if asides else ""
