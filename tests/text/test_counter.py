from __future__ import annotations

from dataclasses import dataclass, field

import hypothesis
import pytest
from hypothesis import given
from hypothesis import strategies as st

from k3mock.text import counter as counting
from k3mock.text import vocabulary
from k3mock.text.counter import PIECE_CHARS, RUN_CHARS, TokenCounter, cut
from k3mock.text.vocabulary import Vocabulary


@dataclass
class Noting:
    """An engine of one token a character that notes what it was asked."""

    asked: list[str] = field(default_factory=list)

    def encode(self, text: str) -> list[int]:
        self.asked.append(text)
        return [ord(character) for character in text]

    def token_bytes(self, token: int) -> bytes:
        return chr(token).encode()


def noted() -> tuple[TokenCounter, Noting]:
    engine = Noting()
    named = Vocabulary(name="fake", counter="fake", engine=engine, official=False, sha256="")
    return TokenCounter(named), engine


@pytest.fixture(scope="module")
def tiktoken_counter() -> TokenCounter:
    return TokenCounter(vocabulary.load("kimi_k3"))


def test_long_whitespace_is_cut_where_the_models_tokenizer_cuts_it(counter: TokenCounter) -> None:
    """Published long-text hashes only match with the cut; without it this count is another."""
    assert counter.count(" " * 30_000 + "end") == 121


def test_both_engines_count_long_whitespace_alike(tiktoken_counter: TokenCounter) -> None:
    assert tiktoken_counter.count(" " * 30_000 + "end") == 121


def test_a_megabyte_of_spaces_does_not_crash_the_engine(tiktoken_counter: TokenCounter) -> None:
    """Without the cut tiktoken panics, with an exception that `except Exception` misses."""
    tokens = tiktoken_counter.count(" " * 1_200_000)
    assert 4_000 < tokens < 6_000


@pytest.mark.parametrize(
    ("text", "pieces"),
    [
        pytest.param("", [], id="nothing"),
        pytest.param("a" * RUN_CHARS, [RUN_CHARS], id="longest-run"),
        pytest.param("a" * (RUN_CHARS + 1), [RUN_CHARS, 1], id="one-more"),
        pytest.param("a" * (2 * RUN_CHARS + 5), [RUN_CHARS, RUN_CHARS, 5], id="three-pieces"),
        pytest.param("\n" * (RUN_CHARS + 2) + "end", [RUN_CHARS, 5], id="whitespace"),
        pytest.param("ab " * 20_000, [60_000], id="no-long-run"),
        pytest.param(
            "a" * (RUN_CHARS + 1) + " " * (RUN_CHARS + 1),
            [RUN_CHARS, 1 + RUN_CHARS, 1],
            id="run-after-run",
        ),
        pytest.param("a b" * 150_000, [PIECE_CHARS, 50_000], id="piece-border"),
        pytest.param(
            "a b" * 133_330 + "c" * 30_000,
            [PIECE_CHARS, RUN_CHARS, 4_990],
            id="border-starts-a-run-anew",
        ),
    ],
)  # fmt: skip
def test_texts_are_cut_at_long_runs_and_piece_borders(text: str, pieces: list[int]) -> None:
    found = list(cut(text))
    assert [len(piece) for piece in found] == pieces
    assert "".join(found) == text


def walked(text: str) -> list[str]:
    """Cut a text as the description of the model's tokenizer says, a character at a time."""
    pieces: list[str] = []
    for at in range(0, len(text), PIECE_CHARS):
        start = at
        run = 0
        for here in range(at, min(at + PIECE_CHARS, len(text))):
            same = here > at and text[here].isspace() is text[here - 1].isspace()
            run = run + 1 if same else 1
            if run > RUN_CHARS:
                pieces.append(text[start:here])
                start, run = here, 1
        pieces.append(text[start : at + PIECE_CHARS])
    return pieces


@hypothesis.settings(max_examples=25)
@given(
    runs=st.lists(
        st.tuples(st.sampled_from(("a", " ", "\n", "的")), st.integers(1, 2 * RUN_CHARS + 2)),
        max_size=4,
    )
)
def test_the_fast_cut_is_the_cut_character_by_character(runs: list[tuple[str, int]]) -> None:
    text = "".join(character * length for character, length in runs)
    assert list(cut(text)) == walked(text)


def test_short_texts_reach_the_engine_whole() -> None:
    counter, engine = noted()
    counter.encode("x" * RUN_CHARS)
    assert [len(text) for text in engine.asked] == [RUN_CHARS]


def test_long_texts_reach_the_engine_in_pieces() -> None:
    counter, engine = noted()
    assert len(counter.encode("x" * (RUN_CHARS + 1))) == RUN_CHARS + 1
    assert [len(text) for text in engine.asked] == [RUN_CHARS, 1]


@pytest.mark.parametrize(
    "text", [pytest.param("short", id="short"), pytest.param("long " * 200, id="long")]
)
def test_each_text_is_counted_once(text: str) -> None:
    counter, engine = noted()
    assert [counter.count(text) for _ in range(3)] == [len(text)] * 3
    assert engine.asked == [text]


def test_nothing_costs_nothing() -> None:
    counter, engine = noted()
    assert counter.count("") == 0
    assert engine.asked == []


def test_texts_that_only_look_alike_are_told_apart() -> None:
    counter, _ = noted()
    long = "x" * 300
    assert (counter.count(long), counter.count(long + "y")) == (300, 301)


def test_the_memory_keeps_what_is_used_and_drops_the_rest(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(counting, "_REMEMBERED", 2)
    counter, engine = noted()
    for text in ("a", "bb", "ccc"):
        counter.count(text)
    assert counter.count("a") == 1
    assert engine.asked == ["a", "bb", "ccc"], "still known from the older half"
    for text in ("dddd", "eeeee"):
        counter.count(text)
    counter.count("a")
    counter.count("bb")
    assert engine.asked == ["a", "bb", "ccc", "dddd", "eeeee", "bb"]
    assert len(counter._young) + len(counter._old) <= 4
