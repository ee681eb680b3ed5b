"""Planted secrets: none is left after scrubbing, and without it all are found."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
import yaml

from k3mock.redaction.leak import LeakError
from k3mock.redaction.rules import USUAL, Rules
from k3mock.redaction.scan import scan, scan_document, scan_text
from k3mock.redaction.scrub import scrub_response
from tests.redaction.planting import PLACES, SPREAD, Exchange, Response, scrubbed

if TYPE_CHECKING:
    from collections.abc import Callable

    from k3mock.redaction.leak import Leak

LOOKING = {place: f"sk-C4nary{at:03d}aQ9zLmN-4tZ" for at, place in enumerate(PLACES)}
"""Secrets that look like one."""

PLAIN = {place: f"canary-{at:03d}-of-this-place" for at, place in enumerate(PLACES)}
"""Secrets that only one who knows them can tell."""

ALL = tuple(PLAIN.values())


def _shown(exchange: Exchange) -> str:
    return repr(exchange)


@pytest.mark.parametrize("place", PLACES)
def test_a_secret_that_looks_like_one_is_taken_out(place: str) -> None:
    kept = scrubbed(PLACES[place](LOOKING[place]))
    assert scan([kept], [LOOKING[place]]) == []
    assert LOOKING[place] not in _shown(kept)


@pytest.mark.parametrize("place", PLACES)
def test_a_known_secret_is_taken_out(place: str) -> None:
    kept = scrubbed(PLACES[place](PLAIN[place]), known=ALL)
    assert scan([kept], ALL) == []
    assert PLAIN[place] not in _shown(kept)


@pytest.mark.parametrize("place", PLACES)
def test_a_private_session_keeps_none_either(place: str) -> None:
    kept = scrubbed(PLACES[place](PLAIN[place]), Rules(redact_content=True), ALL)
    assert scan([kept], ALL) == []


@pytest.mark.parametrize("place", PLACES)
def test_an_image_that_is_kept_keeps_none_either(place: str) -> None:
    kept = scrubbed(PLACES[place](PLAIN[place]), Rules(keep_media=True), ALL)
    assert scan([kept], ALL) == []


@pytest.mark.parametrize("secrets", [LOOKING, PLAIN], ids=["looking", "plain"])
@pytest.mark.parametrize("place", PLACES)
def test_without_scrubbing_the_scanner_finds_it(place: str, secrets: dict[str, str]) -> None:
    leaks = scan([PLACES[place](secrets[place])], [secrets[place]])
    assert leaks
    assert not any(secrets[place] in str(leak) for leak in leaks)


@pytest.mark.parametrize("place", PLACES)
def test_without_scrubbing_the_scanner_finds_what_only_looks_like_one(place: str) -> None:
    assert scan([PLACES[place](LOOKING[place])])


@pytest.mark.parametrize("place", PLACES)
def test_the_scanner_finds_it_in_the_file_as_well(place: str) -> None:
    exchange = PLACES[place](PLAIN[place])
    request, response = exchange.request, exchange.response
    file = yaml.safe_dump(
        {"interactions": [{
            "request": {"uri": request.uri, "headers": {n: [v] for n, v in request.headers},
                        "body": request.body},
            "response": {"headers": {n: [v] for n, v in response.headers},
                         "body": {"string": response.body}},
        }]}
    )  # fmt: skip
    assert scan_document(yaml.safe_load(file), ALL)


@pytest.mark.parametrize("secret", ["sk-C4nary000aQ9zLmN-4tZ", "canary-000-of-this-place"])
@pytest.mark.parametrize("kind", SPREAD)
def test_a_secret_in_pieces_is_refused_and_not_repeated(kind: str, secret: str) -> None:
    body = SPREAD[kind](secret)
    with pytest.raises(LeakError) as refused:
        scrub_response((), body, None, USUAL, [secret])
    assert secret not in str(refused.value)
    assert refused.value.leak.place in str(refused.value)


@pytest.mark.parametrize("secret", ["sk-C4nary000aQ9zLmN-4tZ", "canary-000-of-this-place"])
@pytest.mark.parametrize("kind", SPREAD)
def test_the_scanner_finds_a_secret_in_pieces(kind: str, secret: str) -> None:
    leaks = scan_text(SPREAD[kind](secret), [secret], "body")
    assert any(_in_pieces(leak) for leak in leaks)


def _in_pieces(leak: Leak) -> bool:
    return leak.place.startswith("body: ")


@pytest.mark.parametrize("kind", [kind for kind in SPREAD if kind != "data that is no JSON"])
def test_a_private_session_has_no_secret_in_pieces(kind: str) -> None:
    secret = "canary-000-of-this-place"
    body = SPREAD[kind](secret)
    kept = scrub_response((), body, None, Rules(redact_content=True), [secret])
    assert scan_text(kept.body, [secret]) == []
    assert kept.body.count(b"data:") == body.count(b"data:")


def test_places_are_named_so_that_one_finds_them() -> None:
    pieces: Callable[[str], bytes] = SPREAD["tool arguments"]
    found = scan([Exchange(7, response=Response(body=pieces("canary-000-of-this-place")))], ALL)
    arguments = "choices[0].delta.tool_calls[1].function.arguments"
    assert [str(leak) for leak in found] == [f"#7.response.body: {arguments}: known"]


def test_the_key_of_a_json_object_is_not_repeated_in_a_place() -> None:
    secret = "canary-000-of-this-place"
    leaks = scan_document({"a": {secret: {"b": f"x {secret}"}}}, [secret])
    assert [str(leak) for leak in leaks] == ["a.(key 1): known", "a.(1).b: known"]
    assert secret not in json.dumps([str(leak) for leak in leaks])
