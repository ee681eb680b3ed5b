"""Turns the texts of a private session into digests under which it still replays; matching layer.

Equal texts get equal digests, a digest stays itself. A stream says the digest of the whole text in
its first piece and nothing in the others: the client then sends that digest back as history, and
the request that was recorded next, with the text as a whole, holds the same one.
"""

from __future__ import annotations

import hashlib
import re
from collections import defaultdict
from typing import TYPE_CHECKING

import orjson

from k3mock.redaction.draft import Edit, apply
from k3mock.redaction.events import documents, is_stream, place_of
from k3mock.redaction.hide import hidden
from k3mock.redaction.leaves import escape, leaves

if TYPE_CHECKING:
    from collections.abc import Iterator

    from k3mock.jsonvalue import JSONValue
    from k3mock.redaction.draft import Draft
    from k3mock.redaction.leaves import Leaf, Path

_HOLDERS = ("messages", "choices", "prompt")
_TEXTS = frozenset(
    ("content", "text", "reasoning_content", "reasoning", "refusal", "arguments", "summary",
     "thinking", "prompt")
)  # fmt: skip
_DIGEST = re.compile(r"\[text:[0-9a-f]{12}\]")
_INDEX = re.compile(r"\[\d+\]")


def veiled(path: Path) -> bool:
    """Say whether a leaf is text of a message or an answer."""
    names = [step for step in path if isinstance(step, str)]
    return bool(names) and path[0] in _HOLDERS and names[-1] in _TEXTS


def _is_logprob(path: Path) -> bool:
    return "logprobs" in path and path[0] == "choices"


def veiled_place(place: str) -> bool:
    """Say the same of a place in an answer."""
    return veiled(tuple(_INDEX.sub("", place).split(".")))


def digest(text: str) -> str:
    """Return what stands for a text; nothing stands for nothing, a digest for itself.

    Of JSON each string is replaced, so that tool calls and structured answers stay readable.
    """
    if not text or _DIGEST.fullmatch(text):
        return text
    if text.lstrip()[:1] in ("{", "[") and _is_json(text):
        return apply(
            text,
            [
                Edit(leaf.start, leaf.end, escape(_mark(leaf.value), leaf.raw))
                for leaf in leaves(text)
                if leaf.string and not leaf.key
            ],
        )
    return _mark(text)


def _mark(text: str) -> str:
    if not text or _DIGEST.fullmatch(text):
        return text
    return f"[text:{hashlib.sha256(text.encode('utf-8', 'surrogatepass')).hexdigest()[:12]}]"


def _is_json(text: str) -> bool:
    try:
        orjson.loads(text)
    except ValueError:
        return False
    return True


def veil(draft: Draft, known: tuple[str, ...]) -> None:
    """Replace the texts of a body, from which secrets have been taken out before."""
    edits = _stream_edits(draft.text, known) if is_stream(draft.text) else _edits(draft.text)
    changes = [edit for edit in sorted(edits) if draft.text[edit.start : edit.end] != edit.new]
    draft.apply(changes, ("content",))


def _edits(text: str) -> Iterator[Edit]:
    for document in documents(text):
        for leaf in leaves(text, document.start, document.end):
            if _is_logprob(leaf.path):
                yield from _logprob(leaf)
            elif leaf.string and not leaf.key and veiled(leaf.path):
                yield _edit(leaf, digest(leaf.value))


def _stream_edits(text: str, known: tuple[str, ...]) -> Iterator[Edit]:
    pieces: defaultdict[str, list[Leaf]] = defaultdict(list)
    for document in documents(text):
        value: JSONValue = document.parsed()
        for leaf in leaves(text, document.start, document.end):
            if _is_logprob(leaf.path):
                yield from _logprob(leaf)
            elif leaf.string and leaf.raw and not leaf.key and veiled(leaf.path):
                pieces[place_of(leaf.path, value)].append(leaf)
    for sent in pieces.values():
        first, *others = sent
        # A secret that was sent in pieces is still in there.
        yield _edit(first, digest(hidden("".join(leaf.value for leaf in sent), known)))
        yield from (Edit(leaf.start, leaf.end, "") for leaf in others)


def _edit(leaf: Leaf, new: str) -> Edit:
    return Edit(leaf.start, leaf.end, escape(new, leaf.raw))


def _logprob(leaf: Leaf) -> Iterator[Edit]:
    """Empty the tokens, which are the text once more; their likelihoods may stay."""
    if leaf.key:
        return
    if leaf.string:
        yield Edit(leaf.start, leaf.end, "")
    elif "bytes" in leaf.path and leaf.raw != "null":
        yield Edit(leaf.start, leaf.end, "0")
