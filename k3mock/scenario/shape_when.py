"""Turns the layout of `when` into a table; `k3mock.scenario.shape` is the whole of it."""

from __future__ import annotations

from k3mock.matching.text import NORMALISERS
from k3mock.protocol.request import ChoiceMode
from k3mock.scenario import judges
from k3mock.scenario.kinds import Anything, Either, Flag, Items, Number, Record, Ref, Text

PARTS = ("text", "image", "video", "other")
ROLES = ("assistant", "developer", "function", "system", "tool", "user")
EFFORTS = ("none", "minimal", "low", "medium", "high", "xhigh", "max")
FORMATS = ("text", "json_object", "json_schema")

_TEXT = Text()
_WHOLE = Number(least=0)


def one_or_more(item: Text) -> Either:
    """Return a text, or a list of them."""
    return Either(options=(item, Items(item=item, least=1)), about=item.about)


_MATCHER = Record(
    about="All that is given must hold.",
    fields={
        "equals": Text(about="the text is this one"),
        "contains": Text(about="the text has this in it"),
        "starts_with": Text(about="the text begins with this"),
        "matches": Text(
            about="this regular expression is found in the text", judge=judges.judge_regex
        ),
        "ignore_case": Flag(about="upper and lower case are the same"),
        "normalise": Either(
            about="takes volatile text away before comparing",
            options=(
                Text(choices=NORMALISERS),
                Items(item=Text(choices=NORMALISERS), least=1),
            ),
        ),
    },
    some_of=("equals", "contains", "starts_with", "matches"),
)
TEXT_MATCHER = Either(
    options=(Text(), _MATCHER), about="a text that must be equal, or a mapping that says more"
)
RANGE = Either(
    about='a number, a comparison such as ">=2", {min, max}, or a list of numbers',
    options=(
        Number(least=0),
        Text(),
        Items(item=Number(), least=1),
        Record(fields={"min": _WHOLE, "max": _WHOLE}, some_of=("min", "max")),
    ),
    judge=judges.judge_range,
)


def _names(item: Text, about: str) -> Either:
    several = one_or_more(item)
    return Either(
        about=about,
        options=(
            Flag(about="whether there is any"),
            Items(item=item, least=1),
            Record(
                fields={
                    "all": several,
                    "any": several,
                    "none": Either(options=(Flag(), *several.options)),
                    "count": Ref(name="range"),
                },
                some_of=("all", "any", "none", "count"),
            ),
        ),
    )


def _optional(about: str) -> Either:
    return Either(options=(Flag(about="whether it is there"), Text(), _MATCHER), about=about)


MESSAGE = Either(
    about="a text that the message contains, or a mapping",
    options=(
        Text(),
        Record(
            fields={
                "role": one_or_more(
                    Text(about="the role, or several of which it is one", usual=ROLES)
                ),
                "content": Ref(name="text_matcher", about="all text of the message"),
                "name": _optional("the message's name"),
                "tool_call_id": _optional("the call that a tool message answers"),
                "reasoning": _optional("the reasoning that came back with an assistant turn"),
                "tool_calls": _names(_TEXT, "names of the functions that an assistant turn called"),
                "parts": _names(Text(choices=PARTS), "kinds of content parts"),
                "partial": Flag(about="whether the message is a prefix to be continued"),
            },
            some_of=(
                "role", "content", "name", "tool_call_id", "reasoning", "tool_calls", "parts",
                "partial",
            ),
        ),
    ),
)  # fmt: skip

WHEN = Record(
    about="All given keys must hold.",
    fields={
        "last": Ref(name="message", about="the last message"),
        "messages": Record(
            about="the whole history",
            fields={
                "any": Ref(name="message"),
                "all": Ref(name="message"),
                "none": Ref(name="message"),
                "count": Ref(name="range"),
            },
            some_of=("any", "all", "none", "count"),
        ),
        "system": Either(
            options=TEXT_MATCHER.options,
            about="a text that the system messages contain, or a mapping",
        ),
        "turn": Ref(name="range", about="how many assistant turns the history holds"),
        "tools": _names(_TEXT, "names of tools that are all offered, or a mapping"),
        "tool_choice": Either(
            options=(
                Text(choices=tuple(ChoiceMode)),
                Record(fields={"name": _TEXT}, required=("name",)),
            )
        ),
        "stream": Flag(about="whether a stream is asked for"),
        "model": Ref(name="text_matcher", about="the model's name"),
        "profile": one_or_more(Text(about="the host's profile", judge=judges.judge_profile)),
        "reasoning_effort": one_or_more(Text(about="the effective effort", usual=EFFORTS)),
        "response_format": one_or_more(Text(choices=FORMATS)),
        "headers": Record(
            about="request headers by name, in any case",
            others=_optional("the header's value"),
        ),
        "prompt_tokens": Ref(name="range", about="the tokens of the prompt, as usage counts them"),
        "attempt": Ref(name="range", about="how often the session has seen this very request"),
        "jmespath": Either(
            about="an expression over the body as received that gives a true value",
            options=(
                Text(judge=judges.judge_jmespath),
                Record(
                    fields={
                        **_MATCHER.fields,
                        "expression": Text(judge=judges.judge_jmespath),
                        "equals": Anything(about="the result is this", written=True),
                    },
                    required=("expression",),
                ),
            ),
        ),
        "not": Ref(name="when", about="must not hold"),
        "any_of": Items(item=Ref(name="when"), least=1, about="of these one must hold"),
        "all_of": Items(item=Ref(name="when"), least=1, about="all of these must hold"),
    },
)  # fmt: skip
