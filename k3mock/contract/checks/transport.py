"""Turns what is wrong before the body is understood into refusals; the parser asks for them by id.

These checks find nothing by themselves: the steps that read key, headers, path and bytes raise the
rule, so that its text and evidence stand in the profile with all others.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from k3mock.contract.checks.subject import Check, Finding, Stage
from k3mock.jsonvalue import as_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from k3mock.contract.checks.subject import Subject
    from k3mock.contract.rule import Rule


def _elsewhere(_subject: Subject, _rule: Rule) -> Iterable[Finding]:
    return ()


def _step(name: str, about: str, *fills: str) -> Check:
    return Check(
        name=name, about=about, look=_elsewhere, stage=Stage.TRANSPORT, fills=frozenset(fills)
    )


def mismatch(headers: Mapping[str, str], rule: Rule) -> Finding | None:
    """Return what is wrong with a header that a rule asks for; an absent one counts as empty."""
    name = (as_text(rule.args.get("header")) or "").lower()
    pattern = as_text(rule.args.get("pattern")) or ""
    if re.search(pattern, headers.get(name, "")):
        return None
    return Finding(f"headers.{name}", {"header": name})


_STEPS = (
    _step("path_served", "the path is one that the host serves", "method", "path"),
    _step("method_allowed", "the method is one that the path takes", "method", "path"),
    _step("key_present", "the Authorization header is `Bearer <key>`"),
    _step("key_known", "the key is one of the accepted ones"),
    _step("body_size", "the body is not larger than the host's limit", "size", "limit"),
    _step("body_json", "the body is valid JSON", "problem"),
    _step("body_object", "the body is a JSON object", "got"),
)

HEADER_MATCHES = "header_matches"

CHECKS = (
    *_STEPS,
    Check(name=HEADER_MATCHES, about="the header matches the pattern, on every path",
          look=_elsewhere, stage=Stage.TRANSPORT, args={"header": str, "pattern": str},
          fills=frozenset({"header"})),
)  # fmt: skip

REQUIRED = tuple(check.name for check in _STEPS)
"""Transport checks that every profile must have exactly one rule for."""
