"""Turns a recorded answer into notes where the contract disagrees with it; pipeline layer.

Only refusals that depend on the request's headers and body are compared: keys, limits and the
host's troubles are no matter of the contract.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from k3mock.contract import parse
from k3mock.contract.rule import Effect
from k3mock.protocol.failure import ApiError, mock_error
from k3mock.work import Read, examine, read_body

if TYPE_CHECKING:
    from k3mock.respond import Taken

RULE = "drift"
"""The rule that a note names where it is the recording that refused."""

_REFUSALS = frozenset({400, 404, 413, 415, 422})


def drift(taken: Taken, status: int) -> tuple[ApiError, ...]:
    """Return where contract and recorded status disagree, as warnings of the journal."""
    profile = taken.host.profile
    if taken.raw.method != "POST" or taken.raw.path not in profile.chat_paths:
        return ()
    refusal = _refusal(taken)
    if refusal is None:
        if status not in _REFUSALS:
            return ()
        found = mock_error(f"recorded {status}, the contract of {profile.name} accepts the request")
        return (replace(found, rule=RULE),)
    if status >= 400:
        same = status == refusal.status or status not in _REFUSALS
        return () if same else (_noted(refusal, status),)
    return (_noted(refusal, status),)


def _noted(refusal: ApiError, status: int) -> ApiError:
    text = f"recorded {status}, the contract refuses with {refusal.status}: {refusal.message}"
    return replace(refusal, message=text)


def _refusal(taken: Taken) -> ApiError | None:
    """Return what the contract would refuse a request for."""
    raw, profile = taken.raw, taken.host.profile
    heads = [each.error for each in parse.check_headers(raw.headers, profile)
             if each.effect is Effect.REFUSE]  # fmt: skip
    if heads:
        return heads[0]
    body, _, past = read_body(raw, taken.host)
    if isinstance(body, ApiError):
        return body
    found = examine(taken.host, Read(body, past), raw.size, taken.session, "warn").violations
    return next((each.error for each in found if each.effect is Effect.REFUSE), None)
