"""Turns profile files, built-in or a user's, into one checked `Profile`; rules layer.

Each file is checked against the table in `k3mock.contract.shape` before it is merged over the one
that it extends, so that a mistake is reported where it was written.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from k3mock import yamlfile
from k3mock.contract import shape
from k3mock.contract.build import build
from k3mock.contract.checks import CHECKS
from k3mock.contract.checks.transport import REQUIRED
from k3mock.contract.profiles import FOLDER, NAMES
from k3mock.contract.rule import Evidence, placeholders
from k3mock.errors import ProfileError, did_you_mean
from k3mock.jsonvalue import JSONObject, JSONValue, as_list, as_object

if TYPE_CHECKING:
    from collections.abc import Mapping

    from k3mock.contract.profile import Profile
    from k3mock.contract.shape import Leaf, Shape
    from k3mock.yamlfile import Located

_MAX_CHAIN = 10


def load_profile(name: str) -> Profile:
    """Load a built-in profile by name or a user's by path.

    Raises:
        ProfileError: unknown name, unreadable file, unknown key or value, or a broken rule.
    """
    path = _find(name, None)
    merged = _load_merged(path, ())
    for check in REQUIRED:
        if not any(as_rule(rule).get("check") == check for rule in _rules(merged).values()):
            raise ProfileError(
                f"the profile has no rule with the check {check!r}",
                where=str(path),
                hint="extends: moonshot brings one",
            )
    return build(merged, str(path))


def _find(name: str, beside: Path | None) -> Path:
    if name in NAMES:
        return FOLDER / f"{name}.yaml"
    looks_like_file = "/" in name or "\\" in name or name.endswith((".yaml", ".yml"))
    path = Path(name) if beside is None else beside / name
    if looks_like_file or path.is_file():
        return path
    raise ProfileError(
        f"unknown profile {name!r}",
        accepted=f"{did_you_mean(name, NAMES)}, or the path of a YAML file",
        hint="k3mock profiles lists them",
    )


def _load_merged(path: Path, chain: tuple[Path, ...]) -> JSONObject:
    here = path.resolve()
    if here in chain or len(chain) > _MAX_CHAIN:
        raise ProfileError("profiles extend each other in a circle", where=str(path))
    file = yamlfile.load(path, ProfileError)
    content = as_object(file.value)
    if content is None:
        raise ProfileError("a profile file holds a mapping", where=file.where())
    _check_keys(file, (), content, shape.PROFILE)
    base: JSONObject = {}
    extends = content.get("extends")
    if isinstance(extends, str):
        try:
            base_path = _find(extends, path.parent)
        except ProfileError as error:
            raise ProfileError(
                error.what, where=file.where("extends"), accepted=error.accepted, hint=error.hint
            ) from error
        base = _load_merged(base_path, (*chain, here))
    elif here.parent != FOLDER.resolve():
        raise ProfileError(
            "a profile of your own says what it extends",
            where=file.where(),
            accepted=f"extends: one of {', '.join(NAMES)}, or another file",
        )
    merged = _merge(base, {key: value for key, value in content.items() if key != "extends"})
    _check_rules(file, content, merged)
    _check_errors(file, content)
    return merged


def _merge(base: JSONObject, over: JSONObject) -> JSONObject:
    """Lay one mapping over another, mapping by mapping; a null takes the key away."""
    result = dict(base)
    for key, value in over.items():
        old = as_object(result.get(key))
        new = as_object(value)
        if value is None:
            result.pop(key, None)
        elif old is not None and new is not None:
            result[key] = _merge(old, new)
        else:
            result[key] = value
    return result


def _check_keys(
    file: Located, place: tuple[str, ...], content: JSONObject, known: Mapping[str, Shape]
) -> None:
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
            raise _wrong(file, here, value, "a mapping")
        _check_keys(file, here, inner, expected)


def _check_leaf(file: Located, place: tuple[str, ...], value: JSONValue, leaf: Leaf) -> None:
    fits = {
        "text": isinstance(value, str),
        "whole number": isinstance(value, int) and not isinstance(value, bool),
        "number": isinstance(value, int | float) and not isinstance(value, bool),
        "true or false": isinstance(value, bool),
        "list of texts": isinstance(value, list) and all(isinstance(it, str) for it in value),
        "mapping": isinstance(value, dict),
        "text or whole number": isinstance(value, str | int) and not isinstance(value, bool),
    }[leaf.kind]
    if not fits:
        raise _wrong(file, place, value, leaf.accepts())
    for word in as_list(value) or [value]:
        if leaf.choices and word not in leaf.choices:
            raise ProfileError(
                f"unknown value of {'.'.join(place)}",
                where=file.where(*place),
                found=repr(word),
                accepted=did_you_mean(str(word), leaf.choices),
            )


def _wrong(file: Located, place: tuple[str, ...], value: JSONValue, accepted: str) -> ProfileError:
    return ProfileError(
        f"{'.'.join(place)} has the wrong type",
        where=file.where(*place),
        found=repr(value)[:80],
        accepted=accepted,
    )


def _rules(content: JSONObject) -> JSONObject:
    return as_object(content.get("rules")) or {}


def as_rule(value: JSONValue) -> JSONObject:
    """Return a rule's mapping; a rule that was taken away is an empty one."""
    return as_object(value) or {}


