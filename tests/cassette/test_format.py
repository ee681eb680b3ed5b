from __future__ import annotations

import json
import os
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st
from vcr.serializers import yamlserializer

from k3mock.cassette.format import document, items_of, joined, load, parse, write
from k3mock.cassette.interaction import Interaction, RecordedResponse, Timing
from k3mock.cassette.problem import CassetteError
from tests.cassette.recordings import answered, recorded, stock

if TYPE_CHECKING:
    from collections.abc import Callable

NAME = Path("own.yaml")
AWKWARD = [
    b"a\r\nb\rc\n", b"\x00\x01\x7f", b"\x80", b"\xef\xbb\xbfbom", b"null", b"2026-01-01", b"~",
    "a\u2028b\u2029c\x85d".encode(), b"yes", b"1e3", b" lead", b"trail ", b"\n\nversion: 1\n",
    b"- a: b # c", b"'\"\\", b"x" * 300, "😀".encode(), b"\xf0\x9f\x98", b"!!binary x", b"---\n",
    b"# k3mock journal=1 seq=1\n", b"...\n", b"%YAML 1.2\n", b"\t", b"87:14", b"",
]  # fmt: skip


def with_body(body: bytes, number: int = 1) -> Interaction:
    """An interaction whose both bodies are `body`."""
    made = answered(number, answer=body)
    return replace(made, request=replace(made.request, body=body))


def refused(raw: bytes | str, path: Path = NAME) -> CassetteError:
    """Read what cannot be read."""
    with pytest.raises(CassetteError) as caught:
        parse(raw.encode() if isinstance(raw, str) else raw, path)
    return caught.value


@pytest.mark.parametrize("name", ["a.yaml", "a.yml", "a.json"])
def test_what_is_written_is_read_and_is_what_vcrpy_would_have_written(
    tmp_path: Path, name: str
) -> None:
    made = [recorded(1), answered(2, status=429, headers=(("retry-after", "1"),)), recorded(3)]
    path = tmp_path / "deep" / "er" / name
    write(path, made)
    assert path.read_text("ascii") == stock(made, json_format=name.endswith("json"))
    cassette = load(path)
    assert cassette.interactions == tuple(made)
    assert cassette.warnings == ()
    assert cassette.name == "a"
    assert path.stat().st_mode & 0o777 == 0o600
    assert [each.name for each in path.parent.iterdir()] == [name]


@pytest.mark.parametrize("body", AWKWARD, ids=repr)
def test_an_awkward_body_comes_back(body: bytes) -> None:
    made = with_body(body)
    assert document(made) == stock([made])
    assert parse(document(made).encode(), NAME).interactions == (made,)


@given(st.binary() | st.text().map(str.encode))
def test_every_body_comes_back(body: bytes) -> None:
    made = with_body(body)
    assert parse(document(made).encode("ascii"), NAME).interactions == (made,)


def test_writing_leaves_the_values_as_they_are() -> None:
    made = with_body(b"bytes")
    document(made)
    assert made.response.body == b"bytes"
    assert made == with_body(b"bytes")


def test_an_interaction_without_times_has_no_key_of_its_own() -> None:
    assert "k3mock" not in document(replace(recorded(), timing=None))


def test_repeated_headers_of_a_response_are_kept_in_order() -> None:
    response = RecordedResponse(status=200, headers=(("a", "2"), ("b", "x"), ("a", "1")))
    made = replace(answered(), response=response, timing=None)
    (found,) = parse(document(made).encode(), NAME).interactions
    assert found.response.headers == (("a", "2"), ("a", "1"), ("b", "x"))


def test_documents_are_joined_without_being_read() -> None:
    made = [recorded(number, question) for number, question in enumerate(["a", "b", "c"], 1)]
    assert b"".join(joined(map(document, made))).decode() == stock(made)
    assert b"".join(joined([])).decode() == stock([])


def test_a_layout_of_another_vcrpy_is_not_joined_blindly() -> None:
    with pytest.raises(CassetteError, match="layout that is not known"):
        items_of("version: 1\ninteractions: []\n")


def test_a_cassette_without_interactions_is_told_of(tmp_path: Path) -> None:
    write(tmp_path / "none.yaml", [])
    cassette = load(tmp_path / "none.yaml")
    assert cassette.interactions == ()
    assert cassette.warnings == ("the file holds no interaction",)


def test_json_cannot_hold_binary_and_says_which_interaction_has_it(tmp_path: Path) -> None:
    path = tmp_path / "own.json"
    write(path, [answered(1)])
    before = path.read_bytes()
    with pytest.raises(CassetteError) as caught:
        write(path, [answered(1), with_body(b"\xff", 2)])
    assert caught.value.where == f"{path}: interaction 2"
    assert caught.value.hint == "use YAML: own.yaml"
    assert path.read_bytes() == before


