"""Edits of a body and of the writes that it was sent in."""

from __future__ import annotations

from k3mock.redaction.draft import Draft, Edit, remapped

HALVES = ((10, 4), (20, 4))


def test_a_body_without_edits_is_the_same_object() -> None:
    body = b"\xff abc"
    draft = Draft(body)
    draft.apply([], ("x",))
    assert draft.body is body
    assert draft.names == set()


def test_writes_behind_an_edit_move() -> None:
    draft = Draft("é1234567".encode(), ((10, 4), (20, 5)))
    draft.apply([Edit(0, 2, "ü"), Edit(6, 7, "long")], ("x",))
    assert draft.text == "ü2345long7"
    assert draft.chunks == ((10, 3), (20, 8))
    assert draft.names == {"x"}


def test_a_boundary_inside_an_edit_moves_to_its_end() -> None:
    assert remapped(HALVES, [(2, 6, 10)]) == ((10, 12), (20, 2))
    assert remapped(HALVES, [(3, 4, 10)]) == ((10, 13), (20, 4))
    assert remapped(HALVES, [(4, 5, 10)]) == ((10, 4), (20, 13))


def test_a_write_that_has_nothing_left_joins_the_next() -> None:
    thirds = ((10, 2), (20, 2), (30, 4))
    assert remapped(thirds, [(1, 5, 9)]) == ((10, 10), (50, 3))
    assert remapped(thirds, [(2, 4, 0)]) == ((10, 2), (50, 4))
    assert remapped(thirds, [(1, 8, 3)]) == ((10, 4),)
    assert remapped(thirds, [(0, 8, 0)]) == ()
