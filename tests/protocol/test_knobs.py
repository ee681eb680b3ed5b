"""Which values knobs take, and what is said of the others."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from k3mock.protocol.knobs import MOST, KnobError, apply_knobs, knobs, read_knobs
from k3mock.protocol.policy import WirePolicy
from tests.support import chat, profile_file, serving

if TYPE_CHECKING:
    from pathlib import Path

    from k3mock.serving import MockServer

NUMBERS = sorted(name for name, knob in knobs().items() if knob.kind == "number")


@pytest.mark.parametrize("name", NUMBERS)
def test_a_number_has_a_largest_value(name: str) -> None:
    most = knobs()[name].most
    assert most == (100 if name == "finish_chunks" else MOST)
    assert read_knobs({name: str(most)}) == {name: most}
    with pytest.raises(KnobError) as caught:
        read_knobs({name: most + 1})
    assert f"accepted: a whole number from 0 to {most:,}" in str(caught.value)


@pytest.mark.parametrize(
    "value",
    [
        pytest.param("9" * 5000, id="endless"),
        pytest.param("9" * 400, id="long"),
        pytest.param(2**70, id="beyond-64-bits"),
        pytest.param("\u0663", id="digits-of-another-script"),
        pytest.param("\u00b2", id="superscript"),
        pytest.param("-1", id="negative-text"),
        pytest.param(-1, id="negative"),
        pytest.param("1.5", id="fraction"),
        pytest.param(1.5, id="fraction-number"),
        pytest.param(True, id="flag"),
        pytest.param("", id="nothing"),
    ],
)
def test_what_is_no_such_number_is_refused(value: Any) -> None:
    with pytest.raises(KnobError) as caught:
        apply_knobs(WirePolicy(), {"tool_id_start": value})
    assert caught.value.knob == "tool_id_start"


@pytest.mark.parametrize(
    ("name", "value", "accepted"),
    [
        pytest.param("content_type", "a\nb", "text that fits a header", id="line-break"),
        pytest.param("content_type", "a\rb", "text that fits a header", id="carriage-return"),
        pytest.param("content_type", "a\0b", "text that fits a header", id="null"),
        pytest.param("content_type", "a\u20acb", "text that fits a header", id="beyond-latin-1"),
        pytest.param("content_type", 5, "text that fits a header", id="no-text"),
        pytest.param("event_name", "a\ndata: b", "text without line breaks", id="event"),
        pytest.param("event_name", "a\rb", "text without line breaks", id="event-cr"),
        pytest.param("keepalive_text", 5, "text", id="comment"),
    ],
)
def test_a_text_cannot_begin_another_header_or_line(name: str, value: Any, accepted: str) -> None:
    with pytest.raises(KnobError) as caught:
        read_knobs({name: value})
    assert str(caught.value).endswith(f"accepted: {accepted}")


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("content_type", "text/plain; x=\xe9"),
        ("event_name", "chunk \u20ac"),
        ("keepalive_text", "a\nb"),
    ],
)
def test_other_texts_are_taken_as_they_are(name: str, value: str) -> None:
    assert getattr(apply_knobs(WirePolicy(), {name: value}), name) == value


@pytest.mark.parametrize(
    "knob",
    [
        "tool_id_start=" + "9" * 5000,
        "finish_chunks=" + "9" * 30,
        "finish_chunks=2000000",
        "content_type=a%0Ab",
        "event_name=a%0Adata:%20b",
    ],
)
def test_a_base_url_with_such_a_value_is_answered_with_what_it_takes(
    server: MockServer, knob: str
) -> None:
    answer = chat(server, options=f"wire.{knob}")
    assert answer.status == 422
    assert "accepted: " in answer.error["message"]


def test_numbers_beyond_64_bits_travel_in_keys_of_ones_own(tmp_path: Path) -> None:
    wire = {"extra": {"seed": 2**70}}
    own = profile_file(tmp_path, json.dumps({"extends": "moonshot", "wire": wire}))
    with serving(profile=own) as server:
        assert chat(server).json["seed"] == 2**70
        assert chat(server, stream=True).events[0]["seed"] == 2**70
