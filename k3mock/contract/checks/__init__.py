"""The named checks that a profile's rules refer to, one registry for all."""

from __future__ import annotations

from typing import TYPE_CHECKING

from k3mock.contract.checks import (
    fields,
    gateway,
    history,
    messages,
    schemas,
    tools,
    transport,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from k3mock.contract.checks.subject import Check

CHECKS: Mapping[str, Check] = {
    check.name: check
    for module in (transport, fields, gateway, tools, schemas, messages, history)
    for check in module.CHECKS
}
"""Every check by name; `k3mock rules` and the loader read this, so that they cannot drift."""
