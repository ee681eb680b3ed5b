"""Turns what is wrong before the body is understood into refusals; the parser asks for them by id.

These checks find nothing by themselves: the steps that read the key, the path and the bytes raise
the rule, so that its text and evidence stand in the profile with all others.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from k3mock.contract.checks.subject import Check, Stage

if TYPE_CHECKING:
    from collections.abc import Iterable

    from k3mock.contract.checks.subject import Finding, Subject
    from k3mock.contract.rule import Rule


def _elsewhere(_subject: Subject, _rule: Rule) -> Iterable[Finding]:
    return ()


def _step(name: str, about: str, *fills: str) -> Check:
    return Check(
        name=name, about=about, look=_elsewhere, stage=Stage.TRANSPORT, fills=frozenset(fills)
    )


CHECKS = (
    _step("path_served", "the path is one that the host serves", "method", "path"),
    _step("method_allowed", "the method is one that the path takes", "method", "path"),
    _step("key_present", "the Authorization header is `Bearer <key>`"),
    _step("key_known", "the key is one of the accepted ones"),
    _step("body_size", "the body is not larger than the host's limit", "size", "limit"),
    _step("body_json", "the body is valid JSON", "problem"),
    _step("body_object", "the body is a JSON object", "got"),
)

REQUIRED = tuple(check.name for check in CHECKS)
"""Transport checks that every profile must have exactly one rule for."""
