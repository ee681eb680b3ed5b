from __future__ import annotations

import base64
import sys
from typing import TYPE_CHECKING

import pytest
import splintr
from hypothesis import given

from k3mock.errors import VocabularyError
from k3mock.text import vocabulary
from k3mock.text.vocabulary import K3_PATTERN, OFFICIAL_K3_FILE_SHA256, Vocabulary, load
from tests.strategies import any_text, texts

if TYPE_CHECKING:
    from pathlib import Path

K3_RANKS = 163_584

K3_VECTORS = [
    pytest.param("hello world", [22931, 2695], id="hello-world"),
    pytest.param(
        "The quick brown fox jumps over the lazy dog.",
        [1008, 5072, 16331, 69275, 60062, 1312, 276, 29292, 7751, 13],
        id="fox",
    ),
    pytest.param(
        "你好，世界！我是 Kimi K3。",
        [33845, 378, 2243, 856, 7808, 24980, 72, 1040, 18, 292],
        id="chinese",
    ),
    pytest.param("", [], id="nothing"),
]
"""Ids that agree with Moonshot's own tokenizer."""


@pytest.fixture(scope="module")
def tiktoken_k3() -> Vocabulary:
    return load("kimi_k3")


@pytest.fixture(scope="module")
def splintr_k3() -> Vocabulary:
    return load("kimi_k3", counter="splintr")


@pytest.fixture(scope="module")
def official_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Moonshot's `tiktoken.model`, written anew from the ranks."""
    tokenizer = splintr.Tokenizer.from_pretrained("kimi_k3")
    path = tmp_path_factory.mktemp("vocabulary") / "tiktoken.model"
    lines = (
        base64.b64encode(tokenizer.decode_token_bytes(rank)) + b" %d\n" % rank
        for rank in range(K3_RANKS)
    )
    path.write_bytes(b"".join(lines))
    return path


@pytest.mark.parametrize(("text", "ids"), K3_VECTORS)
def test_published_ids_come_out_with_both_engines(
    text: str, ids: list[int], tiktoken_k3: Vocabulary, splintr_k3: Vocabulary
) -> None:
    assert tiktoken_k3.engine.encode(text) == ids
    assert splintr_k3.engine.encode(text) == ids


@pytest.mark.parametrize(
    "marker", ["<|open|>", "<|close|>", "<|sep|>", "<|end_of_msg|>", "<|media_pad|>", "[EOS]"]
)
def test_control_tokens_typed_by_a_user_stay_ordinary_text(
    marker: str, tiktoken_k3: Vocabulary, splintr_k3: Vocabulary
) -> None:
    """K3's control tokens are the 256 ids from 163,584 up; no text may reach them."""
    text = f"literal {marker} in a sentence"
    ids = tiktoken_k3.engine.encode(text)
    assert splintr_k3.engine.encode(text) == ids
    assert max(ids) < K3_RANKS
    assert len(tiktoken_k3.engine.encode(marker)) > 1
    assert b"".join(map(tiktoken_k3.engine.token_bytes, ids)).decode() == text


@given(text=texts() | any_text())
def test_the_two_engines_give_the_same_ids(text: str) -> None:
    tiktoken, splintr_engine = load("kimi_k3"), load("kimi_k3", counter="splintr")
    ids = tiktoken.engine.encode(text)
    assert splintr_engine.engine.encode(text) == ids
    assert b"".join(map(tiktoken.engine.token_bytes, ids)) == text.encode()
    assert [splintr_engine.engine.token_bytes(token) for token in ids] == [
        tiktoken.engine.token_bytes(token) for token in ids
    ]


@pytest.mark.parametrize(
    ("name", "ids"),
    [
        pytest.param("o200k_base", [24912, 2375], id="o200k"),
        pytest.param("cl100k_base", [15339, 1917], id="cl100k"),
    ],
)
def test_the_approximate_vocabularies_give_their_published_ids(name: str, ids: list[int]) -> None:
    loaded = load(name, counter="splintr")
    assert loaded.engine.encode("hello world") == ids
    assert loaded.label == f"{name} (approximate, splintr)"
    assert not loaded.official


def test_k3_names_itself_official(tiktoken_k3: Vocabulary, splintr_k3: Vocabulary) -> None:
    assert tiktoken_k3.label == "kimi_k3 (official ranks, tiktoken)"
    assert splintr_k3.label == "kimi_k3 (official ranks, splintr)"
    assert tiktoken_k3.sha256 == splintr_k3.sha256
    assert isinstance(tiktoken_k3.engine, vocabulary._Tiktoken)
    assert isinstance(splintr_k3.engine, vocabulary._Splintr)


def test_the_split_pattern_is_the_published_one() -> None:
    assert splintr.KIMI_PATTERN == K3_PATTERN


@pytest.fixture
def not_yet_loaded() -> None:
    """Forget what this process loaded, so that the package is looked at again."""
    vocabulary._from_splintr.cache_clear()


def test_a_vocabulary_of_the_package_is_loaded_once_a_process(splintr_k3: Vocabulary) -> None:
    """A second server, or a second mock, of the same process does not pay for it again."""
    again = load("kimi_k3", counter="splintr")
    assert again is load("kimi_k3", counter="splintr")
    assert again.sha256 == splintr_k3.sha256
    assert again is not load("cl100k_base", counter="splintr")


