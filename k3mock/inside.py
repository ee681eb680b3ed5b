"""Turns settings into transports of HTTP clients that need no socket; serving layer."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import uvicorn
from uvicorn.server import ServerState

from k3mock.asgi.app import App, create_app
from k3mock.asgi.protocol import http_protocol
from k3mock.errors import SettingsError
from k3mock.inprocess.host import Host, counted
from k3mock.inprocess.time import RealTime, VirtualTime
from k3mock.settings import Settings, from_call

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Awaitable, Callable, Mapping

    from starlette.types import ASGIApp

    from k3mock.inprocess.link import Link
    from k3mock.inprocess.time import Pulse
    from k3mock.inprocess.transport import AsyncTransport, Transport

VIRTUAL = "virtual"
_OF_SERVERS = frozenset({"host", "port", "reload", "workers", "ssl_certfile", "ssl_keyfile"})


def transport(**settings: Any) -> Transport:  # noqa: ANN401 - as wide as Settings
    """Return a transport of synchronous clients that answers in process, without a socket.

    Settings are those of `start`, without port and TLS. The pace may be `virtual`: that of
    `realistic`, in a time that jumps over every wait; `virtual,ttft_ms=300000` sets its numbers.

    Raises:
        SettingsError: an unknown name or a value that cannot be used.
    """
    # Servers use this module, too: only a transport pays for its HTTP library.
    from k3mock.inprocess.transport import Transport  # noqa: PLC0415

    return Transport(*_inside(settings))


def async_transport(**settings: Any) -> AsyncTransport:  # noqa: ANN401 - as wide as Settings
    """Return a transport of asynchronous clients; all else is as in `transport`.

    Raises:
        SettingsError: an unknown name or a value that cannot be used.
    """
    from k3mock.inprocess.transport import AsyncTransport  # noqa: PLC0415 - as above

    return AsyncTransport(*_inside(settings))


def _inside(given: Mapping[str, Any]) -> tuple[App, Host]:
    """Load an application for a transport of its own."""
    for name in sorted(_OF_SERVERS & given.keys()):
        raise SettingsError(f"a transport has no {name!r}", hint="leave it away")
    settings = from_call(given)
    first, comma, rest = settings.pace.partition(",")
    if first.strip() != VIRTUAL:
        app = create_app(settings)
        return app, host(app, RealTime(), finish=app.finish)
    if settings.record is not None:
        raise SettingsError("a recording takes its time", hint="choose another pace than virtual")
    clock = VirtualTime()
    app = create_app(replace(settings, pace=f"realistic{comma}{rest}"), clock=clock)
    return app, host(app, clock, finish=app.finish)


def host(
    app: App,
    pulse: Pulse,
    *,
    state: ServerState | None = None,
    loop: Callable[[], asyncio.AbstractEventLoop] | None = None,
    finish: Callable[[], Awaitable[None]] | None = None,
) -> Host:
    """Let the protocol of the HTTP server serve connections in memory, with the very application.

    `state` and `loop` are those of a server that runs already.
    """
    state = state or ServerState()
    plain = replace(app.settings, ssl_certfile=None, ssl_keyfile=None)
    config = http_config(counted(app, pulse), http_protocol(_itself), plain)
    config.load()
    made: Any = config.http_protocol_class

    def protocol() -> asyncio.Protocol:
        new: asyncio.Protocol = made(config=config, server_state=state, app_state={})
        return new

    return Host(protocol, pulse, tasks=state.tasks, finish=finish, loop=loop)


def http_config(
    app: ASGIApp, protocol: type[asyncio.Protocol], settings: Settings
) -> uvicorn.Config:
    """Return how HTTP is served, over sockets and in memory alike."""
    return uvicorn.Config(
        app,
        log_config=None,
        access_log=False,
        lifespan="off",
        http=protocol,
        ws="none",
        server_header=False,
        date_header=False,
        proxy_headers=False,
        timeout_graceful_shutdown=3,
        ssl_certfile=settings.ssl_certfile,
        ssl_keyfile=settings.ssl_keyfile,
    )


def _itself(link: Link) -> Link:
    """Return a connection in memory, which an application can end as it likes."""
    return link
