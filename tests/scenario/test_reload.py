"""Hot reload: what changes on disk answers, a broken edit does not."""

from __future__ import annotations

import asyncio
import os
from typing import TYPE_CHECKING

import pytest

from k3mock.clock import Signal, VirtualClock
from k3mock.scenario.load import load_library
from k3mock.scenario.reload import Watcher
from k3mock.scenario.source import ScenarioSource
from tests.matching.asking import asked
from tests.scenario.loading import CONTEXT, Canned, hit, miss, saved

if TYPE_CHECKING:
    from pathlib import Path

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
        reply = hit(self.source, asked()).reply
        assert reply is not None
        return reply.content


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
