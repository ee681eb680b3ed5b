from __future__ import annotations

import re
from typing import TYPE_CHECKING

import orjson
import pytest

from k3mock.generator.asking import Ask
from k3mock.generator.assembly import LIMITS
from k3mock.generator.pictures import described
from k3mock.generator.prose import Writer
from k3mock.generator.reading import read
from k3mock.protocol.request import MediaPart, Message, TextPart

if TYPE_CHECKING:
    from collections.abc import Callable

    from k3mock.generator.mentions import Hints
    from k3mock.protocol.request import ChatRequest
    from k3mock.seed import Chance
    from k3mock.text.counter import TokenCounter

PNG = (
    "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAMAAAACCAIAAAASFvFNAAAADklEQVR4nGNgQAW"
    "4OQAAMwABVh6zWQAAAABJRU5ErkJggg=="
)
TOPICS = ["Tell me about green tea and old kettles", "tea", "42", "介绍一下长城的历史和建造过程"]


@pytest.fixture
def write(
    chat: Callable[..., ChatRequest],
    chance: Chance,
    hint: Callable[..., Hints],
    counter: TokenCounter,
) -> Callable[[str, Ask], str]:
    def written(text: str, ask: Ask) -> str:
        reading = read(chat(text), counter)
        hints = hint(text, reading.language)
        return Writer(reading, hints, chance=chance, counter=counter).written(ask)

    return written


@pytest.mark.parametrize("text", TOPICS)
@pytest.mark.parametrize(
    "ask", [Ask(), Ask(form="greeting"), Ask(form="code"), Ask(form="json"), Ask(form="unheard")]
)
def test_content_has_a_usual_length(
    text: str, ask: Ask, write: Callable[[str, Ask], str], counter: TokenCounter
) -> None:
    content = write(text, ask)
    assert LIMITS[0] <= counter.count(content) <= LIMITS[1]
    if ask.form not in {"json", "code"}:
        assert "{" not in content


def test_prose_is_on_the_topic(write: Callable[[str, Ask], str]) -> None:
    assert "green tea" in write(TOPICS[0], Ask())


@pytest.mark.parametrize("form", ["fact", "sum"])
def test_a_known_answer_opens_the_content(form: str, write: Callable[[str, Ask], str]) -> None:
    content = write("What is it", Ask(form=form, text="X", answer="391"))
    assert "391" in content.split(".")[0] + "."
    assert "391" in write("这是什么", Ask(form=form, text="X", answer="391"))


def test_a_literal_is_said_as_it_is(write: Callable[[str, Ask], str]) -> None:
    assert write("", Ask(form="literal", text="Hi!")) == "Hi!"
    assert write("", Ask(form="literal", text="a", answer="a|b")) in {"a", "b"}


@pytest.mark.parametrize("text", TOPICS)
@pytest.mark.parametrize("count", [*range(1, 41), 150])
def test_exactly_so_many_words_are_written(
    text: str, count: int, write: Callable[[str, Ask], str]
) -> None:
    content = write(text, Ask(form="words", count=count))
    chinese = text == TOPICS[3]
    found = re.findall(r"\w", content) if chinese else content.split()
    assert len(found) == count


def test_one_word_is_asked_for_without_a_number(write: Callable[[str, Ask], str]) -> None:
    assert len(write("tea", Ask(form="words")).split()) == 1
    assert write("42", Ask(form="words")) == "Yes"


@pytest.mark.parametrize("text", TOPICS)
@pytest.mark.parametrize(
    ("noun", "mark"), [("", "-"), ("steps", "1."), ("names", "-"), ("cities", "-"), ("名字", "-")]
)
def test_a_list_has_so_many_items(
    text: str, noun: str, mark: str, write: Callable[[str, Ask], str]
) -> None:
    lines = write(text, Ask(form="list", count=5, text=noun, numbered=mark == "1.")).splitlines()
    assert len(lines) == 5
    assert lines[0].startswith(mark)


