from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from k3mock.cassette.check import Kind, findings
from k3mock.cassette.interaction import Cassette, End, Interaction
from tests.cassette.recordings import answered, event, recorded

if TYPE_CHECKING:
    from k3mock.cassette.check import Finding

NOW = datetime(2026, 12, 29, 18, 26, 9, tzinfo=UTC).timestamp()


def told(
    *made: Interaction, warnings: tuple[str, ...] = (), days: float | None = None
) -> list[Finding]:
    cassette = Cassette(path=Path("own.yaml"), interactions=made, warnings=warnings)
    return findings(cassette, max_age_days=days, now=NOW)


def test_there_is_nothing_to_say_of_a_sound_cassette() -> None:
    assert told(recorded(1), answered(2), answered(3, status=429)) == []


def test_what_loading_warned_of_comes_first() -> None:
    found = told(replace(answered(1), timing=None), warnings=("the file has keys",))
    assert [(each.kind, each.number) for each in found] == [(Kind.FORMAT, None), (Kind.TIMING, 1)]
    assert str(found[0]) == "format: the file has keys"


@pytest.mark.parametrize("end", [end for end in End if end is not End.COMPLETE])
def test_a_partial_answer_is_told_of_because_stock_vcrpy_ends_it_silently(end: End) -> None:
    (found,) = told(recorded(1), recorded(2, writes=[event("Hel")], end=end))
    assert (found.kind, found.number) == (Kind.PARTIAL, 2)
    assert str(found) == (
        f"partial: interaction 2: the answer was cut off, {end} (RemoteProtocolError): "
        "k3mock breaks the connection as it was broken, stock vcrpy ends the answer without an "
        "error"
    )


def test_a_partial_answer_may_have_no_error() -> None:
    made = recorded(1, writes=[event("Hel")], end=End.TIMEOUT)
    assert made.timing is not None
    (found,) = told(replace(made, timing=replace(made.timing, error=None)))
    assert "cut off, timeout: k3mock" in found.message


def test_a_stream_without_its_end_is_told_of_whoever_recorded_it() -> None:
    made = recorded(1, writes=[event("Hel")])
    assert [each.kind for each in told(made)] == [Kind.PARTIAL]
    foreign = told(replace(made, timing=None))
    assert [each.kind for each in foreign] == [Kind.PARTIAL, Kind.TIMING]


def test_times_that_are_missing_or_do_not_fit_are_told_of() -> None:
    made = recorded(2)
    edited = replace(made.response, body=made.response.body + b"\n")
    found = told(replace(recorded(1), timing=None), replace(made, response=edited))
    assert [(each.kind, each.number) for each in found] == [(Kind.TIMING, 1), (Kind.TIMING, 2)]
    assert found[0].message.startswith("no key `response.k3mock`")
    assert found[1].message.startswith("the recorded writes do not add up")


def test_age_is_asked_for_and_counted_in_days() -> None:
    old, new = recorded(1), recorded(2, at="2026-12-29T00:00:00Z")
    assert told(old, new) == []
    assert told(old, new, days=30) == []
    (found,) = told(old, new, days=29.5)
    assert (found.kind, found.number) == (Kind.AGE, 1)
    assert found.message == "recorded 30 days ago, more than 29.5"


@pytest.mark.parametrize("at", ["", "yesterday"])
def test_an_unknown_age_is_told_of_when_age_matters(at: str) -> None:
    (found,) = told(recorded(1, at=at), days=1)
    assert found.message == "nothing says when it was recorded"
    kinds = [each.kind for each in told(replace(recorded(1), timing=None), days=1)]
    assert kinds == [Kind.TIMING, Kind.AGE]


def test_a_time_without_a_zone_is_universal_time() -> None:
    assert told(recorded(1, at="2026-12-28T19:00:00"), days=1) == []
