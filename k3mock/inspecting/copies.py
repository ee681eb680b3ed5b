"""Turns a journal entry into text to take away: a curl command, a scenario, a test of pytest."""

from __future__ import annotations

import json
import pprint
import re
import shlex
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote

from k3mock.cassette.answer import joined
from k3mock.cassette.interaction import Cassette, End, Interaction, RecordedRequest, Timing
from k3mock.cassette.interaction import RecordedResponse as Response
from k3mock.delivery.step import Abort, Bare, Hold
from k3mock.errors import K3MockError
from k3mock.journal import MAX_BODY_BYTES
from k3mock.jsonvalue import as_object, as_text
from k3mock.options import DEFAULT_SESSION
from k3mock.redact import REDACTED, hide_secrets
from k3mock.wire.failure import JSON_TYPE

if TYPE_CHECKING:
    from collections.abc import Iterator

    from k3mock.inspecting.timeline import Timeline
    from k3mock.journal import JournalEntry

FORMS = ("curl", "scenario", "pytest")
PLACEHOLDER = "Write the answer here."

_USUAL = "moonshot"
_HOPS = frozenset({
    "host", "content-length", "connection", "transfer-encoding", "accept-encoding", "accept",
    "user-agent", "authorization",
})  # fmt: skip


class CopyError(K3MockError):
    """A request of which no such copy can be made."""

    code = "copy"


def copied(line: Timeline, form: str, base: str) -> str:
    """Return a copy in one of the forms; `base` is the server's root URL.

    Raises:
        CopyError: the journal holds too little of the request or of its answer.
        CassetteError: it is no chat completion.
    """
    if line.entry.body_bytes > MAX_BODY_BYTES:
        raise CopyError("the journal holds only the beginning of this request")
    match form:
        case "curl":
            made = curl(line.entry, base)
        case "scenario":
            made = scenario(line)
        case _:
            made = pytest_test(line)
    data = made.encode("utf-8", "replace")
    return hide_secrets(data, *line.entry.writes.secrets).decode("utf-8", "replace")


def curl(entry: JournalEntry, base: str) -> str:
    """Write a command that sends the request again; the key comes from the environment."""
    options = []
    if entry.session != DEFAULT_SESSION:
        options.append(f"session={quote(entry.session, safe='')}")
    if entry.profile != _USUAL:
        options.append(f"profile={quote(entry.profile, safe='')}")
    inside = f"/with/{';'.join(options)}" if options else ""
    parts = [f"curl -sS -N {shlex.quote(f'{base}{inside}{quote(entry.path)}')}"]
    if entry.method not in {"GET", "POST"} or (entry.method == "POST" and not entry.raw):
        parts[0] += f" -X {shlex.quote(entry.method)}"
    if "authorization" in entry.headers:
        parts.append('-H "Authorization: Bearer $API_KEY"')
    parts += [
        f"-H {shlex.quote(f'{name}: {value}')}"
        for name, value in entry.headers.items()
        if name not in _HOPS and value != REDACTED
    ]
    if entry.raw:
        parts.append(f"--data-binary {shlex.quote(entry.raw.decode('utf-8', 'replace'))}")
    return " \\\n  ".join(parts) + "\n"


def scenario(line: Timeline) -> str:
    """Write a scenario that gives the same answer; what nothing answered gets a placeholder.

    Raises:
        CopyError: the answer is not kept whole, or is the mock's own.
        CassetteError: it is no chat completion.
    """
    entry = line.entry
    response = line.response
    if (entry.source or "").startswith("miss:"):
        response = _placeholder()
    elif entry.refusal == "k3mock_error":
        raise CopyError("the mock itself gave this answer, because of a mistake in the request's "
                        "options; there is nothing to script")  # fmt: skip
    elif line.cut or entry.writes.forgotten:
        raise CopyError("the journal does not hold the whole answer any more")
    elif not response.body and entry.status is None:
        raise CopyError("no HTTP answer was given; use the fault's name in a scenario instead")
    ending = End.COMPLETE if _whole(line) else End.UPSTREAM_ERROR
    asked = RecordedRequest(method=entry.method, uri=entry.path, body=entry.raw)
    interaction = Interaction(number=1, request=asked, response=response, timing=Timing(end=ending))
    cassette = Cassette(path=Path(_name(entry)), interactions=(interaction,))
    # Only who asks for a copy pays for what writes it.
    from k3mock.cassette.convert import to_scenario  # noqa: PLC0415

    return to_scenario(cassette).text


