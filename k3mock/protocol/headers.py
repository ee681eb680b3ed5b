"""Turns the response headers of hosts into named choices that `wire/` reads; values layer."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

FRAMING = frozenset({"content-length", "transfer-encoding"})
"""Headers that frame the body; they are worked out, never given."""

_NAME = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}")

HEADER_SETS = ("msh", "x_request_id", "none")
"""Families of response headers that hosts send."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HeaderPolicy:
    """Which response headers the host sends beside the content's own.

    `set` is `msh` (Moonshot's own), `x_request_id` or `none`; `account` are fixed headers that name
    the account; `cdn` adds those of the content delivery network.
    """

    set: str = "msh"
    cdn: bool = False
    account: Mapping[str, str] = field(default_factory=dict)


def may_be_given(name: str) -> bool:
    """Say whether a header of this name may be given: a name that HTTP knows, and no framing."""
    return _NAME.fullmatch(name) is not None and name.lower() not in FRAMING
