from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from k3mock.cassette.interaction import End, Timing
from k3mock.cassette.timing import decode, encode, fits
from tests.cassette.recordings import recorded

FULL = Timing(
    seq=12,
    at="2026-11-29T18:26:09Z",
    head_us=21_347,
    chunks=((22_426, 184), (308_660, 168), (681_270, 168)),
    end=End.UPSTREAM_ERROR,
    error="RemoteProtocolError",
    enc="gzip",
    length=4711,
    redacted=("image", "key"),
)


def test_the_key_has_the_members_of_its_format_and_no_others() -> None:
    assert encode(FULL) == {
        "v": 1,
        "seq": 12,
        "at": "2026-11-29T18:26:09Z",
        "head_us": 21347,
        "chunks": "22426/184 308660/168 681270/168",
        "end": "upstream_error",
        "error": "RemoteProtocolError",
        "enc": "gzip",
        "length": 4711,
        "redacted": ["image", "key"],
    }


def test_what_there_is_nothing_to_say_about_is_left_out() -> None:
    assert encode(Timing(seq=1)) == {"v": 1, "seq": 1, "head_us": 0, "end": "complete"}


@given(
    st.builds(
        Timing,
        seq=st.integers(0, 10**9),
        at=st.sampled_from(["", "2026-11-29T18:26:09Z"]),
        head_us=st.integers(0, 10**9),
        chunks=st.lists(st.tuples(st.integers(0, 10**9), st.integers(0, 10**9))).map(tuple),
        end=st.sampled_from(End),
        error=st.none() | st.text("ABCxyz", min_size=1),
        enc=st.none() | st.sampled_from(["gzip", "br"]),
        redacted=st.lists(st.sampled_from(["key", "image"])).map(tuple),
    )
)
def test_every_key_comes_back_through_yaml(timing: Timing) -> None:
    text = yaml.safe_dump(encode(timing))
    assert decode(yaml.safe_load(text)) == (timing, ())


def test_members_of_a_later_version_are_warned_of_and_kept() -> None:
    later: dict[str, Any] = {**encode(FULL), "v": 2, "trailers": [["x", 1]], "end": "cancelled"}
    timing, warnings = decode(later)
    assert timing is not None
    assert timing.chunks == FULL.chunks
    assert timing.end is End.COMPLETE
    assert encode(timing) == later
    assert warnings == (
        "the key `k3mock` has members that are not known: trailers",
        "`k3mock.end` has a value that is not understood: 'cancelled'",
        "the key `k3mock` has version 2; this k3mock knows 1 and reads what it understands",
    )


@pytest.mark.parametrize(
    ("member", "value"),
    [
        ("seq", -1),
        ("seq", True),
        ("seq", "1"),
        ("v", None),
        ("head_us", 1.5),
        ("at", 5),
        ("chunks", 5234),
        ("chunks", "87:14"),
        ("chunks", "1/2 3"),
        ("chunks", "1/-2"),
        ("chunks", ["1/2"]),
        ("end", 1),
        ("error", 1),
        ("enc", ["gzip"]),
        ("redacted", "key"),
        ("redacted", [1]),
    ],
)
def test_a_member_that_makes_no_sense_is_warned_of_and_not_used(member: str, value: Any) -> None:
    timing, warnings = decode({**encode(FULL), member: value})
    assert timing is not None
    default = FULL.v if member == "v" else getattr(Timing(), member)
    assert getattr(timing, member) == default
    assert warnings == (f"`k3mock.{member}` has a value that is not understood: {value!r}",)
    assert encode(timing)[member] == value


def test_a_date_that_lost_its_quotes_is_read() -> None:
    timing, warnings = decode(yaml.safe_load("at: 2026-11-29T19:26:09+01:00"))
    assert (timing, warnings) == (Timing(at="2026-11-29T18:26:09Z"), ())
    naive, _ = decode(yaml.safe_load("at: 2026-11-29 18:26:09"))
    assert naive == Timing(at="2026-11-29T18:26:09Z")


def test_values_that_json_has_no_word_for_are_kept_as_text() -> None:
    timing, _ = decode({"day": yaml.safe_load("2026-11-29"), "raw": b"a\xff", "more": {1: (2,)}})
    assert timing is not None
    assert encode(timing) == {
        "v": 1,
        "seq": 0,
        "head_us": 0,
        "end": "complete",
        "day": "2026-11-29",
        "raw": "a\ufffd",
        "more": {"1": [2]},
    }


def test_a_key_that_is_no_mapping_is_not_used() -> None:
    assert decode("later") == (None, ("the key `k3mock` is no mapping and is not used",))


def test_writes_fit_while_they_add_up_to_the_body() -> None:
    whole = recorded()
    assert fits(whole)
    edited = replace(whole.response, body=whole.response.body + b" ")
    assert not fits(replace(whole, response=edited))
    assert not fits(replace(whole, timing=None))


def test_a_length_that_is_none_is_kept_aside() -> None:
    timing, warnings = decode({"v": 1, "length": -4})
    assert timing is not None
    assert (timing.length, timing.unknown) == (None, {"length": -4})
    assert warnings == ("`k3mock.length` has a value that is not understood: -4",)
