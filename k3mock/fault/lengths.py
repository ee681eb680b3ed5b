"""Turns `length` in the midst of anything into an output cap, so that usage agrees; faults layer.

The place of the cap is found by generating the answer: control tokens, closed blocks and stop words
count as they do in the answer itself.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from k3mock.fault.bend import Bend
from k3mock.fault.calls import with_calls
from k3mock.fault.entry import Fault, Given, Parameter
from k3mock.fault.place import split_events
from k3mock.protocol.reply import ContentDelta, ReasoningDelta, ToolArgumentsDelta
from k3mock.text.turn import generate

if TYPE_CHECKING:
    from collections.abc import Callable

    from k3mock.contract.profile import Profile
    from k3mock.fault.bend import Cap
    from k3mock.fault.place import Place
    from k3mock.protocol.reply import Reply
    from k3mock.protocol.request import ChatRequest
    from k3mock.text.template import Template

_ALL = 1 << 40


def _tokens(kind: type[ReasoningDelta | ContentDelta]) -> Callable[[Reply], int]:
    return lambda reply: sum(event.tokens for event in reply.events if isinstance(event, kind))


def _argument_chars(reply: Reply) -> int:
    return sum(len(event.text) for event in reply.events if isinstance(event, ToolArgumentsDelta))


def _cap(measure: Callable[[Reply], int], wanted: int | None) -> Cap:
    """Return the least cap with which so much is said; half of it all by default.

    An answer that never says so much is cut in the tokens that close it: all its text, and still
    `length`.
    """

    def cap(reply: Reply, request: ChatRequest, template: Template) -> int:
        def said(tokens: int) -> int:
            turn = generate(reply, template, cap=tokens, stop=request.stop,
                            partial=request.partial is not None)  # fmt: skip
            return measure(turn.reply)

        whole = generate(reply, template, cap=_ALL, stop=request.stop,
                         partial=request.partial is not None)  # fmt: skip
        last = max(1, whole.counts.generated - 1)
        target = max(1, measure(whole.reply) // 2) if wanted is None else wanted
        low, high = 1, last
        while low < high:
            middle = (low + high) // 2
            low, high = (low, middle) if said(middle) >= target else (middle + 1, high)
        return low

    return cap


def cap_at(place: Place) -> Cap:
    """Return the cap with which an answer is generated up to a place between its deltas."""

    def cap(reply: Reply, request: ChatRequest, template: Template) -> int:
        partial = request.partial is not None
        whole = generate(reply, template, cap=_ALL, stop=request.stop, partial=partial)
        head, _ = split_events(whole.reply.events, place)
        wanted = _cap(lambda said: len(said.events), len(head))
        return wanted(reply, request, template)

    return cap


def _fault(name: str, about: str, seen: str, unit: str, measure: Callable[[Reply], int]) -> Fault:
    amount = Parameter(
        name=unit, kind="whole", least=1, about="how much of it is said; half of it by default"
    )

    rewrites = (with_calls(1),) if unit == "argument_chars" else ()

    def make(given: Given, _: Profile) -> Bend:
        return Bend(rewrites=rewrites, caps=(_cap(measure, given.maybe_whole(unit)),))

    return Fault(
        name=name, about=about, kind="reply", seen=seen, make=make, parameters=(amount,),
        example=f"{unit}:20",
    )  # fmt: skip


FAULTS = (
    _fault(
        "length_in_reasoning", "Thinking uses up the budget: empty content, `length`.",
        "Mininglamp-OSS/octo-smart-summary#2, gonka-ai/gonka#1202 (B03)", "tokens",
        _tokens(ReasoningDelta),
    ),
    _fault(
        "length_in_content", "The budget ends in the midst of the content: `length`.",
        "chathub-dev/chathub#1378, earendil-works/pi#8109 (K11)", "tokens", _tokens(ContentDelta),
    ),
    _fault(
        "length_in_tool_arguments", "The budget ends inside the arguments of a call: `length`.",
        "opencues/opencues#380 (K11)", "argument_chars", _argument_chars,
    ),
)  # fmt: skip
