"""Words that were generated before are generated the same, and only so many are remembered."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from k3mock.protocol.reply import ContentDelta, Reply, written
from k3mock.text import turns
from k3mock.text.template import Template
from k3mock.text.turn import Turn, TurnCounts, generate
from k3mock.text.turns import Turns, key_of

if TYPE_CHECKING:
    from k3mock.text.counter import TokenCounter

LOTS = 1 << 40


def fresh(template: Template) -> Template:
    return Template(template.counter)


@pytest.mark.parametrize(
    ("stop", "partial", "cap"),
    [((), False, LOTS), (("fox",), False, LOTS), ((), True, LOTS), ((), False, 9)],
)
def test_the_second_answer_is_the_first_one(
    template: Template, stop: tuple[str, ...], cap: int, *, partial: bool
) -> None:
    own = fresh(template)
    reply = written(reasoning="Hm.", content="The quick brown fox jumps.")
    for _ in range(2):
        again = generate(reply, own, cap=cap, stop=stop, partial=partial)
        assert again == generate(reply, fresh(template), cap=cap, stop=stop, partial=partial)


def test_answers_that_say_the_same_share_their_events(template: Template) -> None:
    own = fresh(template)
    first = generate(written(content="So it is."), own, cap=LOTS)
    second = generate(written(content="So it is.", finish="length"), own, cap=LOTS)
    assert second.reply.events is first.reply.events
    assert (first.reply.finish, second.reply.finish) == ("stop", "length")


def test_a_cap_cuts_what_was_generated_whole_before(template: Template) -> None:
    own = fresh(template)
    reply = written(content="one two three four five six")
    whole = generate(reply, own, cap=LOTS)
    cut = generate(reply, own, cap=whole.counts.generated - 8)
    assert cut.reply.finish == "length"
    assert len(cut.reply.content) < len(whole.reply.content)
    assert generate(reply, own, cap=LOTS).reply.content == whole.reply.content


def test_calls_and_literal_events_are_not_remembered() -> None:
    called = written(calls=(("f", "{}"),))
    assert key_of(called, (), partial=False) is None
    assert key_of(Reply(events=(ContentDelta("x"),), literal=True), (), partial=False) is None


def test_only_so_many_events_are_remembered(
    monkeypatch: pytest.MonkeyPatch, counter: TokenCounter
) -> None:
    monkeypatch.setattr(turns, "MOST_EVENTS", 10)
    kept = Turns()
    counts = TurnCounts(reasoning=0, content=4, tools=0, generated=4, closed=True, stub=0)
    for number in range(50):
        events = tuple(ContentDelta(f"{number} {at}") for at in range(4))
        kept.remember(number, Turn(reply=Reply(events=events), counts=counts))
        assert kept.get(number, 4) is not None
        assert kept.events <= 20
    assert kept.get(0, 4) is None
    assert kept.get(49, 3) is None
    assert kept.get(46, 4) is not None
    long = tuple(ContentDelta(str(at)) for at in range(12))
    kept.remember("long", Turn(reply=Reply(events=long), counts=counts))
    assert kept.get("long", 4) is None
