from __future__ import annotations

from typing import TYPE_CHECKING

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from k3mock.generator.resume import rest_of_json

if TYPE_CHECKING:
    from k3mock.jsonvalue import JSONValue

VALUES = st.recursive(
    st.one_of(
        st.none(),
        st.booleans(),
        st.integers(-(10**9), 10**9),
        st.floats(-1e6, 1e6),
        st.text(st.characters(exclude_categories=["Cs"]), max_size=6),
    ),
    lambda inner: st.one_of(
        st.lists(inner, max_size=4),
        st.dictionaries(st.text('abé"\\\n', max_size=3), inner, max_size=4),
    ),
    max_leaves=12,
)


def invent(key: str) -> JSONValue:
    return f"about {key}"


@settings(derandomize=True, deadline=None, max_examples=300)
@given(VALUES, st.floats(0, 1), st.booleans(), VALUES)
def test_every_beginning_of_json_is_finished(
    value: JSONValue,
    share: float,
    spaced: bool,
    guide: JSONValue,
) -> None:
    option = orjson.OPT_INDENT_2 if spaced else 0
    text = orjson.dumps(value, option=option).decode()
    beginning = text[: int(len(text) * share)]
    rest = rest_of_json(beginning, guide, invent)
    assert rest is not None
    orjson.loads(beginning + rest)


GUIDE: JSONValue = {"city": "Paris", "size": {"km": 105}, "tags": ["old", "big"], "n": 3}


@pytest.mark.parametrize(
    ("beginning", "rest"),
    [
        ("", '{"city":"Paris","size":{"km":105},"tags":["old","big"],"n":3}'),
        ("{", '"city":"Paris","size":{"km":105},"tags":["old","big"],"n":3}'),
        ('{"city": "Par', 'is","size":{"km":105},"tags":["old","big"],"n":3}'),
        ('{"city": "Ro', '","size":{"km":105},"tags":["old","big"],"n":3}'),
        ('{"ci', 'ty":"Paris","size":{"km":105},"tags":["old","big"],"n":3}'),
        ('{"size": {', '"km":105},"city":"Paris","tags":["old","big"],"n":3}'),
        ('{"n": 1, "size":{"km":1},"city":"", "tags": ["old"', ',"big"]}'),
        ('{"n": 1, "size":{"km":1},"city":"", "tags": [', '"old","big"]}'),
        ('{"n": 1, "size":{"km":1},"city":"", "tags": ["x","y"]', "}"),
        ('{"n": 1, "size":{"km":1},"city":"", "tags": ["x","y",', '"big"]}'),
        ('{"n": 1, "size":{"km":1},"city":"", "tags": [],', '"summary":"about summary"}'),
        ('{"n": 1, "size":{"km":1},"tags":[],"city":', '"Paris"}'),
        ('{"n": 1, "size":{"km":1},"tags":[],"city"', ':"Paris"}'),
        ('{"n": -', '1,"city":"Paris","size":{"km":105},"tags":["old","big"]}'),
        ('{"other":', '"about other","city":"Paris","size":{"km":105},"tags":["old","big"],"n":3}'),
        ('{"city":"a\\', 'n","size":{"km":105},"tags":["old","big"],"n":3}'),
        ('{"a\\', 'n":"about a","city":"Paris","size":{"km":105},"tags":["old","big"],"n":3}'),
        ('"\\u', '0000"'),
        ('"\\u12', '00"'),
        ('"\\ud83', '0\\udc00"'),
        ("[1, 2", "]"),
        ("[1, 2,", '"about "]'),
        ("[", "]"),
        ("[]", ""),
        ("tr", "ue"),
        ("nul", "l"),
        ("1.", "1"),
        ("1e", "1"),
        ('"Tok', '"'),
        ("12", ""),
        ('  {"a":1}  ', ""),
    ],
)
def test_a_beginning_is_finished_like_the_guide(beginning: str, rest: str) -> None:
    guide = GUIDE if beginning[:1] in {"", "{"} else None
    assert rest_of_json(beginning, guide, invent) == rest


def test_an_object_that_wants_one_more_key_gets_a_new_one() -> None:
    keys = ("summary", "detail", "note", "remark", "comment", "more")
    used = ",".join(f'"{key}":1' for key in keys)
    assert rest_of_json("{" + used + ",", None, invent) == '"last":"about last"}'


@pytest.mark.parametrize(
    "beginning",
    [
        "}",
        "[}",
        '{"a"}',
        '{"a" "b"',
        "{1",
        "[1 2",
        "1 2",
        ",",
        '"a" "b"',
        "{,",
        "[:",
        "Sure",
        "{a: 1",
        '"\\q',
        '"\n',
        '"\\udc1',
        "[" * 100,
        "[" * 20_001,
        "[+1",
        "01",
        "--",
        '"\\ud800',
    ],
)
def test_what_is_not_json_is_not_finished(beginning: str) -> None:
    assert rest_of_json(beginning, None, invent) is None
