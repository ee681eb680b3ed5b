"""Turns profile files, built-in or a user's, into one checked `Profile`; rules layer.

Each file is checked against the table in `k3mock.contract.shape` before it is merged over the one
that it extends, so that a mistake is reported where it was written.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from k3mock import yamlfile
from k3mock.contract import shape
from k3mock.contract.build import build
from k3mock.contract.checks.transport import REQUIRED
from k3mock.contract.profiles import FOLDER, NAMES
from k3mock.contract.review import (
    check_errors,
    check_keys,
    check_named,
    check_rules,
    check_taken_away,
    read_wire,
)
from k3mock.contract.review_notes import check_known, check_notes
from k3mock.errors import ProfileError, did_you_mean
from k3mock.jsonvalue import JSONObject, as_list, as_object

if TYPE_CHECKING:
    from k3mock.contract.profile import Profile
    from k3mock.yamlfile import Located

_MAX_CHAIN = 10
ENGINES = ("moonshot",)
"""Profiles whose rules are the model's own, for gateways to stand in front of."""
_NEEDED = (*REQUIRED, "known_model")
"""Checks that the program itself words refusals by, outside the order of the rules."""
_OWN = ("profile", "about")
"""Keys that say who a profile is; they do not pass to one that extends it."""


def load_profile(name: str) -> Profile:
    """Load a built-in profile by name or a user's by path.

    Raises:
        ProfileError: unknown name, unreadable file, unknown key or value, or a broken rule.
    """
    return _built_in_profile(name) if name in NAMES else _load_profile(name)


@cache
def _built_in_profile(name: str) -> Profile:
    """Load a profile that no user can change while the process runs."""
    return _load_profile(name)


def _load_profile(name: str) -> Profile:
    path = _find(name, None)
    merged = _merged(path, ())
    rules = as_object(merged.get("rules")) or {}
    used = {(as_object(rule) or {}).get("check") for rule in rules.values()}
    for check in _NEEDED:
        if check not in used:
            raise ProfileError(
                f"the profile has no rule with the check {check!r}",
                where=str(path),
                hint="extends: moonshot brings one",
            )
    _check_sense(merged, str(path))
    engine = merged.get("engine")
    return build(merged, str(path), load_profile(engine) if isinstance(engine, str) else None)


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


def _merged(path: Path, chain: tuple[Path, ...]) -> JSONObject:
    """Load a file over what it extends; those that are built in are read once a process."""
    return _built_in(path) if path.parent == FOLDER else _load_merged(path, chain)


@cache
def _built_in(path: Path) -> JSONObject:
    return _load_merged(path, ())


def _load_merged(path: Path, chain: tuple[Path, ...]) -> JSONObject:
    here = path.resolve()
    if here in chain or len(chain) > _MAX_CHAIN:
        raise ProfileError("profiles extend each other in a circle", where=str(path))
    file = yamlfile.load(path, ProfileError)
    content = as_object(file.value)
    if content is None:
        raise ProfileError("a profile file holds a mapping", where=file.where())
    check_keys(file, (), content, shape.PROFILE)
    content = read_wire(file, content)
    base: JSONObject = {"notes": _notes()}
    extends = content.get("extends")
    if isinstance(extends, str):
        try:
            base_path = _find(extends, path.parent)
        except ProfileError as error:
            raise ProfileError(
                error.what, where=file.where("extends"), accepted=error.accepted, hint=error.hint
            ) from error
        base = _merged(base_path, (*chain, here))
        base = {key: value for key, value in base.items() if key not in _OWN}
    elif here.parent != FOLDER.resolve():
        raise ProfileError(
            "a profile of your own says what it extends",
            where=file.where(),
            accepted=f"extends: one of {', '.join(NAMES)}, or another file",
        )
    _check_engine(file, content)
    merged = _merge(base, {key: value for key, value in content.items() if key != "extends"})
    check_taken_away(file, content, base)
    check_rules(file, base, content, merged)
    check_errors(file, content, merged)
    check_named(file, content, merged)
    check_known(file, content)
    check_notes(file, content, merged)
    return merged


@cache
def _notes() -> JSONObject:
    """Return the notes that every built-in profile begins with."""
    path = FOLDER.parent / "notes.yaml"
    return as_object(yamlfile.load(path, ProfileError).value) or {}


def _check_sense(merged: JSONObject, where: str) -> None:
    """Check what only shows when all files are merged."""
    defaults = as_object(merged.get("defaults")) or {}
    efforts = [str(effort) for effort in as_list(defaults.get("efforts")) or []]
    default = str(defaults.get("reasoning_effort"))
    if default not in efforts:
        raise ProfileError(
            "defaults.reasoning_effort is not one of the efforts",
            where=where,
            found=repr(default),
            accepted=", ".join(efforts),
        )
    for kind, paths in (as_object(merged.get("paths")) or {}).items():
        for path in as_list(paths) or []:
            if not str(path).startswith("/"):
                raise ProfileError(
                    f"paths.{kind} holds a path that does not start with a slash",
                    where=where,
                    found=repr(path),
                    accepted=f"/{path}",
                )


def _check_engine(file: Located, content: JSONObject) -> None:
    engine = content.get("engine")
    if isinstance(engine, str) and engine not in ENGINES:
        raise ProfileError(
            f"unknown engine {engine!r}",
            where=file.where("engine"),
            accepted=did_you_mean(engine, ENGINES),
        )


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
