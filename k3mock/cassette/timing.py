"""Turns the times of a recording into the key `response.k3mock` and back; source layer.

Each write is `microseconds/bytes` in one text, because a YAML list of pairs takes ten times as long
to read. A slash, because YAML 1.1 reads an unquoted `87:14` as a number to the base of sixty.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from k3mock.cassette.interaction import FORMAT, End, Timing

if TYPE_CHECKING:
    from collections.abc import Mapping

    from k3mock.cassette.interaction import Interaction
    from k3mock.jsonvalue import JSONObject, JSONValue

KEY = "k3mock"
_MEMBERS = frozenset(
    {"v", "seq", "at", "head_us", "chunks", "end", "error", "enc", "length", "redacted"},
)  # fmt: skip
_CHUNKS = re.compile(r"[0-9]{1,15}/[0-9]{1,15}(?:\s+[0-9]{1,15}/[0-9]{1,15})*", re.ASCII)


def encode(timing: Timing) -> JSONObject:
    """Return the members of the key; what this version did not understand is put back."""
    members: JSONObject = {
        "v": timing.v,
        "seq": timing.seq,
        "at": timing.at or None,
        "head_us": timing.head_us,
        "chunks": " ".join(f"{delta}/{size}" for delta, size in timing.chunks) or None,
        "end": timing.end.value,
        "error": timing.error,
        "enc": timing.enc,
        "length": timing.length,
        "redacted": list(timing.redacted) or None,
    }
    said: JSONObject = {name: value for name, value in members.items() if value is not None}
    return {**said, **timing.unknown}


def decode(value: object) -> tuple[Timing | None, tuple[str, ...]]:
    """Return the times that the key holds, and what a reader should know about it."""
    if not isinstance(value, dict):
        return None, (f"the key `{KEY}` is no mapping and is not used",)
    members = _Members({str(name): member for name, member in value.items()})
    timing = Timing(
        v=members.integer("v", FORMAT),
        seq=members.integer("seq", 0),
        at=members.instant(),
        head_us=members.integer("head_us", 0),
        chunks=members.chunks(),
        end=members.end(),
        error=members.text("error"),
        enc=members.text("enc"),
        length=members.length(),
        redacted=members.words("redacted"),
        unknown=members.unknown,
    )
    if timing.v > FORMAT:
        members.warnings.append(
            f"the key `{KEY}` has version {timing.v}; this k3mock knows {FORMAT} and reads what it "
            "understands"
        )
    return timing, tuple(members.warnings)


def fits(interaction: Interaction) -> bool:
    """Return whether the recorded writes add up to the body, so that they can be replayed."""
    timing = interaction.timing
    if timing is None:
        return False
    return sum(size for _, size in timing.chunks) == len(interaction.response.body)


class _Members:
    """The raw members of the key, each read into its type or put aside with a warning."""

    def __init__(self, raw: Mapping[str, object]) -> None:
        self._raw = raw
        self.warnings: list[str] = []
        self.unknown: dict[str, JSONValue] = {
            name: plain(value) for name, value in raw.items() if name not in _MEMBERS
        }
        if self.unknown:
            names = ", ".join(sorted(self.unknown))
            self.warnings.append(f"the key `{KEY}` has members that are not known: {names}")

    def _aside(self, name: str) -> None:
        """Keep a member that cannot be used, so that saving the cassette does not lose it."""
        self.unknown[name] = plain(self._raw[name])
        shown = repr(self._raw[name])[:60]
        self.warnings.append(f"`{KEY}.{name}` has a value that is not understood: {shown}")

    def integer(self, name: str, default: int) -> int:
        value = self._raw.get(name, default)
        if isinstance(value, int) and not isinstance(value, bool) and value >= 0:
            return value
        self._aside(name)
        return default

    def length(self) -> int | None:
        if self._raw.get("length") is None:
            return None
        found = self.integer("length", -1)
        return None if found < 0 else found

    def text(self, name: str) -> str | None:
        value = self._raw.get(name)
        if value is None or isinstance(value, str):
            return value
        self._aside(name)
        return None

    def instant(self) -> str:
        """Return `at`, which YAML turns into a date when an editor drops its quotes."""
        value = self._raw.get("at", "")
        if isinstance(value, datetime):
            zoned = value if value.tzinfo else value.replace(tzinfo=UTC)
            return zoned.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
        if isinstance(value, str):
            return value
        self._aside("at")
        return ""

    def words(self, name: str) -> tuple[str, ...]:
        value = self._raw.get(name, [])
        if isinstance(value, list) and all(isinstance(word, str) for word in value):
            return tuple(value)
        self._aside(name)
        return ()

    def end(self) -> End:
        value = self._raw.get("end", End.COMPLETE.value)
        if isinstance(value, str) and value in set(End):
            return End(value)
        self._aside("end")
        return End.COMPLETE

    def chunks(self) -> tuple[tuple[int, int], ...]:
        value = self._raw.get("chunks", "")
        if value == "":
            return ()
        if not isinstance(value, str) or not _CHUNKS.fullmatch(value.strip()):
            self._aside("chunks")
            return ()
        numbers = list(map(int, value.replace("/", " ").split()))
        return tuple(zip(numbers[::2], numbers[1::2], strict=True))


def plain(value: object) -> JSONValue:
    """Return a value of YAML as JSON knows it; what JSON has no word for becomes text."""
    match value:
        case None | bool() | int() | float() | str():
            return value
        case dict():
            return {str(name): plain(member) for name, member in value.items()}
        case list() | tuple():
            return [plain(item) for item in value]
        case bytes():
            return value.decode("utf-8", "replace")
        case _:
            return str(value)
