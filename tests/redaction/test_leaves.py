"""Leaves of JSON text with their places."""

from __future__ import annotations

import pytest

from k3mock.redaction.leaves import escape, leaves, unescape


def test_leaves_have_the_path_that_a_parser_would_show() -> None:
    text = '{"a": [1, {"b\\u0063": "x\\"y"}, [true, null]], "d": {}, "e": "f"}'
    found = [(leaf.path, leaf.value) for leaf in leaves(text) if not leaf.key]
    assert found == [
        (("a", 0), "1"),
        (("a", 1, "bc"), 'x"y'),
        (("a", 2, 0), "true"),
        (("a", 2, 1), "null"),
        (("e",), "f"),
    ]
    assert [leaf.raw for leaf in leaves(text) if leaf.key] == ["a", "b\\u0063", "d", "e"]
    assert all(text[leaf.start : leaf.end] == leaf.raw for leaf in leaves(text))


@pytest.mark.parametrize("text", ['{"a": "bc', '{"a": "bc\\', '}]]{"a": "bc"', ',"a": "bc"'])
def test_what_is_cut_off_or_broken_is_read_as_far_as_it_goes(text: str) -> None:
    assert [leaf.raw[:2] for leaf in leaves(text)] == ["a", "bc"]


def test_a_part_of_a_text_can_be_read() -> None:
    assert [leaf.start for leaf in leaves('"a" "b" "c"', 3, 7)] == [5]


def test_broken_escapes_stay_as_they_are() -> None:
    assert unescape("a\\x") == "a\\x"
    assert unescape("a\\u00e9") == "aé"


def test_strings_are_escaped_like_those_around() -> None:
    assert escape('é"', "plain") == '\\u00e9\\"'
    assert escape('é"', "ü") == 'é\\"'
    assert escape("é\ud800", "ü") == "\\u00e9\\ud800"
