"""Turns many scenario turns into the time that loading and matching them takes.

    python benchmarks/matching.py [TURNS ...]

Prints processor time (`time.process_time`), the best of several rounds. Three sets of turns: texts
that must be equal, texts that must be contained, and patterns of four parts; each is asked for its
last turn, for something that nothing matches, and with a last message of 100,000 characters.
"""

from __future__ import annotations

import sys
import tempfile
import time
from pathlib import Path

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

TURN = {
    "equal": "- when: {{last: {{role: user, content: 'question number {n}'}}}}\n"
    "  reply: {{content: 'answer {n}'}}\n",
    "contained": "- when: {{last: {{role: user, content: {{contains: 'question number {n}.'}}}}}}\n"
    "  reply: {{content: 'answer {n}'}}\n",
    "four parts": "- when:\n    last: {{role: user, content: {{matches: 'number {n}\\b'}}}}\n"
    "    turn: 0\n    model: kimi-k3\n    tools: [tool_{n}]\n"
    "  reply: {{reasoning: I think., content: 'answer {n}'}}\n",
}


def spent(work, rounds: int) -> float:
    """Return the milliseconds of processor time of the best round."""
    best = float("inf")
    for _ in range(rounds):
        before = time.process_time()
        work()
        best = min(best, time.process_time() - before)
    return best * 1000


def asked(profile, text: str, number: int) -> Asked:
    """Return a request whose last message is `text`."""
    tools = [{"type": "function", "function": {"name": f"tool_{number}"}}]
    body = {"model": "kimi-k3", "messages": [{"role": "user", "content": text}], "tools": tools}
    return Asked(
        request=read_request(body, profile),
        body=body,
        headers={},
        profile="moonshot",
        session=Session("bench"),
        seed=Seed(1),
        attempt=1,
        retry=False,
        prompt_tokens=lambda: 10,
    )


def main() -> None:
    """Print a table."""
    sizes = [int(word) for word in sys.argv[1:]] or [100, 1_000, 10_000]
    profile = load_profile("moonshot")
    counter = TokenCounter(vocabulary.load("kimi_k3", counter="splintr"))
    writer = GeneratorSource(Seed(1), counter)
    context = Context(folder=None, check_pace=parse_pace, profile=profile)
    columns = ("load", "last turn", "no turn", "why not", "no turn, 100k characters")
    print(f"{'set':12} {'turns':>6}", *(f"{name:>12}" for name in columns), "  ms")
    for name, turn in TURN.items():
        for size in sizes:
            figures = measured(turn, size, profile, context, counter, writer)
            print(f"{name:12} {size:6}", *(f"{figure:12.3f}" for figure in figures))


def measured(turn, size, profile, context, counter, writer) -> list[float]:
    """Return the figures of one set, in milliseconds."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "many.yaml"
        path.write_text("name: many\nturns:\n" + "".join(turn.format(n=n) for n in range(size)))
        loading = spent(lambda: load_library([str(path)], context), 3 if size <= 1_000 else 1)
        library = load_library([str(path)], context)
    source = ScenarioSource(library, context, counter=counter, writer=writer)
    last = asked(profile, f"question number {size - 1}" + "." * ("contains" in turn), size - 1)
    none = asked(profile, "something else", -1)
    long = asked(profile, "lorem ipsum " * 8_334, -1)
    hit, miss = source.find(last), source.find(none)
    assert isinstance(hit, Hit), miss
    assert isinstance(miss, Miss)
    return [
        loading,
        spent(lambda: source.find(last), 20),
        spent(lambda: source.find(none), 20),
        spent(lambda: miss.full(), 5),
        spent(lambda: source.find(long), 5),
    ]


if __name__ == "__main__":
    main()
