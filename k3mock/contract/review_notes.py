"""Turns what is wrong with the notes of a profile file into a message that says where; rules layer.

Everything here raises `ProfileError` or returns nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from k3mock.contract import shape
from k3mock.contract.looks import LOOKS
from k3mock.contract.review import check_evidence, check_keys, wrong
from k3mock.contract.rule import placeholders
from k3mock.errors import ProfileError, did_you_mean
from k3mock.jsonvalue import JSONObject, as_object

if TYPE_CHECKING:
    from k3mock.yamlfile import Located


def check_known(file: Located, content: JSONObject) -> None:
    """Check that fields have lists of values by which nothing is lost."""
    known = as_object(content.get("known")) or {}
    for kind in ("ignored", "harmless"):
        for name, values in (as_object(known.get(kind)) or {}).items():
            if values is not None and not isinstance(values, list):
                raise wrong(file, ("known", kind, name), values,
                            "the list of values by which nothing is lost, often []")  # fmt: skip


def check_notes(file: Located, content: JSONObject, merged: JSONObject) -> None:
    """Check each note that the file writes, as it is after merging."""
    notes = as_object(merged.get("notes")) or {}
    for note_id, written in (as_object(content.get("notes")) or {}).items():
        place = ("notes", note_id)
        if written is None:
            continue
        own = as_object(written)
        if own is None:
            raise wrong(file, place, written, "a mapping, or null to take the note away")
        check_keys(file, place, own, shape.NOTE)
        check_evidence(file, place, own)
        _check_look(file, place, as_object(notes.get(note_id)) or {})


def _check_look(file: Located, place: tuple[str, ...], whole: JSONObject) -> None:
    look = LOOKS.get(str(whole.get("look")))
    if look is None:
        raise ProfileError(
            f"the note {place[-1]!r} names no known look",
            where=file.where(*place),
            found=repr(whole.get("look")),
            accepted=did_you_mean(str(whole.get("look")), LOOKS),
        )
    for name in ("message", *look.args):
        if not whole.get(name):
            raise ProfileError(f"the note {place[-1]!r} needs {name!r}", where=file.where(*place))
    unknown = placeholders(str(whole["message"])) - look.fills
    if unknown:
        raise ProfileError(
            f"the message of the note {place[-1]!r} has a placeholder that nothing fills",
            where=file.where(*place, "message"),
            found=", ".join(sorted(unknown)),
            accepted=", ".join(sorted(look.fills)) or "none",
        )
