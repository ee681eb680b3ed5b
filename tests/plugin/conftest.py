"""Projects whose tests run inside of the tests' own process: a new one takes two seconds."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import pytest
from _pytest.pytester import SysModulesSnapshot

if TYPE_CHECKING:
    from collections.abc import Callable

    Run = Callable[..., pytest.RunResult]

_OWN = frozenset({"caller", "test_app"})
_AROUND = ("cacheprovider", "faker", "hypothesispytest", "recording", "xdist", "xdist.looponfail")
"""Plugins of the run around it; that this one works beside them is looked at in a process."""


@pytest.fixture(autouse=True)
def _lasting(monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep what a project's server imports; else there would be two of each module."""
    lasting = partial(SysModulesSnapshot, preserve=lambda name: name not in _OWN)
    monkeypatch.setattr("_pytest.pytester.SysModulesSnapshot", lambda **_: lasting())


@pytest.fixture
def inside(pytester: pytest.Pytester) -> Run:
    """Run the tests of the project at hand, with further flags."""
    without = [part for name in _AROUND for part in ("-p", f"no:{name}")]
    return partial(pytester.runpytest_inprocess, *without)
