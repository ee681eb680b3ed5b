"""Turns a JSON schema into an instance that is valid under it; source layer.

Any JSON object may come in, so depth, size and steps are limited, and nothing is raised: what
cannot be satisfied gets the nearest instance that was found.

No library makes the data. `hypothesis-jsonschema` is a test tool: it draws odd values on purpose,
brings in Hypothesis and is far too slow to answer a request. `jsf` brings in pydantic and a
client that opens remote references. `polyfactory` starts from Python types. None of them takes
values from the words of a message, and none bounds the work that a hostile schema costs.
`jsonschema` judges what is built here.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import orjson

from k3mock.generator.amounts import amount
from k3mock.generator.denying import allowed, heeding
from k3mock.generator.keyed import kind_of, mentioned_kinds, sentence, text_for
from k3mock.generator.keywords import MOST_ITEMS, additional, count, goes_deeper, texts, type_of
from k3mock.generator.merging import Flattener
from k3mock.generator.pattern import found_in, matching
from k3mock.generator.strings import fitted, formatted
from k3mock.generator.verify import Verdict, verdict
from k3mock.jsonvalue import as_list, as_object

if TYPE_CHECKING:
    from collections.abc import Iterable

    from k3mock.generator.mentions import Hints
    from k3mock.jsonvalue import JSONObject, JSONValue
    from k3mock.seed import Chance

MOST_DEPTH = 40
MOST_NODES = 1_500
MOST_CHARS = 5_000
_SOFT_DEPTH = 6
_MOST_CHOICES = 8
_NARROW_DEPTH = 12
_NARROW_ITEMS = 4
"""Arrays this deep are kept short: wide and deep instances are what hostile schemas ask for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Attempt:
    """How one try goes about it."""

    optional: float = 0.85
    defaults: bool = True
    hints: bool = True
    otherwise: bool = False
    branch: int | None = None
    sparing: bool = False
    """Whether the outermost object has, beside what it must have, only what the text mentions."""


_ATTEMPTS = (
    _Attempt(),
    _Attempt(branch=0),
    _Attempt(defaults=False, optional=1.0, branch=1, otherwise=True),
    _Attempt(defaults=False, optional=0.0, hints=False),
    _Attempt(defaults=False, optional=0.0, hints=False, branch=0, otherwise=True),
    _Attempt(defaults=False, optional=1.0, hints=False, branch=2),
)


def instance(
    schema: JSONObject, chance: Chance, hints: Hints, *, sparing: bool = False
) -> JSONValue:
    """Return an instance of a schema.

    Values come from `hints` where they fit, else from the schema. It is valid unless the schema is
    contradictory or beyond the limits of this module. With `sparing`, an object that must have some
    properties has few others: what a tool's caller does not know it leaves to the tool.
    """
    best: JSONValue = None
    judged_best = Verdict.INVALID
    attempts = (_Attempt(sparing=True), *_ATTEMPTS) if sparing else _ATTEMPTS
    for tried, attempt in enumerate(attempts):
        value = _tried(schema, chance, hints, attempt)
        judged = verdict(schema, value) if _is_plain(value) else Verdict.INVALID
        if judged is Verdict.VALID:
            return value
        if tried == 0 or (judged is Verdict.UNKNOWN and judged_best is Verdict.INVALID):
            best, judged_best = (value if _is_plain(value) else None), judged
    return best


def _tried(schema: JSONObject, chance: Chance, hints: Hints, attempt: _Attempt) -> JSONValue:
    try:
        return _Builder(schema, chance, hints.copy(), attempt).value(schema)
    except RecursionError:  # comparing two schemas that are nested a thousand deep
        return None


def _is_plain(value: JSONValue) -> bool:
    """Tell whether a value can be written as JSON."""
    try:
        orjson.dumps(value)
    except TypeError:
        return False
    return True


