"""Turns a request into what the generator wants to know of it; source layer."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from k3mock.generator.assembly import clip
from k3mock.generator.detection import plain_words, spoken, wished
from k3mock.generator.mentions import first_sentence
from k3mock.generator.subjects import subject_text, subjects

if TYPE_CHECKING:
    import re
    from collections.abc import Callable

    from k3mock.generator.language import Language
    from k3mock.protocol.request import ChatRequest, MediaPart, Message
    from k3mock.text.counter import TokenCounter

SEEN_CHARS = 3_000
"""So many characters are read at each end of a long text."""

_RECENT = 60
_REMEMBERED = 400
_QUOTE_TOKENS = 14
_WORD_TOKENS = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """What a tool gave back; `tool` is empty if no call of the history names it."""

    tool: str
    text: str
    media: tuple[MediaPart, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """A request as the generator sees it.

    Attributes:
        language: the one to answer in.
        heard: the one that the request is in.
        text: the last user message, its middle left out if it is long.
        instructions: the system messages, shortened likewise.
        keywords: of `text`, in order of appearance.
        topics: up to three things to talk about.
        quote: the first words of `text`, a few tokens; may be empty.
        media: images and videos of the last user message.
        results: of the tool messages that end the history.
        called: names and argument texts of the calls of the conversation.
        made: names of the calls since the user's last message.
        turns: how many messages came before the last one.
    """

    language: Language
    heard: Language
    text: str
    instructions: str
    keywords: tuple[str, ...]
    topics: tuple[str, ...]
    quote: str
    media: tuple[MediaPart, ...]
    results: tuple[Result, ...]
    called: tuple[tuple[str, str], ...]
    made: tuple[str, ...]
    turns: int


def read(request: ChatRequest, counter: TokenCounter) -> Reading:
    """Read a request."""
    messages = request.messages
    asked = next((message for message in reversed(messages) if message.role == "user"), None)
    text = shortened(asked.text) if asked is not None else _any_text(messages)
    instructions = shortened(
        "\n".join(message.text for message in messages[:_RECENT] if message.role == "system")
    )
    heard = spoken(text, instructions)
    about = subject_text(text, heard)
    words = tuple(word for word in keywords(about, heard) if counter.count(word) <= _WORD_TOKENS)
    return Reading(
        language=wished(text, instructions) or heard,
        heard=heard,
        text=text,
        instructions=instructions,
        keywords=words,
        topics=subjects(
            text, words, topics(words, about) if heard.breaks is None else words, heard
        ),
        quote=_quote(text, heard, counter),
        media=asked.media if asked is not None else (),
        results=_results(messages),
        called=tuple(
            (call.name, call.arguments)
            for message in messages[-_REMEMBERED:]
            for call in message.tool_calls
        ),
        made=_made(messages),
        turns=max(0, len(messages) - 1),
    )


def shortened(text: str) -> str:
    """Return a text, without its middle if it is long, with nothing that cannot be encoded."""
    if len(text) > 2 * SEEN_CHARS:
        text = f"{text[:SEEN_CHARS]}\n{text[-SEEN_CHARS:]}"
    return text.encode("utf-8", "replace").decode()


def keywords(text: str, language: Language, most: int = 10) -> tuple[str, ...]:
    """Return the words that a text is about: the most frequent ones, in order of appearance."""
    plain = plain_words(text)
    words = [_lowered(match, language) for match in language.word.finditer(plain)]
    if language.breaks is not None:
        words = [piece for word in words for piece in language.breaks.split(word)]
    first: dict[str, str] = {}
    counts: Counter[str] = Counter()
    for word in words:
        folded = word.lower()
        if 2 <= len(word) <= 40 and folded not in language.stop:
            first.setdefault(folded, word)
            counts[folded] += 1
    chosen = {folded for folded, _ in counts.most_common(most)}
    return tuple(word for folded, word in first.items() if folded in chosen)


def _lowered(match: re.Match[str], language: Language) -> str:
    """Return a word, without the capital letter that it has for starting a sentence."""
    word = match.group().strip("'’-_")
    if language.nouns:
        return word
    starts = match.string[: match.start()].rstrip()[-1:] in f"{language.ends}\n"
    if starts and word[1:].islower() and word not in language.places:
        return word.lower()
    return word


def topics(words: tuple[str, ...], text: str) -> tuple[str, ...]:
    """Return keywords as things to talk about: two that stand together make one."""
    joined: list[str] = []
    left = list(words)
    while left:
        word = left.pop(0)
        if left and f"{word} {left[0]}" in text and len(left[0]) < 16:
            word = f"{word} {left.pop(0)}"
        joined.append(word)
    return tuple(joined)


def _made(messages: tuple[Message, ...]) -> tuple[str, ...]:
    """Return the names of the calls since the user's last message, in order."""
    made: list[str] = []
    for message in reversed(messages[-_REMEMBERED:]):
        if message.role == "user":
            break
        made += [call.name for call in reversed(message.tool_calls)]
    return tuple(reversed(made))


def _any_text(messages: tuple[Message, ...]) -> str:
    for message in reversed(messages[-_RECENT:]):
        if message.role != "tool" and not message.partial and message.text.strip():
            return shortened(message.text)
    return ""


def _quote(text: str, language: Language, counter: TokenCounter) -> str:
    sentence = first_sentence(text, language).replace('"', "'").strip("'` ")
    if not any(letter.isalnum() for letter in sentence):
        return ""
    end = text.find(sentence) + len(sentence)
    if text[end : end + 1] in {"?", "？"} and text.find(sentence) >= 0:
        sentence += text[end]
    return clip(" ".join(sentence.split()), _QUOTE_TOKENS, counter)


def earlier_result(
    messages: tuple[Message, ...], name: str, same: Callable[[str], bool]
) -> Result | None:
    """Return what a call gave back that was made before; `same` judges its arguments."""
    ids = [
        call.id
        for message in messages[-_REMEMBERED:]
        for call in message.tool_calls
        if call.name == name and same(call.arguments)
    ]
    for message in reversed(messages[-_REMEMBERED:]):
        if message.role == "tool" and message.tool_call_id in ids:
            return Result(tool=name, text=shortened(message.text), media=message.media)
    return None


def _results(messages: tuple[Message, ...]) -> tuple[Result, ...]:
    """Return the results that nothing has been answered to, in order."""
    ending: list[Message] = []
    for message in reversed(messages):
        if message.role != "tool" or len(ending) >= 8:
            break
        ending.append(message)
    names = {call.id: call.name for message in messages[-_RECENT:] for call in message.tool_calls}
    return tuple(
        Result(
            tool=names.get(message.tool_call_id or "", message.name or ""),
            text=shortened(message.text),
            media=message.media,
        )
        for message in reversed(ending)
    )
