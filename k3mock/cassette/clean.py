"""Turns a recorded interaction into one that holds what may be kept, and no more; source layer."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from k3mock.redaction.rules import USUAL
from k3mock.redaction.scrub import scrub_request, scrub_response

if TYPE_CHECKING:
    from k3mock.cassette.interaction import Interaction
    from k3mock.redaction.rules import Rules


def cleaned(
    interaction: Interaction, rules: Rules = USUAL, known: tuple[str, ...] = ()
) -> Interaction:
    """Redact both halves; `known` are secrets to look for beside the patterns.

    Raises:
        LeakError: a secret is where it cannot be taken out.
    """
    asked, answered, timing = interaction.request, interaction.response, interaction.timing
    uri, headers, body, in_request = scrub_request(asked, rules, known)
    chunks = None if timing is None else timing.chunks
    seq = interaction.number if timing is None else timing.seq
    shown, said, kept, in_response = scrub_response(
        answered.headers, answered.body, chunks, rules, known, seq=seq
    )
    names = tuple(sorted({*in_request, *in_response}))
    if timing is not None:
        redacted = tuple(dict.fromkeys((*timing.redacted, *names)))
        timing = replace(timing, chunks=kept or (), redacted=redacted)
    return replace(
        interaction,
        request=replace(asked, uri=uri, headers=headers, body=body),
        response=replace(answered, headers=shown, body=said),
        timing=timing,
    )
