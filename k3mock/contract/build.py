"""Turns a checked and merged profile mapping into a `Profile` value; rules layer."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from k3mock.contract.checks import CHECKS
from k3mock.contract.forward import Forward
from k3mock.contract.note import Known, Level, Note
from k3mock.contract.profile import (
    ErrorPreset,
    Limits,
    Prices,
    Profile,
    TokenizerChoice,
)
from k3mock.contract.rule import Effect, Evidence, Rule
from k3mock.contract.shape import RULE
from k3mock.jsonvalue import JSONObject, JSONValue, as_int, as_list, as_object, as_text
from k3mock.protocol.headers import HeaderPolicy
from k3mock.protocol.knobs import apply_knobs
from k3mock.protocol.policy import WirePolicy
from k3mock.text.media import MediaCosts
from k3mock.text.prefix import CachePolicy

if TYPE_CHECKING:
    from collections.abc import Mapping

_RULE_KEYS = frozenset(RULE)


def build(merged: JSONObject, file: str, engine: Profile | None = None) -> Profile:
    """Return the profile of a mapping that the loader has checked, with its engine, if any."""
    paths, defaults = _part(merged, "paths"), _part(merged, "defaults")
    errors = {
        name: _error(name, as_object(preset) or {})
        for name, preset in _part(merged, "errors").items()
    }
    return Profile(
        name=as_text(merged.get("profile")) or Path(file).stem,
        about=as_text(merged.get("about")) or "",
        file=file,
        models={
            name: {"id": name, **(as_object(record) or {})}
            for name, record in _part(merged, "models").items()
        },
        chat_paths=_words(paths.get("chat")),
        models_paths=_words(paths.get("models")),
        estimate_paths=_words(paths.get("estimate")),
        files_paths=_words(paths.get("files")),
        limits=_limits(_part(merged, "limits")),
        prices=_prices(_part(merged, "prices")),
        default_effort=as_text(defaults.get("reasoning_effort")) or "max",
        efforts=_words(defaults.get("efforts")),
        wire=apply_knobs(WirePolicy(), _part(merged, "wire")),
        tokenizer=_tokenizer(_part(merged, "tokenizer")),
        cache=_cache(_part(merged, "cache")),
        media=_media(_part(merged, "media")),
        headers=_headers(_part(merged, "headers")),
        rules=tuple(
            _rule(rule_id, as_object(rule) or {}, errors)
            for rule_id, rule in _part(merged, "rules").items()
        ),
        errors=errors,
        switches=_texts(_part(merged, "switches")),
        engine_rules=frozenset(_words(merged.get("engine_rules"))),
        engine=engine,
        forward=_forward(_part(merged, "forward")),
        unlisted=as_text(merged.get("unlisted")) or "apply",
        strict=_flag(merged, "strict", default=False),
        error_types=_texts(_part(merged, "error_types")),
        answers=_part(merged, "answers"),
        keys=_texts(_part(merged, "keys")),
        as_of=as_text(merged.get("as_of")) or "",
        known=_known(_part(merged, "known")),
        notes=tuple(
            _note(note_id, as_object(note) or {})
            for note_id, note in _part(merged, "notes").items()
        ),
    )


def _part(holder: JSONObject, key: str) -> JSONObject:
    return as_object(holder.get(key)) or {}


def _words(value: JSONValue) -> tuple[str, ...]:
    return tuple(str(word) for word in as_list(value) or [])


def _texts(value: JSONObject) -> Mapping[str, str]:
    return {key: str(text) for key, text in value.items()}


def _whole(part: JSONObject, key: str, default: int) -> int:
    value = as_int(part.get(key))
    return default if value is None else value


def _number(part: JSONObject, key: str, default: float) -> float:
    value = part.get(key)
    return float(value) if isinstance(value, int | float) else default


def _flag(part: JSONObject, key: str, *, default: bool) -> bool:
    value = part.get(key)
    return value if isinstance(value, bool) else default


def _forward(part: JSONObject) -> Forward | None:
    if not part:
        return None
    return Forward(
        fold=_texts(_part(part, "fold")),
        rename=_texts(_part(part, "rename")),
        remove=_words(part.get("remove")),
        remove_from_messages=_words(part.get("remove_from_messages")),
        set=_part(part, "set"),
        set_when_streaming=part.get("set_when") == "stream",
    )


def _known(part: JSONObject) -> Known:
    return Known(
        fields=frozenset(_words(part.get("fields"))),
        message_fields=frozenset(_words(part.get("message_fields"))),
        part_fields=frozenset(_words(part.get("part_fields"))),
        ignored=_values(_part(part, "ignored")),
        harmless=_values(_part(part, "harmless")),
    )


def _values(part: JSONObject) -> Mapping[str, tuple[JSONValue, ...]]:
    return {name: tuple(as_list(values) or []) for name, values in part.items()}


def _note(note_id: str, part: JSONObject) -> Note:
    return Note(
        id=note_id,
        look=as_text(part.get("look")) or "",
        message=as_text(part.get("message")) or "",
        level=Level(as_text(part.get("level")) or "warn"),
        field=as_text(part.get("field")) or "",
        other=as_text(part.get("other")) or "",
        enabled=_flag(part, "enabled", default=True),
        evidence=_evidence(part.get("evidence")),
        source=as_text(part.get("source")) or "",
    )


def _limits(part: JSONObject) -> Limits:
    usual = Limits()
    return Limits(
        window_tokens=_whole(part, "window_tokens", usual.window_tokens),
        default_cap_tokens=_whole(part, "default_cap_tokens", usual.default_cap_tokens),
        max_cap_tokens=_whole(part, "max_cap_tokens", usual.max_cap_tokens),
        body_bytes=_whole(part, "body_bytes", usual.body_bytes),
    )


def _prices(part: JSONObject) -> Prices:
    usual = Prices()
    return Prices(
        input=_number(part, "input", usual.input),
        cached_input=_number(part, "cached_input", usual.cached_input),
        output=_number(part, "output", usual.output),
    )


def _tokenizer(part: JSONObject) -> TokenizerChoice:
    usual = TokenizerChoice()
    return TokenizerChoice(
        vocabulary=as_text(part.get("vocabulary")) or usual.vocabulary,
        path=as_text(part.get("path")),
        template=as_text(part.get("template")) or usual.template,
        accounting=as_text(part.get("accounting")) or usual.accounting,
        counter=as_text(part.get("counter")) or usual.counter,
        replayed_reasoning=as_text(part.get("replayed_reasoning")) or usual.replayed_reasoning,
    )


def _cache(part: JSONObject) -> CachePolicy:
    return CachePolicy(
        mode=as_text(part.get("mode")) or "prompts",
        threshold_tokens=_whole(part, "threshold_tokens", 0),
        hit_probability=_number(part, "hit_probability", 1.0),
    )


def _media(part: JSONObject) -> MediaCosts:
    usual = MediaCosts()
    return MediaCosts(
        unknown_image_tokens=_whole(part, "unknown_image_tokens", usual.unknown_image_tokens),
        video_tokens=_whole(part, "video_tokens", usual.video_tokens),
    )


def _headers(part: JSONObject) -> HeaderPolicy:
    return HeaderPolicy(
        set=as_text(part.get("set")) or "msh",
        cdn=_flag(part, "cdn", default=False),
        account=_texts(_part(part, "account")),
    )


def _evidence(value: JSONValue) -> tuple[Evidence, ...]:
    marks = tuple(Evidence(mark) for mark in _words(value))
    return marks or (Evidence.INFERRED,)


def _code(value: JSONValue) -> str | int | None:
    return value if isinstance(value, str | int) and not isinstance(value, bool) else None


def _rule(rule_id: str, part: JSONObject, errors: Mapping[str, ErrorPreset]) -> Rule:
    check = CHECKS[str(part["check"])]
    effect = as_text(part.get("effect"))
    rule = Rule(
        id=rule_id,
        check=check.name,
        message=as_text(part.get("message")) or "",
        status=_whole(part, "status", 400),
        type=as_text(part.get("type")) or "invalid_request_error",
        code=_code(part.get("code")),
        param=as_text(part.get("param")),
        error_keys=_words(part.get("error_keys")) or None,
        body=as_text(part.get("body")),
        content_type=as_text(part.get("content_type")),
        args={key: value for key, value in part.items() if key not in _RULE_KEYS},
        group=as_text(part.get("group")),
        models=_words(part.get("models")),
        when={
            name: (values,) if isinstance(values, str) else _words(values)
            for name, values in _part(part, "when").items()
        },
        effect=None if effect is None else Effect(effect),
        effect_of=as_text(part.get("effect_of")),
        strict=_flag(part, "strict", default=False),
        enabled=_flag(part, "enabled", default=True),
        evidence=_evidence(part.get("evidence")),
        source=as_text(part.get("source")) or "",
    )
    named = as_text(part.get("error"))
    return rule if named is None else _saying(rule, errors[named])


def _saying(rule: Rule, preset: ErrorPreset) -> Rule:
    """Return the rule with all that a client sees taken from a named error."""
    return replace(
        rule,
        error=preset.name,
        status=preset.status,
        type=preset.type,
        message=preset.message,
        code=preset.code,
        param=preset.param,
        headers=tuple(preset.headers.items()),
        values=preset.values,
        error_keys=preset.keys,
        body=preset.body,
        content_type=preset.content_type,
    )


def _error(name: str, part: JSONObject) -> ErrorPreset:
    return ErrorPreset(
        name=name,
        status=_whole(part, "status", 400),
        type=as_text(part.get("type")) or "invalid_request_error",
        message=as_text(part.get("message")) or "",
        code=_code(part.get("code")),
        param=as_text(part.get("param")),
        headers=_texts(_part(part, "headers")),
        values=_texts(_part(part, "values")),
        keys=_words(part.get("keys")) or None,
        body=as_text(part.get("body")),
        content_type=as_text(part.get("content_type")),
        evidence=_evidence(part.get("evidence")),
        source=as_text(part.get("source")) or "",
    )
