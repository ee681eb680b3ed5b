"""Turns this machine into the words that a figure needs beside it, and into two cores to pin to."""

from __future__ import annotations

import contextlib
import importlib.metadata
import os
import platform
import resource
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

OPEN_FILES = 65_536
"""So many connections are wanted at most; the system may allow fewer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Machine:
    """What a figure depends on; never a name or a path."""

    processor: str
    cores: int
    memory_gb: int
    kernel: str
    python: str
    uvicorn: str
    uvloop: str
    httptools: str

    def as_json(self) -> dict[str, str | int]:
        return asdict(self)


def this_machine() -> Machine:
    """Return what this machine is."""
    pages = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return Machine(
        processor=_processor(),
        cores=os.cpu_count() or 1,
        memory_gb=round(pages / 2**30),
        kernel=f"{platform.system()} {platform.release().split('-')[0]} {platform.machine()}",
        python=f"{platform.python_implementation()} {platform.python_version()}",
        uvicorn=version_of("uvicorn"),
        uvloop=version_of("uvloop"),
        httptools=version_of("httptools"),
    )


def _processor() -> str:
    """Return the model of the processor, as the system calls it."""
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        name, _, value = line.partition(":")
        if name.strip() == "model name":
            return value.strip()
    return platform.processor() or platform.machine()


def version_of(package: str) -> str:
    """Return the version of an installed package, or that there is none."""
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return "not installed"


def server_core() -> int:
    """Return the core that servers run on."""
    return min(_usable())


def client_core() -> int:
    """Return the core that clients run on; with a single core it is that of the servers."""
    return max(_usable())


_ALL = frozenset(os.sched_getaffinity(0))


def _usable() -> frozenset[int]:
    return _ALL


@contextlib.contextmanager
def pinned(core: int) -> Iterator[None]:
    """Let what is started within run on one core; it inherits that from this process."""
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {core})
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)


def allow_many_connections() -> None:
    """Raise the limit of open files, for this process and those that it starts."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = OPEN_FILES if hard == resource.RLIM_INFINITY else min(hard, OPEN_FILES)
    resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
