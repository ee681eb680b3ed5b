"""Waits end by a signal or a jump here; none of these tests lets real time pass."""

from __future__ import annotations

import asyncio
import time

import pytest

from k3mock.clock import Clock, Signal, SystemClock, VirtualClock

HOUR_MS = 3_600_000.0


def test_virtual_time_jumps_to_the_deadline() -> None:
    async def scene() -> None:
        clock = VirtualClock(now=1000.0)
        assert (clock.now(), clock.monotonic_ms()) == (1000.0, 0.0)
        await clock.wait_until(HOUR_MS, Signal())
        assert (clock.now(), clock.monotonic_ms()) == (4600.0, HOUR_MS)

    asyncio.run(scene())


def test_virtual_time_never_goes_back() -> None:
    async def scene() -> None:
        clock = VirtualClock()
        await clock.wait_until(500, Signal())
        await clock.wait_until(200, Signal())
        assert clock.monotonic_ms() == 500

    asyncio.run(scene())


def test_virtual_time_stands_still_for_those_who_were_told_to_stop() -> None:
    async def scene() -> None:
        clock, signal = VirtualClock(), Signal()
        signal.set()
        await clock.wait_until(HOUR_MS, signal)
        assert clock.monotonic_ms() == 0

    asyncio.run(scene())


def test_a_signal_raised_during_the_jump_wins() -> None:
    async def scene() -> None:
        clock, signal = VirtualClock(), Signal()
        asyncio.get_running_loop().call_soon(signal.set)
        await clock.wait_until(HOUR_MS, signal)
        assert clock.monotonic_ms() == 0

    asyncio.run(scene())


def test_system_time_is_the_machines_own() -> None:
    clock = SystemClock()
    assert abs(clock.now() - time.time()) < 60
    assert abs(clock.monotonic_ms() - time.monotonic() * 1000) < 60_000
    assert clock.monotonic_ms() <= clock.monotonic_ms()


def test_a_deadline_in_the_past_is_not_waited_for() -> None:
    async def scene() -> None:
        clock = SystemClock()
        await clock.wait_until(clock.monotonic_ms() - 1, Signal())

    asyncio.run(asyncio.wait_for(scene(), 30))


def test_a_wait_ends_when_the_signal_is_raised() -> None:
    async def scene() -> None:
        clock, signal = SystemClock(), Signal()
        asyncio.get_running_loop().call_soon(signal.set)
        await clock.wait_until(clock.monotonic_ms() + HOUR_MS, signal)
        assert signal.raised
        await clock.wait_until(clock.monotonic_ms() + HOUR_MS, signal)

    asyncio.run(asyncio.wait_for(scene(), 30))


def test_a_wait_ends_by_itself_at_its_deadline() -> None:
    async def scene() -> None:
        signal = Signal()
        await signal.wait(0)
        assert not signal.raised

    asyncio.run(asyncio.wait_for(scene(), 30))


def test_a_signal_and_a_deadline_in_the_same_breath_end_a_wait_once() -> None:
    async def scene() -> None:
        signal = Signal()
        loop = asyncio.get_running_loop()
        loop.call_soon(signal.set)
        loop.call_soon(signal.set)
        await signal.wait(0)
        assert signal.raised

    asyncio.run(asyncio.wait_for(scene(), 30))


def test_a_signal_nobody_waits_for_stays_raised() -> None:
    signal = Signal()
    assert not signal.raised
    signal.set()
    assert signal.raised


@pytest.mark.parametrize(
    "clock", [pytest.param(SystemClock(), id="system"), pytest.param(VirtualClock(), id="virtual")]
)
def test_breathing_lets_others_run(clock: Clock) -> None:
    async def scene() -> list[str]:
        heard: list[str] = []
        asyncio.get_running_loop().call_soon(heard.append, "other")
        await clock.breathe()
        heard.append("self")
        return heard

    assert asyncio.run(scene()) == ["other", "self"]


@pytest.mark.parametrize(
    "clock", [pytest.param(SystemClock(), id="system"), pytest.param(VirtualClock(), id="virtual")]
)
def test_holding_ends_with_the_signal_alone(clock: Clock) -> None:
    async def scene() -> None:
        signal = Signal()
        held = asyncio.ensure_future(clock.hold(signal))
        await asyncio.sleep(0.01)
        assert not held.done()
        signal.set()
        await held
        await clock.hold(signal)

    asyncio.run(asyncio.wait_for(scene(), 30))
