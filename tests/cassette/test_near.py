"""The nearest recording is the one a person would point at, and what differs is told briefly."""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING, Any

import pytest

from k3mock.cassette.library import CassetteMiss, Library, Manner, MissCode
from k3mock.cassette.near import LINES, Nearest, Seen, differences
from k3mock.state import Session
from tests.cassette.tapes import as_bytes, cassette, raw, recorded
from tests.support import request, tool

if TYPE_CHECKING:
    from k3mock.cassette.library import Told


def seen(body: Any, path: str = "/v1/chat/completions", method: str = "POST") -> Seen:
    return Seen(method=method, path=path, body=as_bytes(body))


def nearest(bodies: list[Any], asked: Any, used: tuple[int, ...] = ()) -> int | None:
    near = Nearest([seen(body) for body in bodies]).find(seen(asked), used)
    return None if near is None else near.place


def diff(was: Any, now: Any) -> list[str]:
    return differences(seen(was), seen(now))


def told(library: Library, body: Any, path: str = "/v1/chat/completions") -> Told:
    missed = library.find(raw(body, path), Session("s"))
    assert isinstance(missed, CassetteMiss)
    return missed.told


WORDS = "Please summarise the attached minutes of the meeting in three short sentences."


def test_the_same_words_are_nearer_than_the_same_settings() -> None:
    bodies = [request("Write a haiku.", temperature=1, seed=7), request(WORDS)]
    asked = request(WORDS.replace("three", "four"), temperature=1, seed=7)
    assert nearest(bodies, asked) == 1


def test_a_message_more_in_the_history_changes_little() -> None:
    history = [{"role": "user", "content": f"question number {number}"} for number in range(6)]
    other = [{"role": "user", "content": f"other thing {number}"} for number in range(7)]
    asked = [{"role": "system", "content": "Be brief."}, *history]
    assert nearest([request(messages=other), request(messages=history)],
                   request(messages=asked)) == 1  # fmt: skip


def test_of_equals_the_one_that_was_not_served_is_nearest() -> None:
    bodies = [request("x", user="a"), request("x", user="b")]
    assert nearest(bodies, request("x", user="c")) == 0
    assert nearest(bodies, request("x", user="c"), used=(0,)) == 1


def test_another_path_or_method_is_never_near() -> None:
    near = Nearest([seen({"input": "x"}, "/v1/embeddings"), seen(b"", method="GET")])
    assert near.find(seen({"input": "x"})) is None


def test_what_has_next_to_nothing_in_common_is_not_similar() -> None:
    assert nearest([{"a": 1, "b": 2, "c": 3}], {"d": 4, "e": 5}) is None
    assert nearest([b""], b"") == 0


def test_bodies_that_are_no_json_are_compared_by_their_words() -> None:
    text = "a plain body of several words that is long enough to be compared"
    assert nearest([b"nothing at all to do with it", text.encode()],
                   text.replace("plain", "raw").encode()) == 1  # fmt: skip


@pytest.mark.parametrize(
    ("was", "now", "line"),
    [
        ({"n": 1}, {"n": 2}, "n: recorded 1, asked 2"),
        ({"n": 1}, {"n": True}, "n: recorded 1, asked true"),
        ({"n": None}, {"n": "x"}, 'n: recorded null, asked "x"'),
        ({"a": {"b": 1}}, {"a": {}}, "a.b: only recorded, 1"),
        ({"a": {}}, {"a": {"b": [1]}}, "a.b: only asked, [1]"),
        ({"m": [{"c": "x"}]}, {"m": [{"c": "y"}]}, "m[0].c: [-x-]{+y+}"),
        ({"m": [1, 2, 3]}, {"m": [1, 9, 2, 3]}, "m[1]: only asked, 9"),
        ({"m": [1, 2, 3]}, {"m": [1, 3]}, "m[1]: only recorded, 2"),
        ({"m": []}, {"m": [0]}, "m[0]: only asked, 0"),
        ([1], [2], "[0]: recorded 1, asked 2"),
        ({"c": "the weather in Paris"}, {"c": "the weather in Rome"},
         "c: the weather in [-Paris-]{+Rome+}"),
        ({"c": "weather"}, {"c": "weathers"}, "c: [-weather-]{+weathers+}"),
        ({"c": "今天天气好"}, {"c": "今天天气坏"}, "c: 今天天气[-好-]{+坏+}"),
        ({"c": "a b"}, {"c": "a  c b"}, "c: a {+ c +}b"),
        ({"c": "a b"}, {"c": "a  b"}, "c: a {+\u2423+}b"),
        ({"c": "a\nb"}, {"c": "a b"}, r"c: a[-\n-]{+␣+}b"),
        ({"c": "same end"}, {"c": "other end"}, "c: [-same-]{+other+} end"),
        ({"c": ""}, {"c": "new"}, "c: {+new+}"),
        (b"raw one", b"raw two", "body: raw [-one-]{+two+}"),
    ],
)  # fmt: skip
def test_a_difference_is_one_line(was: Any, now: Any, line: str) -> None:
    assert diff(was, now) == [line]


def test_equal_requests_have_no_difference() -> None:
    assert diff(request(WORDS, tools=[tool()]), request(WORDS, tools=[tool()])) == []


