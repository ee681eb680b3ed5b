"""Turns the layout of profile files into a table that loader, messages and documents share."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from k3mock.protocol.headers import HEADER_SETS
from k3mock.protocol.policy import ERROR_KEYS
from k3mock.text.accounting import ACCOUNTINGS
from k3mock.text.prefix import MODES
from k3mock.text.vocabulary import COUNTERS, VOCABULARIES

if TYPE_CHECKING:
    from collections.abc import Mapping

ENGINE_GROUPS = (
    "sampling", "n", "effort", "thinking", "media", "stop", "tools", "history", "window",
)  # fmt: skip
"""Groups of the model's own rules that a gateway may leave out."""

EFFECTS = ("ignore", "warn", "refuse")
"""What a broken rule does; a switch with these values may set the effect of rules."""

LEVELS = ("warn", "info")
"""How much a note weighs."""

SWITCHES: Mapping[str, tuple[str, ...]] = {
    "anyof_rule": ("accept", "refuse"),
    "thinking": ("enabled_only", "ignore", "refuse", "honour"),
    "named_tool_choice": ("refuse", "accept"),
    "reasoning_replay": EFFECTS,
    "reasoning_messages": ("tool_calls", "all"),
    "reasoning_presence": ("non_empty", "non_null", "key"),
    "reasoning_compare": ("off", "issued"),
    "tool_id_provenance": ("off", "shape", "issued"),
    "strict_alternation": EFFECTS,
    "content_presence": ("optional", "key_required"),
    "message_size": ("unlimited", "limited"),
}
"""What the documents leave open, with the values that each switch takes, the usual one first."""

EFFECT_SWITCHES = tuple(name for name, values in SWITCHES.items() if values == EFFECTS)


@dataclass(frozen=True, slots=True)
class Leaf:
    """A value: its type in words and, where it has only few, its values."""

    kind: str
    choices: tuple[str, ...] = ()

    def accepts(self) -> str:
        """Say what is accepted, for messages."""
        return f"one of {', '.join(self.choices)}" if self.choices else self.kind


Shape: TypeAlias = "Leaf | Mapping[str, Shape]"

_TEXT = Leaf("text")
_WHOLE = Leaf("whole number")
_NUMBER = Leaf("number")
_SWITCH = Leaf("true or false")
_WORDS = Leaf("list of texts")
_MAP = Leaf("mapping")
_ERROR_KEYS = Leaf("list of texts", ERROR_KEYS)

PROFILE: Mapping[str, Shape] = {
    "profile": _TEXT,
    "extends": _TEXT,
    "as_of": _TEXT,
    "engine": _TEXT,
    "about": _TEXT,
    "models": _MAP,
    "answers": _MAP,
    "keys": _MAP,
    "paths": {"chat": _WORDS, "models": _WORDS, "estimate": _WORDS, "files": _WORDS},
    "limits": {
        "window_tokens": _WHOLE,
        "default_cap_tokens": _WHOLE,
        "max_cap_tokens": _WHOLE,
        "body_bytes": _WHOLE,
    },
    "prices": {"input": _NUMBER, "cached_input": _NUMBER, "output": _NUMBER},
    "defaults": {"reasoning_effort": _TEXT, "efforts": _WORDS},
    "wire": _MAP,
    "tokenizer": {
        "vocabulary": Leaf("text", VOCABULARIES),
        "path": _TEXT,
        "template": Leaf("text", ("kimi_k3", "openai", "none")),
        "accounting": Leaf("text", ACCOUNTINGS),
        "counter": Leaf("text", COUNTERS),
        "replayed_reasoning": Leaf("text", ("count", "drop")),
    },
    "cache": {
        "mode": Leaf("text", MODES),
        "threshold_tokens": _WHOLE,
        "hit_probability": _NUMBER,
    },
    "media": {"unknown_image_tokens": _WHOLE, "video_tokens": _WHOLE},
    "headers": {"set": Leaf("text", HEADER_SETS), "cdn": _SWITCH, "account": _MAP},
    "switches": {name: Leaf("text", values) for name, values in SWITCHES.items()},
    "strict": _SWITCH,
    "unlisted": Leaf("text", ("forward", "apply")),
    "engine_rules": Leaf("list of texts", ENGINE_GROUPS),
    "forward": {
        "fold": _MAP,
        "rename": _MAP,
        "remove": _WORDS,
        "remove_from_messages": _WORDS,
        "set": _MAP,
        "set_when": Leaf("text", ("always", "stream")),
    },
    "known": {
        "fields": _WORDS,
        "message_fields": _WORDS,
        "part_fields": _WORDS,
        "ignored": _MAP,
        "harmless": _MAP,
    },
    "notes": _MAP,
    "error_types": _MAP,
    "rules": _MAP,
    "errors": _MAP,
}

RULE: Mapping[str, Leaf] = {
    "check": _TEXT,
    "message": _TEXT,
    "status": _WHOLE,
    "type": _TEXT,
    "code": Leaf("text or whole number"),
    "param": _TEXT,
    "error_keys": _ERROR_KEYS,
    "body": _TEXT,
    "content_type": _TEXT,
    "error": _TEXT,
    "models": _WORDS,
    "effect": Leaf("text", EFFECTS),
    "effect_of": Leaf("text", EFFECT_SWITCHES),
    "group": Leaf("text", ENGINE_GROUPS),
    "when": _MAP,
    "strict": _SWITCH,
    "enabled": _SWITCH,
    "evidence": _WORDS,
    "source": _TEXT,
}
"""Keys that every rule may have; a check adds its own."""

NOTE: Mapping[str, Leaf] = {
    "look": _TEXT,
    "message": _TEXT,
    "level": Leaf("text", LEVELS),
    "field": _TEXT,
    "other": _TEXT,
    "enabled": _SWITCH,
    "evidence": _WORDS,
    "source": _TEXT,
}

ERROR: Mapping[str, Leaf] = {
    "status": _WHOLE,
    "type": _TEXT,
    "message": _TEXT,
    "code": Leaf("text or whole number"),
    "param": _TEXT,
    "keys": _ERROR_KEYS,
    "headers": _MAP,
    "values": _MAP,
    "body": _TEXT,
    "content_type": _TEXT,
    "evidence": _WORDS,
    "source": _TEXT,
}