@pytest.mark.parametrize(
    ("text", "what", "found"),
    [
        pytest.param("", "the cassette is empty", None, id="empty"),
        pytest.param(" \n", "the cassette is empty", None, id="blank"),
        pytest.param(b"interactions: [\xff]", "the cassette is not UTF-8 text",
                     "byte 0xff at 15", id="latin"),
        pytest.param("interactions: [", "the cassette is damaged or cut off: it is not valid YAML",
                     None, id="open"),
        pytest.param("a: 1\n---\nb: 1\n",
                     "the cassette is damaged or cut off: it is not valid YAML", None, id="two"),
        pytest.param("a: \x00", "the cassette is damaged or cut off: it is not valid YAML", None,
                     id="nul"),
        pytest.param("a: 2026-13-01", "the cassette is damaged or cut off: it is not valid YAML",
                     None, id="no date"),
        pytest.param("a: !!python/object/apply:os.system [id]",
                     "the cassette holds Python objects that are not safe to load", None,
                     id="code"),
        pytest.param("- request: {}", "the cassette has the layout of vcrpy before 1.0", None,
                     id="old"),
        pytest.param("just text", "the file is no cassette", "'just text'", id="text"),
        pytest.param("interactions: []",
                     "the cassette has no version: it was cut off, or is no cassette",
                     "the keys interactions", id="no version"),
        pytest.param("interactions: []\nversion:",
                     "the cassette has no version: it was cut off, or is no cassette",
                     "the keys interactions, version", id="half a version"),
        pytest.param("interactions: []\nversion: 2",
                     "the cassette has a version that is not known", "2", id="version 2"),
        pytest.param("interactions: []\nversion: true",
                     "the cassette has a version that is not known", "True", id="version true"),
        pytest.param("interactions:\nversion: 1", "`interactions` is no list", "None", id="null"),
        pytest.param("version: 1", "`interactions` is no list", "None", id="none"),
    ],
)  # fmt: skip
def test_a_file_that_is_no_whole_cassette_is_never_an_empty_one(
    text: str | bytes, what: str, found: str | None
) -> None:
    error = refused(text)
    assert error.what == what
    assert str(error.where).startswith("own.yaml")
    assert found is None or error.found == found
    assert error.hint


def test_the_line_of_damaged_yaml_and_the_number_of_a_broken_item_are_said() -> None:
    assert refused("interactions:\n- a: b: c\n").where == "own.yaml:2"
    assert refused("interactions:\n- request: {}\nversion: 1").where == "own.yaml: interaction 1"


def test_damaged_json_is_said_too() -> None:
    whole = stock([answered()], json_format=True)
    error = refused(whole[:-3], Path("own.json"))
    assert error.what == "the cassette is damaged or cut off: it is not valid JSON"


def test_a_missing_or_unreadable_file_is_said(tmp_path: Path) -> None:
    with pytest.raises(CassetteError) as caught:
        load(tmp_path / "none.yaml")
    assert caught.value.what == "there is no such cassette"
    with pytest.raises(CassetteError) as caught:
        load(tmp_path)
    assert caught.value.what == "the cassette cannot be read"
    assert caught.value.found == "Is a directory"


def _cuts(text: str, step: int) -> list[int]:
    return [*range(0, len(text) - 1, step), *range(max(0, len(text) - 30), len(text) - 1)]


def _swept(text: str, step: int) -> int:
    """Cut a cassette at many places: each prefix is refused, or lacks nothing."""
    whole = parse(text.encode(), NAME).interactions
    refusals = 0
    for cut in _cuts(text, step):
        try:
            found = parse(text[:cut].encode(), NAME)
        except CassetteError:
            refusals += 1
            continue
        assert found.interactions == whole, cut
    return refusals


TRAILER = "data: {}\n\nversion: 1\n\ninteractions:\n- request: {}\n\nversion: 1\n"


def _to_be_cut() -> str:
    """A cassette with text, a body that looks like an end, and a binary one."""
    made = [recorded(1), with_body(TRAILER.encode(), 2), with_body(b"\xff\x00" * 40, 3)]
    return stock(made)


def test_a_file_that_was_cut_off_is_refused() -> None:
    text = _to_be_cut()
    assert _swept(text, 29) == len(_cuts(text, 29))


@pytest.mark.slow
def test_a_file_that_was_cut_off_anywhere_is_refused() -> None:
    text = _to_be_cut()
    assert _swept(text, 1) == len(_cuts(text, 1))


