from __future__ import annotations

import json

import pytest
import yaml

from k3mock.scenario.jsontext import as_yaml


@pytest.mark.parametrize(
    "text",
    [
        '{"a": "\\ud83d\\ude00", "b": "\\u00e9\\\\ud83d\\\\ude00", "c": "\\"\\\\"}',
        '{\t"a":\t[1e5, 1E-7, -1.5e22, 1e300, 2.0e+3, 7, 0.5],\n\t"b": null}',
        '[{"a":1,"b":"1e5: x # y\\t"}, true, "no"]',
        ' {"deep": {"er": []}}',
    ],
)
def test_json_means_the_same_as_yaml(text: str) -> None:
    assert yaml.safe_load(as_yaml(text.encode())) == json.loads(text)


def test_lines_stay_where_they_are() -> None:
    text = '{\n\t"a": 1e5,\n\t"b": "\\ud83d\\ude00"\n}'
    assert as_yaml(text.encode()).decode().count("\n") == text.count("\n")


@pytest.mark.parametrize("raw", [b"name: a\n", b"{a: 1}", b"{\xff}", b"", b"[" * 100_000, b"{\t"])
def test_what_is_no_json_stays_as_it_is(raw: bytes) -> None:
    assert as_yaml(raw) == raw
