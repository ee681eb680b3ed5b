"""Turns an application into a listening server, in this thread or one of its own; serving layer.

The only place that opens listening sockets.
"""

from __future__ import annotations

import asyncio
import contextlib
import errno
import gc
import signal
import socket
import ssl
import struct
import threading
from typing import TYPE_CHECKING, Any, Self

import uvicorn

from k3mock.asgi.app import App, create_app
from k3mock.asgi.protocol import http_protocol
from k3mock.errors import K3MockError, PortError, SettingsError, StartError
from k3mock.inprocess.time import RealTime
from k3mock.inside import host, http_config
from k3mock.settings import from_call
from k3mock.verdict.judge import judge

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import FrameType

    from k3mock.inprocess.host import Host
    from k3mock.inprocess.transport import AsyncTransport, Transport
    from k3mock.settings import Settings
    from k3mock.verdict.finding import Verdict

START_TIMEOUT_S = 30.0
STOP_TIMEOUT_S = 10.0
FULL_LOOKS = 1000
"""So many looks of the collector at what is rather new come before one at everything."""

SETTLE_S = 0.5
"""Answers that run get this time to end before a verdict; so long a client may be ahead of us."""

_BACKLOG = 2048
_MOMENTS, _MOMENT_S = 20, 0.001
"""How often and for how long a server that stops looks whether its last connection is closed."""
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
    """uvicorn without its own signal handling; running answers are cut when it stops.

    uvicorn looks ten times a second whether it should leave, and then waits a tenth of a second.
    A test suite that stops a server for each test would wait for nothing else: this one leaves at
    once, unless something still runs.
    """

    def __init__(self, config: uvicorn.Config, app: App, ready: Callable[[], None]) -> None:
        super().__init__(config)
        self._k3mock = app
        self._ready = ready
        self._leaving = asyncio.Event()
        self.loop: asyncio.AbstractEventLoop | None = None

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Leave signals to whoever started the server."""
        yield

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self.started:
            self.loop = asyncio.get_running_loop()
            self._k3mock.start()
            self._ready()

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        super().handle_exit(sig, frame)
        self._leaving.set()

    def leave(self) -> None:
        """Begin to stop; from any thread, also before it has begun to serve."""
        self.should_exit = True
        if self.loop is not None:
            with contextlib.suppress(RuntimeError):  # the loop has ended by itself
                self.loop.call_soon_threadsafe(self._leaving.set)

    async def main_loop(self) -> None:
        """Tick as uvicorn does until it is time to leave."""
        waits = [
            asyncio.ensure_future(each) for each in (super().main_loop(), self._leaving.wait())
        ]
        await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
        for wait in waits:
            wait.cancel()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        self._k3mock.stop()
        for listening in (*self.servers, *(sockets or ())):
            listening.close()
        for connection in list(self.server_state.connections):
            connection.shutdown()
        for _ in range(_MOMENTS):
            if not self._busy:
                break
            await asyncio.sleep(_MOMENT_S)
        if self._busy:
            # uvicorn has the patience for what is left, and the end of it.
            await super().shutdown(sockets)
        await self._k3mock.finish()

    @property
    def _busy(self) -> bool:
        return bool(self.server_state.connections or self.server_state.tasks)


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


def _server(app: App, ready: Callable[[], None]) -> _Server:
    settings = app.settings
    config = http_config(app, http_protocol(_Connection), settings)
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
        app.warm()
        _spare_pauses()
        server = _server(app, lambda: ready(address_of(sock, settings), app))
        loop_factory = server.config.get_loop_factory()
        with asyncio.Runner(loop_factory=loop_factory) as runner:
            runner.run(_until_signal(server, sock))
    finally:
        sock.close()


def _spare_pauses() -> None:
    """Let the collector of cycles look at everything far more rarely; the process is ours.

    Nearly nothing here is a cycle, but what the journal remembers are a million objects, and to
    look at all of them stops every stream for a tenth of a second.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(*gc.get_threshold()[:2], FULL_LOOKS)


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
            self._server.leave()
        if self._thread is not None:
            self._thread.join(STOP_TIMEOUT_S)
            self._thread = None

    def verdict(self, session: str | None = None) -> Verdict:
        """Say what the clients of a session, or of all, did wrong."""
        journal, pause = self.app.journal, threading.Event()
        for _ in range(50):
            if all(entry.outcome.end is not None for entry in journal.entries(session)):
                break
            pause.wait(SETTLE_S / 50)
        return judge(journal.entries(session))

    def transport(self) -> Transport:
        """Return a transport into this server for synchronous clients, past its socket.

        Raises:
            StartError: the server was not started.
        """
        # Only who asks for a transport pays for its HTTP library.
        from k3mock.inprocess.transport import Transport  # noqa: PLC0415

        return Transport(self.app, self._host())

    def async_transport(self) -> AsyncTransport:
        """Return a transport into this server for asynchronous clients, past its socket.

        Raises:
            StartError: the server was not started.
        """
        from k3mock.inprocess.transport import AsyncTransport  # noqa: PLC0415 - as above

        return AsyncTransport(self.app, self._host())

    def _host(self) -> Host:
        loop = self._server.loop if self._server is not None else None
        if self._server is None or loop is None:
            raise StartError("the server is not running", hint="call start() first")
        return host(self.app, RealTime(), state=self._server.server_state, loop=lambda: loop)

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(self, *_: object) -> None:
        self.stop()

    async def __aenter__(self) -> Self:
        return await asyncio.to_thread(self.start)

    async def __aexit__(self, *_: object) -> None:
        await asyncio.to_thread(self.stop)


def start(**settings: Any) -> MockServer:  # noqa: ANN401 - as wide as Settings
    """Return a server for `with k3mock.start(profile=…) as server:`, on a free port.

    `async with` starts and stops it without holding up the loop. Settings are those of
    `k3mock.settings.Settings`; texts are counted by the fast engine.

    Raises:
        SettingsError: an unknown name or a value that cannot be used.
    """
    return MockServer(from_call(settings))
