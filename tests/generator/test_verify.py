from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from k3mock.generator.verify import Verdict, verdict, warm

if TYPE_CHECKING:
    from k3mock.jsonvalue import JSONObject


def _bomb(levels: int) -> JSONObject:
    """A schema that doubles at each level."""
    levels_: JSONObject = {
        f"l{n}": {"allOf": [{"$ref": f"#/$defs/l{n + 1}"}, {"$ref": f"#/$defs/l{n + 1}"}]}
        for n in range(levels)
    }
    return {"$ref": "#/$defs/l0", "$defs": {**levels_, f"l{levels}": {}}}


def test_valid_and_invalid_are_told_apart() -> None:
    schema: JSONObject = {"type": "object", "required": ["a"]}
    assert verdict(schema, {"a": 1}) is Verdict.VALID
    assert verdict(schema, {}) is Verdict.INVALID


def test_formats_count() -> None:
    assert verdict({"format": "date"}, "soon") is Verdict.INVALID


@pytest.mark.parametrize(
    "schema",
    [
        pytest.param(_bomb(30), id="bomb"),
        pytest.param({"$ref": "#"}, id="endless"),
        pytest.param({"$ref": "https://example.org/x.json"}, id="remote"),
        pytest.param({"type": 5}, id="odd type"),
        pytest.param({"pattern": "^(a+)+$"}, id="hostile pattern"),
        pytest.param({"patternProperties": {"^(a+)+$": {}}}, id="hostile key pattern"),
    ],
)
def test_costly_or_odd_schemas_cannot_be_judged(schema: JSONObject) -> None:
    instance: JSONObject = {"a": 1}
    judged = verdict(
        schema, "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!" if "pattern" in schema else instance
    )
    assert judged is Verdict.UNKNOWN


def test_a_safe_pattern_is_judged_on_a_short_text_only() -> None:
    assert verdict({"pattern": "^a$"}, "b") is Verdict.INVALID
    assert verdict({"pattern": "^a$"}, "b" * 101) is Verdict.UNKNOWN
    assert verdict({"patternProperties": {"^a$": {"type": "null"}}}, {"a": 1}) is Verdict.INVALID


def test_the_validator_is_made_once() -> None:
    assert warm() is warm()
