"""Turns k3mock's redaction, matching and atomic writing into a configuration for vcrpy; top layer.

For suites that record with vcrpy or pytest-recording themselves. In `conftest.py`::

    import pytest
    from k3mock import vcr as k3mock_vcr
    from k3mock.vcr import pytest_recording_configure  # registers matcher and persister

    @pytest.fixture(scope="session")
    def vcr_config():
        return k3mock_vcr.vcr_config()

With vcrpy alone: `register(my_vcr)`, then `my_vcr.use_cassette(path, **vcr_config())`.
Importing this module imports vcrpy, which `import k3mock` does not.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from vcr.persisters.filesystem import FilesystemPersister
from vcr.serialize import serialize

from k3mock.cassette import timing as times
from k3mock.cassette.answer import compact
from k3mock.cassette.atomic import replace_file
from k3mock.cassette.encoding import undo
from k3mock.cassette.format import load
from k3mock.cassette.grade import Grade
from k3mock.cassette.interaction import RecordedRequest
from k3mock.cassette.key import keys, parsed
from k3mock.cassette.problem import CassetteError
from k3mock.cassette.tree import tree_changes
from k3mock.redaction.heads import secret_values
from k3mock.redaction.rules import REQUEST_HEADERS, USUAL
from k3mock.redaction.scan import scan_document
from k3mock.redaction.scrub import scrub_request, scrub_response

if TYPE_CHECKING:
    from k3mock.cassette.interaction import Pairs
    from k3mock.redaction.rules import Rules

__all__ = [
    "MATCHER", "Persister", "body_matcher", "persister", "pytest_recording_configure", "register",
    "vcr_config",
]  # fmt: skip

MATCHER = "k3mock_body"
"""The name under which `register` makes `body_matcher` known."""

_DIFFERENCES = 10


class _VCR(Protocol):
    """What is used of `vcr.VCR`."""

    persister: Any

    def register_matcher(self, name: str, matcher: object) -> None: ...
    def register_persister(self, persister: object) -> None: ...


def vcr_config(rules: Rules = USUAL, *, known: Iterable[str] = ()) -> dict[str, Any]:
    """Return arguments for `vcr.VCR` or `use_cassette`; pytest-recording takes them as they are.

    Bodies are matched as k3mock matches them, and what is stored is redacted by the rules of a
    recording; `known` are secrets to look for beside those that requests bring along.
    """
    hooks = _Hooks(rules, tuple(known))
    return {
        "match_on": ("method", "path", MATCHER),
        "before_record_request": hooks.request,
        "before_record_response": hooks.response,
    }


class _Hooks:
    """Redacts what passes; vcrpy calls this when it records, loads and matches.

    A secret of a request is looked for in all responses after it.
    """

    def __init__(self, rules: Rules, known: tuple[str, ...]) -> None:
        self._rules = rules
        self._known = dict.fromkeys(known)

    def request(self, request: Any) -> Any:  # noqa: ANN401 - vcrpy has no types
        """Return what may be kept of a request, its body as bytes."""
        headers: Pairs = tuple((str(name), _text(value)) for name, value in request.headers.items())
        kept = (*REQUEST_HEADERS, *self._rules.request_headers)
        self._known |= dict.fromkeys(
            secret_values(headers, kept, uri=request.uri, query=self._rules.query)
        )
        asked = RecordedRequest(
            method=request.method, uri=request.uri, headers=headers, body=_bytes(request.body)
        )
        uri, shown, body, _ = scrub_request(asked, self._rules, tuple(self._known))
        request.uri = uri
        request.headers = dict(shown)
        # What was a file or an iterator is one no more.
        request._was_file = request._was_iter = False  # noqa: SLF001
        request.body = body if request.body is not None else None
        return request

    def response(self, response: dict[str, Any]) -> dict[str, Any]:
        """Return what may be kept of a response, its body decoded.

        Raises:
            LeakError: a secret is spread over several events of a stream.
        """
        given = response.get("headers") or {}
        headers: Pairs = tuple(
            (str(name), _text(value)) for name, values in given.items() for value in _listed(values)
        )
        body = (response.get("body") or {}).get("string") or b""
        body = body.encode() if isinstance(body, str) else body
        undone = undo(body, (value for name, value in headers
                             if name.lower() == "content-encoding"))  # fmt: skip
        timing, _ = times.decode(response[times.KEY]) if times.KEY in response else (None, ())
        shown, clean, chunks, _ = scrub_response(
            headers, undone.body, None if timing is None else timing.chunks, self._rules,
            tuple(self._known), seq=0 if timing is None else timing.seq,
        )  # fmt: skip
        changed = {**response, "headers": _grouped(shown, undone.left)}
        if "string" in (response.get("body") or {}):
            changed["body"] = {**response["body"], "string": clean}
        if timing is not None and clean != body:
            lengths = " ".join(f"{delta}/{size}" for delta, size in chunks or ())
            changed[times.KEY] = {**response[times.KEY], "chunks": lengths}
        return changed


def _grouped(headers: Pairs, encodings: tuple[str, ...]) -> dict[str, list[str]]:
    grouped: dict[str, list[str]] = {}
    for name, value in headers:
        grouped.setdefault(name, []).append(value)
    if encodings:
        grouped["content-encoding"] = [", ".join(encodings)]
    return grouped


def _listed(values: Any) -> list[Any]:  # noqa: ANN401 - vcrpy has no types
    return list(values) if isinstance(values, list | tuple) else [values]


def _text(value: Any) -> str:  # noqa: ANN401 - vcrpy has no types
    first = value[0] if isinstance(value, list | tuple) and value else value
    return first.decode("latin-1") if isinstance(first, bytes) else str(first)


def _bytes(body: Any) -> bytes:  # noqa: ANN401 - vcrpy has no types
    """Return a request's body, which clients give as text, bytes, JSON, files or iterators."""
    if body is None:
        return b""
    if isinstance(body, str):
        return body.encode()
    if isinstance(body, bytes | bytearray | memoryview):
        return bytes(body)
    if isinstance(body, Mapping):
        return compact(dict(body)).encode()
    if isinstance(body, list) and not all(isinstance(part, bytes | str) for part in body):
        return compact(body).encode()
    if hasattr(body, "read"):
        return _bytes(body.read())
    return b"".join(_bytes(part) for part in body)