def test_a_long_list_repeats_itself_rather_than_end(write: Callable[[str, Ask], str]) -> None:
    assert len(write("tea", Ask(form="list", count=40)).splitlines()) == 40
    items = write("介绍城市", Ask(form="list", count=40, text="城市")).splitlines()
    assert len(items) == 40
    assert len(set(items)) > 25


@pytest.mark.parametrize("text", TOPICS)
def test_a_list_without_a_number_is_short(text: str, write: Callable[[str, Ask], str]) -> None:
    lines = write(text, Ask(form="list")).splitlines()
    assert 3 <= len([line for line in lines if line.startswith("-")]) <= 5
    assert lines[0]


def test_sentences_and_paragraphs_are_counted(write: Callable[[str, Ask], str]) -> None:
    assert write("茶的历史", Ask(form="sentences", count=3)).count("。") == 3
    assert write("茶的历史", Ask(form="sentences")).count("。") == 1
    assert write("tea", Ask(form="paragraphs")).count("\n\n") == 1
    assert write("42", Ask(form="paragraphs", count=8)).count("\n\n") == 7


def test_json_can_be_read(write: Callable[[str, Ask], str]) -> None:
    made = orjson.loads(write("with keys name and age", Ask(form="json")))
    assert list(made) == ["name", "age"]


@pytest.mark.parametrize("text", ["What is this?", "", "这是什么？"])
def test_media_are_acknowledged(
    text: str,
    chat: Callable[..., ChatRequest],
    chance: Chance,
    hint: Callable[..., Hints],
    counter: TokenCounter,
) -> None:
    parts = (TextPart(text), MediaPart("image", PNG), MediaPart("video", "x"))
    reading = read(chat(Message(position=0, role="user", parts=parts)), counter)
    content = Writer(reading, hint(text), chance=chance, counter=counter).written(Ask())
    assert described(reading.media, reading.language) in content


@pytest.mark.parametrize(
    ("text", "noun", "thing"),
    [("five fruits", "fruits", "apple"), ("fünf Tiere bitte, und zwar für mich", "tiere", "Fuchs")],
)
def test_well_known_things_are_listed(
    text: str, noun: str, thing: str, write: Callable[[str, Ask], str]
) -> None:
    lines = write(text, Ask(form="list", count=10, text=noun)).splitlines()
    assert f"- {thing}" in lines
    assert len(set(lines)) == 10
    assert len(write(text, Ask(form="list", count=14, text=noun)).splitlines()) == 14


def test_tables_fit_what_is_asked(write: Callable[[str, Ask], str]) -> None:
    assert write("Compare tea and coffee", Ask(form="table")).startswith(
        "| Aspect | tea | coffee |"
    )
    assert "| Country | Capital |" in write(
        "countries", Ask(form="table", text="countries", count=2)
    )
    assert "| green tea |" in write("Tell me about green tea", Ask(form="table"))
    assert "| Assessment |" in write("42", Ask(form="table"))


@pytest.mark.parametrize("text", TOPICS)
@pytest.mark.parametrize("form", ["haiku", "poem", "story", "joke", "mail"])
def test_other_forms_are_written_with_and_without_a_topic(
    text: str, form: str, write: Callable[[str, Ask], str]
) -> None:
    content = write(text, Ask(form=form))
    assert content
    assert "{" not in content


@pytest.mark.parametrize("question", ["", "how", "why", "compare"])
@pytest.mark.parametrize("text", TOPICS)
def test_questions_are_answered_in_their_way(
    text: str, question: str, write: Callable[[str, Ask], str], counter: TokenCounter
) -> None:
    content = write(text, Ask(question=question))
    assert LIMITS[0] <= counter.count(content) <= LIMITS[1]


def test_numbered_lists_go_through_steps(write: Callable[[str, Ask], str]) -> None:
    content = write("How to make tea", Ask(form="list", numbered=True))
    assert "1. Clarify what the goal is" in content
