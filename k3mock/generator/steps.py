"""Turns a message that asks for several things into its steps and their parts; source layer."""

from __future__ import annotations

import re

MOST_STEPS = 16
_MOST_CHARS = 2_500

_THEN = re.compile(
    r"[,;]?\s+(?:and\s+)?(?:then|afterwards|after that|finally|next|lastly)\b,?\s*"
    r"|(?<=[.!?])\s+(?=[A-ZÀ-ÞА-ЯЁ\"'`])|\n+|[;；。！？]"
    r"|[,，]?\s*(?:然后|然後|接着|接著|随后|隨後|最后|最後|之后|之後)[,，]?|[,，]再"
    r"|[、,]?\s*(?:それから|その後|次に|最後に)[、,]?"
    r"|,?\s+(?:und\s+|et\s+|y\s+|и\s+)?(?:dann|danach|anschließend|zum schluss|puis|ensuite|enfin|"
    r"luego|"
    r"después|finalmente|por último|затем|потом|после этого|наконец)\b,?\s*",
    re.IGNORECASE,
)
_AND = re.compile(
    r"\s*,\s+(?:and\s+|und\s+|et\s+|y\s+|и\s+)?|\s+(?:and|und|et|y|и|plus|as well as)\s+"
    r"|[,，、]|以及|并且|並且|还有|還有",
    re.IGNORECASE,
)
_BLANKS = re.compile(r"[^\S\n]{2,}")
_LINES = re.compile(r"\s*\n\s*")
_NUMBERED = re.compile(r"^\s*(?:\d{1,2}[.)]|[-*•])\s*")


def steps_of(text: str) -> list[str]:
    """Return what is to be done one after the other; a long text is one step."""
    if len(text) > _MOST_CHARS:
        return [text]
    text = _BLANKS.sub(" ", _LINES.sub("\n", text))
    steps = [_NUMBERED.sub("", step).strip() for step in _THEN.split(text)]
    return [step for step in steps if len(step) > 2][:MOST_STEPS]


def parts_of(step: str) -> list[str]:
    """Return what may be done at the same time."""
    return [part for part in _AND.split(step) if part and len(part) > 2][:MOST_STEPS]
