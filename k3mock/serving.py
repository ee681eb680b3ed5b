"""Turns an application into a listening server, in this thread or one of its own; serving layer.

The only place that opens listening sockets.
"""

from __future__ import annotations

import asyncio
import contextlib
import errno
import importlib
import signal
import socket
import ssl
import struct
import threading
from dataclasses import fields
from typing import TYPE_CHECKING, Any, Self

import uvicorn

from k3mock.asgi.app import App, create_app
from k3mock.asgi.sender import CONNECTION
from k3mock.errors import K3MockError, PortError, SettingsError, StartError, did_you_mean
from k3mock.settings import Settings, from_sources

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterator
    from types import FrameType

    from starlette.types import Message, Receive, Scope, Send

START_TIMEOUT_S = 30.0
STOP_TIMEOUT_S = 10.0
_BACKLOG = 2048
_RESET_ON_CLOSE = struct.pack("ii", 1, 0)
"""SO_LINGER on, for no time: the system answers the close with RST."""


def bind(host: str, port: int) -> socket.socket:
    """Open a listening socket; port 0 picks a free one.

    Raises:
        PortError: the address is in use, not allowed, or not this machine's.
    """
    try:
        infos = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    except OSError as error:
        raise PortError(f"the address {host!r} is not known", found=error.strerror) from error
    family, kind, protocol, _, address = infos[0]
    sock = socket.socket(family, kind, protocol)
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        sock.bind(address)
        sock.listen(_BACKLOG)
    except OSError as error:
        sock.close()
        raise _port_error(host, port, error) from error
    sock.set_inheritable(False)
    return sock


def _port_error(host: str, port: int, error: OSError) -> PortError:
    if error.errno == errno.EADDRINUSE:
        return PortError(
            f"port {port} on {host} is in use by another program",
            hint=f"stop it, or choose another port: --port {min(port + 1, 65_535)}, "
            "or --port 0 for any free one",
        )
    if error.errno == errno.EACCES:
        return PortError(
            f"port {port} may not be used by this user", hint="choose a port from 1024 up"
        )
    return PortError(f"cannot listen on {host} port {port}", found=error.strerror)


