from __future__ import annotations

import pytest

from k3mock.generator.expression import Either, Letters, Repeat, Row, may_be_empty, understood


def test_an_expression_becomes_a_tree() -> None:
    tree = understood(r"^ab?|\d{2,3}$")
    assert isinstance(tree, Either)
    first, second = tree.nodes
    assert isinstance(first, Row)
    assert isinstance(first.nodes[1], Repeat)
    assert isinstance(second, Repeat)
    assert (second.least, second.most) == (2, 3)


@pytest.mark.parametrize(
    ("pattern", "empty"),
    [("a", False), ("a?", True), ("a?b", False), ("a|", True), ("(?:a+)", False), ("", True)],
)
def test_it_is_known_what_may_be_empty(pattern: str, empty: bool) -> None:
    tree = understood(pattern)
    assert tree is not None
    assert may_be_empty(tree) is empty


@pytest.mark.parametrize(
    ("one", "other", "unlike"),
    [
        (r"\d", "-", True),
        (r"\d", "5", False),
        (r"\d", "٣", False),
        ("[a-c]", "d", True),
        (".", "-", False),
        ("[^@]", "@", True),
        ("[^@]", r"\n", False),
        (r"\s", r"\S", False),
    ],
)
def test_letters_are_unlike_only_if_no_letter_is_both(
    one: str,
    other: str,
    unlike: bool,
) -> None:
    left, right = understood(one), understood(other)
    assert isinstance(left, Letters)
    assert isinstance(right, Letters)
    assert left.is_unlike(right) is unlike
