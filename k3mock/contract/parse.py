"""Turns the bytes of a request into a `ChatRequest` or the vendor's refusal; rules layer.

The order of checks: key, size, JSON, object, then the profile's rules in the order in which they
stand there, then at a gateway the engine's rules over what is forwarded. Message rules run message
by message, so that the first bad message is the one named.
"""

from __future__ import annotations

import hmac
from dataclasses import replace
from typing import TYPE_CHECKING

from k3mock.contract.checks import CHECKS
from k3mock.contract.checks.messages import answerable_calls
from k3mock.contract.checks.subject import Finding, Stage, Subject
from k3mock.contract.jsontext import JsonTextError, read_json
from k3mock.contract.read import read_request
from k3mock.jsonvalue import JSONObject, as_list, as_object, type_name

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

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

    Any bearer key is accepted when `keys` is empty. The key never shows in the refusal.
    """
    scheme, _, key = headers.get("authorization", "").partition(" ")
    key = key.strip()
    if scheme.lower() != "bearer" or not key:
        return transport_rule(profile, "key_present").refuse("headers.authorization")
    known = [same_key(key, good) for good in keys]
    if keys and not any(known):
        return transport_rule(profile, "key_known").refuse("headers.authorization")
    return None


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
) -> tuple[ChatRequest, Iterator[ApiError]]:
    """Read a body and return what the contract refuses in it, lazily and in order.

    Two stages for a gateway: its own rules look at what it received, then the engine's rules at
    what it forwards. The request that comes back is the forwarded one.
    """
    forwarded = body if profile.forward is None else profile.forward.apply(body)
    seen = body if profile.forward is None else profile.forward.seen(body)
    request = read_request(forwarded, profile)
    received = request if forwarded is body else read_request(body, profile)
    subject = Subject(
        body=seen,
        request=received,
        models=frozenset(profile.models),
        limits=profile.limits,
        size=size,
        prompt_tokens=lambda: prompt_tokens(request),
        answerable=answerable_calls(as_list(body.get("messages")) or []),
    )
    behind = subject
    if forwarded is not body:
        messages = as_list(forwarded.get("messages")) or []
        behind = replace(
            subject, body=forwarded, request=request, answerable=answerable_calls(messages)
        )
    return request, _both_stages(subject, behind, profile)


def _both_stages(subject: Subject, behind: Subject, profile: Profile) -> Iterator[ApiError]:
    yield from _refusals(subject, filter(profile.holds, profile.rules))
    if profile.engine is None:
        return
    for error in _refusals(behind, filter(profile.engine_holds, profile.engine.rules)):
        if profile.unlisted == "apply" and error.path in _CAPS - _listed(profile):
            continue
        kind = profile.error_types.get(str(error.status), error.type)
        yield replace(error, type=kind, rule=f"engine:{error.rule}")


def _listed(profile: Profile) -> set[str]:
    """Return the fields that the gateway's own rules know."""
    rules = [rule for rule in profile.rules if profile.holds(rule)]
    single = {str(rule.args["field"]) for rule in rules if "field" in rule.args}
    return single.union(*(as_object(rule.args.get("fields")) or {} for rule in rules))


def _refusals(subject: Subject, rules: Iterable[Rule]) -> Iterator[ApiError]:
    block: list[Rule] = []
    for rule in rules:
        stage = CHECKS[rule.check].stage
        if stage is Stage.TRANSPORT:
            continue
        if stage is Stage.MESSAGE:
            block.append(rule)
            continue
        yield from _message_refusals(subject, block)
        block = []
        yield from _found(subject, rule)
    yield from _message_refusals(subject, block)


def _message_refusals(subject: Subject, block: list[Rule]) -> Iterator[ApiError]:
    if not block:
        return
    for position in range(len(subject.messages)):
        at = replace(subject, position=position)
        for rule in block:
            yield from _found(at, rule)


def _found(subject: Subject, rule: Rule) -> Iterator[ApiError]:
    findings: Iterator[Finding] = iter(CHECKS[rule.check].look(subject, rule))
    for finding in findings:
        yield rule.refuse(finding.path, **finding.values)