def test_what_many_interactions_have_in_common_is_said_once() -> None:
    made = [replace(recorded(n), timing=Timing(seq=n, unknown={"x": 1})) for n in range(1, 9)]
    assert parse(stock_of(made), NAME).warnings == (
        "interactions 1, 2, 3, 4, 5 and 3 more: the key `k3mock` has members that are not known: x",
    )
    for count, where in ((2, "interactions 1, 2"), (1, "interaction 1")):
        assert parse(stock_of(made[:count]), NAME).warnings == (
            f"{where}: the key `k3mock` has members that are not known: x",
        )


def stock_of(made: list[Interaction]) -> bytes:
    return b"".join(joined(map(document, made)))


def test_what_will_not_be_kept_is_told_of() -> None:
    text = stock([answered()]) + "metadata: {a: 1}\nown: 1\n"
    assert parse(text.encode(), NAME).warnings == (
        "the file has `metadata`, which pytest-recording cannot load and k3mock does not keep",
        "the file has keys that nobody keeps: own",
    )


def test_files_and_pieces_that_an_old_vcrpy_stored_as_objects_are_read() -> None:
    binary = "!!binary ZmlsZQ=="
    file = f"!!python/object/new:_io.BytesIO\n      state: !!python/tuple [{binary}, 0, null]"
    pieces = "!!python/object/apply:builtins.iter\n      args: [[ab, cd]]"
    text = stock([replace(answered(), request=replace(answered().request, body=b"BODY"))])
    for stored, body in ((file, b"file"), (pieces, b"abcd")):
        (found,) = parse(text.replace("BODY", stored).encode(), NAME).interactions
        assert found.request.body == body


def test_a_byte_order_mark_does_no_harm() -> None:
    assert parse(b"\xef\xbb\xbf" + stock([answered()]).encode(), NAME).interactions == (answered(),)


def test_a_slow_yaml_is_told_of(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(yaml, "__with_libyaml__", False)
    (warning,) = parse(stock([answered()]).encode(), NAME).warnings
    assert warning.startswith("PyYAML lacks libyaml here")
    json_text = stock([answered()], json_format=True)
    assert parse(json_text.encode(), Path("own.json")).warnings == ()


@pytest.mark.parametrize("step", ["write", "fsync", "replace"])
def test_a_disk_that_refuses_leaves_the_old_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    path = tmp_path / "own.yaml"
    write(path, [answered(1)])
    before = path.read_bytes()

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    target: object = Path if step == "replace" else os
    monkeypatch.setattr(target, step, full)
    with pytest.raises(CassetteError) as caught:
        write(path, [answered(1), answered(2)])
    monkeypatch.undo()
    assert caught.value.found == "No space left on device"
    assert caught.value.hint == "free some space on that disk"
    assert path.read_bytes() == before
    assert [each.name for each in tmp_path.iterdir()] == ["own.yaml"]


@pytest.mark.parametrize(
    ("code", "hint"),
    [(13, "make the file and its folder writable, or choose another path"),
     (30, "make the file and its folder writable, or choose another path"),
     (27, "free some space on that disk"),
     (5, "check the path, or choose another one")],
)  # fmt: skip
def test_what_to_do_depends_on_what_the_system_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: int, hint: str
) -> None:
    def refuse(*_: object) -> None:
        raise OSError(code, "refused")

    monkeypatch.setattr(os, "open", refuse)
    with pytest.raises(CassetteError) as caught:
        write(tmp_path / "own.yaml", [])
    assert caught.value.hint == hint


def test_short_writes_are_carried_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real: Callable[[int, memoryview], int] = os.write
    monkeypatch.setattr(os, "write", lambda fd, data: real(fd, data[:7]))
    write(tmp_path / "own.yaml", [answered(1)])
    monkeypatch.undo()
    assert load(tmp_path / "own.yaml").interactions == (answered(1),)


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "far").mkdir()
    link = tmp_path / "own.yaml"
    link.symlink_to(tmp_path / "far" / "real.yaml")
    write(link, [answered(1)])
    assert link.is_symlink()
    assert load(tmp_path / "far" / "real.yaml").interactions == (answered(1),)


def test_a_folder_that_cannot_be_opened_does_no_harm(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real: Callable[..., int] = os.open

    def only_files(path: Path, *rest: int) -> int:
        if Path(path).is_dir():
            raise OSError(13, "Windows opens no folders")
        return real(path, *rest)

    monkeypatch.setattr(os, "open", only_files)
    write(tmp_path / "own.yaml", [answered(1)])
    assert load(tmp_path / "own.yaml").interactions == (answered(1),)


def test_vcrpy_itself_reads_the_same_values(tmp_path: Path) -> None:
    write(tmp_path / "own.yaml", [recorded(1)])
    data = yamlserializer.deserialize((tmp_path / "own.yaml").read_text("ascii"))
    assert json.loads(data["interactions"][0]["request"]["body"])["model"] == "kimi-k3"
    assert data["interactions"][0]["response"]["k3mock"]["chunks"].startswith("22000/")
