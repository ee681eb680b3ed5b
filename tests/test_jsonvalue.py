from __future__ import annotations

import pytest

from k3mock.jsonvalue import JSONValue, as_int, as_list, as_object, as_text, type_name

EVERY_TYPE = [
    pytest.param(None, "null", id="null"),
    pytest.param(True, "bool", id="true"),
    pytest.param(False, "bool", id="false"),
    pytest.param(0, "number", id="zero"),
    pytest.param(-3, "number", id="integer"),
    pytest.param(0.5, "number", id="fraction"),
    pytest.param("", "string", id="empty-text"),
    pytest.param("x", "string", id="text"),
    pytest.param([], "array", id="empty-array"),
    pytest.param([1], "array", id="array"),
    pytest.param({}, "object", id="empty-object"),
    pytest.param({"a": 1}, "object", id="object"),
]


@pytest.mark.parametrize(("value", "name"), EVERY_TYPE)
def test_every_type_has_the_vendors_name(value: JSONValue, name: str) -> None:
    assert type_name(value) == name


@pytest.mark.parametrize(("value", "name"), EVERY_TYPE)
def test_readers_give_a_value_of_their_type_or_nothing(value: JSONValue, name: str) -> None:
    assert as_text(value) == (value if name == "string" else None)
    assert as_list(value) == (value if name == "array" else None)
    assert as_object(value) == (value if name == "object" else None)


@pytest.mark.parametrize(
    ("value", "number"),
    [
        pytest.param(7, 7, id="whole"),
        pytest.param(0, 0, id="zero"),
        pytest.param(-1, -1, id="negative"),
        pytest.param(16.0, 16, id="whole-float"),
        pytest.param(16.5, None, id="fraction"),
        pytest.param(float("inf"), None, id="infinite"),
        pytest.param(float("nan"), None, id="not-a-number"),
        pytest.param(True, None, id="true-is-no-number"),
        pytest.param(False, None, id="false-is-no-number"),
        pytest.param("16", None, id="text"),
        pytest.param(None, None, id="null"),
        pytest.param([16], None, id="array"),
    ],
)
def test_whole_numbers_are_read_whatever_their_spelling(
    value: JSONValue, number: int | None
) -> None:
    found = as_int(value)
    assert found == number
    assert found is None or type(found) is int
