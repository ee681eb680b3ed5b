"""Turns notes on a request into warnings of the journal or an error of the mock; pipeline layer.

A host that drops, changes or overlooks a part of a request says nothing of it; the journal and the
header `x-k3mock-warnings` do.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from k3mock import respond
from k3mock.protocol.failure import mock_error

if TYPE_CHECKING:
    from k3mock.protocol.failure import ApiError
    from k3mock.respond import Delivery, Taken
    from k3mock.settings import Settings
    from k3mock.work import Examined


def note(taken: Taken, examined: Examined, settings: Settings) -> Delivery | None:
    """Note what the host does without a word; give an error where a warning is to be one.

    Who switches the contract off wants to hear nothing of it.
    """
    warnings = taken.entry.warnings
    if (taken.options.contract or settings.contract) != "off":
        # A rule that was broken has said it already.
        places = {found.path for found in warnings}
        warnings.extend(found for found in examined.notes if found.path not in places)
    if (taken.options.warnings or settings.warnings) != "error":
        return None
    first = next((found for found in warnings if not found.info), None)
    return None if first is None else _refused(taken, first)


def _refused(taken: Taken, found: ApiError) -> Delivery:
    place = f" at {found.path}" if found.path else ""
    error = mock_error(
        f"the warning {found.rule}{place}: {found.message} (warnings=note lets the request pass)",
        code="warning",
    )
    made = replace(error, rule=found.rule, path=found.path)
    return respond.failure(taken, made, f"warning:{found.rule}")
