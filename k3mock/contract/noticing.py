"""Turns what a host drops, changes or overlooks without a word into notes; rules layer."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING

from k3mock.contract.checks.subject import Subject
from k3mock.contract.heard import Heard
from k3mock.contract.looks import LOOKS
from k3mock.contract.read import read_request
from k3mock.past import Past

if TYPE_CHECKING:
    from collections.abc import Iterator, KeysView

    from k3mock.contract.looks import Looking
    from k3mock.contract.note import Note
    from k3mock.contract.profile import Profile
    from k3mock.jsonvalue import JSONObject
    from k3mock.protocol.failure import ApiError
    from k3mock.protocol.request import ChatRequest
    from k3mock.state import Issued

MOST = 50
"""So many notes are made of one request."""

_MOST_KNOWN = 1000
_LONG_NAMES = 400
"""So many sets of fields are remembered, if their names are not longer together."""


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


@dataclass(frozen=True, slots=True)
class _Prepared:
    """A note that a host may have, and the fields that say whether to look at all."""

    note: Note
    find: Looking
    needs: frozenset[str] | None
    quiet: frozenset[str] | None

    def wanted(self, fields: KeysView[str]) -> bool:
        if self.needs is not None and self.needs.isdisjoint(fields):
            return False
        return self.quiet is None or not fields <= self.quiet


def heard_of(note: Note, profile: Profile) -> bool:
    """Say whether a host's requests can have a note."""
    return note.enabled and LOOKS[note.look].where(profile)


def _prepared(profile: Profile) -> list[_Prepared]:
    prepared: list[_Prepared] = []
    for note in profile.notes:
        if heard_of(note, profile):
            look = LOOKS[note.look]
            needs = look.needs(profile, note)
            prepared.append(
                _Prepared(
                    note,
                    look.find,
                    None if needs is None else frozenset(needs),
                    None if look.quiet is None else frozenset(look.quiet(profile)),
                )
            )
    return prepared


def _wanted(profile: Profile, body: JSONObject) -> list[_Prepared]:
    """Return the notes that a body with these fields can have."""
    known: dict[tuple[str, ...], list[_Prepared]] = profile.once("wanted", dict)
    names = tuple(body)
    wanted = known.get(names)
    if wanted is None:
        fields = body.keys()
        prepared = profile.once("notes", lambda: _prepared(profile))
        wanted = [each for each in prepared if each.wanted(fields)]
        if len(known) >= _MOST_KNOWN:
            known.clear()
        if sum(map(len, names)) <= _LONG_NAMES:
            known[names] = wanted
    return wanted


def _told(heard: Heard) -> Iterator[ApiError]:
    places: set[str] = set()
    for prepared in _wanted(heard.profile, heard.received):
        note = prepared.note
        for found in prepared.find(heard, note):
            if found.path not in places:
                places.add(found.path)
                yield note.say(found.path, found.values)
