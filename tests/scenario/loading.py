"""Turns YAML text into loaded scenarios and a source that answers from them."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING

from k3mock.delivery.pacing import parse_pace
from k3mock.fault.catalogue import named_error
from k3mock.matching.source import Hit, Miss
from k3mock.protocol.reply import written
from k3mock.scenario.kinds import Context
from k3mock.scenario.load import Library, load_library
from k3mock.scenario.source import ScenarioSource
from tests.matching.asking import asked, moonshot

if TYPE_CHECKING:
    from pathlib import Path

    from k3mock.matching.source import Asked
    from k3mock.protocol.reply import Reply
    from k3mock.protocol.request import ChatRequest
    from k3mock.seed import Seed
    from k3mock.text.counter import TokenCounter

CONTEXT = Context(folder=None, check_pace=parse_pace)


class Canned:
    """Stands for the generator."""

    def reply(self, request: ChatRequest, seed: Seed | None = None) -> Reply:
        del request, seed
        return written(reasoning="made-up thoughts", content="made-up words")


def saved(folder: Path, text: str, name: str = "own.yaml") -> Path:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(textwrap.dedent(text).lstrip("\n"), encoding="utf-8")
    return path


def library(folder: Path, *texts: str) -> Library:
    """Load texts as files of a folder, one layer over the other."""
    paths = [saved(folder, text, f"{at}.yaml") for at, text in enumerate(texts)]
    return load_library([str(path) for path in paths], CONTEXT)


def source(folder: Path, counter: TokenCounter, *texts: str) -> ScenarioSource:
    return ScenarioSource(library(folder, *texts), CONTEXT, counter=counter, writer=Canned())


def hit(source: ScenarioSource, asked: Asked) -> Hit:
    found = source.find(asked)
    assert isinstance(found, Hit), found
    return found


def miss(source: ScenarioSource, asked: Asked) -> Miss:
    found = source.find(asked)
    assert isinstance(found, Miss), found
    return found.full()


def given(source: ScenarioSource, asked: Asked) -> str:
    """Ask and take; return the label of who answered."""
    found = hit(source, asked)
    found.take()
    return found.label


def reply(folder: Path, counter: TokenCounter, text: str, question: Asked | None = None) -> Reply:
    """Return the reply of a scenario whose one turn has this as its `reply`."""
    return written_by(style_and_reply(folder, counter, text, question))


def written_by(found: Hit) -> Reply:
    """Have the answer written."""
    assert found.write is not None
    return found.write()


def style_and_reply(
    folder: Path, counter: TokenCounter, text: str, question: Asked | None = None
) -> Hit:
    body = textwrap.indent(textwrap.dedent(text).strip("\n"), "      ")
    scenario = f"name: t\nturns:\n  - reply:\n{body}\n"
    usual = asked(errors=lambda call: named_error(call, moonshot()))
    return hit(source(folder, counter, scenario), usual if question is None else question)