class _Builder:
    def __init__(self, root: JSONObject, chance: Chance, hints: Hints, attempt: _Attempt) -> None:
        self._root = root
        self._chance = chance
        self._hints = hints
        self._attempt = attempt
        self._flattener = Flattener(root, otherwise=attempt.otherwise)
        self._nodes = 0

    def value(self, schema: JSONValue, key: str = "", depth: int = 0) -> JSONValue:
        """Return an instance of a schema that stands under a key."""
        self._nodes += 1
        if depth > MOST_DEPTH or self._nodes > MOST_NODES:
            return None
        if not isinstance(schema, dict):
            return None if schema is False else self._free(key)
        schema = heeding(self._chosen(self._flattener.flat(schema), depth))
        if "const" in schema:
            return schema["const"]
        choices = as_list(schema.get("enum"))
        if choices:
            return self._choice(choices, key)
        if self._attempt.defaults and "default" in schema and self._takes_default(schema, key):
            return schema["default"]
        if "not" in schema:
            return allowed(schema, self._root, lambda: self._typed(schema, key, depth))
        return self._typed(schema, key, depth)

    def _free(self, key: str) -> JSONValue:
        return text_for(key, self._chance, self._hints) if self._attempt.hints else "text"

    def _chosen(self, schema: JSONObject, depth: int) -> JSONObject:
        """Take one of the alternatives into the schema, as long as there are any."""
        for _ in range(_MOST_CHOICES):
            keyword = next((name for name in ("oneOf", "anyOf") if name in schema), None)
            if keyword is None:
                break
            branches = [each for each in as_list(schema[keyword]) or [] if isinstance(each, dict)]
            rest = {name: value for name, value in schema.items() if name != keyword}
            schema = rest
            if branches:
                taken = self._branch(branches, depth)
                schema = self._flattener.flat(self._flattener.merge(rest, taken))
        return schema

    def _branch(self, branches: list[JSONObject], depth: int) -> JSONObject:
        fixed = self._attempt.branch
        if depth > _SOFT_DEPTH:
            simple = [each for each in branches if not goes_deeper(each)]
            return self._chance.choice(simple or branches)
        if fixed is not None:
            return branches[fixed % len(branches)]
        told = [each for each in branches if each.get("type") != "null"]
        return self._chance.choice(told or branches)

    def _choice(self, choices: list[JSONValue], key: str) -> JSONValue:
        """Choose from an enumeration: what the text mentions, else anything but null."""
        if self._attempt.hints:
            for choice in choices[:200]:
                if isinstance(choice, str) and choice and choice.casefold() in self._hints.folded:
                    return choice
        told = [choice for choice in choices if choice is not None]
        if told and self._attempt.hints and kind_of(key) == "unit":
            return told[0]
        return self._chance.choice(told or choices)

    def _takes_default(self, schema: JSONObject, key: str) -> bool:
        """Tell whether the default is better than what the text offers."""
        kinds = {"integer": "number", "number": "number"}
        kind = kinds.get(str(schema.get("type")), kind_of(key))
        return not self._hints.all(kind)

    def _typed(self, schema: JSONObject, key: str, depth: int) -> JSONValue:
        match type_of(schema, self._attempt.branch):
            case "object":
                return self._object(schema, depth)
            case "array":
                return self._array(schema, key, depth)
            case "string":
                return self._string(schema, key)
            case "integer":
                return self._number(schema, key, whole=True)
            case "number":
                return self._number(schema, key, whole=False)
            case "boolean":
                return True if kind_of(key) == "flag" else self._chance.random() < 0.5
            case "null":
                return None
            case _:
                return self._free(key)

    def _number(self, schema: JSONObject, key: str, *, whole: bool) -> int | float:
        hints = self._hints if self._attempt.hints else None
        return amount(schema, key, whole=whole, chance=self._chance, hints=hints)

    def _object(self, schema: JSONObject, depth: int) -> JSONObject:
        properties = as_object(schema.get("properties")) or {}
        required = texts(schema.get("required"))
        built: JSONObject = {}
        spared = (
            self._attempt.sparing and depth == 0 and any(name in properties for name in required)
        )
        for name, inner in properties.items():
            if name in required or (
                self._tells(name, inner) if spared else self._includes(inner, depth)
            ):
                built[name] = self.value(inner, name, depth + 1)
        for name in self._more(schema, built, required):
            if name not in built and not self._spent(depth):
                inner = properties.get(name, additional(schema))
                built[name] = self.value(inner, name, depth + 1)
        return built

    def _tells(self, name: str, schema: JSONValue) -> bool:
        """Tell whether the text mentions a value for a property; a message is always written."""
        inner = as_object(schema) or {}
        choices = as_list(inner.get("enum")) or []
        if choices:
            return any(
                isinstance(each, str) and bool(each) and each.casefold() in self._hints.folded
                for each in choices[:200]
            )
        kind = kind_of(name)
        if inner.get("type") != "string" or not kind:
            return False
        return kind == "message" or any(
            self._hints.all(mention) for mention in mentioned_kinds(name)
        )

    def _spent(self, depth: int) -> bool:
        """Tell whether nothing more should be put in, whatever the schema says."""
        return depth >= MOST_DEPTH or self._nodes > MOST_NODES

    def _includes(self, schema: JSONValue, depth: int) -> bool:
        if schema is False or self._nodes > MOST_NODES // 2:
            return False
        if depth >= 2 and isinstance(schema, dict) and goes_deeper(schema):
            return False
        return depth <= _SOFT_DEPTH and self._chance.random() < self._attempt.optional

    def _more(self, schema: JSONObject, built: JSONObject, required: list[str]) -> Iterable[str]:
        """Yield the keys that are wanted besides the drawn ones."""
        yield from required[:MOST_ITEMS]
        depending = as_object(schema.get("dependentRequired")) or {}
        for name, others in list(depending.items())[:MOST_ITEMS]:
            if name in built:
                yield from texts(others)
        least = count(schema.get("minProperties"), 0)
        names = as_object(schema.get("propertyNames")) or {}
        patterns = list(as_object(schema.get("patternProperties")) or {})
        for tried in range(2 * least):
            if len(built) >= least:
                return
            yield self._new_key(tried, names, patterns)

    def _new_key(self, tried: int, names: JSONObject, patterns: list[str]) -> str:
        pattern = names.get("pattern", patterns[0] if patterns else None)
        key = matching(pattern, self._chance) if isinstance(pattern, str) else None
        return key if key is not None else f"key{tried + 1}"

    def _array(self, schema: JSONObject, key: str, depth: int) -> list[JSONValue]:
        least = count(schema.get("minItems"), 0)
        most = count(schema.get("maxItems"), MOST_ITEMS)
        items = schema.get("items", True)
        front = as_list(schema.get("prefixItems")) or as_list(items) or []
        if isinstance(items, list):
            items = schema.get("additionalItems", True)
        wanted = max(least, min(len(front) or self._chance.randint(1, 3), most))
        if self._attempt.optional <= 0:
            wanted = least
        elif items is False:
            wanted = min(wanted, len(front))
        elif depth > _SOFT_DEPTH or (depth >= 2 and goes_deeper(as_object(items) or {})):
            wanted = max(least, len(front))
        if depth > _NARROW_DEPTH:
            wanted = min(wanted, _NARROW_ITEMS)
        inner_key = key if kind_of(key) == "list" else key.removesuffix("s")
        built: list[JSONValue] = []
        for at in range(min(wanted, most)):
            if self._spent(depth):
                break
            item = front[at] if at < len(front) else items
            built.append(self.value(item, inner_key, depth + 1))
        self._contain(schema, built, depth)
        return self._unlike(built, items, depth) if schema.get("uniqueItems") is True else built

    def _contain(self, schema: JSONObject, built: list[JSONValue], depth: int) -> None:
        if "contains" not in schema:
            return
        most = count(schema.get("maxItems"), MOST_ITEMS)
        wanted = min(count(schema.get("minContains"), 1), 20)
        for at in range(wanted):
            item = self.value(schema["contains"], "", depth + 1)
            if len(built) < most:
                built.append(item)
            elif at < len(built):
                built[at] = item

    def _unlike(self, built: list[JSONValue], items: JSONValue, depth: int) -> list[JSONValue]:
        """Replace repeated items by others."""
        unlike: list[JSONValue] = []
        for item in built:
            fresh = item
            for _ in range(12):
                if fresh not in unlike:
                    break
                fresh = self.value(items, "", depth + 1)
            if fresh in unlike and isinstance(fresh, str):
                fresh = f"{fresh} {len(unlike) + 1}"
            unlike.append(fresh)
        return unlike

    def _string(self, schema: JSONObject, key: str) -> str:
        least = count(schema.get("minLength"), 0, MOST_CHARS)
        most = count(schema.get("maxLength"), MOST_CHARS, MOST_CHARS)
        hints = self._hints if self._attempt.hints else None
        name = schema.get("format")
        text = formatted(name, self._chance, hints) if isinstance(name, str) else None
        if text is not None and "pattern" not in schema:
            return text
        pattern = schema.get("pattern")
        if isinstance(pattern, str):
            told = found_in(pattern, hints.telling(), least, most) if hints else None
            matched = told or matching(pattern, self._chance, least, most)
            if matched is not None:
                return matched
        if hints is None:
            return fitted(sentence(self._chance, self._hints), least, most)
        return fitted(text_for(key, self._chance, hints), least, most)
