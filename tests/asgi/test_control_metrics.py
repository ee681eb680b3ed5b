from __future__ import annotations

import http.client
import json
import subprocess
import sys
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import pytest

from k3mock.asgi import control_metrics as module
from k3mock.asgi.control_metrics import Tally, exposition
from k3mock.journal import JournalEntry
from k3mock.protocol.usage import Usage
from tests.support import call, chat, request, serving

if TYPE_CHECKING:
    from k3mock.serving import MockServer

PATH = "/__k3mock__/metrics"


def ended(source: str | None, status: int | None = 200, end: str = "complete") -> JournalEntry:
    entry = JournalEntry(
        id="req_1", session="s", profile="moonshot", method="POST", path="/", headers={},
        source=source, status=status,
    )  # fmt: skip
    entry.outcome.end = end
    return entry


def samples(text: bytes) -> dict[str, float]:
    """Return the metrics by name and labels, read by the official parser."""
    from prometheus_client.parser import text_string_to_metric_families  # noqa: PLC0415

    return {
        sample.name + "".join(f" {value}" for value in sample.labels.values()): sample.value
        for family in text_string_to_metric_families(text.decode())
        for sample in family.samples
    }


def scraped(server: MockServer) -> dict[str, float]:
    answer = call(server, PATH)
    assert answer.status == 200
    assert answer.headers["content-type"].startswith("text/plain; version=")
    return samples(answer.body)


@pytest.mark.parametrize(
    ("source", "kind", "faults"),
    [
        ("generator", "generator", []),
        ("scenario:tools#2", "scenario", []),
        ("scenario:tools#2+stall+cut_in_line", "scenario", ["stall", "cut_in_line"]),
        ("cassette:a+b.yaml#14", "cassette", []),
        ("cassette:a+b.yaml#14+stall", "cassette", ["stall"]),
        ("generator+stall", "generator", ["stall"]),
        ("fault:rate_limited+stall", "fault", ["rate_limited", "stall"]),
        ("contract:json_valid", "contract", []),
        (None, "none", []),
    ],
)
def test_an_answer_counts_by_source_and_faults(
    source: str | None, kind: str, faults: list[str]
) -> None:
    tally = Tally()
    tally.ended(ended(source))
    assert tally.requests == {("moonshot", kind, "200"): 1}
    assert tally.faults == {(name,): 1 for name in faults}


def test_tokens_disconnects_and_missing_statuses_count() -> None:
    tally = Tally()
    entry = ended("generator", None, "client_disconnect")
    entry.outcome.tokens = 5
    entry.usage = Usage(prompt=100, completion=20, cached=60)
    tally.ended(entry)
    assert tally.disconnects == {("moonshot",): 1}
    assert tally.requests == {("moonshot", "generator", "none"): 1}
    assert tally.tokens == {
        ("moonshot", "sent"): 5, ("moonshot", "prompt"): 100, ("moonshot", "cached"): 60,
    }  # fmt: skip


def test_lateness_is_a_histogram() -> None:
    tally = Tally()
    for late_ms in (-1.0, 0.4, 0.5, 3.0, 9000.0):
        tally.wrote(late_ms)
    found = samples(exposition(tally, {})[0])
    name = "k3mock_write_lateness_seconds"
    assert found[f"{name}_bucket 0.0005"] == 3
    assert found[f"{name}_bucket 0.0025"] == 3
    assert found[f"{name}_bucket 0.005"] == 4
    assert found[f"{name}_bucket 2.5"] == 4
    assert found[f"{name}_bucket +Inf"] == found[f"{name}_count"] == 5
    assert found[f"{name}_sum"] == pytest.approx(9.0039)


def test_the_number_of_series_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MAX_SERIES", 2)
    tally = Tally()
    for status in (200, 201, 202, 203, 200):
        tally.ended(ended("generator", status))
    assert tally.requests == {
        ("moonshot", "generator", "200"): 2,
        ("moonshot", "generator", "201"): 1,
        ("other", "other", "other"): 2,
    }


def test_a_copy_does_not_move() -> None:
    tally = Tally()
    copy = tally.copy()
    tally.ended(ended("fault:stall"))
    tally.wrote(1.0)
    assert copy == Tally()
    assert tally != Tally()


def test_a_server_counts_what_it_answers() -> None:
    with serving() as server:
        before = scraped(server)
        assert before["k3mock_write_lateness_seconds_count"] == 0
        chat(server, max_tokens=16)
        chat(server, temperature=0)
        chat(server, options="fault=rate_limited")
        chat(server, stream=True, max_tokens=64, options="pace=2000")
        after = scraped(server)
        assert after["k3mock_requests_total moonshot generator 200"] == 2
        assert after["k3mock_requests_total moonshot contract 400"] == 1
        assert after["k3mock_requests_total moonshot fault 429"] == 1
        assert after["k3mock_faults_total rate_limited"] == 1
        assert after["k3mock_tokens_total sent moonshot"] >= 13
        assert after["k3mock_tokens_total prompt moonshot"] > 0
        assert after["k3mock_write_lateness_seconds_count"] > 0
        assert (after["k3mock_streams_open"], after["k3mock_answers_open"]) == (0, 0)
        assert after["k3mock_journal_entries"] == 4
        assert after["k3mock_journal_bytes"] > 0
        call(server, "/__k3mock__/reset", b"")
        assert scraped(server)["k3mock_requests_total moonshot generator 200"] == 2


def test_an_open_stream_is_seen() -> None:
    with serving() as server:
        address = urlsplit(server.address)
        connection = http.client.HTTPConnection(address.hostname or "", address.port, timeout=20)
        path = "/with/fault=stall_forever/v1/chat/completions"
        headers = {"Authorization": "Bearer k", "Content-Type": "application/json"}
        connection.request("POST", path, json.dumps(request(stream=True)), headers)
        connection.getresponse().readline()
        assert scraped(server)["k3mock_streams_open"] == 1
        connection.close()
        while server.app.driver.open_answers:
            call(server, "/__k3mock__/health")
        found = scraped(server)
        assert found["k3mock_streams_open"] == 0
        assert found["k3mock_disconnects_total moonshot"] == 1


def test_the_library_is_loaded_by_who_asks_only() -> None:
    code = (
        "import sys\nfrom tests.support import call, serving\n"
        "loaded = lambda: 'prometheus_client' in sys.modules\n"
        "with serving() as server:\n    before = loaded()\n"
        "    call(server, '/__k3mock__/metrics')\n    print(before, loaded())"
    )
    shown = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60
    )
    assert shown.stdout == "False True\n"
