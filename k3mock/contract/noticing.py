"""Turns what a host drops, changes or overlooks without a word into notes; rules layer."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

from k3mock.contract.checks.subject import Subject
from k3mock.contract.heard import Heard
from k3mock.contract.looks import LOOKS, heard_of
from k3mock.contract.read import read_request
from k3mock.past import Past

if TYPE_CHECKING:
    from collections.abc import Iterator

    from k3mock.contract.profile import Profile
    from k3mock.jsonvalue import JSONObject
    from k3mock.protocol.failure import ApiError
    from k3mock.protocol.request import ChatRequest
    from k3mock.state import Issued

MOST = 50
"""So many notes are made of one request."""


def notes(
    received: JSONObject,
    forwarded: ChatRequest,
    profile: Profile,
    *,
    cap: int,
    issued: Issued,
    past: Past | None = None,
) -> tuple[ApiError, ...]:
    """Return what the host does with a request without a word, one note a place.

    Args:
        received: the body as it came.
        forwarded: the request as the engine sees it.
        profile: the host.
        cap: the tokens that the answer may have.
        issued: what the session's answers held.
        past: what is known of the messages as they came.
    """
    same = forwarded.body is received
    past = past or Past()
    subject = Subject(
        body=received,
        request=forwarded if same else read_request(received, profile, past.request, past),
        models=profile.known_models,
        limits=profile.limits,
        size=0,
        prompt_tokens=lambda: 0,
        switches=profile.switches,
        issued=issued,
        past=past,
    )
    heard = Heard(
        received=received, forwarded=forwarded.body, request=forwarded, profile=profile,
        subject=subject, cap=cap,
    )  # fmt: skip
    return tuple(islice(_told(heard), MOST))


def _told(heard: Heard) -> Iterator[ApiError]:
    places: set[str] = set()
    profile = heard.profile
    said = profile.once(
        "notes", lambda: [note for note in profile.notes if heard_of(note, profile)]
    )
    for note in said:
        for found in LOOKS[note.look].find(heard, note):
            if found.path not in places:
                places.add(found.path)
                yield note.say(found.path, found.values)
