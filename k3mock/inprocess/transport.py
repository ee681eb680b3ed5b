"""Turns a host into transports that httpx2 and httpx clients take; adapters layer."""

from __future__ import annotations

import contextlib
import importlib
import ssl
from typing import TYPE_CHECKING, Any, Protocol

import httpx2

from k3mock.inprocess.backend import AsyncBackend, Backend, Failures

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator

    from k3mock.clock import Clock
    from k3mock.inprocess.host import Host
    from k3mock.memory import Record
    from k3mock.pipeline import Pipeline
    from k3mock.settings import Settings

ADDRESS = "http://localhost"
"""A root URL for clients in process; any other one reaches the same server."""

_CORES = {"httpx2": "httpcore2", "httpx": "httpcore"}
_CONNECTIONS = 1000


class Served(Protocol):
    """The application behind a transport."""

    settings: Settings
    pipeline: Pipeline
    journal: Record
    clock: Clock


class _Library:
    """One client library, by the module of its requests, and its pool of connections."""

    def __init__(self, name: str) -> None:
        self.client: Any = importlib.import_module(name)
        self.core: Any = importlib.import_module(_CORES[name])
        self.failures = Failures(self.core)

    def pool(self, kind: str, backend: object) -> Any:  # noqa: ANN401 - of one of two modules
        return getattr(self.core, kind)(
            # Nothing is encrypted; a context of the library's own would read all certificates.
            ssl_context=ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT),
            max_connections=_CONNECTIONS,
            network_backend=backend,
        )

    def request(self, request: Any) -> Any:  # noqa: ANN401 - as above
        url = request.url
        return self.core.Request(
            method=request.method,
            url=self.core.URL(
                scheme=url.raw_scheme, host=url.raw_host, port=url.port, target=url.raw_path
            ),
            headers=request.headers.raw,
            content=request.stream,
            extensions=request.extensions,
        )

    def response(self, answer: Any, pieces: type, kind: str) -> Any:  # noqa: ANN401 - as above
        stream = type(pieces.__name__, (pieces, getattr(self.client, kind)), {})
        return self.client.Response(
            status_code=answer.status,
            headers=answer.headers,
            stream=stream(self, answer.stream),
            extensions=answer.extensions,
        )

    @contextlib.contextmanager
    def errors(self) -> Iterator[None]:
        """Raise the client's exception of the same name."""
        try:
            yield
        except Exception as error:
            known = getattr(self.client, type(error).__name__, None)
            if type(error).__module__.partition(".")[0] != self.core.__name__ or known is None:
                raise
            raise known(str(error)) from error


def _name(request: object) -> str:
    return "httpx" if type(request).__module__.partition(".")[0] == "httpx" else "httpx2"


class _Shown:
    """What a transport shows of its server."""

    address = ADDRESS
    base_url = f"{ADDRESS}/v1"

    def __init__(self, app: Served, host: Host) -> None:
        self.app = app
        self._host = host
        self._pools: dict[str, tuple[_Library, Any]] = {}

    @property
    def settings(self) -> Settings:
        return self.app.settings


class Transport(_Shown, httpx2.BaseTransport):
    """A transport of synchronous clients: `httpx2.Client(transport=…)`, or `httpx.Client`.

    `app` is the application, with its journal; `base_url` is what a client may use, though any
    address will do.
    """

    def _pool(self, request: object) -> tuple[_Library, Any]:
        name = _name(request)
        if name not in self._pools:
            library = _Library(name)
            backend = Backend(self._host, library.failures)
            self._pools[name] = library, library.pool("ConnectionPool", backend)
        return self._pools[name]

    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        library, pool = self._pool(request)
        with library.errors():
            answer = pool.handle_request(library.request(request))
        response: httpx2.Response = library.response(answer, _Pieces, "SyncByteStream")
        return response

    def close(self) -> None:
        """Leave all connections, and end the server where it is the transport's own."""
        for _, pool in self._pools.values():
            pool.close()
        self._host.close()


class AsyncTransport(_Shown, httpx2.AsyncBaseTransport):
    """A transport of asynchronous clients: `httpx2.AsyncClient(transport=…)`, or of httpx.

    It serves one event loop at a time, on asyncio.
    """

    def _pool(self, request: object) -> tuple[_Library, Any]:
        name = _name(request)
        if name not in self._pools:
            library = _Library(name)
            backend = AsyncBackend(self._host, library.failures)
            self._pools[name] = library, library.pool("AsyncConnectionPool", backend)
        return self._pools[name]

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        library, pool = self._pool(request)
        with library.errors():
            answer = await pool.handle_async_request(library.request(request))
        response: httpx2.Response = library.response(answer, _AsyncPieces, "AsyncByteStream")
        return response

    async def aclose(self) -> None:
        """Leave all connections, and let the server finish where it is the transport's own."""
        for _, pool in self._pools.values():
            await pool.aclose()
        await self._host.aclose()


class _Pieces:
    """The body of an answer, as it comes."""

    def __init__(self, library: _Library, inner: Any) -> None:  # noqa: ANN401 - as above
        self._library = library
        self._inner = inner

    def __iter__(self) -> Iterator[bytes]:
        with self._library.errors():
            yield from self._inner

    def close(self) -> None:
        self._inner.close()


class _AsyncPieces:
    """The body of an answer, as it comes."""

    def __init__(self, library: _Library, inner: Any) -> None:  # noqa: ANN401 - as above
        self._library = library
        self._inner = inner

    async def __aiter__(self) -> AsyncIterator[bytes]:
        with self._library.errors():
            async for piece in self._inner:
                yield piece

    async def aclose(self) -> None:
        await self._inner.aclose()
