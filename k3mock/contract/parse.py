"""Turns the bytes of a request into a `ChatRequest` or the vendor's refusal; rules layer.

The order of checks: key, headers, size, JSON, object, then the profile's rules in the order in
which they stand there, then at a gateway the engine's rules over what is forwarded. Message rules
run message by message, so that the first bad message is the one named.
"""

from __future__ import annotations

import hmac
from dataclasses import replace
from typing import TYPE_CHECKING

from k3mock.contract.checks.subject import Subject
from k3mock.contract.checks.transport import HEADER_MATCHES, mismatch
from k3mock.contract.jsontext import JsonTextError, read_json
from k3mock.contract.read import read_request
from k3mock.contract.rule import Violation
from k3mock.jsonvalue import JSONObject, as_object, type_name
from k3mock.past import Past
from k3mock.state import Issued

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from k3mock.contract.profile import Profile
    from k3mock.contract.rule import Rule
    from k3mock.protocol.failure import ApiError
    from k3mock.protocol.request import ChatRequest, RawRequest

_CAPS = frozenset({"max_completion_tokens", "max_tokens"})
"""Names of the output cap. Under one that a gateway does not list, a cap that the engine would
refuse is used as far as it goes (`unlisted: apply`)."""


def check_key(
    headers: Mapping[str, str], profile: Profile, keys: tuple[str, ...]
) -> ApiError | None:
    """Return the refusal of a missing, malformed or unknown key.

    The profile's own table of keys has the first word; any other bearer key is accepted when
    `keys` is empty. The key never shows in the refusal.
    """
    scheme, _, key = headers.get("authorization", "").partition(" ")
    key = key.strip()
    if scheme.lower() != "bearer" or not key:
        return transport_rule(profile, "key_present").refuse("headers.authorization")
    named = _named_key(key, profile)
    if named is not None:
        return None if named == "ok" else profile.named_error(named)
    known = [same_key(key, good) for good in keys]
    if keys and not any(known):
        return transport_rule(profile, "key_known").refuse("headers.authorization")
    return None


def _named_key(key: str, profile: Profile) -> str | None:
    """Return what the profile's table says of a key: itself, or its longest beginning with `*`."""
    for known, named in profile.keys.items():
        if same_key(key, known):
            return named
    begun = {
        known: named
        for known, named in profile.keys.items()
        if known.endswith("*") and key.startswith(known[:-1])
    }
    return begun[max(begun, key=len)] if begun else None


def check_headers(headers: Mapping[str, str], profile: Profile) -> Iterator[Violation]:
    """Yield what the profile's rules for headers find."""
    rules = profile.once(
        "headers",
        lambda: [
            rule for rule in profile.rules if rule.check == HEADER_MATCHES and profile.holds(rule)
        ],
    )
    for rule in rules:
        finding = mismatch(headers, rule)
        if finding is not None:
            error = rule.refuse(finding.path, **finding.values)
            yield Violation(error, profile.effect(rule))


def same_key(given: str, good: str) -> bool:
    """Compare a key from a header, whose bytes were read as latin-1, with a configured one."""
    return hmac.compare_digest(
        given.encode("latin-1", "replace"), good.encode("utf-8", "surrogateescape")
    )


def read_body(raw: RawRequest, profile: Profile) -> JSONObject | ApiError:
    """Return the body as a JSON object, or the refusal of what is not one."""
    limit = profile.limits.body_bytes
    if raw.size > limit:
        rule = transport_rule(profile, "body_size")
        return rule.refuse("", size=str(raw.size), limit=str(limit))
    try:
        value = read_json(raw.body)
    except JsonTextError as error:
        return transport_rule(profile, "body_json").refuse("", problem=error.problem)
    body = as_object(value)
    if body is None:
        return transport_rule(profile, "body_object").refuse("", got=type_name(value))
    return body


def transport_rule(profile: Profile, check: str) -> Rule:
    """Return the profile's rule for a step before the body is understood."""
    return next(rule for rule in profile.rules if rule.check == check)


def violations(
    body: JSONObject,
    profile: Profile,
    *,
    size: int,
    prompt_tokens: Callable[[ChatRequest], int],
    issued: Issued | None = None,
    past: Past | None = None,
) -> tuple[ChatRequest, Iterator[Violation]]:
    """Read a body and return what the contract finds in it, lazily and in order.

    Two stages for a gateway: its own rules look at what it received, then the engine's rules at
    what it forwards. The request that comes back is the forwarded one. `past` is what is known of
    the messages of the body.
    """
    past = past or Past()
    received = request = read_request(body, profile, past.request, past)
    seen = forwarded = body
    if profile.forward is not None:
        forwarded, seen = profile.forward.apply(body), profile.forward.seen(body)
        request = read_request(forwarded, profile, past=_same(past, body, forwarded))
    subject = Subject(
        body=seen,
        request=received,
        models=profile.known_models,
        limits=profile.limits,
        size=size,
        prompt_tokens=lambda: prompt_tokens(request),
        switches=profile.switches,
        tool_ids=profile.wire.tool_ids,
        issued=issued or Issued(),
        past=_same(past, body, seen),
    )
    behind = subject
    if forwarded is not body:
        behind = replace(
            subject, body=forwarded, request=request, past=_same(past, body, forwarded)
        )
    return request, _both_stages(subject, behind, profile)


def _same(past: Past, body: JSONObject, other: JSONObject) -> Past:
    """Return what is known of the messages, if another body has the very same ones."""
    return past if other.get("messages") is body.get("messages") else Past()


def _both_stages(subject: Subject, behind: Subject, profile: Profile) -> Iterator[Violation]:
    yield from profile.plan.violations(subject)
    plan = profile.engine_plan
    if plan is None:
        return
    for found in plan.violations(behind):
        error = found.error
        if profile.unlisted == "apply" and error.path in _CAPS - _listed(profile):
            continue
        kind = profile.error_types.get(str(error.status), error.type)
        yield Violation(replace(error, type=kind, rule=f"engine:{error.rule}"), found.effect)


def _listed(profile: Profile) -> set[str]:
    """Return the fields that the gateway's own rules know."""
    rules = [rule for rule in profile.rules if profile.holds(rule)]
    single = {str(rule.args["field"]) for rule in rules if "field" in rule.args}
    return single.union(*(as_object(rule.args.get("fields")) or {} for rule in rules))
