"""Flows with the official SDK on the shared server do nothing that moonshot overlooks."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

    from k3mock.serving import MockServer

PLAIN = ("test_openai_sdk", "test_agent_loop", "test_faults_on_the_wire")


@pytest.fixture(autouse=True)
def no_false_warnings(request: pytest.FixtureRequest) -> Iterator[None]:
    """Fail a flow whose requests were warned of although nothing is wrong with them."""
    if request.path.stem not in PLAIN or "server" not in request.fixturenames:
        yield
        return
    server: MockServer = request.getfixturevalue("server")
    before = {id(entry) for entry in server.app.journal.entries()}
    yield
    warned = [
        (found.rule, found.path)
        for entry in server.app.journal.entries()
        if id(entry) not in before and entry.profile == "moonshot" and entry.status == 200
        for found in entry.warnings
        if not found.info
    ]
    assert warned == []
