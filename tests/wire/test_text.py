from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from hypothesis import given

from k3mock.wire.text import encode, escaped
from tests.strategies import json_values

if TYPE_CHECKING:
    from k3mock.jsonvalue import JSONValue


@pytest.mark.parametrize(
    ("value", "plain", "shown"),
    [
        pytest.param("<b>", b'"<b>"', rb'"\u003cb\u003e"', id="angles"),
        pytest.param("a & b", b'"a & b"', rb'"a \u0026 b"', id="ampersand"),
        pytest.param("\u2028\u2029", b'"\xe2\x80\xa8\xe2\x80\xa9"', rb'"\u2028\u2029"', id="lines"),
        pytest.param({"<": [">"]}, b'{"<":[">"]}', rb'{"\u003c":["\u003e"]}', id="in-keys"),
        pytest.param('"\\/', rb'"\"\\/"', rb'"\"\\/"', id="quotes"),
        pytest.param("\n\t\x00\x1f", rb'"\n\t\u0000\u001f"', rb'"\n\t\u0000\u001f"', id="control"),
        pytest.param("你好🙂", '"你好🙂"'.encode(), '"你好🙂"'.encode(), id="other-scripts"),
        pytest.param({"a": 1, "b": [True, None]}, b'{"a":1,"b":[true,null]}',
                     b'{"a":1,"b":[true,null]}', id="compact"),
        pytest.param({"b": 1, "a": 2}, b'{"b":1,"a":2}', b'{"b":1,"a":2}', id="order-is-kept"),
    ],
)  # fmt: skip
def test_json_is_written_as_the_hosts_encoder_writes_it(
    value: JSONValue, plain: bytes, shown: bytes
) -> None:
    """The raw 429 of 2026-09 has the length of the escaped form."""
    assert encode(value, escape=False) == plain
    assert encode(value, escape=True) == shown


@pytest.mark.parametrize(
    ("value", "written"),
    [
        pytest.param(2**63, b"9223372036854775808", id="within-64-bits"),
        pytest.param(2**64, b"18446744073709551616", id="beyond"),
        pytest.param(-(2**80), b"-1208925819614629174706176", id="negative"),
        pytest.param({"a": [2**70, "<é>", True, None, 1.5, 1]},
                     '{"a":[1180591620717411303424,"\\u003cé\\u003e",true,null,1.5,1]}'.encode(),
                     id="inside"),
    ],
)  # fmt: skip
def test_whole_numbers_of_any_size_are_written(value: JSONValue, written: bytes) -> None:
    assert encode(value, escape=True) == written
    assert json.loads(written) == value


def test_characters_beyond_ascii_may_be_escaped_as_units_of_sixteen_bits() -> None:
    shown = encode({"é": "你🙂\x7f\u2028\uffff"}, escape=False, only_ascii=True)
    assert shown == rb'{"\u00e9":"\u4f60\ud83d\ude42' + b"\x7f" + rb'\u2028\uffff"}'
    assert encode("<é", escape=True, only_ascii=True) == rb'"\u003c\u00e9"'
    assert encode("<", escape=False, only_ascii=True) == b'"<"'


def test_what_is_escaped_already_stays_as_it_is() -> None:
    assert escaped(rb'"\u003c"') == rb'"\u003c"'


@given(value=json_values())
def test_both_forms_say_the_same(value: JSONValue) -> None:
    plain, shown = encode(value, escape=False), encode(value, escape=True)
    narrow = encode(value, escape=False, only_ascii=True)
    assert json.loads(plain) == json.loads(shown) == json.loads(narrow) == value
    assert narrow.isascii()
    assert not set(b"<>&") & set(shown)
    assert b"\n" not in plain + shown


def test_deep_lists_with_many_nulls_are_written_and_do_not_end_the_process() -> None:
    """Releases 3.12.0 and 3.13.0 of the encoder corrupt memory on such values."""
    value: JSONValue = []
    for _ in range(40):
        value = [value, *[None] * 49]
    assert encode(value, escape=True).count(b"null") == 40 * 49
