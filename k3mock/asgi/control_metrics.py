"""Turns answers that end into counts, and counts into the text that Prometheus reads."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from prometheus_client.metrics_core import Metric

    from k3mock.journal import JournalEntry

BUCKETS_S = (0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5)
MAX_SERIES = 1000
"""Of each metric; what comes later is counted under `other`."""

_Labels = tuple[str, ...]


@dataclass(slots=True, kw_only=True)
class Tally:
    """What has happened since the server started; a reset does not change it.

    `late` counts writes by how late they were, one place for each bucket and one for the rest.
    """

    requests: Counter[_Labels] = field(default_factory=Counter)
    tokens: Counter[_Labels] = field(default_factory=Counter)
    faults: Counter[_Labels] = field(default_factory=Counter)
    disconnects: Counter[_Labels] = field(default_factory=Counter)
    late: list[int] = field(default_factory=lambda: [0] * (len(BUCKETS_S) + 1))
    late_s: float = 0.0

    def ended(self, entry: JournalEntry) -> None:
        """Count an answer that has ended."""
        profile = entry.profile
        label = entry.source or "none"
        kind = label.partition(":")[0].partition("+")[0]
        status = "none" if entry.status is None else str(entry.status)
        _count(self.requests, (profile, kind, status))
        # `fault:NAME+NAME`, or behind who answers: `cassette:a+b.yaml#3+NAME`.
        pinned = label.startswith("fault:")
        named = f"+{label[6:]}" if pinned else label.rpartition("#")[2]
        for name in named.split("+")[1:]:
            _count(self.faults, (name,))
        if entry.outcome.end == "client_disconnect":
            _count(self.disconnects, (profile,))
        _count(self.tokens, (profile, "sent"), entry.outcome.tokens)
        if entry.usage is not None:
            _count(self.tokens, (profile, "prompt"), entry.usage.prompt)
            _count(self.tokens, (profile, "cached"), entry.usage.cached)

    def wrote(self, late_ms: float) -> None:
        """Count a write that had a time to keep."""
        late_s = max(0.0, late_ms / 1000)
        self.late[bisect_left(BUCKETS_S, late_s)] += 1
        self.late_s += late_s

    def copy(self) -> Tally:
        """Return the counts as they are now."""
        return replace(
            self, requests=self.requests.copy(), tokens=self.tokens.copy(),
            faults=self.faults.copy(), disconnects=self.disconnects.copy(), late=self.late.copy(),
        )  # fmt: skip


def _count(counter: Counter[_Labels], labels: _Labels, by: int = 1) -> None:
    if labels not in counter and len(counter) >= MAX_SERIES:
        labels = ("other",) * len(labels)
    counter[labels] += by


def exposition(tally: Tally, gauges: Mapping[str, tuple[str, float]]) -> tuple[bytes, str]:
    """Write counts, and gauges with what they tell, as (text, content type)."""
    # Only a server that is asked for metrics pays for the library.
    from prometheus_client.exposition import CONTENT_TYPE_LATEST, generate_latest  # noqa: PLC0415
    from prometheus_client.registry import CollectorRegistry  # noqa: PLC0415

    registry = CollectorRegistry(auto_describe=False)
    registry.register(_Collector(tally, gauges))
    return generate_latest(registry), CONTENT_TYPE_LATEST


class _Collector:
    """Hands the counts to the library."""

    def __init__(self, tally: Tally, gauges: Mapping[str, tuple[str, float]]) -> None:
        self._tally = tally
        self._gauges = gauges

    def describe(self) -> Iterable[Metric]:
        """Leave the names to `collect`."""
        return ()

    def collect(self) -> Iterator[Metric]:
        from prometheus_client import metrics_core as core  # noqa: PLC0415 - as above

        tally = self._tally
        for name, about, labels, counted in (
            ("k3mock_requests", "Requests whose answer has ended.",
             ("profile", "source", "status"), tally.requests),
            ("k3mock_tokens", "Tokens: of prompts, of them cached, and of answers as sent.",
             ("profile", "kind"), tally.tokens),
            ("k3mock_faults", "Faults that acted on an answer.", ("fault",), tally.faults),
            ("k3mock_disconnects", "Answers that the client left before their end.",
             ("profile",), tally.disconnects),
        ):  # fmt: skip
            family = core.CounterMetricFamily(name, about, labels=labels)
            for values, count in counted.items():
                family.add_metric(values, count)
            yield family
        for name, (about, value) in self._gauges.items():
            yield core.GaugeMetricFamily(name, about, value=value)
        yield core.HistogramMetricFamily(
            "k3mock_write_lateness_seconds",
            "How long after its time a write of a paced answer was made.",
            buckets=_summed(tally.late), sum_value=tally.late_s,
        )  # fmt: skip


def _summed(late: Iterable[int]) -> list[tuple[str, float]]:
    """Return how many writes were at most so late, a bucket at a time."""
    total = 0
    found: list[tuple[str, float]] = []
    for bound, count in zip((*map(str, BUCKETS_S), "+Inf"), late, strict=True):
        total += count
        found.append((bound, float(total)))
    return found