def _whole(line: Timeline) -> bool:
    """Say whether the answer came to its end as HTTP wants it."""
    cut = any(isinstance(mark.step, Abort | Hold | Bare) for mark in line.marks)
    return not cut and line.entry.outcome.end != "client_disconnect"


def _placeholder() -> Response:
    message = {"role": "assistant", "content": PLACEHOLDER}
    said = {"choices": [{"index": 0, "message": message, "finish_reason": "stop"}]}
    headers = (("content-type", JSON_TYPE),)
    return Response(status=200, headers=headers, body=json.dumps(said).encode())


def _name(entry: JournalEntry) -> str:
    return re.sub(r"[^A-Za-z0-9_]+", "_", entry.id)


def pytest_test(line: Timeline) -> str:
    """Write a test that sends the request and expects the same answer.

    Raises:
        CopyError: as for `scenario`.
        CassetteError: it is no chat completion.
    """
    return "\n".join(_lines(line)) + "\n"


def _lines(line: Timeline) -> Iterator[str]:
    entry = line.entry
    refused = (entry.source or "").startswith("contract:")
    script = None if refused else scenario(line)
    whole = _whole(line)
    yield f'"""Written by k3mock from its journal: {_name(entry)}."""\n'
    yield "import httpx2"
    if not whole or entry.profile != _USUAL:
        yield "import pytest"
    if script is not None:
        yield f"\nSCENARIO = {_text_literal(script)}"
    body = as_object(entry.body)
    shown = repr(entry.raw) if body is None else pprint.pformat(body, width=96, sort_dicts=False)
    yield f"\nREQUEST = {shown}\n\n"
    if entry.profile != _USUAL:
        yield f"@pytest.mark.k3mock(profile={json.dumps(entry.profile)})"
    yield f"def test_{_name(entry)}(k3mock):"
    if script is not None:
        yield "    k3mock.scenario(SCENARIO)"
    yield f'    url = k3mock.base_url.removesuffix("/v1") + {json.dumps(quote(entry.path))}'
    yield '    headers = {"Authorization": f"Bearer {k3mock.api_key}"}'
    given = "content" if body is None else "json"
    call = f"httpx2.post(url, {given}=REQUEST, headers=headers)"
    if not whole:
        yield "    with pytest.raises(httpx2.TransportError):"
        yield f"        {call}"
        return
    yield f"    answer = {call}"
    yield from _expected(line)


def _text_literal(text: str) -> str:
    """Write a text of several lines so that it can be read."""
    plain = text.replace("\n", "").isprintable() and "\\" not in text and '"""' not in text
    return f'"""\\\n{text}"""' if plain else repr(text)


def _expected(line: Timeline) -> Iterator[str]:
    """Yield what the test looks at: the status, then the words, the call or the error."""
    entry = line.entry
    if (entry.source or "").startswith("miss:"):
        yield "    assert answer.status_code == 200"
        return
    yield f"    assert answer.status_code == {entry.status}"
    said = joined(line.response)
    if said.stream:
        yield '    assert answer.headers["content-type"].startswith("text/event-stream")'
        if said.done:
            yield '    assert "[DONE]" in answer.text'
        return
    kind = as_text((as_object(said.error) or {}).get("type"))
    message = '    message = answer.json()["choices"][0]["message"]'
    if entry.status != 200:
        if kind:
            yield f'    assert answer.json()["error"]["type"] == {json.dumps(kind)}'
    elif said.calls:
        yield message
        name = json.dumps(said.calls[0].name)
        yield f'    assert message["tool_calls"][0]["function"]["name"] == {name}'
    elif said.content:
        yield message
        yield f'    assert message["content"] == {json.dumps(said.content)}'
