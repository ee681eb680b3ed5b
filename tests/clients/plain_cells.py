"""Turns what HTTP itself offers into columns, for clients that know nothing of the protocol above.

What such a client does not offer is not asked of it: a dash.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.clients import judge
from tests.clients.cells import ANSWER, COLUMNS, Cell

if TYPE_CHECKING:
    from tests.clients.witness import Witness


def reused(seen: Witness) -> str:
    """Two answers over one connection."""
    failed = judge.plain(_with_text(seen, "texts"))
    if failed != judge.WORKS:
        return failed
    connections = seen.saw.get("connections")
    return judge.WORKS if connections == 1 else f"opens {connections} connections"


def _with_text(seen: Witness, name: str) -> Witness:
    """Return what was seen with one text: the one that all of them are, else nothing."""
    texts = seen.saw.get(name)
    found = texts if isinstance(texts, list) else [texts]
    same = found[0] if found and all(text == found[0] for text in found) else ""
    return type(seen)(
        outcome=seen.outcome, saw={**seen.saw, "text": same}, detail=seen.detail, calls=seen.calls
    )


def old(seen: Witness) -> str:
    """A whole answer and a stream for a client of HTTP/1.0."""
    whole, stream = judge.plain(seen), judge.plain(_with_text(seen, "stream_text"))
    return whole if whole != judge.WORKS else stream


def continued(seen: Witness) -> str:
    """The body is sent when the server has said 100, and then there is an answer."""
    said = judge.plain(seen)
    if said == judge.WORKS and not seen.saw.get("continued"):
        return "body sent without a 100"
    return said


def refused(seen: Witness) -> str:
    """A compressed body: read, or refused."""
    if seen.saw.get("refused"):
        status = seen.calls[-1].status if seen.calls else "no journal"
        return f"refused with {status}"
    return judge.plain(seen)


PLAIN: dict[str, Cell] = {
    "plain": COLUMNS["plain"],
    "stream": COLUMNS["stream"],
    "retry": Cell(
        title="429 then ok", use="retry", judge=judge.retry, scenario=COLUMNS["retry"].scenario,
        about="the client's own options for another try, or a few lines around it",
    ),
    "cut": COLUMNS["cut"],
    "reuse": Cell(
        title="keep-alive", use="reuse", judge=reused, scenario=ANSWER,
        about="two requests over one connection",
    ),
    "pipelined": Cell(
        title="pipelining", use="pipelined", judge=reused, scenario=ANSWER,
        about="a stream and a whole answer are asked for before the first byte is read",
    ),
    "http10": Cell(
        title="HTTP/1.0", use="http10", judge=old, scenario=ANSWER,
        about="a whole answer has its length, a stream ends with the connection",
    ),
    "expect": Cell(
        title="Expect: 100-continue", use="expect", judge=continued, scenario=ANSWER,
        about="the body waits for a `100 Continue`",
    ),
    "chunked": Cell(
        title="chunked request", use="chunked", judge=judge.plain, scenario=ANSWER,
        about="the request's body has no length, but chunks",
    ),
    "compressed": Cell(
        title="compressed request", use="compressed", judge=refused, scenario=ANSWER,
        about="the request's body is gzip, and says so: nothing is known of the real host, so the "
        "bytes are read as the JSON that they are not",
    ),
}  # fmt: skip


def columns_of(kind: str) -> dict[str, Cell]:
    """Return the columns of a kind of client."""
    return PLAIN if kind == "plain" else COLUMNS
