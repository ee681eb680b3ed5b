from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

import pytest

from k3mock.generator.languages.english import ENGLISH
from k3mock.generator.mentions import Hints
from k3mock.generator.names import Vocabularies
from k3mock.generator.reading import keywords
from k3mock.generator.source import GeneratorSource
from k3mock.protocol.request import ChatRequest, Message, TextPart
from k3mock.seed import Seed
from k3mock.text import vocabulary
from k3mock.text.counter import TokenCounter

if TYPE_CHECKING:
    from collections.abc import Callable

    from k3mock.generator.language import Language
    from k3mock.seed import Chance


@pytest.fixture(scope="session")
def counter() -> TokenCounter:
    return TokenCounter(vocabulary.load("kimi_k3", counter="splintr"))


@pytest.fixture(scope="session")
def source(counter: TokenCounter) -> GeneratorSource:
    made = GeneratorSource(Seed(value=7), counter)
    made.warm()
    return made


@pytest.fixture(scope="session")
def chat() -> Callable[..., ChatRequest]:
    """Return a builder: texts are user messages, pairs are (role, text), keywords are fields."""

    def build(*messages: str | tuple[str, str] | Message, **fields: object) -> ChatRequest:
        made: list[Message] = []
        for position, message in enumerate(messages):
            if isinstance(message, Message):
                made.append(message)
                continue
            role, text = ("user", message) if isinstance(message, str) else message
            made.append(Message(position=position, role=role, parts=(TextPart(text),)))
        digest = hashlib.sha256(repr((made, fields)).encode("utf-8", "replace")).digest()
        known: dict[str, object] = {"body": {}, "digest": digest, "model": "kimi-k3"}
        return ChatRequest(messages=tuple(made), **(known | fields))  # type: ignore[arg-type] # fields are passed on as they are

    return build


@pytest.fixture
def chance() -> Chance:
    return Seed(value=1).chance(b"test")


@pytest.fixture(scope="session")
def hint() -> Callable[..., Hints]:
    """Return a builder of hints for a text."""
    vocabularies = Vocabularies()

    def build(text: str = "", language: Language = ENGLISH) -> Hints:
        names = vocabularies.seeded(language, Seed(value=1).chance(b"names"))
        return Hints(text, language, names, keywords(text, language))

    return build
