"""Turns the options in a base URL or header into values; ground layer.

`/with/profile=moonshot;session=t1/v1/…` and the header `x-k3mock: profile=moonshot; session=t1`
say the same; where both name an option, the header wins. A `;` within quotes or brackets belongs to
the value.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING
from urllib.parse import unquote

from k3mock.errors import K3MockError, did_you_mean

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

HEADER = "x-k3mock"
PREFIX = "/with/"
DEFAULT_SESSION = "default"

OPTIONS = {
    "profile": "the contract to answer by",
    "contract": "enforce, warn or off",
    "warnings": "note or error",
    "session": "a name that isolates counters, cache and journal",
    "pace": "a pace, as for --pace",
    "seed": "a whole number",
    "fault": "a fault: NAME or NAME(key:value,…); may be given several times",
    "scenario": "the name of the one scenario that may answer",
    "cassette": "the name of the one cassette that may answer, or that is recorded",
    "limits": "the rate limits of this session, as for --limits",
}

WIRE = "wire."
"""`wire.KNOB=VALUE` turns a knob of the wire dialect."""

MOST_SESSION_CHARS = 200

_WHOLE = re.compile(r"[+-]?[0-9]{1,100}")
# Clients write quotes and brackets into a URL as they are, or percent-encoded.
_PIECE = re.compile(
    r"""(?P<quoted>(?:"|%22)(?:(?:\\|%5C)(?:"|%22|.)|(?!"|%22).)*(?:"|%22))"""
    r"|(?P<open>[({\[]|%28|%7B|%5B)|(?P<close>[)}\]]|%29|%7D|%5D)|(?P<end>;)|.",
    re.DOTALL | re.IGNORECASE,
)

CONTRACT_MODES = ("enforce", "warn", "off")
WARNING_MODES = ("note", "error")


class OptionError(K3MockError):
    """An option in a base URL or header is unknown or has a value that cannot be used."""

    code = "option"


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestOptions:
    """What one request chose for itself; None leaves the server's own choice."""

    profile: str | None = None
    contract: str | None = None
    warnings: str | None = None
    session: str = DEFAULT_SESSION
    pace: str | None = None
    seed: int | None = None
    faults: tuple[str, ...] = ()
    scenario: str | None = None
    cassette: str | None = None
    limits: str | None = None
    wire: Mapping[str, str] = field(default_factory=dict)


def split_path(raw_path: str) -> tuple[str, str]:
    """Split a path as it stands in the URL into (options, path).

    `/with/<options>/rest` gives the options, still percent-encoded, and `/rest`; other paths have
    no options. The path itself comes back decoded.
    """
    if not raw_path.startswith(PREFIX):
        return "", unquote(raw_path)
    options, _, rest = raw_path[len(PREFIX) :].partition("/")
    return options, unquote(f"/{rest}")


def behind_options(raw_path: str) -> str:
    """Return a path as it stands in the URL, still encoded, without options."""
    if not raw_path.startswith(PREFIX):
        return raw_path
    return "/" + raw_path[len(PREFIX) :].partition("/")[2]


@lru_cache(maxsize=1024)
def parse_options(in_path: str, in_header: str) -> RequestOptions:
    """Read options separated by `;`, each `name=value`, values percent-encoded if need be.

    Raises:
        OptionError: an unknown name, a missing value, or a value out of range.
    """
    found: dict[str, str] = {}
    faults: list[str] = []
    wire: dict[str, str] = {}
    for text, where in ((in_path, "the base URL"), (in_header, f"the header {HEADER}")):
        chosen = list(_pairs(text, where))
        if any(name == "fault" for name, _ in chosen):
            faults = [value for name, value in chosen if name == "fault"]
        for name, value in chosen:
            if name.startswith(WIRE):
                wire[name.removeprefix(WIRE)] = value
            else:
                found[name] = value
    return RequestOptions(
        profile=found.get("profile"),
        contract=_mode("contract", found.get("contract"), CONTRACT_MODES),
        warnings=_mode("warnings", found.get("warnings"), WARNING_MODES),
        session=_session(found.get("session", DEFAULT_SESSION)),
        pace=found.get("pace"),
        seed=_seed(found.get("seed")),
        faults=tuple(faults),
        scenario=found.get("scenario"),
        cassette=found.get("cassette"),
        limits=found.get("limits"),
        wire=wire,
    )


def _pairs(text: str, where: str) -> Iterator[tuple[str, str]]:
    """Yield the options of one place."""
    for item in filter(None, map(str.strip, _items(text))):
        name, given, value = item.partition("=")
        name, value = name.strip(), unquote(value.strip())
        if name not in OPTIONS and not name.startswith(WIRE):
            raise OptionError(
                f"unknown option {name[:60]!r} in {where}",
                accepted=did_you_mean(name[:60], [*OPTIONS, f"{WIRE}KNOB"]),
            )
        if not given or not value:
            takes = OPTIONS.get(name, "a value of the knob")
            raise OptionError(f"the option {name[:60]!r} in {where} has no value", accepted=takes)
        yield name, value


def _items(text: str) -> list[str]:
    """Split at each `;` that stands outside quotes and brackets."""
    items: list[str] = []
    start = depth = 0
    for piece in _PIECE.finditer(text) if ";" in text else ():
        match piece.lastgroup:
            case "open":
                depth += 1
            case "close":
                depth = max(0, depth - 1)
            case "end" if not depth:
                items.append(text[start : piece.start()])
                start = piece.end()
    # A bracket that nothing closes is a letter like any other.
    return text.split(";") if depth else [*items, text[start:]]


def named_session(in_path: str, in_header: str) -> str:
    """Return the session that options name, even where other options are wrong."""
    session = DEFAULT_SESSION
    for item in (*_items(in_path), *_items(in_header)):
        name, _, value = item.partition("=")
        if name.strip() == "session" and value.strip():
            session = unquote(value.strip())
    return session if len(session) <= MOST_SESSION_CHARS else DEFAULT_SESSION


def _session(name: str) -> str:
    if len(name) > MOST_SESSION_CHARS:
        raise OptionError(
            f"the name of a session has {len(name)} characters", found=f"{name[:60]}…",
            accepted=f"up to {MOST_SESSION_CHARS}",
        )  # fmt: skip
    return name


def _mode(name: str, given: str | None, known: tuple[str, ...]) -> str | None:
    if given is not None and given not in known:
        raise OptionError(
            f"unknown {name} mode {given[:60]!r}", accepted=did_you_mean(given[:60], known)
        )
    return given


def _seed(text: str | None) -> int | None:
    if text is None:
        return None
    if not _WHOLE.fullmatch(text):
        raise OptionError(
            "the option 'seed' is a whole number", found=text[:60], accepted="up to 100 digits"
        )
    return int(text)