class _Server(uvicorn.Server):
    """uvicorn without its own signal handling; running answers are cut when it stops."""

    def __init__(self, config: uvicorn.Config, app: App, ready: Callable[[], None]) -> None:
        super().__init__(config)
        self._k3mock = app
        self._ready = ready

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Leave signals to whoever started the server."""
        yield

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self.started:
            self._k3mock.start()
            self._ready()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        self._k3mock.stop()
        await super().shutdown(sockets)
        await self._k3mock.finish()


class _Connection:
    """A connection past HTTP, for answers that do not end as HTTP wants it."""

    def __init__(self, transport: asyncio.Transport) -> None:
        self._transport = transport

    @property
    def unsent(self) -> int:
        return self._transport.get_write_buffer_size()

    def write(self, data: bytes) -> None:
        self._transport.write(data)

    def close(self) -> None:
        self._transport.close()

    def reset(self) -> None:
        sock = self._transport.get_extra_info("socket")
        with contextlib.suppress(OSError):
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _RESET_ON_CLOSE)
        self._transport.abort()


class _Reachable(asyncio.Protocol):
    """Mixed into a protocol of uvicorn: it shows its connection to the application."""

    app: Callable[[Scope, Receive, Send], Awaitable[None]]
    transport: asyncio.Transport

    def __init__(self, *given: Any, **named: Any) -> None:  # noqa: ANN401 - uvicorn's own
        super().__init__(*given, **named)
        self._inner = self.app
        self._cycle: Any = None
        self.app = self._with_connection

    def _with_connection(self, scope: Scope, receive: Receive, send: Send) -> Awaitable[None]:
        scope["extensions"] = {CONNECTION: _Connection(self.transport)}
        self._cycle = getattr(receive, "__self__", None)
        old = scope["http_version"] == "1.0" and hasattr(self._cycle, "chunked_encoding")
        return self._inner(scope, receive, _unchunked(self._cycle, send) if old else send)

    def connection_lost(self, exc: Exception | None) -> None:
        """Tell the request that is being answered; uvicorn tells the newest one, queued or not."""
        super().connection_lost(exc)
        if self._cycle is not None and not self._cycle.response_complete:
            self._cycle.disconnected = True
            self._cycle.message_event.set()


def _unchunked(cycle: Any, send: Send) -> Send:  # noqa: ANN401 - uvicorn's own
    """Let the connection's end end a body without a length: HTTP/1.0 knows no chunks.

    uvicorn would send them all the same; without them it counts bytes, of each message anew.
    """
    sized = True

    async def sent(message: Message) -> None:
        nonlocal sized
        if message["type"] == "http.response.start":
            sized = any(name.lower() == b"content-length" for name, _ in message["headers"])
            if not sized:
                cycle.chunked_encoding = cycle.keep_alive = False
        elif not sized:
            cycle.expected_content_length = len(message.get("body", b""))
        await send(message)

    return sent


def _http_protocol() -> type[asyncio.Protocol]:
    """Return the faster protocol that is installed, made reachable."""
    try:
        implementation = importlib.import_module("uvicorn.protocols.http.httptools_impl")
        base = implementation.HttpToolsProtocol
    except ImportError:
        base = importlib.import_module("uvicorn.protocols.http.h11_impl").H11Protocol
    return type("Protocol", (_Reachable, base), {})


def _server(app: App, ready: Callable[[], None]) -> _Server:
    settings = app.settings
    config = uvicorn.Config(
        app,
        log_config=None,
        access_log=False,
        lifespan="off",
        http=_http_protocol(),
        ws="none",
        server_header=False,
        date_header=False,
        proxy_headers=False,
        timeout_graceful_shutdown=3,
        ssl_certfile=settings.ssl_certfile,
        ssl_keyfile=settings.ssl_keyfile,
    )
    try:
        config.load()
    except (OSError, ssl.SSLError) as error:
        raise SettingsError(
            "the TLS certificate or key cannot be used",
            where=f"{settings.ssl_certfile}, {settings.ssl_keyfile}",
            found=str(error),
            accepted="a PEM certificate and its unencrypted PEM key",
        ) from error
    return _Server(config, app, ready)


def address_of(sock: socket.socket, settings: Settings) -> str:
    """Return the root URL of a bound socket, as this machine reaches it."""
    port: int = sock.getsockname()[1]
    scheme = "https" if settings.ssl_certfile else "http"
    reached = {"0.0.0.0": "127.0.0.1", "::": "::1"}  # noqa: S104 - compared, not bound
    host = reached.get(settings.host, settings.host)
    host = f"[{host}]" if ":" in host else host
    return f"{scheme}://{host}:{port}"


def run(settings: Settings, ready: Callable[[str, App], None]) -> None:
    """Serve until Ctrl-C or SIGTERM; `ready` is called with the address when requests are taken.

    Raises:
        K3MockError: the address cannot be bound, or a setting cannot be used.
    """
    sock = bind(settings.host, settings.port)
    try:
        app = create_app(settings)
        server = _server(app, lambda: ready(address_of(sock, settings), app))
        loop_factory = server.config.get_loop_factory()
        with asyncio.Runner(loop_factory=loop_factory) as runner:
            runner.run(_until_signal(server, sock))
    finally:
        sock.close()


async def _until_signal(server: _Server, sock: socket.socket) -> None:
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        try:
            loop.add_signal_handler(number, server.handle_exit, number, None)
        except NotImplementedError:  # pragma: no cover - Windows has no loop handlers
            signal.signal(number, _handler(server))
    await server.serve(sockets=[sock])


def _handler(server: _Server) -> Callable[[int, FrameType | None], None]:  # pragma: no cover
    return server.handle_exit


class MockServer:
    """A server in a thread of its own; a context manager.

    `address` is the root URL, `app` the application, once started.
    """

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self._started = threading.Event()
        self._failure: BaseException | None = None
        self._server: _Server | None = None
        self._thread: threading.Thread | None = None
        self.address = ""
        self._app: App | None = None

    @property
    def app(self) -> App:
        """The running application.

        Raises:
            StartError: the server was not started.
        """
        if self._app is None:
            raise StartError("the server is not running", hint="call start() first")
        return self._app

    @property
    def base_url(self) -> str:
        """What an SDK's `base_url` takes.

        Raises:
            StartError: the server was not started.
        """
        if not self.address:
            raise StartError("the server is not running", hint="call start() first")
        return f"{self.address}/v1"

    def start(self) -> Self:
        """Bind, load and serve; returns when requests are taken.

        Raises:
            K3MockError: the address cannot be bound, or a setting cannot be used.
        """
        if self._thread is not None:
            raise StartError("the server runs already", hint="one start() is enough")
        sock = bind(self.settings.host, self.settings.port)
        try:
            self._app = create_app(self.settings)
            self._server = _server(self._app, self._started.set)
        except BaseException:
            sock.close()
            raise
        self.address = address_of(sock, self.settings)
        self._thread = threading.Thread(target=self._run, args=(sock,), name="k3mock", daemon=True)
        self._thread.start()
        if not self._started.wait(START_TIMEOUT_S) or self._failure is not None:
            self.stop()
            raise StartError("the server did not start", found=repr(self._failure))
        return self

    def _run(self, sock: socket.socket) -> None:
        server = self._server
        if server is None:
            return
        try:
            with asyncio.Runner(loop_factory=server.config.get_loop_factory()) as runner:
                runner.run(server.serve(sockets=[sock]))
        except (K3MockError, OSError, RuntimeError) as error:
            self._failure = error
        finally:
            sock.close()
            self._started.set()

    def stop(self) -> None:
        """Cut running answers, close all connections and wait for the thread."""
        if self._server is not None:
            self._server.should_exit = True
        if self._thread is not None:
            self._thread.join(STOP_TIMEOUT_S)
            self._thread = None

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(self, *_: object) -> None:
        self.stop()


def start(**settings: Any) -> MockServer:  # noqa: ANN401 - as wide as Settings
    """Return a server for `with k3mock.start(profile=…) as server:`, on a free port.

    Settings are those of `k3mock.settings.Settings`; texts are counted by the fast engine.

    Raises:
        SettingsError: an unknown name or a value that cannot be used.
    """
    unknown = settings.keys() - {known.name for known in fields(Settings)}
    if unknown:
        name = min(unknown)
        raise SettingsError(
            f"unknown setting {name!r}",
            accepted=did_you_mean(name, [known.name for known in fields(Settings)]),
        )
    defaults = {"port": 0, "tokenizer": {"counter": "splintr"}}
    return MockServer(from_sources(settings, defaults=defaults))
