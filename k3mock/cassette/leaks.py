"""Turns a cassette's file into the places of the secrets that it holds; source layer."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import yaml

from k3mock.cassette.format import parse
from k3mock.cassette.layout import is_json
from k3mock.cassette.problem import of_disk
from k3mock.cassette.store import journal_file
from k3mock.redaction.scan import scan_document, scan_text

if TYPE_CHECKING:
    from pathlib import Path

    from k3mock.redaction.leak import Leak

_LOADER: type[yaml.SafeLoader] = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def file_leaks(path: Path, known: tuple[str, ...] = ()) -> list[Leak]:
    """Look through every key and text of a cassette, and through a journal beside it.

    Raises:
        CassetteError: the file cannot be read: nobody can say that it is clean.
    """
    try:
        raw = path.read_bytes()
        journal = journal_file(path)
        unpublished = journal.read_bytes() if journal.is_file() else b""
    except OSError as error:
        raise of_disk(error, path, "the cassette cannot be read") from error
    parse(raw, path)
    text = raw.decode("utf-8-sig")
    document = json.loads(text) if is_json(path) else yaml.load(text, _LOADER)  # noqa: S506 - safe
    items = document.pop("interactions")
    found = [leak for number, item in enumerate(items, 1)
             for leak in scan_document(item, known, f"#{number}")]  # fmt: skip
    found += scan_document(document, known)
    if unpublished:
        found += scan_text(unpublished, known, journal.name)
    return found
