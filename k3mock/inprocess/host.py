"""Turns an application into something to connect to without a socket; adapters layer."""

from __future__ import annotations

import asyncio
import threading
from concurrent.futures import Future
from typing import TYPE_CHECKING, Any, TypeVar

from k3mock.inprocess.link import Link

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Coroutine, MutableMapping
    from typing import TypeAlias

    from k3mock.inprocess.time import Pulse

    Message: TypeAlias = "MutableMapping[str, Any]"
    Receive: TypeAlias = "Callable[[], Awaitable[Message]]"
    Send: TypeAlias = "Callable[[Message], Awaitable[None]]"
    App: TypeAlias = "Callable[[Message, Receive, Send], Awaitable[None]]"

_Got = TypeVar("_Got")
_STOP_S = 10.0


class Host:
    """What transports connect to: a maker of protocols, and the loop that these run on.

    Attributes:
        protocol: makes the server's side of a connection.
        pulse: the time of connections.
        tasks: the answers that are on their way.
        finish: awaited when the transport is closed; None where others use the application, too.
        loop: gives the loop of a server that runs already. Without it a synchronous client gets a
            loop in a thread of its own, and an asynchronous one its own loop.
    """

    def __init__(
        self,
        protocol: Callable[[], asyncio.Protocol],
        pulse: Pulse,
        *,
        tasks: set[asyncio.Task[None]],
        finish: Callable[[], Awaitable[None]] | None = None,
        loop: Callable[[], asyncio.AbstractEventLoop] | None = None,
    ) -> None:
        self._protocol = protocol
        self._pulse = pulse
        self._tasks = tasks
        self._finish = finish
        self._given = loop
        self._own: _LoopThread | None = None
        self._lock = threading.Lock()

    async def connect(self) -> Link:
        """Open a connection; runs on the loop of the server."""
        return Link(self._protocol(), self._pulse)

    def wait_for(self, work: Coroutine[Any, Any, _Got]) -> _Got:
        """Run work on the server's loop, from a thread that waits for it.

        Raises:
            RuntimeError: the server does not run any more.
        """
        future = _submit(work, self._thread_loop())
        try:
            return future.result()
        except BaseException:
            future.cancel()
            raise

    async def run(self, work: Coroutine[Any, Any, _Got]) -> _Got:
        """Run work on the server's loop, from a task of any loop.

        Raises:
            RuntimeError: the server does not run any more.
        """
        if self._given is None:
            return await work
        return await asyncio.wrap_future(_submit(work, self._given()))

    def _thread_loop(self) -> asyncio.AbstractEventLoop:
        if self._given is not None:
            return self._given()
        with self._lock:
            if self._own is None:
                self._own = _LoopThread()
            return self._own.loop

    def close(self) -> None:
        """End what runs, and the thread; a further request begins anew."""
        if self._own is not None:
            self.wait_for(self.aclose())
            self._own.stop()
            self._own = None

    async def aclose(self) -> None:
        """Let what runs come to its end, now that its clients have left."""
        if self._finish is None:
            return
        if self._tasks:
            await asyncio.wait(set(self._tasks), timeout=_STOP_S)
        await self._finish()


def counted(app: App, pulse: Pulse) -> App:
    """Tell the pulse when the application works, and when it rests until a client has read."""

    async def answered(scope: Message, receive: Receive, send: Send) -> None:
        async def sent(message: Message) -> None:
            pulse.rest()
            try:
                await send(message)
            finally:
                pulse.work()

        pulse.work()
        try:
            await app(scope, receive, sent)
        finally:
            pulse.rest()

    return answered


def _submit(work: Coroutine[Any, Any, _Got], loop: asyncio.AbstractEventLoop) -> Future[_Got]:
    try:
        return asyncio.run_coroutine_threadsafe(work, loop)
    except RuntimeError:
        work.close()
        raise


class _LoopThread:
    """An event loop in a thread of its own."""

    def __init__(self) -> None:
        self._ready: Future[asyncio.AbstractEventLoop] = Future()
        self._stopped = asyncio.Event()
        self._thread = threading.Thread(target=self._run, name="k3mock-inprocess", daemon=True)
        self._thread.start()
        self.loop = self._ready.result()

    def _run(self) -> None:
        asyncio.run(self._until_stopped())

    async def _until_stopped(self) -> None:
        self._ready.set_result(asyncio.get_running_loop())
        await self._stopped.wait()

    def stop(self) -> None:
        self.loop.call_soon_threadsafe(self._stopped.set)
        self._thread.join(_STOP_S)
