"""Turns HTTP on the vendor's paths into answers: chat completions, models, all that is unknown.

A plain ASGI application: the wrapping of request and response objects alone would cost half of a
bare answer.
"""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import quote

from k3mock.asgi.files import files_answer, read_upload
from k3mock.contract.parse import transport_rule
from k3mock.errors import K3MockError, one_line
from k3mock.options import HEADER, RequestOptions, parse_options, split_path
from k3mock.protocol.request import RawRequest

if TYPE_CHECKING:
    from starlette.types import Receive, Scope, Send

    from k3mock.asgi.driver import Driver
    from k3mock.contract.profile import Profile
    from k3mock.files import Upload
    from k3mock.jsonvalue import JSONObject
    from k3mock.pipeline import Delivery, Pipeline, Visit
    from k3mock.protocol.failure import ApiError


class _ClientGoneError(Exception):
    """The client left before its request was whole."""


class VendorApp:
    """Everything outside `/__k3mock__/`."""

    def __init__(self, pipeline: Pipeline, driver: Driver) -> None:
        self._pipeline = pipeline
        self._driver = driver

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            # A websocket; the host serves none.
            await send({"type": "websocket.close", "code": 1000})
            return
        in_path, path = split_path(_raw_path(scope))
        headers = {
            name.decode("latin-1").lower(): value.decode("latin-1")
            for name, value in scope["headers"]
        }
        try:
            options = parse_options(in_path, headers.get(HEADER, ""))
            profile = self._pipeline.hosts.get(options.profile).profile
            limit = profile.limits.body_bytes
            raw = await _read(scope, path, headers, receive, limit=limit)
            delivery = await self._answer(raw, options, profile)
        except _ClientGoneError:
            return
        except K3MockError as error:
            raw = RawRequest(method=scope["method"], path=path, headers=headers)
            delivery = self._pipeline.broken(raw, one_line(error))
        await self._driver.run(delivery, receive, send)

    async def _answer(self, raw: RawRequest, options: RequestOptions, profile: Profile) -> Delivery:
        pipeline = self._pipeline
        if raw.path in profile.chat_paths and raw.method == "POST":
            return await pipeline.chat(raw, options)
        if raw.path in profile.estimate_paths and raw.method == "POST":
            return await pipeline.estimate(raw, options)
        if raw.path in {*profile.chat_paths, *profile.estimate_paths}:
            return pipeline.other(raw, options, lambda _: _refused("method_allowed", raw, profile))
        upload = await read_upload(raw) if raw.path in profile.files_paths else None
        return pipeline.other(raw, options, lambda visit: _record(raw, visit, upload))


def _refused(check: str, raw: RawRequest, profile: Profile) -> ApiError:
    path = raw.path[:200]
    return transport_rule(profile, check).refuse("", method=raw.method, path=path)


def _record(raw: RawRequest, visit: Visit, upload: Upload | None) -> JSONObject | str | ApiError:
    """Return a constant answer, a models or files answer, or the refusal of the path."""
    profile = visit.host.profile
    constant = profile.answers.get(raw.path)
    reading = raw.method in {"GET", "HEAD"}
    if isinstance(constant, dict):
        return constant if reading else _refused("method_allowed", raw, profile)
    for base in profile.models_paths:
        if raw.path == base:
            if not reading:
                return _refused("method_allowed", raw, profile)
            return {"object": "list", "data": list(profile.models.values())}
        if raw.path.startswith(f"{base}/") and reading:
            model = raw.path.removeprefix(f"{base}/")
            record = profile.models.get(model)
            if record is not None:
                return record
            rule = next(rule for rule in profile.rules if rule.check == "known_model")
            return rule.refuse("model", model=model[:200])
    for base in profile.files_paths:
        answer = files_answer(raw, base, visit, upload)
        if answer is not None:
            return answer
    return _refused("path_served", raw, profile)


def _raw_path(scope: Scope) -> str:
    """Return the path as it stands in the URL, so that options may hold an encoded slash."""
    raw: bytes | None = scope.get("raw_path")
    return raw.decode("latin-1") if raw is not None else quote(scope["path"], safe="/;=,:()")


async def _read(
    scope: Scope, path: str, headers: dict[str, str], receive: Receive, *, limit: int
) -> RawRequest:
    """Read a request's body, up to the host's limit; announced larger bodies are not read at all.

    Raises:
        _ClientGoneError: the client left first.
    """
    announced = headers.get("content-length", "")
    size = int(announced) if announced.isdigit() else 0
    pieces: list[bytes] = []
    read = 0
    more = size <= limit
    while more and read <= limit:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise _ClientGoneError
        piece: bytes = message.get("body", b"")
        pieces.append(piece)
        read += len(piece)
        more = message.get("more_body", False)
    return RawRequest(
        method=scope["method"],
        path=path,
        headers=headers,
        body=b"".join(pieces),
        size=max(size, read),
        query=scope.get("query_string", b"").decode("latin-1"),
    )
