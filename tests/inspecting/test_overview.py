from __future__ import annotations

from k3mock.inspecting.overview import SLOTS, TTFT_BOUNDS_MS, overview
from k3mock.journal import JournalEntry, Outcome
from k3mock.protocol.failure import ApiError
from k3mock.protocol.usage import Usage


def entry(arrived: float, status: int | None = 200, ttft_ms: float | None = 3.0) -> JournalEntry:
    return JournalEntry(
        id="r", session="s", profile="moonshot", method="POST", path="/x", headers={},
        arrived=arrived, status=status, usage=Usage(prompt=7, completion=3),
        outcome=Outcome(end="complete" if ttft_ms is not None else None, tokens=3, ttft_ms=ttft_ms),
    )  # fmt: skip


def test_nothing_has_no_time() -> None:
    found = overview([])
    assert found["requests"] == 0
    assert found["over_time"] is None


def test_requests_are_counted_by_status_end_and_first_token() -> None:
    warned = entry(4.0, 400, 20_000.0)
    warned.warnings.append(ApiError(status=400, message="x", type="t", rule="r"))
    found = overview([entry(1.0), entry(2.0, None), entry(3.0, 200, None), warned])
    assert (found["requests"], found["running"], found["warned"]) == (4, 1, 1)
    assert found["status"] == {"200": 1, "400": 1, "none": 1}
    assert found["end"] == {"complete": 3}
    assert (found["profile"], found["rules"]) == ({"moonshot": 4}, {"r": 1})
    assert found["sessions"] == ["s"]
    firsts = found["ttft_ms"]
    assert isinstance(firsts, dict)
    counts = firsts["counts"]
    assert isinstance(counts, list)
    assert counts[2] == 2
    assert counts[-1] == 1
    assert len(counts) == len(TTFT_BOUNDS_MS) + 1


def test_time_is_cut_into_few_slots_that_hold_everything() -> None:
    for seconds in (0.0, 0.5, 90.0, 86_400.0 * 400):
        found = overview([entry(1000.0), entry(1000.0 + seconds, 500)])
        over_time = found["over_time"]
        assert isinstance(over_time, dict)
        slots = over_time["slots"]
        assert isinstance(slots, list)
        assert len(slots) <= SLOTS + 1
        total = {
            name: sum(slot[name] for slot in slots if isinstance(slot, dict))  # type: ignore[misc]
            for name in ("requests", "failed", "prompt", "sent")
        }
        assert total == {"requests": 2, "failed": 1, "prompt": 14, "sent": 6}
