"""Turns recorded requests into what a live endpoint answers otherwise today; recorder layer.

Nothing is stored. What comes back is redacted before it is compared, so that nothing shown holds a
secret, and what was redacted in the recording is no difference.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from k3mock.cassette.compare import answer_changes
from k3mock.cassette.interaction import End, Interaction, RecordedResponse, Timing
from k3mock.errors import K3MockError, one_line
from k3mock.protocol.request import RawRequest
from k3mock.recorder.failure import UpstreamFailure
from k3mock.redaction.rules import Rules
from k3mock.redaction.scrub import scrub_response

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Iterable

    from k3mock.cassette.grade import Change
    from k3mock.recorder.upstream import Upstream

_DONE = re.compile(rb"(?:^|[\r\n])data: ?\[DONE\]\s")
_TAKEN_OUT = re.compile(rb"\[redacted\]|\[text:[0-9a-f]{12}\]|;k3mock,bytes=\d+")
_CHAT = "/chat/completions"


@dataclass(frozen=True, slots=True, kw_only=True)
class Drift:
    """How the answer to a recorded request has changed; `skipped` says why it was not asked."""

    recorded: Interaction
    changes: tuple[Change, ...] = field(default=())
    skipped: str = ""


async def drift(
    interactions: Iterable[Interaction], upstream: Upstream, key: str
) -> AsyncGenerator[Drift]:
    """Send recorded requests one after the other and compare what comes back.

    Raises:
        K3MockError: the endpoint cannot be reached.
    """
    for recorded in interactions:
        why = _unfit(recorded)
        if why:
            yield Drift(recorded=recorded, skipped=why)
            continue
        live = await _asked(recorded, upstream, key)
        yield Drift(recorded=recorded, changes=tuple(answer_changes(recorded, live)))


def _unfit(recorded: Interaction) -> str:
    """Say why a request cannot be sent again as it was; nothing where it can."""
    request = recorded.request
    path = urlsplit(request.uri).path
    if request.method != "GET" and not (request.method == "POST" and path.endswith(_CHAT)):
        return f"{request.method} {path} may change something"
    if _TAKEN_OUT.search(request.body):
        return "parts of the request were redacted"
    return ""


async def _asked(recorded: Interaction, upstream: Upstream, key: str) -> Interaction:
    request = recorded.request
    raw = RawRequest(
        method=request.method, path=_target(request.uri), headers={}, body=request.body,
        size=len(request.body), target=_target(request.uri),
        pairs=(*request.headers, ("authorization", f"Bearer {key}")),
    )  # fmt: skip
    pieces: list[bytes] = []
    end, error = End.COMPLETE, None
    response = RecordedResponse(status=0)
    try:
        async with upstream.ask(raw) as live:
            response = RecordedResponse(status=live.status, reason=live.reason,
                                        headers=live.headers)  # fmt: skip
            async for piece in live.chunks:
                pieces.append(piece)
                if _DONE.search(b"".join(pieces[-2:])):
                    # Some hosts hold the connection open behind it.
                    break
    except UpstreamFailure as cause:
        if not response.status:
            raise _unreachable(upstream, cause) from cause
        end, error = End.TIMEOUT if cause.timeout else End.UPSTREAM_ERROR, cause.name
    headers, body = _clean(response.headers, b"".join(pieces), key)
    return Interaction(
        number=recorded.number, request=request,
        response=RecordedResponse(status=response.status, reason=response.reason, headers=headers,
                                  body=body),
        timing=Timing(end=end, error=error),
    )  # fmt: skip


def _clean(
    headers: tuple[tuple[str, str], ...], body: bytes, key: str
) -> tuple[tuple[tuple[str, str], ...], bytes]:
    try:
        found = scrub_response(headers, body, None, Rules(), (key,))
    except K3MockError as error:
        # A secret is spread over a stream: nothing of it may be shown.
        raise K3MockError("the answer holds a secret and is not compared",
                          found=one_line(error)) from error  # fmt: skip
    return found.headers, found.body


def _target(uri: str) -> str:
    """Return the path as a client of ours would ask for it, whatever prefix was recorded."""
    parts = urlsplit(uri)
    path = parts.path
    if path.endswith(_CHAT):
        path = f"/v1{_CHAT}"
    elif "/v1/" in path:
        path = path[path.index("/v1/") :]
    return f"{path}?{parts.query}" if parts.query else path


def _unreachable(upstream: Upstream, cause: UpstreamFailure) -> K3MockError:
    return K3MockError(
        f"the upstream {upstream.name} gave no answer: {cause.name}",
        found=cause.text or None, hint="check the address, the network and the proxy",
    )  # fmt: skip
