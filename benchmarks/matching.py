"""Turns many scenario turns into the time that loading and matching them takes, in this process.

Three sets of turns: texts that must be equal, texts that must be contained, and patterns of four
parts; each is asked for its last turn, for something that nothing matches, and with a last message
of 100,000 characters. Times are processor time, the best of several rounds.
"""

from __future__ import annotations

import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from k3mock.contract.load import load_profile
from k3mock.contract.read import read_request
from k3mock.delivery.pacing import parse_pace
from k3mock.generator.source import GeneratorSource
from k3mock.matching.source import Asked, Hit, Miss
from k3mock.scenario.kinds import Context
from k3mock.scenario.load import load_library
from k3mock.scenario.source import ScenarioSource
from k3mock.seed import Seed
from k3mock.state import Session
from k3mock.text import vocabulary
from k3mock.text.counter import TokenCounter

if TYPE_CHECKING:
    from collections.abc import Callable

    from k3mock.contract.profile import Profile

TURNS = {
    "equal": "- when: {{last: {{role: user, content: 'question number {n}'}}}}\n"
    "  reply: {{content: 'answer {n}'}}\n",
    "contained": "- when: {{last: {{role: user, content: {{contains: 'question number {n}.'}}}}}}\n"
    "  reply: {{content: 'answer {n}'}}\n",
    "four parts": "- when:\n    last: {{role: user, content: {{matches: 'number {n}\\b'}}}}\n"
    "    turn: 0\n    model: kimi-k3\n    tools: [tool_{n}]\n"
    "  reply: {{reasoning: I think., content: 'answer {n}'}}\n",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Matched:
    """What one set of turns took, in milliseconds."""

    load: float
    last: float
    none: float
    why: float
    long: float


def written(kind: str, size: int, folder: Path) -> Path:
    """Write a scenario of so many turns of a kind."""
    path = folder / f"{kind.replace(' ', '_')}_{size}.yaml"
    turns = "".join(TURNS[kind].format(n=number) for number in range(size))
    path.write_text(f"name: many\nturns:\n{turns}")
    return path


def spent_ms(work: Callable[[], object], rounds: int) -> float:
    """Return the processor time of the best round."""
    best = float("inf")
    for _ in range(rounds):
        before = time.process_time()
        work()
        best = min(best, time.process_time() - before)
    return best * 1000


def matched(kind: str, size: int) -> Matched:
    """Measure one set of turns."""
    profile = load_profile("moonshot")
    counter = TokenCounter(vocabulary.load("kimi_k3", counter="splintr"))
    context = Context(folder=None, check_pace=parse_pace, profile=profile)
    with tempfile.TemporaryDirectory() as folder:
        path = str(written(kind, size, Path(folder)))
        before = time.process_time()
        library = load_library([path], context)
        loading = (time.process_time() - before) * 1000
    writer = GeneratorSource(Seed(1), counter)
    source = ScenarioSource(library, context, counter=counter, writer=writer)
    last = _asked(profile, f"question number {size - 1}" + "." * (kind == "contained"), size - 1)
    none = _asked(profile, "something else", -1)
    long = _asked(profile, "lorem ipsum " * 8_334, -1)
    hit, miss = source.find(last), source.find(none)
    if not isinstance(hit, Hit) or not isinstance(miss, Miss):
        raise TypeError(f"the turns do not match as they should: {hit!r}, {miss!r}")
    return Matched(
        load=loading,
        last=spent_ms(lambda: source.find(last), 20),
        none=spent_ms(lambda: source.find(none), 20),
        why=spent_ms(miss.full, 3),
        long=spent_ms(lambda: source.find(long), 5),
    )


def _asked(profile: Profile, text: str, number: int) -> Asked:
    """Return a request whose last message is `text`."""
    body = {
        "model": "kimi-k3",
        "messages": [{"role": "user", "content": text}],
        "tools": [{"type": "function", "function": {"name": f"tool_{number}"}}],
    }
    return Asked(
        request=read_request(body, profile),  # type: ignore[arg-type]  # a literal is JSON
        body=body,  # type: ignore[arg-type]
        headers={},
        profile="moonshot",
        session=Session("bench"),
        seed=Seed(1),
        attempt=1,
        retry=False,
        prompt_tokens=lambda: 10,
    )