def _check_rules(file: Located, content: JSONObject, merged: JSONObject) -> None:
    for rule_id, written in _rules(content).items():
        place = ("rules", rule_id)
        if written is None:
            continue
        own = as_object(written)
        if own is None:
            raise _wrong(file, place, written, "a mapping, or null to take the rule away")
        whole = as_rule(_rules(merged).get(rule_id))
        check = CHECKS.get(str(whole.get("check")))
        if check is None:
            raise ProfileError(
                f"rule {rule_id!r} names no known check",
                where=file.where(*place, "check"),
                found=repr(whole.get("check")),
                accepted=did_you_mean(str(whole.get("check")), CHECKS),
            )
        known: dict[str, Shape] = {**shape.RULE, **dict.fromkeys(check.args, shape.Leaf("any"))}
        _check_rule_keys(file, place, own, known)
        _check_rule_args(file, place, own, whole)


def _check_rule_keys(
    file: Located, place: tuple[str, ...], own: JSONObject, known: Mapping[str, Shape]
) -> None:
    common = {key: value for key, value in own.items() if key in shape.RULE}
    _check_keys(file, place, common, shape.RULE)
    for key in own:
        if key not in known:
            raise ProfileError(
                f"unknown key {key!r} in {'.'.join(place)}",
                where=file.where(*place, key),
                accepted=did_you_mean(key, known),
            )
    when = as_object(own.get("when")) or {}
    switches = {name: shape.Leaf("text", values) for name, values in shape.SWITCHES.items()}
    _check_keys(file, (*place, "when"), when, switches)
    _check_evidence(file, place, own)


def _check_evidence(file: Located, place: tuple[str, ...], own: JSONObject) -> None:
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
    for name, expected in check.args.items():
        if name not in whole:
            raise ProfileError(
                f"rule {place[-1]!r} needs {name!r}", where=file.where(*place),
                accepted=f"the check {check.name} reads {', '.join(check.args)}",
            )  # fmt: skip
        if name in own and not isinstance(own[name], expected):
            raise _wrong(file, (*place, name), own[name], _type_words(expected))
    message = whole.get("message")
    if not isinstance(message, str):
        raise ProfileError(f"rule {place[-1]!r} has no message", where=file.where(*place))
    unknown = placeholders(message) - check.fills
    if unknown:
        raise ProfileError(
            f"the message of rule {place[-1]!r} has a placeholder that nothing fills",
            where=file.where(*place, "message"),
            found=", ".join(sorted(unknown)),
            accepted=", ".join(sorted(check.fills)) or "none",
        )


def _type_words(expected: type | tuple[type, ...]) -> str:
    kinds = expected if isinstance(expected, tuple) else (expected,)
    words = {str: "text", int: "whole number", float: "number", bool: "true or false",
             list: "a list", dict: "a mapping"}  # fmt: skip
    return " or ".join(words[kind] for kind in kinds)


def _check_errors(file: Located, content: JSONObject) -> None:
    for name, written in (as_object(content.get("errors")) or {}).items():
        place = ("errors", name)
        if written is None:
            continue
        preset = as_object(written)
        if preset is None:
            raise _wrong(file, place, written, "a mapping, or null to take the error away")
        _check_keys(file, place, preset, shape.ERROR)
        _check_evidence(file, place, preset)
        status = preset.get("status")
        if isinstance(status, int) and not 200 <= status <= 599:
            raise _wrong(file, (*place, "status"), status, "a status from 200 to 599")
