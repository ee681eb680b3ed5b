"""Turns any request into a written answer that fits it; source layer."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from k3mock.generator.asking import asked
from k3mock.generator.calling import Call, Caller, same_arguments
from k3mock.generator.facts import asks_for_effort
from k3mock.generator.languages import LANGUAGES
from k3mock.generator.mentions import Hints
from k3mock.generator.names import Vocabularies
from k3mock.generator.objects import compact, keys_of, made_object, schema_text, wanted_schema
from k3mock.generator.partial import json_rest, prose_rest
from k3mock.generator.pictures import described
from k3mock.generator.prose import Writer
from k3mock.generator.reading import Reading, earlier_result, read, shortened
from k3mock.generator.reasoning import Decision, thoughts
from k3mock.generator.reminders import without_reminders
from k3mock.generator.results import answer_from, source_name, told
from k3mock.generator.schema import instance
from k3mock.generator.verify import warm
from k3mock.matching.source import Hit
from k3mock.protocol.reply import written

if TYPE_CHECKING:
    from k3mock.jsonvalue import JSONObject, JSONValue
    from k3mock.matching.source import Asked
    from k3mock.protocol.reply import Reply
    from k3mock.protocol.request import ChatRequest
    from k3mock.seed import Chance, Seed
    from k3mock.text.counter import TokenCounter

LABEL = "generator"

_SHOWN_TOOLS = 4
_RESULT_TOKENS = 22


class GeneratorSource:
    """Answers every request, from the seed and the request alone."""

    heavy = True

    def __init__(self, seed: Seed, counter: TokenCounter) -> None:
        self._seed = seed
        self._counter = counter
        self._vocabularies = Vocabularies()

    def warm(self) -> None:
        """Import what is heavy and draw once, so that the first answer is as quick as others."""
        self._vocabularies.warm(language.locale for language in LANGUAGES)
        warm()
        for language in LANGUAGES:
            for phrase in language.phrases["say_body_what"]:
                self._counter.count(phrase.text)

    def find(self, asked: Asked) -> Hit:
        """Return a written answer; the session does not influence it."""
        return Hit(reply=self.reply(asked.request, asked.seed), label=LABEL)

    def reply(self, request: ChatRequest, seed: Seed | None = None) -> Reply:
        """Return the written answer to a request; `seed` None is the server's own."""
        chance = (seed or self._seed).chance(b"text", request.digest)
        request = without_reminders(request)
        return _Answer(request, chance, self._counter, self._vocabularies).reply()


class _Answer:
    """One answer in the making."""

    def __init__(
        self,
        request: ChatRequest,
        chance: Chance,
        counter: TokenCounter,
        vocabularies: Vocabularies,
    ) -> None:
        self._request = request
        self._chance = chance
        self._counter = counter
        self._reading = read(request, counter)
        names = vocabularies.seeded(self._reading.language, chance)
        self._hints = Hints(
            self._reading.text, self._reading.language, names, self._reading.keywords,
            heard=self._reading.heard,
        )  # fmt: skip
        self._ask = asked(self._reading.text, self._reading.heard)

    def reply(self) -> Reply:
        caller = Caller(self._request, self._reading, self._hints, self._chance)
        calls = caller.calls()
        if caller.repeated and not calls:
            self._reading = self._recalled(caller.repeated)
        named = tuple((call.name, call.arguments) for call in calls)
        prefix = self._request.partial
        if prefix is not None:
            return written(content=self._continued(prefix.text), calls=named)
        # What stands in the prompt needs no long thought, however hard the model is thinking.
        effort = "low" if asks_for_effort(self._reading.text) else self._request.effort
        reasoning = thoughts(
            self._reading, self._decision(calls), effort,
            chance=self._chance, counter=self._counter,
        )  # fmt: skip
        content = "" if calls else self._content()
        return written(reasoning=reasoning, content=content, calls=named)

    def _recalled(self, repeated: tuple[Call, ...]) -> Reading:
        """Return the reading with the results of calls that were made earlier."""
        reading = self._reading
        known = (
            earlier_result(
                self._request.messages, call.name, partial(same_arguments, call.arguments)
            )
            for call in repeated
        )
        results = tuple(result for result in known if result is not None)
        return replace(reading, results=reading.results or results)

    def _content(self) -> str:
        structured = self._structured()
        if structured is not None:
            return structured
        if self._reading.results:
            return answer_from(self._reading, self._chance, self._counter)
        if asks_for_effort(self._reading.text):
            return self._request.effort
        writer = Writer(self._reading, self._hints, chance=self._chance, counter=self._counter)
        return writer.written(self._ask)

    def _structured(self) -> str | None:
        """Return the JSON that the response format demands, if it demands any."""
        schema = wanted_schema(self._request)
        if schema is not None:
            return schema_text(schema, self._chance, self._informed())
        if self._request.response_format.kind == "text":
            return None
        return compact(self._object())

    def _object(self) -> JSONObject:
        reading = self._reading
        if reading.results and not keys_of(reading):
            return {
                source_name(result, reading.language): told(
                    result, reading.language, self._counter, 60
                )
                for result in reading.results
            }
        return made_object(reading, self._chance, self._informed())

    def _informed(self) -> Hints:
        """Return hints that know what the tools gave back, too."""
        if not self._reading.results:
            return self._hints.copy()
        text = "\n".join([*(result.text for result in self._reading.results), self._reading.text])
        hints = self._hints
        return Hints(
            shortened(text), hints.language, hints.names, hints.keywords, heard=hints.heard
        )

    def _continued(self, beginning: str) -> str:
        """Return the rest of an answer that has begun."""
        beginning = beginning.encode("utf-8", "replace").decode()
        if not beginning:
            return self._content()
        schema = wanted_schema(self._request)
        if schema is not None:
            guide: JSONValue = instance(schema, self._chance, self._hints)
        else:
            wants = self._request.response_format.kind != "text" or keys_of(self._reading)
            guide = self._object() if wants else None
        rest = json_rest(beginning, guide, self._chance, self._hints.copy())
        if rest is not None:
            return rest
        structured = self._structured()
        if structured is not None:
            return structured
        return prose_rest(
            beginning, self._reading, self._hints, chance=self._chance, counter=self._counter
        )

    def _decision(self, calls: tuple[Call, ...]) -> Decision:
        """Return what the thoughts should know of the answer to come."""
        reading, counter = self._reading, self._counter
        words = reading.language.facts["word"]
        form = self._ask.form if self._request.response_format.kind == "text" else "json"
        names = [tool.name[:64] for tool in self._request.offered_tools[:_SHOWN_TOOLS]]
        values = calls[0].arguments.replace('"', "'") if calls else ""
        last = reading.results[-1] if reading.results else None
        result = told(last, reading.language, counter, _RESULT_TOKENS) if last else ""
        return Decision(
            form="" if calls or last else words.get(f"form_{form}", ""),
            tool=calls[0].name[:64] if calls else "",
            values=words["no_values"] if values == "{}" else values,
            tools=reading.language.listed([name for name in names if name]),
            media=described(reading.media, reading.language),
            source=source_name(last, reading.language) if last else "",
            result=result,
        )
