"""State is one value behind one interface: a server runs on any other that keeps the same."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from k3mock.asgi import app as application
from k3mock.errors import SettingsError
from k3mock.memory import InMemory, State
from k3mock.settings import Settings, from_sources
from tests.support import chat, serving

if TYPE_CHECKING:
    from k3mock.scenario.kinds import Context
    from k3mock.state import Session


def test_what_a_server_remembers_is_in_its_state() -> None:
    with serving(on_miss="generate") as server:
        assert chat(server).status == 200
        state: State = server.app.state
        assert len(state.journal) == len(state.sessions) == 1
        assert server.app.journal is state.journal
        assert server.app.pipeline.sessions is state.sessions
        assert server.app.scenarios.scripts is state.added.scripts
        assert server.app.scenarios.posted is state.added.posted


class _Asked:
    """Sessions that say which were asked for; all else is left to those in memory."""

    def __init__(self, state: InMemory) -> None:
        self._inner = state.sessions
        self.names: list[str] = []

    def __getattr__(self, name: str) -> object:
        return getattr(self._inner, name)

    def __len__(self) -> int:
        return len(self._inner)

    def get(self, name: str) -> Session:
        self.names.append(name)
        return self._inner.get(name)


def test_a_server_runs_on_another_state(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[_Asked] = []

    class Other(InMemory):
        def __init__(self, context: Context) -> None:
            super().__init__(context)
            made.append(_Asked(self))
            self.sessions = made[0]  # type: ignore[assignment]  # it leaves most to another

    monkeypatch.setattr(application, "InMemory", Other)
    with serving() as server:
        assert chat(server).status == 200
        assert made[0].names == ["default"]


def test_several_workers_are_refused_with_the_reason() -> None:
    with pytest.raises(SettingsError) as refused:
        from_sources({"workers": 2}, environ={})
    told = str(refused.value)
    assert "2 workers" in told
    assert "memory" in told
    assert "port of its own" in told
    assert Settings(workers=1).workers == 1
