"""Figures that the project promises, on Linux; run by `make test-slow`, not by CI."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from typing import Any

import pytest

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc"),
]

_BENCHMARK = Path(__file__).parents[2] / "benchmarks" / "streams.py"


def _measure(streams: int, pace: str) -> dict[str, Any]:
    spec = importlib.util.spec_from_file_location("streams", _BENCHMARK)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    figures: dict[str, Any] = module.measure(streams, pace)
    return figures


def test_fifty_realistic_streams_end_within_a_second_of_their_plan() -> None:
    figures = _measure(50, "realistic")
    assert figures["ended_complete"] == 50
    assert figures["worst_lateness_ms"]["max"] < 1000
    assert figures["memory_mb_peak"] < 250
    assert figures["processor_s_until_ready"] < 3
