"""Ordinary frames are the same whether they are looked at one by one, in pieces or joined."""

from __future__ import annotations

from k3mock.wire.frame import DONE, Deltas, Frame, FrameKind, PlainFrames

KINDS = (FrameKind.ROLE, FrameKind.CONTENT, FrameKind.CONTENT)
DELTAS = Deltas((b"{r}", b"{a}", b"{b}"), KINDS, (0, 1, 2), 3)
LAST = Frame(DONE, FrameKind.DONE)


def frames() -> PlainFrames:
    return PlainFrames(b"<", DELTAS, b">", (Frame(b"fin", FrameKind.FINISH), LAST))


def test_frames_are_put_together_when_they_are_looked_at() -> None:
    found = frames()
    assert [*found] == [
        Frame(b"<{r}>", FrameKind.ROLE), Frame(b"<{a}>", FrameKind.CONTENT, 1),
        Frame(b"<{b}>", FrameKind.CONTENT, 2), Frame(b"fin", FrameKind.FINISH), LAST,
    ]  # fmt: skip
    assert len(found) == 5
    assert found[-1] is LAST
    assert found[1:3] == (found[1], found[2])


def test_bytes_tokens_and_marks_are_those_of_the_frames() -> None:
    found = frames()
    assert [*found.data()] == [frame.data for frame in found]
    assert found.joined() == b"".join(found.data())
    assert [*found.tokens()] == [frame.tokens for frame in found]
    assert [*found.marks()] == [(frame.kind, frame.tokens, 0.0) for frame in found]
    assert found.whole_after == 4


def test_they_equal_any_sequence_of_the_same_frames() -> None:
    assert frames() == frames() == tuple(frames())
    assert hash(frames()) == hash(tuple(frames()))
    assert frames() != tuple(frames())[1:]
    assert frames() != 5
