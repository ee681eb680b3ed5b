from __future__ import annotations

from typing import TYPE_CHECKING

from k3mock import state
from k3mock.state import Bounded, Issued, Session, SessionStore

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


def test_an_answer_s_reasoning_is_known_by_what_was_said_and_called() -> None:
    issued = Issued()
    issued.note("It is 31 degrees.", [("get_weather_0", "get_weather")], "Look it up.")
    same = ("It is 31 degrees.", [("get_weather_0", "get_weather")])
    assert issued.same_reasoning(*same, "Look it up.") is True
    assert issued.same_reasoning(*same, "Guess.") is False
    assert issued.same_reasoning("It is 31 degrees.", [], "Look it up.") is None
    assert issued.same_reasoning("31", [("get_weather_0", "get_weather")], "Look it up.") is None


def test_two_answers_that_say_the_same_are_both_known() -> None:
    issued = Issued()
    issued.note("Yes.", [], "One way.")
    issued.note("Yes.", [], "Another way.")
    assert issued.same_reasoning("Yes.", [], "One way.") is True
    assert issued.same_reasoning("Yes.", [], "Another way.") is True


def test_calls_are_known_by_their_ids() -> None:
    issued = Issued()
    issued.note_call("get_weather_0")
    assert issued.issued_call("get_weather_0")
    assert not issued.issued_call("get_weather_1")


def test_what_was_used_is_kept_a_host_at_a_time() -> None:
    session = Session("t")
    session.account("moonshot").spent = 1.5
    assert session.account("moonshot").spent == 1.5
    assert session.account("devotel").spent == 0


def test_a_session_that_is_forgotten_is_told_to_who_listens() -> None:
    sessions = SessionStore()
    told: list[str | None] = []
    sessions.listen(told.append)
    sessions.get("a").uses["turn"] = 1
    assert sessions.known("a").uses == {"turn": 1}
    assert sessions.known("b").uses == {}
    assert len(sessions) == 1
    sessions.drop("a")
    sessions.reset()
    assert told == ["a", None]
