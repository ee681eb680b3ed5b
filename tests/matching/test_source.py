"""Misses: what is said at once, and what only when somebody asks."""

from __future__ import annotations

from k3mock.matching.source import Miss, MissReason
from k3mock.protocol.style import FaultCall
from tests.matching.asking import asked


def test_a_miss_without_more_to_say_is_full() -> None:
    miss = Miss(reason=MissReason.NO_MATCH, message="no")
    assert miss.full() is miss


def test_a_miss_is_explained_on_demand() -> None:
    better = Miss(reason=MissReason.NOTHING_SIMILAR, message="why")
    assert Miss(reason=MissReason.NO_MATCH, message="no", explain=lambda: better).full() is better


def test_without_a_host_no_error_is_known() -> None:
    error = asked().errors(FaultCall(name="rate_limited"))
    assert error.type == "k3mock_error"
    assert "rate_limited" in error.message
