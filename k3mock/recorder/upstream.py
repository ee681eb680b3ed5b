"""Turns a request into the live answer of an upstream, write for write; pipeline layer."""

from __future__ import annotations

import ssl
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import httpx2

from k3mock.errors import SettingsError
from k3mock.recorder.failure import UpstreamFailure
from k3mock.recorder.travel import back, onward

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, AsyncIterator

    from k3mock.cassette.interaction import Pairs
    from k3mock.protocol.request import RawRequest

CONNECT_S = 15.0
"""So long may it take to reach the upstream, if its time-out is not shorter."""

_NO_BODY = (204, 304)
_handle = httpx2.AsyncHTTPTransport.handle_async_request


class _Transport(httpx2.AsyncHTTPTransport):
    """Sends what it is given to the network.

    vcrpy replaces the method of the class above it while a cassette is in use; in a test's own
    process it would record the relay's hop beside the test's.
    """

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        return await _handle(self, request)


_FAILURES = (httpx2.HTTPError, httpx2.StreamError, httpx2.InvalidURL, OSError)


@dataclass(frozen=True, slots=True, kw_only=True)
class Live:
    """An answer that has begun.

    Attributes:
        headers: as the client gets them, names in lower case.
        encoding: the content encoding that is taken off, None where there was none.
        opaque: the body is encoded in a way that cannot be read here; it passes as it is.
        chunks: the body, a piece for each of the upstream's writes.
    """

    status: int
    reason: str
    headers: Pairs
    encoding: str | None
    opaque: bool
    chunks: AsyncIterator[bytes]


class Upstream:
    """The endpoint behind the relay; one pool of connections.

    `url` is what an SDK takes as its base URL. `proxy` None goes straight.

    Raises:
        SettingsError: an address, proxy or file of certificates that cannot be used.
    """

    def __init__(self, url: str, *, timeout_s: float, ca: str | None, proxy: str | None) -> None:
        self._base = _checked(url)
        self._prefix = urlsplit(self._base).path.rstrip("/")
        self._client = httpx2.AsyncClient(
            transport=_transport(ca, proxy),
            timeout=httpx2.Timeout(timeout_s, connect=min(timeout_s, CONNECT_S), pool=None),
        )
        offered = self._client.headers["accept-encoding"].split(",")
        self._readable = {coding.strip() for coding in offered} | {"identity"}

    @property
    def name(self) -> str:
        """The address as people may see it, without credentials."""
        return _shown(self._base)[1:-1]

    def address(self, target: str) -> str:
        """Return where a path of ours goes, as SDKs join a path to a base URL.

        `/v1` stands for the base URL: it gives way to the upstream's own path, if it has one.
        """
        if self._prefix and (target == "/v1" or target.startswith(("/v1/", "/v1?"))):
            target = target.removeprefix("/v1")
        parts = urlsplit(self._base)
        return f"{parts.scheme}://{parts.netloc}{self._prefix}{target}"

    @asynccontextmanager
    async def ask(self, raw: RawRequest) -> AsyncGenerator[Live]:
        """Send a request; the answer is closed behind the block, whole or not.

        Raises:
            UpstreamFailure: there is no answer, or it does not go on; also inside of the block.
        """
        try:
            response = await self._send(raw)
            try:
                yield self._live(response, raw.method)
            finally:
                await response.aclose()
        except _FAILURES as error:
            raise _failure(error) from error

    async def _send(self, raw: RawRequest) -> httpx2.Response:
        request = httpx2.Request(
            raw.method,
            self.address(raw.target),
            headers=[(name.encode("latin-1"), value.encode("latin-1"))
                     for name, value in onward(raw.pairs)],
            content=raw.body or None,
        )  # fmt: skip
        return await self._client.send(request, stream=True, follow_redirects=False)

    def _live(self, response: httpx2.Response, method: str) -> Live:
        pairs = tuple(
            (name.decode("latin-1").lower(), value.decode("latin-1"))
            for name, value in response.headers.raw
        )
        codings: list[str] = []
        if method != "HEAD" and response.status_code not in _NO_BODY:
            codings = _codings(pairs)
        opaque = not self._readable.issuperset(codings)
        decoded = bool(codings) and not opaque
        return Live(
            status=response.status_code,
            reason=response.reason_phrase,
            headers=back(pairs, decoded=decoded),
            encoding=", ".join(codings) if decoded else None,
            opaque=opaque,
            chunks=response.aiter_bytes() if decoded else response.aiter_raw(),
        )

    async def close(self) -> None:
        """Close all connections."""
        await self._client.aclose()


def _failure(error: Exception) -> UpstreamFailure:
    return UpstreamFailure(
        type(error).__name__,
        str(error).strip()[:200],
        timeout=isinstance(error, httpx2.TimeoutException),
        reset=isinstance(error, httpx2.ReadError),
    )


def _codings(pairs: Pairs) -> list[str]:
    given = (value for name, value in pairs if name == "content-encoding")
    named = (coding.strip().lower() for value in given for coding in value.split(","))
    return [coding for coding in named if coding not in {"", "identity"}]


def _checked(url: str) -> str:
    accepted = "what an SDK takes as its base URL, such as https://api.moonshot.ai/v1"
    try:
        parts = urlsplit(url)
        wrong = parts.scheme not in {"http", "https"} or not parts.hostname or parts.port == 0
        wrong = wrong or not url.isprintable() or " " in url
        httpx2.URL(url)
    except (ValueError, httpx2.InvalidURL):
        wrong = True
    else:
        wrong = wrong or bool(parts.query or parts.fragment)
    if wrong:
        raise SettingsError("--upstream: not a base URL", found=_shown(url), accepted=accepted)
    return url


def _shown(url: str) -> str:
    """Return a URL without the credentials that it may hold."""
    scheme, found, rest = url.partition("://")
    host = rest.rpartition("@")[2] if found else url.rpartition("@")[2]
    return repr(f"{scheme}{found}{host}"[:120] if found else host[:120])


def _transport(ca: str | None, proxy: str | None) -> _Transport:
    try:
        verify = ssl.create_default_context(cafile=ca) if ca is not None else True
    except (OSError, ssl.SSLError) as error:
        raise SettingsError(
            "--upstream-ca: the certificates cannot be used", where=ca, found=str(error),
            accepted="a file of PEM certificates",
        ) from error  # fmt: skip
    limits = httpx2.Limits(max_connections=None, max_keepalive_connections=20)
    try:
        return _Transport(verify=verify, limits=limits, proxy=proxy)
    except (OSError, ssl.SSLError) as error:
        raise SettingsError("SSL_CERT_FILE: the certificates cannot be used",
                            found=str(error)) from error  # fmt: skip
    except (ValueError, ImportError, httpx2.InvalidURL) as error:
        raise SettingsError(
            "--upstream-proxy: not a proxy that can be used", found=_shown(proxy or ""),
            accepted="http://HOST:PORT or https://HOST:PORT",
            hint="without the flag, HTTPS_PROXY, HTTP_PROXY, ALL_PROXY and NO_PROXY are obeyed",
        ) from error  # fmt: skip
