"""Turns memory into a connection: a server's transport at one end, reads and writes at the other.

Adapters layer. One write of the server is one read of the client, so that what the client sees does
not depend on the machine's haste. All methods run on the loop of the server.
"""

from __future__ import annotations

import asyncio
import errno
import os
from collections import deque
from contextlib import suppress
from typing import TYPE_CHECKING

from k3mock.clock import Signal

if TYPE_CHECKING:
    from k3mock.inprocess.time import Pulse

HIGH_BYTES = 65_536
"""A server that has written so much more than was read waits for the client."""

LOW_BYTES = 16_384
_WRITE_BYTES = 65_536
_PEERS = {"peername": ("127.0.0.1", 0), "sockname": ("127.0.0.1", 0)}


class Link(asyncio.Transport):
    """A connection without a socket."""

    def __init__(self, protocol: asyncio.Protocol, pulse: Pulse) -> None:
        super().__init__(dict(_PEERS))
        self._protocol = protocol
        self._pulse = pulse
        self._pieces: deque[bytes] = deque()
        self._size = 0
        self._paused = False
        self._reading = True
        self._end: str | None = None
        self._news = Signal()
        self._loop = asyncio.get_running_loop()
        protocol.connection_made(self)

    # What the server does.

    def write(self, data: bytes | bytearray | memoryview) -> None:
        if self._end is not None or not data:
            return
        self._pieces.append(bytes(data))
        self._size += len(data)
        if self._size > HIGH_BYTES and not self._paused:
            self._paused = True
            self._protocol.pause_writing()
        self._news.set()

    def get_write_buffer_size(self) -> int:
        """Return 0: what was written is on its way."""
        return 0

    def is_closing(self) -> bool:
        return self._end is not None

    def pause_reading(self) -> None:
        self._reading = False

    def resume_reading(self) -> None:
        self._reading = True
        self._news.set()

    def close(self) -> None:
        """End the connection behind what was written."""
        self._finish("closed")

    def abort(self) -> None:
        self._finish("closed")

    def reset(self) -> None:
        """End the connection as RST does."""
        self._finish("reset")

    @property
    def unsent(self) -> int:
        return self.get_write_buffer_size()

    def _finish(self, end: str) -> None:
        if self._end is None:
            self._end = end
            self._loop.call_soon(self._protocol.connection_lost, None)
            self._news.set()

    # What the client does.

    @property
    def readable(self) -> bool:
        """Whether a read returns at once."""
        return bool(self._pieces) or self._end is not None

    async def take(self, most: int, timeout_ms: float | None) -> bytes:
        """Return the next piece, or b"" behind the last one.

        Raises:
            TimeoutError: nothing came for so long.
            ConnectionResetError: the server reset the connection.
        """
        while not self.readable:
            await self._wait(timeout_ms)
        piece = self._piece(most)
        if self._paused and self._size <= LOW_BYTES:
            self._paused = False
            self._protocol.resume_writing()
        return piece

    def rest(self, most: int) -> bytes | None:
        """Return the next piece of what arrived before the server's loop ended; None: nothing more.

        Raises:
            ConnectionResetError: the server reset the connection.
        """
        return self._piece(most) if self.readable else None

    def _piece(self, most: int) -> bytes:
        if self._pieces:
            piece = self._pieces.popleft()
            if len(piece) > most:
                self._pieces.appendleft(piece[most:])
                piece = piece[:most]
            self._size -= len(piece)
            return piece
        if self._end == "reset":
            raise ConnectionResetError(errno.ECONNRESET, os.strerror(errno.ECONNRESET))
        return b""

    async def give(self, data: bytes, timeout_ms: float | None) -> None:
        """Hand bytes of a request to the server, as fast as it takes them.

        Raises:
            TimeoutError: the server took nothing for so long.
            BrokenPipeError: the server has ended the connection.
        """
        for at in range(0, len(data), _WRITE_BYTES):
            while not self._reading and self._end is None:
                await self._wait(timeout_ms)
            if self._end is not None:
                raise BrokenPipeError(errno.EPIPE, os.strerror(errno.EPIPE))
            self._protocol.data_received(data[at : at + _WRITE_BYTES])

    def leave(self) -> None:
        """End the connection from the client's side, in whatever thread that is."""
        with suppress(RuntimeError):
            # A loop that is closed has ended its connections already.
            self._loop.call_soon_threadsafe(self._left)

    def _left(self) -> None:
        self._pieces.clear()
        self._finish("left")

    async def _wait(self, timeout_ms: float | None) -> None:
        self._news = signal = Signal()
        await self._pulse.patience(signal, timeout_ms)
        if not signal.raised:
            raise TimeoutError
