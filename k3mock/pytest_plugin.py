"""Turns fixtures into a running server; nothing heavy is imported before one is asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

    from k3mock.handle import K3Mock
    from k3mock.serving import MockServer


def pytest_addoption(parser: pytest.Parser) -> None:
    """Declare the ini setting `k3mock_profile`."""
    parser.addini("k3mock_profile", "profile of the k3mock server: a name or a file", default="")


@pytest.fixture(scope="session")
def k3mock_server(pytestconfig: pytest.Config) -> Iterator[MockServer]:
    """A server for the whole run, on a free port of the loopback interface."""
    from k3mock.serving import start  # noqa: PLC0415 - late: only users pay for it

    profile = str(pytestconfig.getini("k3mock_profile")) or None
    with start(profile=profile) as server:
        yield server


@pytest.fixture
def k3mock(k3mock_server: MockServer, request: pytest.FixtureRequest) -> K3Mock:
    """A fresh session on the run's server: `k3mock.base_url` and `k3mock.api_key`."""
    from k3mock.handle import K3Mock  # noqa: PLC0415 - late: only users pay for it

    sessions = request.config.stash.setdefault(_SESSIONS, [0])
    sessions[0] += 1
    return K3Mock(k3mock_server, f"test-{sessions[0]}")


_SESSIONS = pytest.StashKey[list[int]]()