@pytest.mark.usefixtures("not_yet_loaded")
def test_ranks_that_are_not_the_published_ones_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    known = vocabulary._KNOWN["kimi_k3"]
    fewer = vocabulary._Known(known.ranks - 1, known.pattern, known.pin)
    monkeypatch.setitem(vocabulary._KNOWN, "kimi_k3", fewer)
    with pytest.raises(VocabularyError) as caught:
        load("kimi_k3", counter="splintr")
    assert known.pin in str(caught.value)
    assert "splintr-rs 0.22.0" in str(caught.value)


@pytest.mark.usefixtures("not_yet_loaded")
def test_without_the_package_both_ways_out_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "splintr", None)
    with pytest.raises(VocabularyError) as caught:
        load("kimi_k3")
    assert "pip install 'splintr-rs" in str(caught.value)
    assert "vocabulary=file" in str(caught.value)


def test_a_file_with_the_official_bytes_is_recognised_without_the_package(
    official_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Moonshot's file: 163,584 lines, 2,795,286 bytes, a sha256 that anyone can check."""
    assert official_file.stat().st_size == 2_795_286
    monkeypatch.setitem(sys.modules, "splintr", None)
    loaded = load("file", path=str(official_file))
    assert loaded.official
    assert loaded.sha256 == OFFICIAL_K3_FILE_SHA256
    assert loaded.label == "file (official ranks, tiktoken)"
    assert loaded.engine.encode("hello world") == [22931, 2695]


def test_a_file_with_other_bytes_counts_but_is_not_official(tmp_path: Path) -> None:
    path = tmp_path / "own.model"
    path.write_bytes(b"".join(_line(bytes([value]), value) for value in range(256)))
    loaded = load("file", path=str(path))
    assert not loaded.official
    assert loaded.engine.encode("hi") == [104, 105]


def _line(token: bytes, rank: int) -> bytes:
    return base64.b64encode(token) + b" %d\n" % rank


@pytest.mark.parametrize(
    "line",
    [
        pytest.param(b"aGVsbG8=\n", id="no-rank"),
        pytest.param(b"\n", id="empty-line"),
        pytest.param(b"aGVsbG8= two\n", id="rank-is-no-number"),
        pytest.param(b"aGVsbG8= 7\n", id="rank-out-of-order"),
        pytest.param(b"aGVs*G8= 2\n", id="not-base64"),
        pytest.param(b"aGVsbG8 2\n", id="base64-cut-short"),
        pytest.param(b"a b 2\n", id="three-words"),
        pytest.param(b"\xff\xfe 2\n", id="not-text"),
    ],
)
def test_a_broken_line_is_named_by_file_and_number(line: bytes, tmp_path: Path) -> None:
    path = tmp_path / "broken.model"
    path.write_bytes(_line(b"a", 0) + _line(b"b", 1) + line)
    with pytest.raises(VocabularyError) as caught:
        load("file", path=str(path))
    assert caught.value.where == f"{path}:3"
    assert "ranks counting up from 0" in str(caught.value)


@pytest.mark.parametrize(
    ("content", "says"),
    [
        pytest.param(b"", "0 ranks, without 256", id="empty"),
        pytest.param(_line(b"hello", 0), "1 ranks, without 256", id="cut-short"),
        pytest.param(
            b"".join(_line(bytes([n]), n) for n in range(255)), "without 1 of", id="almost"
        ),
    ],
)
def test_a_file_that_cannot_encode_every_text_is_refused_at_once(
    content: bytes, says: str, tmp_path: Path
) -> None:
    path = tmp_path / "cut.model"
    path.write_bytes(content)
    with pytest.raises(VocabularyError) as caught:
        load("file", path=str(path))
    assert says in str(caught.value)


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    path = tmp_path / "missing.model"
    with pytest.raises(VocabularyError) as caught:
        load("file", path=str(path))
    assert caught.value.where == str(path)
    with pytest.raises(VocabularyError):
        load("file", path=str(tmp_path))


def test_a_file_needs_a_path() -> None:
    with pytest.raises(VocabularyError, match="needs a path"):
        load("file")


def test_unknown_names_are_refused_with_the_nearest() -> None:
    with pytest.raises(VocabularyError) as caught:
        load("kimi_k2")
    assert "did you mean 'kimi_k3'" in str(caught.value)
    with pytest.raises(VocabularyError) as caught:
        load("kimi_k3", counter="tiktokn")
    assert "did you mean 'tiktoken'" in str(caught.value)


def test_the_estimate_counts_four_characters_a_token() -> None:
    loaded = load("chars")
    assert loaded.label == "chars (approximate, characters / 4)"
    for text, tokens in (("", 0), ("a", 1), ("abcd", 1), ("abcde", 2), ("你好世界你", 2)):
        ids = loaded.engine.encode(text)
        assert len(ids) == tokens
        assert b"".join(map(loaded.engine.token_bytes, ids)).decode() == text


def test_the_estimate_gives_one_piece_one_id() -> None:
    ids = load("chars").engine.encode("abcdabcdwxyz")
    assert ids[0] == ids[1] != ids[2]
