"""Turns a seed into chance and ids that repeat; the only home of randomness; ground layer."""

from __future__ import annotations

import hashlib
import random
import secrets
from dataclasses import dataclass, field
from typing import Any, Self

Chance = random.Random

_SEEDED_EPOCH = 1_788_300_000
"""Unix second that seeded timestamps start from: early September 2026, when the model's raw
captures were made."""

_UUID_EPOCH_100NS = 0x01B21DD213814000
"""100 ns intervals between the UUID epoch (1582-10-15) and 1970-01-01."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerIds:
    """Everything about one answer that the vendor draws anew for each request.

    Shape: `completion` is `chatcmpl-` and 24 lower-case hex digits: 4 bytes unix second, 5 bytes
    constant per process, 3 bytes counter (raw captures of 2026-09). `request` is a UUID version 1,
    `trace` 32 hex digits. `created` and `now` are unix seconds.
    """

    completion: str
    created: int
    now: float
    request: str
    trace: str


class _Late(random.Random):
    """A generator that is seeded by its first draw, and an ordinary one from then on.

    A method that draws several times holds on to `random` or `getrandbits` as it was at first.
    """

    def __new__(cls, seed: Seed, parts: tuple[bytes, ...]) -> Self:
        del seed, parts
        return random.Random.__new__(cls, 0)  # type: ignore[call-arg]

    def __init__(self, seed: Seed, parts: tuple[bytes, ...]) -> None:
        # random.Random would seed itself here.
        self._from = seed, parts
        self.gauss_next = None

    def _begin(self) -> None:
        if type(self) is _Late:
            seed, parts = self._from
            self.__class__ = random.Random  # type: ignore[assignment]
            self.seed(seed.derived(*parts))

    def random(self) -> float:
        _Late._begin(self)
        return random.Random.random(self)

    def getrandbits(self, k: int, /) -> int:
        _Late._begin(self)
        return random.Random.getrandbits(self, k)

    def getstate(self) -> tuple[Any, ...]:
        _Late._begin(self)
        return random.Random.getstate(self)


@dataclass(slots=True)
class Seed:
    """The root of all chance of one server.

    `value` None means that ids and times are real and random; texts come from seed 0 then, so that
    the same request still gets the same words.
    """

    value: int | None = None
    _process: bytes = field(default=b"", init=False)
    _counter: int = field(default=0, init=False)
    _node: int = field(default=0, init=False)
    _clock_seq: int = field(default=0, init=False)
    fingerprint: str = field(default="", init=False)

    def __post_init__(self) -> None:
        root = secrets.token_bytes(24) if self.value is None else self.derived(b"process")[:24]
        self._process = root[:5]
        self._counter = int.from_bytes(root[5:8])
        self._node = int.from_bytes(root[8:14]) | 0x010000000000
        self._clock_seq = int.from_bytes(root[14:16]) & 0x3FFF
        self.fingerprint = f"fpv0_{root[16:20].hex()}"

    def derived(self, *parts: bytes) -> bytes:
        """Return 32 bytes that depend on the seed and `parts` alone."""
        digest = hashlib.blake2b(digest_size=32, key=b"k3mock")
        digest.update(str(self.value or 0).encode())
        for part in parts:
            digest.update(len(part).to_bytes(8) + part)
        return digest.digest()

    def chance(self, *parts: bytes) -> Chance:
        """Return a generator of chance that depends on the seed and `parts` alone.

        It is seeded by its first draw: seeding costs as much as a hundred draws, and most requests
        leave little to chance.
        """
        return _Late(self, parts)

    def answer_ids(self, request: bytes, occurrence: int, now: float) -> AnswerIds:
        """Draw the ids of one answer.

        With a seed they depend on the seed, the request's digest and how often the session saw it;
        without one on the clock and on chance.
        """
        if self.value is None:
            self._counter = (self._counter + 1) & 0xFFFFFF
            return self._ids(now, self._counter, secrets.token_bytes(16))
        drawn = self.derived(b"ids", request, occurrence.to_bytes(8))
        second = _SEEDED_EPOCH + int.from_bytes(drawn[:4]) % 86_400
        fraction = int.from_bytes(drawn[4:6]) / 65_536
        return self._ids(second + fraction, int.from_bytes(drawn[6:9]), drawn[9:25])

    def _ids(self, now: float, counter: int, trace: bytes) -> AnswerIds:
        second = int(now)
        completion = second.to_bytes(4) + self._process + counter.to_bytes(3)
        return AnswerIds(
            completion=f"chatcmpl-{completion.hex()}",
            created=second,
            now=now,
            request=self._uuid1(now, counter),
            trace=trace.hex(),
        )

    def _uuid1(self, now: float, counter: int) -> str:
        ticks = int(now * 1e7) + _UUID_EPOCH_100NS + counter % 1000
        low, mid, high = ticks & 0xFFFFFFFF, (ticks >> 32) & 0xFFFF, (ticks >> 48) & 0x0FFF
        return (
            f"{low:08x}-{mid:04x}-{high | 0x1000:04x}-{self._clock_seq | 0x8000:04x}"
            f"-{self._node:012x}"
        )


def file_id(ids: AnswerIds) -> str:
    """Return the id of a file that is uploaded in this answer: 20 lower-case letters and digits."""
    digits = "0123456789abcdefghijklmnopqrstuv"
    number = int(ids.completion.removeprefix("chatcmpl-") + ids.trace[:2], 16)
    return "".join(digits[number >> 5 * place & 31] for place in range(20))