def test_only_the_changed_words_of_a_long_text_are_shown() -> None:
    lead, trail = "before " * 3000, " after" * 3000
    line, = diff({"c": f"{lead}one{trail}"}, {"c": f"{lead}two{trail}"})  # fmt: skip
    assert line.startswith("c: …")
    assert "before [-one-]{+two+} after" in line
    assert line.endswith("…")
    assert len(line) < 100


def test_several_changes_in_one_text_are_one_line() -> None:
    was = " ".join(f"w{number}" for number in range(60))
    now = was.replace("w5 ", "x5 ").replace("w50", "x50")
    line, = diff({"c": was}, {"c": now})  # fmt: skip
    assert "[-w5-]{+x5+}" in line
    assert "[-w50-]{+x50+}" in line
    assert "…" in line
    assert "w30" not in line


def test_few_equal_words_between_changes_are_shown_whole() -> None:
    assert diff({"c": "one and two"}, {"c": "1 and 2"}) == ["c: [-one-]{+1+} and [-two-]{+2+}"]


def test_texts_that_have_nothing_in_common_are_cut() -> None:
    line, = diff({"c": "a b " * 2000}, {"c": "x y " * 2000})  # fmt: skip
    assert len(line) <= 300
    assert line.startswith("c: [-a b a b")


def test_long_values_say_how_long_they_are() -> None:
    line, = diff({"a": 1}, {"a": 1, "b": ["x" * 500]})  # fmt: skip
    assert line.startswith('b: only asked, ["xxx')
    assert line.endswith("… (504 characters)")


def test_a_difference_is_never_longer_than_its_limit() -> None:
    lines = diff({str(number): number for number in range(100)}, {})
    assert len(lines) == LINES
    assert lines[-1] == "and more"


def test_the_difference_of_megabytes_takes_no_time() -> None:
    lead = "word " * 400_000
    started = time.process_time()
    line, = diff({"c": f"{lead}one"}, {"c": f"{lead}two"})  # fmt: skip
    assert time.process_time() - started < 2.0
    assert "[-one-]{+two+}" in line


def test_a_miss_tells_cassette_mode_nearest_difference_and_what_to_do() -> None:
    library = Library([cassette(recorded(request("Write a haiku."), number=4))])
    found = told(library, request("Write a limerick."))
    assert found.code is MissCode.NO_MATCH
    assert found.nearest == "login.yaml#4"
    first, near, change, do = found.message.splitlines()
    assert first == "no recording in login.yaml matches this request (mode none, 1 recording)."
    assert near.startswith("nearest: login.yaml#4, ")
    assert change == "  messages[0].content: Write a [-haiku-]{+limerick+}."
    assert do.startswith("do: ")
    assert "--mode new_episodes" in do


def test_a_strict_miss_that_differs_in_nothing_shown_says_so() -> None:
    library = Library([cassette(recorded({"a": 1.0}))], Manner(strict=True))
    found = told(library, {"a": 1, "b": None, "c": 2})
    assert "c: only asked, 2" in found.message
    assert "mode none, strict, 1 recording" in found.message


def test_a_used_up_recording_is_told_with_its_numbers() -> None:
    library = Library([cassette(*(recorded(number=number) for number in range(1, 13)))])
    session = Session("the session")
    for _ in range(12):
        library.find(raw(), session)
    missed = library.find(raw(), session)
    assert isinstance(missed, CassetteMiss)
    assert missed.code is MissCode.EXHAUSTED
    assert "recorded 12 times (#1, #2" in missed.message
    assert "#10, …)" in missed.message
    assert "'the session'" in missed.message
    assert "--exhausted cycle" in missed.message
    assert missed.told.nearest == "login.yaml#12"


def test_where_nothing_is_similar_the_recorded_paths_are_listed() -> None:
    items = [recorded(number=1), recorded(number=2), recorded(b"", number=3, uri="https://h/v1/x")]
    found = told(Library([cassette(*items)]), {"input": "x"}, "/v1/embeddings")
    assert found.code is MissCode.NOTHING_SIMILAR
    assert "POST v1/embeddings" in found.message
    assert "recorded: POST chat/completions (2), POST v1/x (1)" in found.message
    assert found.nearest is None


def test_an_empty_cassette_says_that_it_is_empty() -> None:
    found = told(Library([cassette()]), request())
    assert found.code is MissCode.NOTHING_SIMILAR
    assert "0 recordings" in found.message
    assert "recorded: nothing" in found.message


def test_of_many_cassettes_a_few_are_named() -> None:
    library = Library([cassette(name=f"{name}.yaml") for name in "abcde"])
    assert "nothing in a.yaml, b.yaml, c.yaml and 2 more is similar" in told(library, {}).message


def test_a_miss_among_a_thousand_is_found_fast_and_found_right() -> None:
    texts = [f"topic {number} " + f"sentence {number * 7919 % 1009} about it. " * 400
             for number in range(1000)]  # fmt: skip
    items = [recorded(request(text), number=number) for number, text in enumerate(texts, 1)]
    library = Library([cassette(*items)])
    asked = request(texts[700].replace("topic 700", "subject 700"))
    started = time.process_time()
    assert told(library, asked).nearest == "login.yaml#701"
    first = time.process_time() - started
    started = time.process_time()
    assert told(library, asked).nearest == "login.yaml#701"
    again = time.process_time() - started
    assert first < 10.0
    assert again < 1.0
    assert len(json.dumps(asked)) > 8000
