"""Turns the beginning of a request into what is known of it from an earlier one; ground layer.

Whoever goes on with a conversation sends all of it again. Messages that came before, byte for byte
and in the same places, are not read, checked or counted a second time: each step of the work keeps
what it made of each message, and begins where an earlier request has left off.
"""

from __future__ import annotations

import json
import re
import threading
from collections import OrderedDict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, TypeVar

import orjson

if TYPE_CHECKING:
    import hashlib
    from collections.abc import Callable, Hashable, Iterator

    from k3mock.jsonvalue import JSONObject, JSONValue

LEAST_BYTES = 1024
"""Shorter requests are done with sooner than looked up."""

MOST_BYTES = 16_000_000
"""So long are the requests together of which something is known."""

_SIZES = (524_288, 65_536, 8192, LEAST_BYTES)
"""Requests are found by so many of their first bytes, the longest first."""

_MOST_TOGETHER = 4
"""Of requests with the same beginning, the newest are known."""

_ARRAY = re.compile(rb'"messages"\s*:\s*\[')
_NEXT = re.compile(rb"\s*,")
_BEFORE = re.compile(r"[ \t\n\r]*")
_BETWEEN = re.compile(r"[ \t\n\r]*,[ \t\n\r]*")
_MARK = "\x00k3mock: messages that are known\x00"
_MARKED = orjson.dumps(_MARK)
_DECODER = json.JSONDecoder()

T = TypeVar("T")


class Found(Generic[T]):
    """What was found in messages, each with its place; all before `upto` were looked at."""

    __slots__ = ("items", "upto")

    def __init__(self) -> None:
        self.items: list[tuple[int, T]] = []
        self.upto = 0

    def cut(self, count: int) -> Found[T]:
        """Return what was found in the first messages."""
        cut: Found[T] = Found()
        cut.upto = min(self.upto, count)
        cut.items = [item for item in self.items if item[0] < cut.upto]
        return cut


@dataclass(slots=True)
class _Record:
    """A request that came: where its messages end, and what each step made of them."""

    body: bytes
    start: int
    ends: list[int]
    messages: list[JSONValue]
    lanes: dict[Hashable, list[object]]
    finds: dict[Hashable, Found[object]]
    digests: dict[tuple[bytes, int], hashlib.blake2b]

    def shared(self, body: bytes) -> int:
        """Return how many messages another request begins with; it has at least one more."""
        ends = self.ends
        low, high = 0, len(ends)
        if body.startswith(self.body[: ends[-1]]):
            low = high
        while low < high:
            middle = (low + high + 1) // 2
            at = ends[low - 1] if low else 0
            if body.startswith(self.body[at : ends[middle - 1]], at):
                low = middle
            else:
                high = middle - 1
        while low and _NEXT.match(body, ends[low - 1]) is None:
            low -= 1
        return low


class Past:
    """What is known of the messages of one request: the first `known` of them came before.

    Steps ask by a key of their own, and go on where what they get ends.

    Attributes:
        body: the request's bytes; `fresh` of them are new.
        record: where the known messages came before.
        request: what identifies the request, once that is known.
    """

    __slots__ = ("body", "digests", "finds", "fresh", "known", "lanes", "record", "request")

    def __init__(self, body: bytes = b"", known: int = 0, record: _Record | None = None) -> None:
        self.body = body
        self.known = known
        self.record = record
        self.fresh = len(body) if record is None else len(body) - record.ends[known - 1]
        self.request = b""
        self.lanes: dict[Hashable, list[object]] = {}
        self.finds: dict[Hashable, Found[object]] = {}
        self.digests: dict[tuple[bytes, int], hashlib.blake2b] = {}

    def lane(self, key: Hashable) -> list[object]:
        """Return what a step made of the first messages, one each, to be gone on with."""
        lane = self.lanes.get(key)
        if lane is None:
            before = None if self.record is None else self.record.lanes.get(key)
            lane = self.lanes[key] = [] if before is None else before[: self.known]
        return lane

    def found(self, key: Hashable) -> Found[object]:
        """Return what a step found in the first messages, to be gone on with."""
        found = self.finds.get(key)
        if found is None:
            before = None if self.record is None else self.record.finds.get(key)
            found = self.finds[key] = Found() if before is None else before.cut(self.known)
        elif found.items and found.items[-1][0] >= found.upto:
            # Somebody stopped in the middle of a message.
            found = self.finds[key] = found.cut(found.upto)
        return found

    def digest(self, head: bytes) -> hashlib.blake2b | None:
        """Return the digest of a beginning and of the known messages, if there is one."""
        kept = None if self.record is None else self.record.digests.get((head, self.known))
        return None if kept is None else kept.copy()


@dataclass(frozen=True, slots=True)
class Step(Generic[T]):
    """Names what one step of the work makes of each message."""

    name: str

    def lane(self, past: Past, more: Hashable = None) -> list[T]:
        """Return the step's lane; `more` is what else its results depend on."""
        return past.lane((self.name, more))  # type: ignore[return-value]  # its own, by its name

    def found(self, past: Past, more: Hashable = None) -> Found[T]:
        """Return what the step found."""
        return past.found((self.name, more))  # type: ignore[return-value]  # its own, by its name


