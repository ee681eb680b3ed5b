"""Turns the contract of one host into a value that every part reads; rules layer."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeVar

from k3mock.contract.note import Known
from k3mock.contract.plan import Plan, Prepared
from k3mock.contract.rule import Effect, Evidence, fill
from k3mock.protocol.failure import ApiError, mock_error

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from k3mock.contract.forward import Forward
    from k3mock.contract.note import Note
    from k3mock.contract.rule import Rule
    from k3mock.jsonvalue import JSONObject, JSONValue
    from k3mock.protocol.headers import HeaderPolicy
    from k3mock.protocol.policy import WirePolicy
    from k3mock.text.media import MediaCosts
    from k3mock.text.prefix import CachePolicy


Made = TypeVar("Made")


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """Sizes that the host enforces, in tokens and bytes."""

    window_tokens: int = 1_048_576
    default_cap_tokens: int = 131_072
    max_cap_tokens: int = 1_048_576
    body_bytes: int = 104_857_600


@dataclass(frozen=True, slots=True, kw_only=True)
class Prices:
    """Dollars for a million tokens; reasoning counts as output."""

    input: float = 3.0
    cached_input: float = 0.3
    output: float = 15.0


@dataclass(frozen=True, slots=True, kw_only=True)
class TokenizerChoice:
    """Which vocabulary counts, by which template, and which numbers are reported."""

    vocabulary: str = "kimi_k3"
    path: str | None = None
    template: str = "kimi_k3"
    accounting: str = "moonshot"
    counter: str = "tiktoken"
    replayed_reasoning: str = "count"


@dataclass(frozen=True, slots=True, kw_only=True)
class ErrorPreset:
    """A named error of the host, given on demand; the message may hold `{placeholders}`.

    `keys` are the keys of this very error, where they differ from the host's others; `body` is a
    literal body (the HTML page of a proxy) that replaces the error envelope.
    """

    name: str
    status: int
    type: str
    message: str
    code: str | int | None = None
    param: str | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    values: Mapping[str, str] = field(default_factory=dict)
    keys: tuple[str, ...] | None = None
    body: str | None = None
    content_type: str | None = None
    evidence: tuple[Evidence, ...] = (Evidence.INFERRED,)
    source: str = ""

    def error(self, **values: str) -> ApiError:
        """Return the error with its placeholders at their stated values, or at those given."""
        filled = {**self.values, **values}
        return ApiError(
            status=self.status,
            message=fill(self.message, filled),
            type=self.type,
            code=self.code,
            param=self.param,
            headers=tuple((key, fill(value, filled)) for key, value in self.headers.items()),
            rule=f"errors.{self.name}",
            keys=self.keys,
            body=self.body,
            content_type=self.content_type,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Profile:
    """The contract of one host of the model.

    Attributes:
        models: model id to the record that the models endpoint shows.
        chat_paths: paths that answer chat completions; models_paths list models, estimate_paths
            count a request's tokens, files_paths keep files.
        rules: in the order in which they are checked.
        errors: named errors to be given on demand.
        switches: what the documents leave open, by name.
        engine_rules: groups of the model's own rules that a forwarded request meets.
        engine: the profile whose rules those are, for a gateway; None where the host is the engine.
        forward: what a gateway changes before the engine sees a request.
        unlisted: what becomes of parameters that the gateway does not know: `forward` lets the
            engine judge them, `apply` uses them where the engine can and never refuses.
        strict: whether values that the host's page does not name are refused, too.
        error_types: status to error type, for engine errors in the gateway's envelope.
        answers: path to the constant JSON that a GET gets there.
        keys: API key, or its beginning and a `*`, to `ok` or the named error that it gets.
        as_of: the month that the facts are from.
        known: the fields that the host takes.
        notes: what is said of a request that the host answers, in order.
    """

    name: str
    about: str
    file: str
    models: Mapping[str, JSONObject]
    chat_paths: tuple[str, ...]
    models_paths: tuple[str, ...]
    estimate_paths: tuple[str, ...]
    files_paths: tuple[str, ...]
    limits: Limits
    prices: Prices
    default_effort: str
    efforts: tuple[str, ...]
    wire: WirePolicy
    tokenizer: TokenizerChoice
    cache: CachePolicy
    media: MediaCosts
    headers: HeaderPolicy
    rules: tuple[Rule, ...]
    errors: Mapping[str, ErrorPreset]
    switches: Mapping[str, str]
    engine_rules: frozenset[str]
    engine: Profile | None = None
    forward: Forward | None = None
    unlisted: str = "apply"
    strict: bool = False
    error_types: Mapping[str, str] = field(default_factory=dict)
    answers: Mapping[str, JSONValue] = field(default_factory=dict)
    keys: Mapping[str, str] = field(default_factory=dict, repr=False)
    as_of: str = ""
    known: Known = field(default_factory=Known)
    notes: tuple[Note, ...] = ()
    _prepared: Prepared = field(init=False, repr=False, compare=False, default_factory=Prepared)

    @property
    def known_models(self) -> frozenset[str]:
        """The names of the models."""
        return self.once("models", lambda: frozenset(self.models))

    @property
    def plan(self) -> Plan:
        """The profile's own rules, as far as they hold."""
        return self.once("plan", lambda: Plan(self._effects(self.rules, self.holds)))

    @property
    def engine_plan(self) -> Plan | None:
        """The engine's rules, as far as they hold for what a gateway forwards."""
        engine = self.engine
        if engine is None:
            return None
        return self.once(
            "engine", lambda: Plan(self._effects(engine.rules, self.engine_holds), "engine")
        )

    def _effects(
        self, rules: tuple[Rule, ...], holds: Callable[[Rule], bool]
    ) -> Iterator[tuple[Rule, Effect]]:
        return ((rule, self.effect(rule)) for rule in rules if holds(rule))

    def once(self, name: str, make: Callable[[], Made]) -> Made:
        """Return what `make` makes of the profile, made once; `name` says what it is."""
        return self._prepared.once(name, make)

    def rule(self, rule_id: str) -> Rule:
        """Return one of the profile's own rules."""
        return next(rule for rule in self.rules if rule.id == rule_id)

    def named_error(self, name: str, **values: str) -> ApiError:
        """Return an error of the host by name; a profile that took it away is told so.

        `values` are placeholders of its text that differ from the stated ones.
        """
        preset = self.errors.get(name)
        if preset is None:
            return mock_error(f"the profile {self.name!r} has no error {name!r}")
        return preset.error(**values)

    def effect(self, rule: Rule) -> Effect:
        """Return what a violation of a rule does at this host."""
        if rule.effect is not None:
            return rule.effect
        if rule.effect_of is None:
            return Effect.REFUSE
        return Effect(self.switches.get(rule.effect_of, Effect.IGNORE))

    def holds(self, rule: Rule) -> bool:
        """Say whether the switches let one of the profile's own rules hold."""
        grouped = self.engine is not None or rule.group is None or rule.group in self.engine_rules
        return (
            rule.enabled and grouped and (self.strict or not rule.strict) and self._switched(rule)
        )

    def engine_holds(self, rule: Rule) -> bool:
        """Say whether a rule of the engine holds for what this gateway forwards."""
        met = rule.group in self.engine_rules or (
            rule.group is None and self.unlisted == "forward" and rule.check != "known_model"
        )
        return rule.enabled and not rule.strict and met and self._switched(rule)

    def _switched(self, rule: Rule) -> bool:
        return self.effect(rule) is not Effect.IGNORE and all(
            self.switches.get(name) in values for name, values in rule.when.items()
        )
