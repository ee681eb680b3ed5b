"""Hot reload: what changes on disk answers, a broken edit does not."""

from __future__ import annotations

import asyncio
import os
from typing import TYPE_CHECKING, Any

import pytest

from k3mock.clock import Signal, VirtualClock
from k3mock.scenario import reload
from k3mock.scenario.load import load_library
from k3mock.scenario.reload import Watcher
from k3mock.scenario.source import ScenarioSource
from k3mock.state import Session
from tests.matching.asking import asked
from tests.scenario.loading import CONTEXT, Canned, given, hit, miss, saved, written_by

if TYPE_CHECKING:
    from pathlib import Path

    from k3mock.scenario.load import Library
    from k3mock.text.counter import TokenCounter

GOOD = "name: a\nturns: [{when: {last: hi}, reply: %s}]"


class World:
    """A folder of scenarios, a source that has them, a watcher, and what it says."""

    def __init__(self, folder: Path, counter: TokenCounter) -> None:
        self.folder = folder
        self._time = 1
        self.write("a.yaml", GOOD % "old")
        sources = (str(folder),)
        library = load_library(sources, CONTEXT)
        self.source = ScenarioSource(library, CONTEXT, counter=counter, writer=Canned())
        self.said: list[str] = []
        self.source.note = self.said.append
        self.watcher = Watcher(self.source, sources, CONTEXT)

    def write(self, name: str, text: str) -> None:
        """Write a file with a time of its own: file systems may tell times only by the second."""
        path = saved(self.folder, text, name)
        self._time += 10
        os.utime(path, (self._time, self._time))

    def look(self) -> None:
        asyncio.run(self.watcher.look())

    @property
    def answer(self) -> str:
        return self.answer_to("hi")

    def answer_to(self, question: str) -> str:
        return written_by(hit(self.source, asked(question))).content


@pytest.fixture
def world(tmp_path: Path, counter: TokenCounter) -> World:
    return World(tmp_path, counter)


def test_nothing_happens_while_nothing_changes(world: World) -> None:
    library = world.source.library
    world.look()
    assert world.source.library is library
    assert world.said == []


def test_a_change_answers(world: World) -> None:
    world.write("a.yaml", GOOD % "new")
    world.look()
    assert world.answer == "new"
    assert world.said == ["the scenarios have changed: 1 loaded"]


def test_a_new_file_is_found_and_a_deleted_one_is_gone(world: World) -> None:
    world.write("b.yaml", "name: b\npriority: 1\nturns: [{reply: from b}]")
    world.look()
    assert world.answer == "from b"
    (world.folder / "b.yaml").unlink()
    world.look()
    assert world.answer == "old"


def test_a_broken_edit_keeps_the_last_good_set_until_it_is_mended(world: World) -> None:
    world.write("a.yaml", "name: a\nturns: [{rply: broken}]")
    world.look()
    world.look()
    assert world.answer == "old"
    assert len(world.said) == 1
    assert "unknown key 'rply'" in world.said[0]
    assert "unknown key 'rply'" in miss(world.source, asked("bye")).message
    world.write("a.yaml", GOOD % "mended")
    world.look()
    assert world.answer == "mended"
    assert "broken" not in miss(world.source, asked("bye")).message


def test_a_folder_that_is_emptied_keeps_the_last_good_set(world: World) -> None:
    (world.folder / "a.yaml").unlink()
    world.look()
    assert world.answer == "old"
    assert "holds no scenario" in world.said[0]


def test_a_text_beside_a_scenario_is_watched_too(world: World) -> None:
    world.write("words.txt", "one")
    world.write("a.yaml", "name: a\nturns: [{reply: {content: {file: words.txt}}}]")
    world.look()
    assert world.answer == "one"
    world.write("words.txt", "two, longer")
    world.look()
    assert world.answer.startswith("two")


def test_an_edit_while_files_are_read_is_seen_by_the_next_look(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    def edited_behind_its_back(*given: Any) -> Library:
        found = load_library(*given)
        world.write("a.yaml", GOOD % "newest")
        world.write("words.txt", "later")
        return found

    world.write("words.txt", "sooner")
    world.write(
        "b.yaml", "name: b\nturns: [{when: {last: b}, reply: {content: {file: words.txt}}}]"
    )
    world.write("a.yaml", GOOD % "new")
    monkeypatch.setattr(reload, "load_library", edited_behind_its_back)
    world.look()
    assert world.answer == "new"
    monkeypatch.undo()
    world.look()
    assert world.answer == "newest"
    assert world.answer_to("b") == "later"


def test_any_mistake_at_all_leaves_the_watcher_at_work(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    def failing(*_: Any) -> Library:
        raise MemoryError("too much")

    monkeypatch.setattr(reload, "load_library", failing)
    world.write("a.yaml", GOOD % "broken")
    world.look()
    world.look()
    assert world.said == [
        "scenarios have changed, the last good set answers: MemoryError: too much"
    ]
    assert "MemoryError: too much" in miss(world.source, asked("bye")).message
    monkeypatch.undo()
    world.write("a.yaml", GOOD % "mended")
    world.look()
    assert world.answer == "mended"


def test_a_name_that_no_file_can_have_is_told(world: World) -> None:
    world.write("a.yaml", 'name: a\nturns: [{reply: {content: {file: "a\\0b"}}}]')
    world.look()
    assert "the file cannot be read" in world.said[0]
    assert world.answer == "old"


def test_a_missing_text_that_appears_later_mends_the_scenario(world: World) -> None:
    world.write("a.yaml", "name: a\nturns: [{reply: {content: {file: late.txt}}}]")
    world.look()
    assert "No such file" in world.said[0]
    assert world.answer == "old"
    world.write("late.txt", "here at last")
    world.look()
    assert world.answer == "here at last"


def test_a_changed_turn_begins_to_count_anew_and_the_others_go_on(world: World) -> None:
    turns = "name: a\nturns: [%s{when: {last: hi}, reply: one, times: 2}, {reply: %s, times: 2}]"
    session = Session("t")
    world.write("a.yaml", turns % ("", "two"))
    world.look()
    for _ in range(4):
        given(world.source, asked(session=session))
    world.write("a.yaml", turns % ("{when: {last: x}, reply: x}, ", "three"))
    world.look()
    assert given(world.source, asked(session=session)) == "scenario:a#3"
    hits = [turn["hits"] for turn in world.source.listing(session)[0]["turns"]]  # type: ignore[index, call-overload, union-attr]
    assert hits == [0, 2, 1]


def test_it_looks_again_and_again_until_it_is_stopped(world: World) -> None:
    stop = Signal()
    looks: list[float] = []
    clock = VirtualClock()

    async def look() -> None:
        looks.append(clock.monotonic_ms())
        if len(looks) == 3:
            stop.set()

    world.watcher.look = look  # type: ignore[method-assign]
    asyncio.run(world.watcher.watch(clock, stop))
    assert looks == [500.0, 1000.0, 1500.0]


def test_it_stops_in_the_middle_of_a_wait(world: World) -> None:
    stop = Signal()

    class Stopping(VirtualClock):
        async def wait_until(self, deadline_ms: float, signal: Signal) -> None:
            await super().wait_until(deadline_ms, signal)
            signal.set()

    world.write("a.yaml", GOOD % "new")
    asyncio.run(world.watcher.watch(Stopping(), stop))
    assert world.answer == "old"