class Conversations:
    """The newest requests of one host, found by their first bytes.

    Threads that work on long requests use it as well as the loop.
    """

    def __init__(self, most_bytes: int = MOST_BYTES) -> None:
        self._places: dict[bytes, list[_Record]] = {}
        self._records: OrderedDict[int, _Record] = OrderedDict()
        self._most_bytes = most_bytes
        self._bytes = 0
        self._lock = threading.Lock()

    @property
    def size(self) -> int:
        """How long the requests are of which something is known."""
        return self._bytes

    def recall(
        self, body: bytes, read: Callable[[bytes], JSONValue]
    ) -> tuple[JSONObject, Past] | None:
        """Return a request whose first messages are known, as if all of it were read anew.

        None where nothing is known of it. `read` reads JSON.
        """
        record, known = self._nearest(body)
        if record is None:
            return None
        rest = _marked(body[: record.start], body[record.ends[known - 1] :], read)
        if rest is None:
            return None
        value, messages = rest
        value["messages"] = [*record.messages[:known], *messages]
        return value, Past(body, known, record)

    def _nearest(self, body: bytes) -> tuple[_Record | None, int]:
        """Return the request that shares the most messages, and how many."""
        best: tuple[_Record | None, int] = None, 0
        longest = 0
        for size in _SIZES if len(body) >= LEAST_BYTES else ():
            if size > len(body):
                continue
            with self._lock:
                together = [*self._places.get(body[:size], ())]
            for record in together:
                known = record.shared(body)
                if known and record.ends[known - 1] > longest:
                    best, longest = (record, known), record.ends[known - 1]
            if longest:
                break
        return best

    def keep(self, value: JSONObject, past: Past) -> None:
        """Keep what is known of a request now."""
        body = past.body
        if len(body) < LEAST_BYTES:
            return
        record = _recorded(body, value, past)
        if record is None:
            return
        with self._lock:
            before = past.record
            if before is not None and body.startswith(before.body[: before.ends[-1]]):
                self._drop(before)
            self._add(record)

    def _add(self, record: _Record) -> None:
        self._records[id(record)] = record
        self._bytes += len(record.body)
        for place in _places(record.body):
            together = self._places.setdefault(place, [])
            together.insert(0, record)
            if len(together) > _MOST_TOGETHER:
                oldest = together.pop()
                if place == next(_places(oldest.body)):
                    self._drop(oldest)
        while self._bytes > self._most_bytes:
            self._drop(next(iter(self._records.values())))

    def _drop(self, record: _Record) -> None:
        if self._records.pop(id(record), None) is None:
            return
        self._bytes -= len(record.body)
        for place in _places(record.body):
            together = [each for each in self._places.get(place, ()) if each is not record]
            if together:
                self._places[place] = together
            else:
                self._places.pop(place, None)


def _places(body: bytes) -> Iterator[bytes]:
    return (body[:size] for size in _SIZES if size <= len(body))


def _recorded(body: bytes, value: JSONObject, past: Past) -> _Record | None:
    """Return what is kept of a request; None where its messages cannot be told apart."""
    messages = value.get("messages")
    if not isinstance(messages, list) or not messages:
        return None
    before = past.record
    ends: list[int] = []
    if before is not None:
        start, ends = before.start, before.ends[: past.known]
    else:
        array = _ARRAY.search(body)
        if array is None:
            return None
        start = array.end()
    if not _find_ends(body, start, ends, len(messages)):
        return None
    marked = _marked(body[:start], body[ends[-1] :], orjson.loads)
    if marked is None or marked[1]:
        return None
    last = messages[-1]
    if isinstance(last, dict) and last.get("partial") is True:
        # What a prefix of the answer means depends on nothing being behind it.
        ends.pop()
    if not ends:
        return None
    return _Record(body, start, ends, messages, past.lanes, past.finds, past.digests)


def _find_ends(body: bytes, start: int, ends: list[int], count: int) -> bool:
    """Note where messages end that follow the known ones; says whether there are so many."""
    at = ends[-1] if ends else start
    place = 0
    try:
        text = body[at:].decode()
        ascii_only = text.isascii()
        while len(ends) < count:
            between = (_BETWEEN if ends else _BEFORE).match(text, place)
            if between is None:
                return False
            before = place
            _, place = _DECODER.raw_decode(text, between.end())
            at += place - before if ascii_only else len(text[before:place].encode())
            ends.append(at)
    except (ValueError, RecursionError):
        return False
    return True


def _marked(
    head: bytes, tail: bytes, read: Callable[[bytes], JSONValue]
) -> tuple[JSONObject, list[JSONValue]] | None:
    """Read a request with a mark in the place of its known messages, and the messages behind it.

    None if it cannot be read, or if what stood there are not its messages after all.
    """
    if _MARKED in tail:
        return None
    try:
        value = read(b"".join((head, _MARKED, tail)))
    except ValueError:
        return None
    messages = value.get("messages") if isinstance(value, dict) else None
    if not isinstance(value, dict) or not isinstance(messages, list) or messages[:1] != [_MARK]:
        return None
    return value, messages[1:]
