from __future__ import annotations

from typing import TYPE_CHECKING

from k3mock import state
from k3mock.state import Bounded, Session, SessionStore

if TYPE_CHECKING:
    import pytest


def test_a_request_is_counted_by_how_often_it_was_seen_before() -> None:
    session = Session("t")
    assert [session.count(b"a") for _ in range(3)] == [0, 1, 2]
    assert session.count(b"b") == 0


def test_memory_forgets_the_oldest_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(state, "MAX_REMEMBERED", 2)
    memory: Bounded[int] = Bounded()
    memory.remember(b"a", 1)
    memory.remember(b"b", 2)
    memory.remember(b"a", 3)
    memory.remember(b"c", 4)
    assert dict(memory) == {b"a": 3, b"c": 4}


def test_sessions_are_made_on_first_sight_and_kept() -> None:
    store = SessionStore()
    assert len(store) == 0
    session = store.get("a")
    assert session.name == "a"
    assert store.get("a") is session
    assert store.get("b") is not session
    assert len(store) == 2


def test_sessions_share_nothing() -> None:
    store = SessionStore()
    store.get("a").count(b"x")
    store.get("a").kept_prompts("moonshot").remember(b"p", 90)
    assert store.get("b").count(b"x") == 0
    assert not store.get("b").prompts


def test_dropping_a_session_forgets_that_one() -> None:
    store = SessionStore()
    kept, dropped = store.get("kept"), store.get("dropped")
    store.drop("dropped")
    store.drop("never seen")
    assert store.get("kept") is kept
    assert store.get("dropped") is not dropped


def test_a_reset_forgets_all() -> None:
    store = SessionStore()
    store.get("a")
    store.get("b")
    store.reset()
    assert len(store) == 0


def test_the_oldest_unused_session_goes_when_there_are_too_many(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(state, "MAX_SESSIONS", 2)
    store = SessionStore()
    used, unused = store.get("used"), store.get("unused")
    store.get("used")
    store.get("new")
    assert len(store) == 2
    assert store.get("used") is used
    assert store.get("unused") is not unused
