"""Turns a host into the network of a client library; adapters layer.

The library's own HTTP parser reads what the server writes, so that cuts, half headers and silence
are the errors that they are over a socket.
"""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Any

import httpcore2

if TYPE_CHECKING:
    from collections.abc import Iterator

    from k3mock.inprocess.host import Host
    from k3mock.inprocess.link import Link


def _ms(timeout: float | None) -> float | None:
    return None if timeout is None else timeout * 1000


class Failures:
    """The exceptions of a library, `httpcore2` or `httpcore`, for those of a connection."""

    def __init__(self, core: Any) -> None:  # noqa: ANN401 - one of two modules
        self._core = core

    @contextlib.contextmanager
    def connecting(self) -> Iterator[None]:
        try:
            yield
        except RuntimeError as error:
            raise self._core.ConnectError("the server is not running") from error

    @contextlib.contextmanager
    def reading(self) -> Iterator[None]:
        try:
            yield
        except TimeoutError as error:
            raise self._core.ReadTimeout("timed out") from error
        except (OSError, RuntimeError) as error:
            raise self._core.ReadError(str(error)) from error

    @contextlib.contextmanager
    def writing(self) -> Iterator[None]:
        try:
            yield
        except TimeoutError as error:
            raise self._core.WriteTimeout("timed out") from error
        except (OSError, RuntimeError) as error:
            raise self._core.WriteError(str(error)) from error


class Backend(httpcore2.NetworkBackend):
    """Connects a synchronous client; every address is the host's."""

    def __init__(self, host: Host, failures: Failures) -> None:
        self._host = host
        self._failures = failures

    def connect_tcp(self, *_: Any, **__: Any) -> _Stream:  # noqa: ANN401 - none of it matters
        with self._failures.connecting():
            return _Stream(self._host, self._host.wait_for(self._host.connect()), self._failures)


class _Stream(httpcore2.NetworkStream):
    def __init__(self, host: Host, link: Link, failures: Failures) -> None:
        self._host = host
        self._link = link
        self._failures = failures

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        with self._failures.reading():
            try:
                return self._host.wait_for(self._link.take(max_bytes, _ms(timeout)))
            except RuntimeError:
                # The server's loop has ended; what it wrote before has arrived all the same.
                if (rest := self._link.rest(max_bytes)) is None:
                    raise
                return rest

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        with self._failures.writing():
            self._host.wait_for(self._link.give(buffer, _ms(timeout)))

    def close(self) -> None:
        self._link.leave()

    def start_tls(self, *_: Any, **__: Any) -> _Stream:  # noqa: ANN401 - none of it matters
        """Go on as before: `https` needs no certificate here."""
        return self

    def get_extra_info(self, info: str) -> object:
        return self._link.readable if info == "is_readable" else None


class AsyncBackend(httpcore2.AsyncNetworkBackend):
    """Connects an asynchronous client; every address is the host's."""

    def __init__(self, host: Host, failures: Failures) -> None:
        self._host = host
        self._failures = failures

    async def connect_tcp(self, *_: Any, **__: Any) -> _AsyncStream:  # noqa: ANN401 - as above
        with self._failures.connecting():
            link = await self._host.run(self._host.connect())
            return _AsyncStream(self._host, link, self._failures)


class _AsyncStream(httpcore2.AsyncNetworkStream):
    def __init__(self, host: Host, link: Link, failures: Failures) -> None:
        self._host = host
        self._link = link
        self._failures = failures

    async def read(self, max_bytes: int, timeout: float | None = None) -> bytes:  # noqa: ASYNC109 - the library's own
        with self._failures.reading():
            try:
                return await self._host.run(self._link.take(max_bytes, _ms(timeout)))
            except RuntimeError:
                if (rest := self._link.rest(max_bytes)) is None:
                    raise
                return rest

    async def write(self, buffer: bytes, timeout: float | None = None) -> None:  # noqa: ASYNC109 - as above
        with self._failures.writing():
            await self._host.run(self._link.give(buffer, _ms(timeout)))

    async def aclose(self) -> None:
        self._link.leave()

    async def start_tls(self, *_: Any, **__: Any) -> _AsyncStream:  # noqa: ANN401 - as above
        """Go on as before: `https` needs no certificate here."""
        return self

    def get_extra_info(self, info: str) -> object:
        return self._link.readable if info == "is_readable" else None
