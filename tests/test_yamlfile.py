"""YAML files: plain values with places, and a message with a place for whatever is wrong."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from k3mock import yamlfile
from k3mock.errors import K3MockError

if TYPE_CHECKING:
    from pathlib import Path


class OddFileError(K3MockError):
    """What these tests want raised."""


def parse(text: str | bytes) -> yamlfile.Located:
    raw = text if isinstance(text, bytes) else text.encode()
    return yamlfile.parse(raw, "a.yaml", OddFileError)


def mistake(text: str | bytes) -> OddFileError:
    with pytest.raises(OddFileError) as caught:
        parse(text)
    return caught.value


@pytest.mark.parametrize(
    ("text", "value"),
    [
        pytest.param("", None, id="empty"),
        pytest.param("# nothing\n", None, id="comment"),
        pytest.param("a: [1, 2.5, true, null, x]", {"a": [1, 2.5, True, None, "x"]}, id="kinds"),
        pytest.param("a: {b: {c: d}}", {"a": {"b": {"c": "d"}}}, id="nested"),
        pytest.param("[12:30, 1:02:03.5, -.inf, .NaN, '1', 1e3]",
                     ["12:30", "1:02:03.5", "-.inf", ".NaN", "1", "1e3"], id="no-numbers"),
        pytest.param("- 1\n- - 2", [1, [2]], id="lists"),
        pytest.param("1: a\n2: b", {"1": "a", "2": "b"}, id="number-keys-are-text"),
        pytest.param("on: 1\nyes: 2\noff: 3\nn: 4", {"on": 1, "yes": 2, "off": 3, "n": 4},
                     id="words-that-yaml-reads-as-true-are-words-as-keys"),
        pytest.param("true: 1\nfalse: 2", {"true": 1, "false": 2}, id="truth-is-text-as-a-key"),
        pytest.param("a: 2026-09-01", {"a": "2026-09-01"}, id="date-is-text"),
        pytest.param("a: 2026-09-01T10:00:00Z", {"a": "2026-09-01T10:00:00Z"}, id="time-is-text"),
        pytest.param("a: !!binary aGk=", {"a": "aGk="}, id="binary-is-text"),
        pytest.param("a: &x [1]\nb: *x", {"a": [1], "b": [1]}, id="alias"),
        pytest.param("a: |\n  one\n  two\n", {"a": "one\ntwo\n"}, id="block"),
        pytest.param('"<<": 1', {"<<": 1}, id="quoted-arrows"),
        pytest.param("a: 'ü'".encode("utf-16"), {"a": "ü"}, id="utf16"),
        pytest.param("a: !!python/object/apply:os.system [x]", {"a": ["x"]},
                     id="tags-on-lists-are-not-obeyed"),
    ],
)  # fmt: skip
def test_yaml_becomes_plain_values(text: str | bytes, value: Any) -> None:
    assert parse(text).value == value


@pytest.mark.parametrize(
    ("place", "where"),
    [
        pytest.param((), "1:1", id="file"),
        pytest.param(("b",), "2:1", id="key"),
        pytest.param(("b", "c"), "3:3", id="inner-key"),
        pytest.param(("b", "d", 1), "6:7", id="item"),
        pytest.param(("b", "d", 1, "e"), "6:7", id="key-in-an-item"),
        pytest.param(("b", "gone", "more"), "2:1", id="nearest-parent"),
        pytest.param(("gone",), "1:1", id="nowhere"),
    ],
)
def test_a_place_is_told_as_file_line_and_column(place: tuple[str | int, ...], where: str) -> None:
    text = "a: 1\nb:\n  c: 2\n  d:\n    - 3\n    - e: 4\n"
    assert parse(text).where(*place) == f"a.yaml:{where}"


MISTAKES = {
    "unclosed": ("a: [1", "1:6", "not valid YAML", "expected ',' or ']'"),
    "tab": ("a:\n\tb: 1", "2:1", "not valid YAML", "'\\t' that cannot start any token"),
    "two-documents": ("a: 1\n---\nb: 2", "2:1", "not valid YAML", "another document"),
    "unknown-alias": ("a: *x", "1:4", "not valid YAML", "undefined alias 'x'"),
    "unknown-tag": ("a: !secret x", "1:4", "not valid YAML", "'!secret'"),
    "python-tag": ("a: !!python/name:os.system x", "1:4", "not valid YAML", "python/name"),
    "twice": ("a: 1\nb: 2\na: 3", "3:1", "the key 'a' is given twice", "keep one of the two"),
    "twice-as-number": ("1: a\n'1': b", "2:1", "the key '1' is given twice", ""),
    "twice-inside": ("x:\n  - {a: 1, a: 2}", "2:12", "the key 'a' is given twice", ""),
    "null-key": ("~: 1", "1:1", "a key must be text", ""),
    "fraction-key": ("1.5: a", "1:1", "a key must be text", ""),
    "list-key": ("? [a]\n: 1", "1:3", "a key must be text", ""),
    "merge-key": ("a: &x {b: 1}\nc:\n  <<: *x", "3:3", "merge keys are not read",
                  "write the keys out"),
    "month-13": ("a: 2026-13-45", "1:4", "not a value of the type timestamp", "'2026-13-45'"),
    "no-number": ("a: !!int ''", "1:4", "not a value of the type int", "''"),
    "no-bool": ("a: !!bool maybe", "1:4", "not a value of the type bool", "'maybe'"),
    "no-time": ("a: !!timestamp soon", "1:4", "not a value of the type timestamp", "'soon'"),
    "5000-digits": ("a: " + "9" * 5000, "1:4", "not a value of the type int", "'999"),
}  # fmt: skip


@pytest.mark.parametrize("name", MISTAKES)
def test_a_mistake_is_told_with_its_place(name: str) -> None:
    text, place, what, says = MISTAKES[name]
    error = mistake(text)
    assert error.where == f"a.yaml:{place}"
    assert error.what == what
    assert says in str(error)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        pytest.param(b"a: \x00", "special characters are not allowed", id="nul"),
        pytest.param(b"a: \xff", "invalid start byte", id="no-utf8"),
        pytest.param(b'a: "\\UFFFFFFFF"', "not valid YAML", id="no-such-character"),
        pytest.param(b'a: "\\U00110000"', "not in range", id="behind-the-last-character"),
    ],
)
def test_what_has_no_place_is_told_with_the_file(text: bytes, says: str) -> None:
    error = mistake(text)
    assert error.where == "a.yaml"
    assert error.what == "not valid YAML"
    assert says in str(error)


def test_a_file_that_is_too_large_is_not_parsed() -> None:
    error = mistake(b"#" * (yamlfile.MAX_BYTES + 1))
    assert error.what == "the file is too large"
    assert error.found == "8000001 bytes"


def test_nesting_has_a_limit() -> None:
    limit = yamlfile.MAX_DEPTH
    assert parse("[" * limit + "]" * limit).value is not None
    error = mistake("[" * (limit + 2) + "]" * (limit + 2))
    assert error.what.startswith("the file is nested too deeply")
    assert error.accepted == "60 levels, 400000 values"


def test_nesting_beyond_all_measure_is_no_crash() -> None:
    assert mistake("[" * 3000).what == "not valid YAML"


@pytest.mark.parametrize("text", ["&a [*a]", "&a {b: *a}", "a: &x\n  - *x\n  - *x\n"])
def test_what_holds_itself_is_refused(text: str) -> None:
    assert mistake(text).what.startswith("the file is nested too deeply")


def test_a_billion_laughs_are_not_laughed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Aliases that multiply: 10 to the 8th values in 9 lines."""
    monkeypatch.setattr(yamlfile, "MAX_NODES", 5_000)
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    lines += [
        f"a{number}: &a{number} [{', '.join([f'*a{number - 1}'] * 10)}]" for number in range(1, 9)
    ]
    assert mistake("\n".join(lines)).what.endswith("repeats too much through aliases")


def test_a_file_is_read_from_its_path(tmp_path: Path) -> None:
    path = tmp_path / "a.yaml"
    path.write_text("a: 1\n", encoding="utf-8")
    found = yamlfile.load(path, OddFileError)
    assert found.value == {"a": 1}
    assert found.where("a") == f"{path}:1:1"


def test_a_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    with pytest.raises(OddFileError) as caught:
        yamlfile.load(tmp_path / "gone.yaml", OddFileError)
    assert caught.value.where == str(tmp_path / "gone.yaml")
    assert caught.value.found == "No such file or directory"
    with pytest.raises(OddFileError, match="the file cannot be read"):
        yamlfile.load(tmp_path, OddFileError)


def test_on_and_off_are_words_and_only_true_and_false_are_flags() -> None:
    """YAML 1.1 would read `off` as false, which no one means by `html_escape: off`."""
    read = parse("[off, on, yes, No, true, FALSE]")
    assert read.value == ["off", "on", "yes", "No", True, False]
