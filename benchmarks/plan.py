"""Turns what was asked for on the command line into the extent of a run, and servers into a field.

All servers of a group run at the same time, idle but for the one that is measured, so that every
round can go through all of them: what the machine does meanwhile, it does to all.
"""

from __future__ import annotations

import contextlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

from benchmarks.peers import PEERS, installed
from benchmarks.process import ServerError
from benchmarks.subjects import ready

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from benchmarks.process import Server
    from benchmarks.subjects import Subject


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """The extent of a run.

    Attributes:
        rounds: how often each subject is measured.
        seconds: how long, each time.
        minutes: how long the soak takes.
        peers: whether peers are measured, too.
        smoke: whether all is made as small as it can be, only to see that it works.
    """

    rounds: int = 5
    seconds: float = 2.0
    minutes: float = 30.0
    peers: bool = True
    smoke: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Running:
    """A subject and its server."""

    subject: Subject
    server: Server


def peers(plan: Plan, folder: Path) -> tuple[list[Subject], dict[str, str]]:
    """Return the peers that can be had, and why the others cannot."""
    if not plan.peers:
        return [], {peer.title: "left out, as asked for" for peer in PEERS}
    found, skipped = [], {}
    for peer in PEERS:
        reason = installed(peer)
        if reason is None:
            found.append(peer.subject(peer, folder))
        else:
            skipped[peer.title] = reason
    return found, skipped


@contextlib.contextmanager
def field(subjects: Sequence[Subject], skipped: dict[str, str]) -> Iterator[list[Running]]:
    """Start servers, and end them; notes in `skipped` which of them cannot be measured."""
    with contextlib.ExitStack() as stack:
        running = []
        for subject in subjects:
            server = subject.server()
            try:
                stack.enter_context(server)
                ready(subject, server)
            except ServerError as error:
                skipped[subject.name] = str(error)
                server.stop()
            else:
                running.append(Running(subject=subject, server=server))
        yield running
