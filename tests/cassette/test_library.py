"""Recordings are served in the order of recording, and never to another request."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from k3mock.cassette.clean import cleaned
from k3mock.cassette.interaction import Timing
from k3mock.cassette.key import Ignored
from k3mock.cassette.library import CassetteMiss, Library, Manner, MissCode, Played, Tier, in_order
from k3mock.redaction.rules import Rules
from k3mock.redaction.scrub import scrub_request
from k3mock.state import Session
from tests.cassette.tapes import cassette, raw, recorded
from tests.support import request, tool

if TYPE_CHECKING:
    from k3mock.cassette.interaction import Interaction


def numbers(library: Library, bodies: list[Any], session: Session | None = None) -> list[Any]:
    """Ask one after the other; a number each, or the code of the miss."""
    session = session or Session("s")
    found = [library.find(raw(body), session) for body in bodies]
    return [
        each.interaction.number if isinstance(each, Played) else str(each.code) for each in found
    ]


def tiers(library: Library, bodies: list[Any]) -> list[str]:
    session = Session("s")
    found = [library.find(raw(body), session) for body in bodies]
    return [
        f"{each.interaction.number} {each.tier}" if isinstance(each, Played) else "-"
        for each in found
    ]


A, B = request("a"), request("b")


def cached(key: str) -> dict[str, Any]:
    return {**A, "prompt_cache_key": key}


def of(*bodies: Any, **manner: Any) -> Library:
    items = [recorded(body, number=number) for number, body in enumerate(bodies, 1)]
    return Library([cassette(*items)], Manner(**manner))


def test_equal_requests_get_their_answers_in_the_order_of_recording() -> None:
    assert numbers(of(A, B, A), [A, A, B]) == [1, 3, 2]


def test_arrival_counts_not_the_place_in_the_file() -> None:
    late, early = recorded(A, number=1, seq=7), recorded(A, number=2, seq=3)
    assert numbers(Library([cassette(late, early)]), [A, A]) == [2, 1]


def test_recordings_without_a_number_stay_behind_the_one_before() -> None:
    items = [recorded(A, number=1, seq=5), recorded(A, number=2), recorded(A, number=3, seq=2)]
    assert [item.number for item in in_order(items)] == [3, 1, 2]


def test_several_cassettes_are_asked_one_after_the_other() -> None:
    library = Library([cassette(recorded(A, "1")), cassette(recorded(A, "2"), name="b.json")])
    session = Session("s")
    labels = [library.find(raw(A), session) for _ in range(2)]
    assert [each.label for each in labels if isinstance(each, Played)] == [
        "cassette:login.yaml#1",
        "cassette:b.json#1",
    ]


def test_every_session_hears_the_recording_from_its_beginning() -> None:
    library = of(A, A)
    assert numbers(library, [A], Session("one")) == [1]
    assert numbers(library, [A], Session("two")) == [1]


def test_two_libraries_do_not_share_their_places() -> None:
    session = Session("s")
    one, two = Library([cassette(recorded(A))]), Library([cassette(recorded(A), name="b.yaml")])
    assert numbers(one, [A], session) == numbers(two, [A], session) == [1]


@pytest.mark.parametrize(
    ("exhausted", "expected"),
    [
        ("error", [1, 3, "exhausted", "exhausted", 2]),
        ("repeat-last", [1, 3, 3, 3, 2]),
        ("cycle", [1, 3, 1, 3, 2]),
    ],
)
def test_what_follows_the_last_recording_is_chosen(exhausted: str, expected: list[Any]) -> None:
    assert numbers(of(A, B, A, exhausted=exhausted), [A, A, A, A, B]) == expected


def test_a_relaxed_match_needs_a_request_that_was_not_recorded() -> None:
    library = of(cached("u1"), cached("u2"))
    assert tiers(library, [cached("u2"), cached("u2")]) == [
        "2 exact",
        "-",
    ]
    assert tiers(library, [cached("x"), A, A]) == ["1 relaxed", "2 relaxed", "-"]


def test_who_lost_a_recording_to_a_relaxed_match_may_take_the_next() -> None:
    library = of(cached("u1"), cached("u2"))
    asked = [cached("x"), cached("u1")]
    assert tiers(library, asked) == ["1 relaxed", "2 relaxed"]


@pytest.mark.parametrize(
    ("exhausted", "expected"),
    [
        ("repeat-last", ["1 relaxed", "2 relaxed", "2 relaxed"]),
        ("cycle", ["1 relaxed", "2 relaxed", "1 relaxed", "2 relaxed", "1 relaxed"]),
    ],
)
def test_relaxed_matches_come_again_too(exhausted: str, expected: list[str]) -> None:
    library = of(cached("u1"), cached("u2"), exhausted=exhausted)
    assert tiers(library, [A] * len(expected)) == expected


def test_strict_matching_takes_nothing_that_is_only_nearly_the_same() -> None:
    library = of(cached("u1"), strict=True)
    assert numbers(library, [A, cached("u1")]) == ["no_match", 1]


def test_a_recording_of_the_very_same_request_goes_before_one_that_differs_in_a_secret() -> None:
    library = of({**A, "user": "u1"}, {**A, "user": "u2"})
    assert tiers(library, [{**A, "user": "u2"}, {**A, "user": "u2"}]) == ["2 exact", "-"]
    asked = [{**A, "user": "x"}, {**A, "user": "u1"}, {**A, "user": "u2"}]
    assert tiers(library, asked) == ["1 exact", "2 exact", "-"]


def test_configured_paths_and_texts_relax_the_match() -> None:
    ignored = Ignored.of(["messages[*].name"], [r"\d+"])
    library = of(request("day 1"), ignored=ignored)
    asked = request("day 22")
    asked["messages"][0]["name"] = "x"
    assert tiers(library, [asked]) == ["1 relaxed"]


SECRET = "sk-abcdefghijklmnop12345678"
IMAGE = "data:image/png;base64," + "iVBORw0KGgo9aQ" * 40


def media(url: str = IMAGE, **fields: Any) -> dict[str, Any]:
    parts = [{"type": "image_url", "image_url": {"url": url}}]
    return request(messages=[{"role": "user", "content": parts}], **fields)


def kept(body: Any, number: int = 1, **wishes: Any) -> Interaction:
    """Return what a recorder keeps of a request."""
    whole = recorded(body, number=number)
    asked = scrub_request(whole.request, Rules(**wishes))
    timing = Timing(seq=number, redacted=asked.names)
    return replace(whole, request=replace(whole.request, body=asked.body), timing=timing)


@pytest.mark.parametrize(
    "body",
    [
        pytest.param(request(f"my key is {SECRET}", user="me"), id="secrets"),
        pytest.param(media(), id="media"),
        pytest.param(media(user="me"), id="media-and-secrets"),
        pytest.param(request("nothing"), id="nothing"),
    ],
)
@pytest.mark.parametrize(
    "wishes", [{}, {"keep_media": True}, {"redact_content": True}], ids=["", "media", "private"]
)
def test_what_was_taken_out_of_a_recording_is_taken_out_of_a_request(
    body: Any, wishes: dict[str, Any]
) -> None:
    library = Library([cassette(kept(body, **wishes), kept(request("other"), number=2, **wishes))])
    assert tiers(library, [body]) == ["1 exact"]


def test_secrets_of_a_foreign_recording_are_compared_without_their_values() -> None:
    library = of(request(f"my key is {SECRET}"))
    assert tiers(library, [request("my key is sk-another-key-of-mine-999")]) == ["1 exact"]


def test_the_clients_own_key_in_its_prompt_matches_that_of_the_recording() -> None:
    library = Library([cassette(kept(request("use [redacted] now")))])
    asked = raw(request("use my-own-key-4711 now"), authorization="Bearer my-own-key-4711")
    assert isinstance(library.find(asked, Session("s")), Played)


def test_an_image_that_changed_by_a_byte_is_another_image() -> None:
    library = Library([cassette(kept(media()))])
    assert numbers(library, [media(IMAGE[:-4] + "AAAA"), media()]) == ["no_match", 1]


def test_texts_of_a_private_recording_do_not_show_and_still_tell_apart() -> None:
    items = [kept(request(text), number, redact_content=True)
             for number, text in enumerate(("one", "two"), 1)]  # fmt: skip
    library = Library([cassette(*items)])
    assert numbers(library, [request("two"), request("one"), request("three")]) == [
        2, 1, "no_match",
    ]  # fmt: skip
    missed = library.find(raw(request("a very private text")), Session("s"))
    assert isinstance(missed, CassetteMiss)
    assert "private" not in missed.message


def test_what_cleans_a_body_can_be_chosen() -> None:
    def scrub(uri: str, headers: object, body: bytes) -> tuple[str, bytes]:
        assert uri.endswith("/v1/chat/completions")
        assert isinstance(headers, tuple)
        return uri, body.replace(b"secret", b"")

    assert numbers(of(request("the secret"), scrub=scrub), [request("the ")]) == [1]


def listing(query: str, answer: str, number: int = 1, **more: Any) -> Interaction:
    return recorded(b"", answer, number=number, method="GET",
                    uri=f"https://h/v1/files{query}", **more)  # fmt: skip


def got(library: Library, target: str, session: Session, **headers: str) -> tuple[bytes, str] | str:
    asked = replace(raw(b"", path=unquote(target.partition("?")[0]), method="GET", **headers),
                    target=target)  # fmt: skip
    found = library.find(asked, session)
    if isinstance(found, CassetteMiss):
        return str(found.code)
    return found.interaction.response.body, str(found.tier)


@pytest.mark.parametrize("seq", [None, 1], ids=["foreign", "own"])
def test_a_query_belongs_to_what_is_exactly_the_same(seq: int | None) -> None:
    items = [listing("?after=a&limit=2", "one", seq=seq), listing("?after=b", "two", 2, seq=seq)]
    library = Library([cassette(*items)])
    session = Session("s")
    assert got(library, "/v1/files?after=b", session) == (b"two", "exact")
    assert got(library, "/v1/files?limit=2&token=t-471147114711&after=a", session) == (
        b"one", "exact",
    )  # fmt: skip
    assert got(library, "/v1/files?after=a&limit=2", session) == "exhausted"
    again = Session("t")
    assert got(library, "/v1/files?after=z", again) == (b"one", "relaxed")
    assert got(Library([cassette(*items)], Manner(strict=True)), "/v1/files", again) == "no_match"


@pytest.mark.parametrize("own", [True, False], ids=["own", "foreign"])
def test_a_path_that_holds_a_secret_is_found_again(*, own: bool) -> None:
    secret = "sk-" + "Ab12" * 10
    uri = f"https://api.moonshot.ai/v1/files/{secret}"
    item = recorded(b"", "one", method="GET", uri=uri)
    if own:
        item = cleaned(replace(item, timing=Timing(seq=1)))
        assert item.request.uri == "https://api.moonshot.ai/v1/files/%5Bredacted%5D"
    library = Library([cassette(item)])
    for number, name in enumerate((secret, "sk-" + "Zy98" * 10)):
        assert got(library, f"/v1/files/{name}", Session(str(number))) == (b"one", "exact")
    key = "some-4711-key-of-mine"
    item = recorded(b"", "one", method="GET", uri="https://h/v1/x/%5Bredacted%5D", seq=1)
    found = got(Library([cassette(item)]), f"/v1/x/{key}", Session("s"),
                authorization=f"Bearer {key}")  # fmt: skip
    assert found == (b"one", "exact")


@pytest.mark.parametrize("timed", [False, True], ids=["foreign", "own"])
def test_a_look_up_among_a_thousand_is_fast(timed: Any) -> None:
    bodies = [request(f"{number} " + "some words of a long prompt " * 700)
              for number in range(1000)]  # fmt: skip
    items = [recorded(body, number=number, seq=number if timed else None)
             for number, body in enumerate(bodies, 1)]  # fmt: skip
    started = time.process_time()
    library = Library([cassette(*items)])
    indexed = time.process_time() - started
    asked = [raw(body) for body in bodies]
    session = Session("s")
    started = time.process_time()
    assert all(isinstance(library.find(each, session), Played) for each in asked)
    looked_up = time.process_time() - started
    assert len(asked[0].body) > 19_000
    assert indexed < (1.5 if timed else 6.0)
    assert looked_up < 1.0, "a thousand look-ups, each below a millisecond"


def test_any_path_and_method_can_be_recorded() -> None:
    items = [
        recorded(b"", number=1, method="GET", uri="https://h/v1/models"),
        recorded(b"", number=2, method="DELETE", uri="https://h/v1/files/f1"),
        recorded({"input": "x"}, number=3, uri="https://h/v1/embeddings"),
    ]
    library = Library([cassette(*items)])
    session = Session("s")
    asked = [
        raw(b"", "/v1/models", "GET"),
        raw(b"", "/v1/files/f1", "DELETE"),
        raw({"input": "x"}, "/v1/embeddings"),
    ]
    found = [library.find(each, session) for each in asked]
    assert [each.interaction.number for each in found if isinstance(each, Played)] == [1, 2, 3]


def test_unused_recordings_are_known_of_a_session_and_of_all() -> None:
    library = of(A, B, A)
    session, other = Session("s"), Session("t")
    numbers(library, [A], session)
    numbers(library, [B], other)
    assert [item.interaction.number for item in library.unused(session)] == [2, 3]
    assert [item.label for item in library.unused(Session("new"))] == [
        "login.yaml#1",
        "login.yaml#2",
        "login.yaml#3",
    ]
    assert [item.interaction.number for item in library.served] == [1, 2]


def test_a_miss_is_worked_out_once() -> None:
    missed = of(A).find(raw(b"\x00binary", "/v1/other"), Session("s"))
    assert isinstance(missed, CassetteMiss)
    assert missed.code is MissCode.NOTHING_SIMILAR
    assert missed.told is missed.told


def _alike() -> list[Any]:
    """Requests that differ where a careless matcher does not look."""
    history = [{"role": "assistant", "content": "hello"}, {"role": "user", "content": "same"}]
    return [
        request("same"),
        request(messages=[{"role": "user", "content": "before"}, *history]),
        request(messages=[{"role": "user", "content": "Before"}, *history]),
        request("same", model="kimi-k2"),
        request("same", tools=[tool()]),
        request("same", tools=[tool("other")]),
        request("same", tools=[tool(city={"type": "number"})]),
        request("same", stream=True),
        request("same", reasoning_effort="low"),
        request("same", tool_choice="none"),
        request("same", response_format={"type": "json_object"}),
        request(messages=[{"role": "user", "content": [{"type": "text", "text": "same"}]}]),
    ]


def test_look_alikes_never_get_each_others_answer() -> None:
    alike = _alike()
    for number, body in enumerate(alike, 1):
        assert numbers(of(*alike), [body]) == [number]
    for body in alike:
        others = [each for each in alike if each is not body]
        assert numbers(of(*others), [body]) == ["no_match"]


_BODIES = st.sampled_from([*_alike(), {**A, "user": "u1"}, {**A, "user": "u2"}, A, B, b"raw"])


@given(st.lists(_BODIES, max_size=12))
def test_whatever_was_recorded_is_served_in_order_to_who_asks_in_order(bodies: list[Any]) -> None:
    library = of(*bodies)
    assert numbers(library, bodies) == list(range(1, len(bodies) + 1))
    assert all(tier.endswith("exact") for tier in tiers(library, bodies))


@given(st.lists(_BODIES, max_size=10), st.randoms())
def test_in_any_order_each_request_gets_its_own_recordings_in_theirs(
    bodies: list[Any], chance: Any
) -> None:
    shuffled = list(bodies)
    chance.shuffle(shuffled)
    served: list[Interaction] = []
    library, session = of(*bodies), Session("s")
    for body in shuffled:
        found = library.find(raw(body), session)
        assert isinstance(found, Played)
        assert found.tier is Tier.EXACT
        assert found.interaction.request.body == raw(body).body
        served.append(found.interaction)
    for body in bodies:
        own = [each.number for each in served if each.request.body == raw(body).body]
        assert own == sorted(own)
    assert not library.unused(session)
