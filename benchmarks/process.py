"""Turns a command into a server on a core of its own, and its processes into time and memory."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TYPE_CHECKING

from benchmarks.machine import pinned, server_core

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from types import TracebackType
    from typing import Self

START_TIMEOUT_S = 60.0
STOP_TIMEOUT_S = 10.0
_LOOK_S = 0.02
_ERROR_CHARS = 400


class ServerError(Exception):
    """A server did not start, or does not answer as it should; the text says why."""


def tree(pid: int) -> list[int]:
    """Return a process and all that it has started."""
    found = [pid]
    for each in found:
        for task in Path(f"/proc/{each}/task").glob("*/children"):
            found.extend(int(child) for child in task.read_text().split())
    return found


def processor_s(pids: Sequence[int]) -> float:
    """Return the processor time that processes have used, to the nanosecond.

    A process has a clock of its own on Linux; its number is made from the process id.
    """
    return sum(time.clock_gettime((~pid << 3) | 2) for pid in pids)


def memory_kb(pids: Sequence[int]) -> float:
    """Return the resident memory of processes, in kB."""
    return sum(_status(pid, "VmRSS") for pid in pids)


def peak_kb(pids: Sequence[int]) -> float:
    """Return the most resident memory that processes have had, in kB."""
    return sum(_status(pid, "VmHWM") for pid in pids)


def _status(pid: int, field: str) -> float:
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith(field):
            return float(line.split()[1])
    return 0.0


def free_port() -> int:
    """Return a port that nothing listens on."""
    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        port: int = sock.getsockname()[1]
        return port


@dataclass(frozen=True, slots=True, kw_only=True)
class Started:
    """What it took until a server took connections."""

    wall_s: float
    processor_s: float


class Server:
    """A server process; a context manager. `{port}` in its command is filled in."""

    def __init__(
        self, name: str, command: Sequence[str], env: Mapping[str, str] | None = None
    ) -> None:
        self.name = name
        self.port = free_port()
        self._command = [part.replace("{port}", str(self.port)) for part in command]
        self._env = {
            name: value.replace("{port}", str(self.port)) for name, value in (env or {}).items()
        }
        self._process: subprocess.Popen[bytes] | None = None
        self._errors: IO[bytes] | None = None
        self.started = Started(wall_s=0.0, processor_s=0.0)

    @property
    def pids(self) -> list[int]:
        """The processes of the server."""
        return [] if self._process is None else tree(self._process.pid)

    def processor_s(self) -> float:
        """Return the processor time that the server has used."""
        return processor_s(self.pids)

    def memory_kb(self) -> float:
        """Return the resident memory of the server."""
        return memory_kb(self.pids)

    def __enter__(self) -> Self:
        self._errors = os.fdopen(os.memfd_create(self.name[:60]), "w+b")
        began = time.monotonic()
        with pinned(server_core()):
            self._process = subprocess.Popen(
                self._command, stdout=subprocess.DEVNULL, stderr=self._errors,
                stdin=subprocess.DEVNULL, start_new_session=True, env={**os.environ, **self._env},
            )  # fmt: skip
        try:
            self._wait(began)
        except BaseException:
            self.stop()
            raise
        self.started = Started(wall_s=time.monotonic() - began, processor_s=self.processor_s())
        return self

    def _wait(self, began: float) -> None:
        """Return when the server takes connections."""
        while True:
            code = None if self._process is None else self._process.poll()
            if code is not None:
                raise ServerError(f"ended with code {code} at its start: {self.said()}")
            with socket.socket() as sock:
                if sock.connect_ex(("127.0.0.1", self.port)) == 0:
                    return
            if time.monotonic() - began > START_TIMEOUT_S:
                raise ServerError(f"took no connection within {START_TIMEOUT_S:.0f} s")
            time.sleep(_LOOK_S)

    def said(self) -> str:
        """Return the end of what the server wrote to its standard error."""
        if self._errors is None:
            return ""
        self._errors.seek(0)
        return self._errors.read().decode(errors="replace").strip()[-_ERROR_CHARS:]

    def stop(self) -> None:
        """End the server and all that it has started."""
        process, self._process = self._process, None
        if process is not None:
            _end(process)
        if self._errors is not None:
            self._errors.close()
            self._errors = None

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.stop()


def _end(process: subprocess.Popen[bytes]) -> None:
    """Ask the group of a process to end, then end it."""
    for number in (signal.SIGTERM, signal.SIGKILL):
        try:
            os.killpg(process.pid, number)
            process.wait(STOP_TIMEOUT_S)
        except (ProcessLookupError, PermissionError):
            return
        except subprocess.TimeoutExpired:
            continue
        else:
            return
