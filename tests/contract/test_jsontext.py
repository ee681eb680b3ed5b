"""Bodies become JSON or the one reason why they are none."""

from __future__ import annotations

import json
import math

import pytest

from k3mock.contract.jsontext import MAX_DEPTH, JsonTextError, read_json


def nested(levels: int, leaf: str = "") -> bytes:
    return b"[" * levels + leaf.encode() + b"]" * levels


def problem(body: bytes) -> str:
    with pytest.raises(JsonTextError) as caught:
        read_json(body)
    assert str(caught.value) == caught.value.problem
    return caught.value.problem


@pytest.mark.parametrize(
    ("body", "value"),
    [
        pytest.param(b'{"a":[1,2.5,true,null,"x"]}', {"a": [1, 2.5, True, None, "x"]}, id="all"),
        pytest.param(b" 5\n", 5, id="number"),
        pytest.param(b'"\\u00fc"', "ü", id="escape"),
        pytest.param('"ü"'.encode(), "ü", id="utf8"),
        pytest.param(b'{"a":1,"a":2}', {"a": 2}, id="last-of-two"),
        pytest.param(b'{"a":1,"a":2,"b":"\\ud800"}', {"a": 2, "b": "\ufffd"}, id="last-slowly"),
        pytest.param(b"18446744073709551615", 18_446_744_073_709_551_615, id="64-bit"),
        pytest.param(b"-9223372036854775808", -9_223_372_036_854_775_808, id="least-64-bit"),
        pytest.param(b"18446744073709551616", 2.0**64, id="65-bit"),
        pytest.param(b"-0", 0, id="minus-nothing"),
        pytest.param(b"1e3", 1000.0, id="exponent"),
        pytest.param(b"1e-999", 0.0, id="too-small-is-nothing"),
    ],
)
def test_json_is_read(body: bytes, value: object) -> None:
    assert read_json(body) == value
    assert type(read_json(body)) is type(value)


@pytest.mark.parametrize(
    ("body", "value"),
    [
        pytest.param(rb'"\ud83d"', "\ufffd", id="first-half"),
        pytest.param(rb'"\ude00 x"', "\ufffd x", id="second-half"),
        pytest.param(rb'"\ud83d\ude00"', "😀", id="whole"),
        pytest.param(rb'["\ud83d\ude00", "\ud83d"]', ["😀", "\ufffd"], id="both"),
        pytest.param(rb'{"\udfff": {"a": "\ud800", "b": 1}}',
                     {"\ufffd": {"a": "\ufffd", "b": 1}}, id="in-a-key"),
        pytest.param(rb'["\ud800", 12345678901234567890123, 7, 1.5]',
                     ["\ufffd", 12345678901234567890123.0, 7, 1.5], id="beside-numbers"),
    ],
)  # fmt: skip
def test_halves_of_pairs_become_the_replacement_character(body: bytes, value: object) -> None:
    """As in the vendor's language; JavaScript clients send them when they cut a string."""
    assert read_json(body) == value


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        pytest.param(b"", "the request body is empty", id="empty"),
        pytest.param(b" \r\n", "the request body is empty", id="white-space"),
        pytest.param(b"\xef\xbb\xbf5", "the request body starts with a byte order mark", id="bom"),
        pytest.param(b"\xff\xfe5\x00", "the request body is not valid UTF-8 (byte 0)", id="utf16"),
        pytest.param(b'"a\xc3"', "the request body is not valid UTF-8 (byte 2)", id="cut-letter"),
        pytest.param(b'"\xc0\x80"', "the request body is not valid UTF-8 (byte 1)", id="overlong"),
        pytest.param(b"NaN", "NaN is not a JSON number", id="nan"),
        pytest.param(b"[Infinity]", "Infinity is not a JSON number", id="infinity"),
        pytest.param(b"-Infinity", "-Infinity is not a JSON number", id="minus-infinity"),
        pytest.param(b"1e400", "the number 1e400 is out of range", id="float"),
        pytest.param(b"-1e400", "the number -1e400 is out of range", id="minus-float"),
        pytest.param(b"1" * 400, f"the number {'1' * 40} is out of range", id="whole"),
        pytest.param(
            b'{"a"', "malformed JSON at line 1 column 5", id="cut"
        ),
        pytest.param(b"[1\n2]", "malformed JSON at line 2 column 1",
                     id="second-line"),
        pytest.param(b"[1]]", "malformed JSON at line 1 column 4", id="more"),
        pytest.param(
            b'"\x01"', "malformed JSON at line 1 column 2", id="raw"
        ),
    ],
)  # fmt: skip
def test_the_one_reason_is_named(body: bytes, expected: str) -> None:
    assert problem(body) == expected


def test_nesting_is_read_down_to_the_limit_and_no_further() -> None:
    deepest: object = read_json(nested(MAX_DEPTH))
    assert isinstance(deepest, list)
    too_deep = f"the JSON body is nested more than {MAX_DEPTH} levels deep"
    assert problem(nested(MAX_DEPTH + 1)) == too_deep


def test_the_limit_holds_on_the_slow_way_too() -> None:
    """A half of a pair sends a body the slow way."""
    half = '"\\ud800"'
    assert read_json(nested(MAX_DEPTH, half))
    assert problem(nested(MAX_DEPTH + 1, half)).endswith("levels deep")


@pytest.mark.parametrize("opening", [b"[", b'{"a":', b'[{"a":'])
@pytest.mark.parametrize("closed", [True, False])
def test_a_bomb_is_refused_at_once(opening: bytes, closed: bool) -> None:
    closing = opening[:1].replace(b"[", b"]").replace(b"{", b"}")
    if opening == b'[{"a":':
        closing = b"}]"
    levels = 50_000
    body = opening * levels + b"1" + closing * levels * closed
    assert problem(body).endswith("levels deep")


def test_many_brackets_side_by_side_are_not_deep() -> None:
    body = json.dumps([[{}] for _ in range(MAX_DEPTH * 5)]).encode()
    assert read_json(body) == json.loads(body)


def test_brackets_in_strings_are_not_deep() -> None:
    assert read_json(b'"' + b"[" * 5000 + b'"') == "[" * 5000


def test_no_number_that_is_read_is_infinite() -> None:
    value = read_json(b"[1e308, -1.7976931348623157e308, " + b"9" * 300 + b"]")
    assert isinstance(value, list)
    assert all(isinstance(item, int | float) and math.isfinite(item) for item in value)
