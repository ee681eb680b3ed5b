from __future__ import annotations

from typing import TYPE_CHECKING

from k3mock import writes
from k3mock.delivery.step import Hold
from k3mock.journal import Journal, JournalEntry
from k3mock.writes import Keeper, Writes

if TYPE_CHECKING:
    from collections.abc import Iterator


def record(*sizes: int) -> Writes:
    made = Writes()
    made.sent.extend((0.0, float(at), b"x" * size) for at, size in enumerate(sizes))
    return made


def entry(name: str, session: str = "s") -> JournalEntry:
    return JournalEntry(
        id=name, session=session, profile="moonshot", method="POST", path="/x", headers={}
    )


def test_what_is_too_long_is_cut_at_the_end_and_the_times_stay() -> None:
    kept = record(900_000, 200_000, 5)
    kept.settle()
    assert [len(data) for _, _, data in kept.sent] == [900_000, 100_000, 0]
    assert [at for _, at, _ in kept.sent] == [0, 1, 2]
    assert kept.size == 1_000_000 + 3 * 160


def test_the_oldest_records_give_way_to_new_ones() -> None:
    keeper = Keeper(max_bytes=700)
    first, second, third = record(100), record(200), record(300)
    for each in (first, second, third):
        keeper.keep(each)
    assert (first.forgotten, second.forgotten, third.forgotten) == (True, True, False)
    assert first.sent == []
    assert keeper.bytes == 460
    keeper.drop(first)
    assert keeper.bytes == 460


def test_one_record_is_kept_however_large() -> None:
    keeper = Keeper(max_bytes=10)
    only = record(5000)
    keeper.keep(only)
    assert not only.forgotten


def test_what_the_journal_forgets_frees_its_record() -> None:
    journal = Journal(max_entries=1)
    one, two = entry("a"), entry("b")
    one.writes.sent.append((0.0, 1.0, b"abc"))
    journal.add(one)
    journal.end(one, "complete", 1.0)
    kept = [one.writes.forgotten]
    journal.add(two)
    assert [*kept, one.writes.forgotten] == [False, True]
    two.writes.sent.append((0.0, 1.0, b"abc"))
    journal.end(two, "complete", 1.0)
    journal.clear("s")
    assert two.writes.forgotten
    assert journal._keeper.bytes == 0


def test_an_answer_that_ends_after_it_was_forgotten_keeps_nothing() -> None:
    journal = Journal()
    one = entry("a")
    journal.add(one)
    journal.clear()
    one.writes.sent.append((0.0, 1.0, b"abc"))
    journal.end(one, "complete", 1.0)
    assert journal._keeper.bytes == 0


def test_life_signs_for_ever_do_not_fill_the_memory() -> None:
    kept = Writes()
    for at in range(writes.MAX_MARKS + 10):
        kept.mark(at, Hold())
    assert len(kept.marks) == writes.MAX_MARKS


def test_a_burst_keeps_times_and_makes_its_bytes_when_somebody_looks() -> None:
    asked: list[int] = []

    def made() -> Iterator[bytes]:
        asked.append(1)
        return iter((b"one", b"two", b"x" * 2_000_000))

    kept = Writes()
    note = kept.burst(made)
    note((0.0, 1.0))
    note((5.0, 6.0))
    assert asked == []
    assert kept.sent == [(0.0, 1.0, b"one"), (5.0, 6.0, b"two")]
    note((0.0, 7.0))
    assert kept.settle() == kept.size == 3 * 256
    assert [len(data) for _, _, data in kept.sent] == [3, 3, 1_000_000 - 6]
    kept.forget()
    assert kept.sent == []
    assert kept.forgotten