def body_matcher(one: Any, other: Any) -> None:  # noqa: ANN401 - vcrpy has no types
    """Say whether two requests of vcrpy have the same body: canonical JSON, else the bytes.

    Raises:
        AssertionError: they have not; the text names the fields that differ.
    """
    bodies = [_bytes(each.body) for each in (one, other)]
    first, second = (keys("POST", "/", body).exact for body in bodies)
    if first == second:
        return
    values = [parsed(body) for body in bodies]
    if None in values:
        raise AssertionError("the bodies differ, and one of them is no JSON")
    found = [str(each) for each in tree_changes(values[1], values[0], "body", Grade.VALUE)]
    more = len(found) - _DIFFERENCES
    lines = found[:_DIFFERENCES] + ([f"and {more} more"] if more > 0 else [])
    raise AssertionError("the bodies differ:\n" + "\n".join(lines))


class Persister:
    """Reads and writes cassettes so that a broken one is told and a good one is never lost.

    `inner` reads; pytest-recording's own takes several files.
    """

    def __init__(self, inner: Any = FilesystemPersister) -> None:  # noqa: ANN401 - vcrpy's
        self._inner = inner

    def load_cassette(self, cassette_path: Any, serializer: Any) -> Any:  # noqa: ANN401 - vcrpy's
        """Read requests and responses.

        Raises:
            CassetteError: the file is damaged or cut off; stock vcrpy takes what is left of it.
        """
        path = Path(cassette_path)
        if path.is_file() and path.stat().st_size:
            load(path)
        return self._inner.load_cassette(cassette_path, serializer)

    def save_cassette(self, cassette_path: Any, cassette_dict: Any, serializer: Any) -> None:  # noqa: ANN401 - vcrpy's
        """Write a whole file, or leave the one before as it is.

        Raises:
            CassetteError: a secret is in it, or the disk refuses.
        """
        path = Path(cassette_path)
        text = serialize(cassette_dict, serializer)
        _refuse_leaks(path, cassette_dict)
        replace_file(path, [text.encode("utf-8")])


def _refuse_leaks(path: Path, content: Any) -> None:  # noqa: ANN401 - vcrpy's
    pairs = zip(content["requests"], content["responses"], strict=True)
    leaks = [
        str(leak)
        for number, (request, response) in enumerate(pairs, 1)
        for leak in scan_document(
            {"request": {"uri": request.uri, "headers": dict(request.headers),
                         "body": _bytes(request.body)}, "response": response}, (), f"#{number}"
        )
    ]  # fmt: skip
    if leaks:
        raise CassetteError("the recording is not saved: it holds what must not be kept",
                            where=str(path), found="\n    ".join(leaks),
                            hint="use vcr_config() of k3mock.vcr, or add to its rules")  # fmt: skip


persister = Persister()
"""For `my_vcr.register_persister(k3mock.vcr.persister)`."""


def register(vcr: _VCR) -> None:
    """Make the body matcher and the persister known to a `vcr.VCR`."""
    vcr.register_matcher(MATCHER, body_matcher)
    vcr.register_persister(Persister(vcr.persister))


def pytest_recording_configure(config: object, vcr: _VCR) -> None:
    """Do the same for pytest-recording; import this name into `conftest.py`."""
    del config
    register(vcr)
