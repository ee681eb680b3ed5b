"""Servers on each loop and protocol, and faults that a test makes up."""

from __future__ import annotations

import contextlib
import functools
import sys
from typing import TYPE_CHECKING

import pytest

from k3mock.fault.bend import UNBENT, Bend
from tests.support import serving

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from k3mock.bending import Chosen
    from k3mock.checking import Checking
    from k3mock.options import RequestOptions
    from k3mock.protocol.style import FaultCall
    from k3mock.serving import MockServer


@pytest.fixture(scope="session", params=["uvloop", "asyncio", "h11"])
def any_server(request: pytest.FixtureRequest) -> Iterator[MockServer]:
    """A server on each loop, and one with the slower protocol."""
    with contextlib.ExitStack() as stack:
        with pytest.MonkeyPatch.context() as patch:
            if request.param == "asyncio":
                patch.setattr("uvicorn.Config.get_loop_factory", lambda _: None)
            if request.param == "h11":
                patch.setitem(sys.modules, "uvicorn.protocols.http.httptools_impl", None)
            running = stack.enter_context(serving())
        yield running


@pytest.fixture
def faults(monkeypatch: pytest.MonkeyPatch) -> dict[str, Bend]:
    """Faults by name, as the test fills them in; only these exist."""
    known: dict[str, Bend] = {}

    def bend(calls: Sequence[FaultCall], _profile: object) -> Bend:
        found = [known[call.name].then(Bend(names=(call.name,))) for call in calls]
        return functools.reduce(Bend.then, found, UNBENT)

    def own(checking: Checking, options: RequestOptions) -> Chosen:
        """A name means another fault in each test, so nothing is remembered under it."""
        return checking._bend(options.profile, options.faults, tuple(options.wire.items()))

    monkeypatch.setattr("k3mock.bending.bend", bend)
    monkeypatch.setattr("k3mock.checking.Checking.own", own)
    return known
