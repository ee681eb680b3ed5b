"""Turns a request into what would be kept of it, so that it is compared with what was kept.

Source layer.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from k3mock.cassette.interaction import RecordedRequest
from k3mock.redaction.rules import USUAL, Rules
from k3mock.redaction.scrub import scrub_request

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from k3mock.cassette.interaction import Interaction, Pairs

Scrub: TypeAlias = "Callable[[str, Pairs, bytes], tuple[str, bytes]]"
"""Takes secrets out of an address and a body; gets the headers that they came with, too."""

CONTENT = "content"
"""The rule that put digests in the place of texts, as a recording names it."""


def scrubbing(rules: Rules) -> Scrub:
    """Return what the rules of a recording do to an address and a body."""

    def scrub(uri: str, headers: Pairs, body: bytes) -> tuple[str, bytes]:
        asked = RecordedRequest(method="", uri=uri, headers=headers, body=body)
        kept = scrub_request(asked, rules)
        return kept.uri, kept.body

    return scrub


usual = scrubbing(USUAL)
private = scrubbing(Rules(redact_content=True))


def is_private(interactions: Iterable[Interaction]) -> bool:
    """Say whether any recording holds digests instead of texts."""
    return any(each.timing is not None and CONTENT in each.timing.redacted
               for each in interactions)  # fmt: skip


def is_clean(interaction: Interaction) -> bool:
    """Say whether a recording's request is what scrubbing would leave of it.

    What k3mock recorded went through it already, but media may have been kept.
    """
    body = interaction.request.body
    return interaction.timing is not None and b"base64" not in body and b'"data"' not in body
