"""Turns what is wrong in a profile file into one message that says where it was written.

Everything here raises `ProfileError` or returns nothing; rules layer.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from k3mock.contract import shape
from k3mock.contract.checks import CHECKS
from k3mock.contract.checks.subject import Stage
from k3mock.contract.checks.transport import REQUIRED
from k3mock.contract.rule import Evidence, placeholders
from k3mock.errors import ProfileError, did_you_mean
from k3mock.jsonvalue import JSONObject, JSONValue, as_list, as_object
from k3mock.protocol.knobs import KnobError, read_knobs

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from k3mock.contract.checks.subject import Check
    from k3mock.contract.shape import Leaf, Shape
    from k3mock.yamlfile import Located


def check_keys(
    file: Located, place: tuple[str, ...], content: JSONObject, known: Mapping[str, Shape]
) -> None:
    """Check keys and values against a table of the layout."""
    for key, value in content.items():
        here = (*place, key)
        expected = known.get(key)
        if expected is None:
            inside = f" in {'.'.join(place)}" if place else ""
            raise ProfileError(
                f"unknown key {key!r}{inside}",
                where=file.where(*here),
                accepted=did_you_mean(key, known),
            )
        if value is None:
            continue
        if isinstance(expected, shape.Leaf):
            _check_leaf(file, here, value, expected)
            continue
        inner = as_object(value)
        if inner is None:
            raise wrong(file, here, value, "a mapping")
        check_keys(file, here, inner, expected)


def _check_leaf(file: Located, place: tuple[str, ...], value: JSONValue, leaf: Leaf) -> None:
    fits = {
        "text": isinstance(value, str),
        "whole number": isinstance(value, int) and not isinstance(value, bool),
        "number": isinstance(value, int | float) and not isinstance(value, bool),
        "true or false": isinstance(value, bool),
        "list of texts": _is_words(value),
        "text or list of texts": isinstance(value, str) or _is_words(value),
        "mapping": isinstance(value, dict),
        "text or whole number": isinstance(value, str | int) and not isinstance(value, bool),
    }[leaf.kind]
    if not fits:
        raise wrong(file, place, value, leaf.accepts())
    for word in value if isinstance(value, list) else [value]:
        if leaf.choices and word not in leaf.choices:
            raise ProfileError(
                f"unknown value of {'.'.join(place)}",
                where=file.where(*place),
                found=repr(word),
                accepted=did_you_mean(str(word), leaf.choices),
            )


def _is_words(value: JSONValue) -> bool:
    return isinstance(value, list) and all(isinstance(item, str) for item in value)


def wrong(file: Located, place: tuple[str, ...], value: JSONValue, accepted: str) -> ProfileError:
    """Return the error of a value that has the wrong type."""
    return ProfileError(
        f"{'.'.join(place)} has the wrong type",
        where=file.where(*place),
        found=repr(value)[:80],
        accepted=accepted,
    )


def read_wire(file: Located, content: JSONObject) -> JSONObject:
    """Return the content with its wire knobs checked and shortcuts written out."""
    wire = as_object(content.get("wire"))
    if wire is None:
        return content
    try:
        return {**content, "wire": read_knobs(wire)}
    except KnobError as error:
        raise ProfileError(
            error.what, where=file.where("wire", error.knob), found=error.found,
            accepted=error.accepted,
        ) from error  # fmt: skip


def _rules(content: JSONObject) -> JSONObject:
    return as_object(content.get("rules")) or {}


def check_taken_away(file: Located, content: JSONObject, base: JSONObject) -> None:
    """Check that a null takes something away; else it is a misspelt name or a forgotten value."""
    for part in ("models", "rules", "errors", "notes"):
        there = as_object(base.get(part)) or {}
        for name, written in (as_object(content.get(part)) or {}).items():
            if written is None and name not in there:
                raise ProfileError(
                    f"null takes {name!r} away from {part}, where it is not",
                    where=file.where(part, name),
                    accepted=did_you_mean(name, there),
                    hint="a new entry needs a value, which may be {}" if part == "models" else None,
                )


def check_rules(file: Located, base: JSONObject, content: JSONObject, merged: JSONObject) -> None:
    """Check each rule that the file writes, as it is after merging."""
    for rule_id, written in _rules(content).items():
        place = ("rules", rule_id)
        if written is None:
            continue
        own = as_object(written)
        if own is None:
            raise wrong(file, place, written, "a mapping, or null to take the rule away")
        whole = as_object(_rules(merged).get(rule_id)) or {}
        if "check" not in whole:
            raise ProfileError(
                f"unknown rule {rule_id!r}",
                where=file.where(*place),
                accepted=did_you_mean(rule_id, _rules(base)),
                hint="a new rule says which `check` it uses",
            )
        check = CHECKS.get(str(whole.get("check")))
        if check is None:
            raise ProfileError(
                f"rule {rule_id!r} names no known check",
                where=file.where(*place, "check"),
                found=repr(whole.get("check")),
                accepted=did_you_mean(str(whole.get("check")), CHECKS),
            )
        arguments = {**check.args, **check.optional}
        known: dict[str, Shape] = {**shape.RULE, **dict.fromkeys(arguments, shape.Leaf("any"))}
        _check_rule_keys(file, place, own, known)
        _check_status(file, place, own)
        _check_rule_args(file, place, own, whole)
        _check_always(file, place, own, whole)


def _check_rule_keys(
    file: Located, place: tuple[str, ...], own: JSONObject, known: Mapping[str, Shape]
) -> None:
    common = {key: value for key, value in own.items() if key in shape.RULE}
    check_keys(file, place, common, shape.RULE)
    for key in own:
        if key not in known:
            raise ProfileError(
                f"unknown key {key!r} in {'.'.join(place)}",
                where=file.where(*place, key),
                accepted=did_you_mean(key, known),
            )
    when = as_object(own.get("when")) or {}
    switches = {
        name: shape.Leaf("text or list of texts", values) for name, values in shape.SWITCHES.items()
    }
    check_keys(file, (*place, "when"), when, switches)
    check_evidence(file, place, own)


def _check_always(
    file: Located, place: tuple[str, ...], own: JSONObject, whole: JSONObject
) -> None:
    """Check that what is looked at before the body is understood is not made a matter of choice."""
    name = str(whole["check"])
    if CHECKS[name].stage is not Stage.TRANSPORT:
        return
    unusable = ["models", "effect", "effect_of"] if name in REQUIRED else ["models"]
    for key in unusable:
        if key in own:
            raise ProfileError(
                f"the rule {place[-1]!r} takes no {key!r}",
                where=file.where(*place, key),
                hint="it is checked before the body is understood, and always refuses"
                if name in REQUIRED else "it is checked before the body is understood",
            )  # fmt: skip


def check_evidence(file: Located, place: tuple[str, ...], own: JSONObject) -> None:
    """Check the marks of a rule, an error or a note."""
    marks = [str(mark) for mark in Evidence]
    for mark in as_list(own.get("evidence")) or []:
        if mark not in marks:
            raise ProfileError(
                "unknown evidence mark",
                where=file.where(*place, "evidence"),
                found=repr(mark),
                accepted=", ".join(marks),
            )


def _check_rule_args(
    file: Located, place: tuple[str, ...], own: JSONObject, whole: JSONObject
) -> None:
    check = CHECKS[str(whole["check"])]
    for name in (*check.args, *check.optional):
        if name not in whole and name in check.args:
            raise ProfileError(
                f"rule {place[-1]!r} needs {name!r}", where=file.where(*place),
                accepted=f"the check {check.name} reads {', '.join(check.args)}",
            )  # fmt: skip
        if name in own:
            _check_arg(file, (*place, name), own[name], check)
    message = whole.get("message")
    if "error" in whole:
        return
    if not isinstance(message, str):
        raise ProfileError(f"rule {place[-1]!r} has no message", where=file.where(*place))
    texts = placeholders(message) | placeholders(str(whole.get("param") or ""))
    unknown = texts - check.fills
    if unknown:
        raise ProfileError(
            f"the message of rule {place[-1]!r} has a placeholder that nothing fills",
            where=file.where(*place, "message"),
            found=", ".join(sorted(unknown)),
            accepted=", ".join(sorted(check.fills)) or "none",
        )


def _check_arg(file: Located, place: tuple[str, ...], value: JSONValue, check: Check) -> None:
    expected = {**check.args, **check.optional}[place[-1]]
    kinds = expected if isinstance(expected, tuple) else (expected,)
    if not isinstance(value, kinds) or (isinstance(value, bool) and bool not in kinds):
        raise wrong(file, place, value, _type_words(kinds))
    known = check.words.get(place[-1], ())
    for word in _texts_in(value) if known else ():
        if word not in known:
            raise ProfileError(
                f"unknown value in {'.'.join(place)}",
                where=file.where(*place),
                found=repr(word),
                accepted=did_you_mean(word, known),
            )
    if place[-1] == "pattern":
        try:
            re.compile(str(value))
        except re.error as error:
            raise ProfileError(
                f"{'.'.join(place)} is not a regular expression",
                where=file.where(*place),
                found=str(error),
            ) from error


def _texts_in(value: JSONValue) -> Iterator[str]:
    """Yield the texts of an argument: itself, its items or its values; nulls take away."""
    if isinstance(value, dict):
        value = list(value.values())
    for item in value if isinstance(value, list) else [value]:
        if isinstance(item, list):
            yield from _texts_in(item)
        elif item is not None:
            yield str(item)


def _type_words(kinds: tuple[type, ...]) -> str:
    words = {str: "text", int: "whole number", float: "number", bool: "true or false",
             list: "a list", dict: "a mapping"}  # fmt: skip
    return " or ".join(words[kind] for kind in kinds)


def check_errors(file: Located, content: JSONObject, merged: JSONObject) -> None:
    """Check each named error that the file writes, as it is after merging."""
    for name, written in (as_object(content.get("errors")) or {}).items():
        place = ("errors", name)
        if written is None:
            continue
        preset = as_object(written)
        if preset is None:
            raise wrong(file, place, written, "a mapping, or null to take the error away")
        check_keys(file, place, preset, shape.ERROR)
        check_evidence(file, place, preset)
        _check_status(file, place, preset)
        whole = as_object((as_object(merged.get("errors")) or {}).get(name)) or {}
        _check_error_texts(file, place, whole)


def check_named(file: Located, content: JSONObject, merged: JSONObject) -> None:
    """Check that the named errors exist which rules and keys give."""
    errors = as_object(merged.get("errors")) or {}
    for rule_id, rule in _rules(merged).items():
        name = (as_object(rule) or {}).get("error")
        if name is not None and name not in errors:
            written = name in (as_object(content.get("errors")) or {})
            place = ("errors", str(name)) if written else ("rules", rule_id, "error")
            raise ProfileError(
                f"the rule {rule_id!r} gives an error that is not there",
                where=file.where(*place),
                found=repr(name),
                accepted=did_you_mean(str(name), errors),
            )
    for key, name in (as_object(merged.get("keys")) or {}).items():
        if name not in ["ok", *errors]:
            # The key itself is never shown.
            raise ProfileError(
                "a key of `keys` gets an error that is not there",
                where=file.where("keys", key),
                found=repr(name)[:80],
                accepted=did_you_mean(str(name), ["ok", *errors]),
            )


def _check_error_texts(file: Located, place: tuple[str, ...], whole: JSONObject) -> None:
    """Check that each placeholder in message and headers has a value."""
    values = as_object(whole.get("values")) or {}
    texts = [whole.get("message"), *(as_object(whole.get("headers")) or {}).values()]
    unknown = set().union(*(placeholders(str(text)) for text in texts)) - set(values)
    if unknown:
        raise ProfileError(
            f"the error {place[-1]!r} has a placeholder that nothing fills",
            where=file.where(*place),
            found=", ".join(sorted(unknown)),
            accepted=", ".join(sorted(values)) or "none",
            hint="give it a value under `values`",
        )


def _check_status(file: Located, place: tuple[str, ...], part: JSONObject) -> None:
    status = part.get("status")
    if isinstance(status, int) and not 200 <= status <= 599:
        raise wrong(file, (*place, "status"), status, "a status from 200 to 599")
