from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from k3mock.cassette.format import document, parse
from k3mock.cassette.journal import find, record
from tests.cassette.recordings import answered, recorded

if TYPE_CHECKING:
    from k3mock.cassette.interaction import Interaction

FAKE = record(99, document(answered(99)))[0]
TRAP = b"x\n" + FAKE + b"\nversion: 1\n# k3mock journal=1 seq=7 bytes=3 crc32=00000000\nabc\n"
MADE = [recorded(2), answered(1, answer=TRAP), answered(3, answer=b"\xff\x00" * 30), recorded(4)]


def journal(made: list[Interaction]) -> bytes:
    return b"".join(record(each.number, document(each))[0] for each in made)


def read(raw: bytes) -> list[Interaction]:
    """Load what the journal's whole records hold."""
    texts = [raw[each.start : each.start + each.size] for each in find(raw).records]
    return [parse(text, Path("j.yaml")).interactions[0] for text in texts]


def without_numbers(made: list[Interaction]) -> list[object]:
    return [(each.request, each.response, each.timing) for each in made]


def test_records_are_found_in_the_order_in_which_they_were_written() -> None:
    raw = journal(MADE)
    found = find(raw)
    assert [each.seq for each in found.records] == [2, 1, 3, 4]
    assert (found.torn, found.damaged) == (0, 0)
    assert without_numbers(read(raw)) == without_numbers(MADE)


def test_an_empty_journal_holds_nothing() -> None:
    found = find(b"")
    assert (found.records, found.torn, found.damaged) == ((), 0, 0)


def test_a_record_says_where_its_document_begins() -> None:
    data, head = record(5, document(MADE[0]))
    assert data[head:].decode("ascii") == document(MADE[0])
    assert data[:head].startswith(b"# k3mock journal=1 seq=5 bytes=")


def _sweep(step: int) -> None:
    """Cut the journal: what is found is what was whole, and nothing else."""
    raw = journal(MADE)
    ends = [len(journal(MADE[:count])) for count in range(len(MADE) + 1)]
    near = [end + off for end in ends for off in range(-60, 75) if 0 <= end + off <= len(raw)]
    for cut in sorted({*range(0, len(raw) + 1, step), *near}):
        found = find(raw[:cut])
        whole = sum(1 for end in ends[1:] if end <= cut)
        assert [each.seq for each in found.records] == [2, 1, 3, 4][:whole], cut
        assert found.damaged == 0, cut
        assert found.torn == cut - ends[whole], cut


def test_a_journal_that_was_cut_off_yields_its_whole_records() -> None:
    _sweep(97)


@pytest.mark.slow
def test_a_journal_that_was_cut_off_anywhere_yields_its_whole_records() -> None:
    _sweep(1)


@pytest.mark.slow
def test_a_journal_with_any_byte_damaged_yields_no_wrong_record() -> None:
    raw = journal(MADE)
    whole = {find(raw).records[index].start: index for index in range(len(MADE))}
    for at in range(len(raw)):
        bad = raw[:at] + bytes([raw[at] ^ 0x01]) + raw[at + 1 :]
        for each in find(bad).records:
            data = bad[each.start : each.start + each.size]
            assert data == raw[each.start : each.start + each.size], at
            assert each.start in whole, at


def test_records_after_a_damaged_one_are_found() -> None:
    first, second, third, fourth = (journal([each]) for each in MADE)
    broken = second[:200] + b"?" + second[201:]
    found = find(first + broken + third + fourth[:-1])
    assert [each.seq for each in found.records] == [2, 3]
    assert found.damaged == len(second)
    assert found.torn == len(fourth) - 1


def test_half_a_record_before_a_whole_one_is_left_out() -> None:
    first, second = journal(MADE[:1]), journal(MADE[1:2])
    found = find(first[:300] + b"\n" + second)
    assert [each.seq for each in found.records] == [1]
    assert (found.damaged, found.torn) == (301, 0)
