"""Turns HTTP on the vendor's paths into answers: chat completions, models, all that is unknown.

A plain ASGI application: the wrapping of request and response objects alone would cost half of a
bare answer.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING
from urllib.parse import quote

from k3mock.asgi.driver import ClientGoneError, ready
from k3mock.asgi.files import files_route
from k3mock.contract.parse import transport_rule
from k3mock.errors import K3MockError, one_line
from k3mock.limits import shown_balance
from k3mock.options import (
    HEADER,
    RequestOptions,
    behind_options,
    named_session,
    parse_options,
    split_path,
)
from k3mock.protocol.failure import ApiError
from k3mock.protocol.request import RawRequest

if TYPE_CHECKING:
    from collections.abc import Awaitable, Iterator

    from starlette.types import Receive, Scope, Send

    from k3mock.asgi.driver import Driver
    from k3mock.contract.profile import Profile
    from k3mock.jsonvalue import JSONObject
    from k3mock.pipeline import Pipeline
    from k3mock.respond import Answering, Delivery
    from k3mock.switches import Switches


MAX_RELAYED = 256_000_000
"""Longer requests are not passed on to an upstream."""


class VendorApp:
    """Everything outside `/__k3mock__/`."""

    def __init__(self, pipeline: Pipeline, driver: Driver, switches: Switches) -> None:
        self._pipeline = pipeline
        self._driver = driver
        self._switches = switches

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            # A websocket; the host serves none.
            await send({"type": "websocket.close", "code": 1000})
            return
        in_path, path = split_path(_raw_path(scope))
        headers = dict(_pairs(scope))
        planned: Awaitable[Delivery]
        read = False
        options = None
        try:
            given = parse_options(in_path, headers.get(HEADER, ""))
            chosen = self._pipeline.replaying.chosen(given)
            profile = self._pipeline.hosts.get(chosen.profile).profile
            options = chosen
            if scope["method"] == "POST" and path in profile.chat_paths:
                options = self._switches.applied(options)
            self._pipeline.check(options)
            if self._pipeline.recorder is not None:
                limit = MAX_RELAYED
                raw = await self._read(scope, path, headers, receive, limit)
                planned = self._pipeline.relay(_as_sent(raw, scope), options)
            else:
                limit = 0 if self._pipeline.early(options) else profile.limits.body_bytes
                raw = await self._read(scope, path, headers, receive, limit)
                planned = self._answer(raw, options, profile)
            read = len(raw.body) == raw.size and limit >= raw.size
        except ClientGoneError:
            return
        except K3MockError as error:
            raw = RawRequest(method=scope["method"], path=path, headers=headers)
            plain = RequestOptions(session=named_session(in_path, headers.get(HEADER, "")))
            if options is not None:
                plain = replace(plain, profile=options.profile, seed=options.seed)
            planned = ready(self._pipeline.broken(raw, plain, one_line(error)))
        await self._driver.run(planned, scope, receive, send, read=read)

    async def _answer(self, raw: RawRequest, options: RequestOptions, profile: Profile) -> Delivery:
        pipeline = self._pipeline
        chat = raw.path in profile.chat_paths and raw.method == "POST"
        recorded = await pipeline.recorded(raw, options, chat=chat)
        if recorded is not None:
            return recorded
        if chat:
            return await pipeline.chat(raw, options)
        if raw.path in profile.estimate_paths and raw.method == "POST":
            return await pipeline.estimate(raw, options)
        route = await _route(raw, profile)
        if isinstance(route, ApiError):
            return pipeline.refuse(raw, options, route)
        return pipeline.other(raw, options, route)

    async def _read(
        self, scope: Scope, path: str, headers: dict[str, str], receive: Receive, limit: int
    ) -> RawRequest:
        """Read a body, up to a limit; announced larger bodies are not read at all."""
        announced = headers.get("content-length", "")
        size = int(announced) if announced.isdigit() else 0
        pieces: list[bytes] = []
        read = 0
        more = size <= limit
        while more and read <= limit:
            message = await self._driver.receive(receive)
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
            target=_target(scope),
        )


def _pairs(scope: Scope) -> Iterator[tuple[str, str]]:
    for name, value in scope["headers"]:
        yield name.decode("latin-1").lower(), value.decode("latin-1")


def _target(scope: Scope) -> str:
    """Return the path as it was sent, still encoded, with its query."""
    query = scope["query_string"].decode("latin-1")
    return behind_options(_raw_path(scope)) + (f"?{query}" if query else "")


def _as_sent(raw: RawRequest, scope: Scope) -> RawRequest:
    """Return a request with what a relay passes on beside its target: every header."""
    return replace(raw, pairs=tuple(_pairs(scope)))


def _refused(check: str, raw: RawRequest, profile: Profile) -> ApiError:
    path = raw.path[:200]
    return transport_rule(profile, check).refuse("", method=raw.method, path=path)


async def _route(raw: RawRequest, profile: Profile) -> Answering | ApiError:
    """Find what answers a path that is no chat completion, or the refusal of path or method."""
    reading = raw.method in {"GET", "HEAD"}
    constant = profile.answers.get(raw.path)
    known = isinstance(constant, dict) or raw.path in {
        *profile.chat_paths, *profile.estimate_paths, *profile.models_paths,
    }  # fmt: skip
    if known and not (reading and raw.path not in {*profile.chat_paths, *profile.estimate_paths}):
        return _refused("method_allowed", raw, profile)
    if isinstance(constant, dict):
        return lambda visit: shown_balance(constant, visit.balance)
    if raw.path in profile.models_paths:
        return lambda _: {"object": "list", "data": list(profile.models.values())}
    for base in profile.models_paths:
        if raw.path.startswith(f"{base}/") and reading:
            return lambda _: _model(raw.path.removeprefix(f"{base}/"), profile)
    for base in profile.files_paths:
        answer = await files_route(raw, base)
        if answer is not None:
            return answer
    return _refused("path_served", raw, profile)


def _model(name: str, profile: Profile) -> JSONObject | ApiError:
    record = profile.models.get(name)
    if record is not None:
        return record
    rule = next(rule for rule in profile.rules if rule.check == "known_model")
    return rule.refuse("model", model=name[:200])


def _raw_path(scope: Scope) -> str:
    """Return the path as it stands in the URL, so that options may hold an encoded slash.

    Where the application is mounted under a path of another one, that path is left out.
    """
    raw: bytes | None = scope.get("raw_path")
    path = raw.decode("latin-1") if raw is not None else quote(scope["path"], safe="/;=,:()")
    root = quote(scope.get("root_path", ""))
    return path.removeprefix(root) if root and path.startswith(f"{root}/") else path
