"""Turns the name of a string format into a string of that format; source layer."""

from __future__ import annotations

from typing import TYPE_CHECKING
from uuid import UUID

if TYPE_CHECKING:
    from collections.abc import Callable

    from k3mock.generator.mentions import Hints
    from k3mock.seed import Chance

_WORDS = ("harbor", "maple", "north", "river", "summit", "willow", "bright", "orchard", "cedar")
_USERS = ("alex", "jordan", "robin", "sam", "taylor", "morgan", "casey", "jamie")


def drawn_date(chance: Chance) -> str:
    """Return a day of 2026 or 2027."""
    return f"{chance.randint(2026, 2027)}-{chance.randint(1, 12):02}-{chance.randint(1, 28):02}"


def drawn_time(chance: Chance) -> str:
    """Return a time of day."""
    return f"{chance.randint(7, 20):02}:{chance.choice((0, 15, 30, 45)):02}:00"


def _host(chance: Chance) -> str:
    return f"{chance.choice(_WORDS)}.example.com"


def _number(chance: Chance) -> int:
    return chance.randint(1, 254)


_MAKERS: dict[str, Callable[[Chance], str]] = {
    "date": drawn_date,
    "date-time": lambda chance: f"{drawn_date(chance)}T{drawn_time(chance)}Z",
    "time": lambda chance: f"{drawn_time(chance)}Z",
    "duration": lambda chance: f"PT{chance.randint(5, 90)}M",
    "email": lambda chance: f"{chance.choice(_USERS)}@{chance.choice(_WORDS)}.example.com",
    "hostname": _host,
    "uri": lambda chance: f"https://{_host(chance)}/{chance.choice(_WORDS)}",
    "uri-reference": lambda chance: f"/{chance.choice(_WORDS)}",
    "uri-template": lambda chance: f"/{chance.choice(_WORDS)}/{{id}}",
    "uuid": lambda chance: str(UUID(int=chance.getrandbits(128), version=4)),
    "ipv4": lambda chance: f"192.0.2.{_number(chance)}",
    "ipv6": lambda chance: f"2001:db8::{_number(chance):x}",
    "json-pointer": lambda chance: f"/{chance.choice(_WORDS)}",
    "relative-json-pointer": lambda _: "0",
    "regex": lambda _: "^[a-z]+$",
    "byte": lambda _: "aGVsbG8=",
}
_SAME = {
    "idn-email": "email",
    "url": "uri",
    "iri": "uri",
    "iri-reference": "uri-reference",
    "idn-hostname": "hostname",
    "datetime": "date-time",
    "uuid4": "uuid",
    "ip": "ipv4",
    "base64": "byte",
}
_MENTIONED = {"date": "date", "email": "email", "uri": "url", "uuid": "uuid", "ipv4": "ipv4"}


def formatted(name: str, chance: Chance, hints: Hints | None = None) -> str | None:
    """Return a string of a format: one that the text mentions, else a drawn one.

    None if the format is not known.
    """
    name = _SAME.get(name, name)
    maker = _MAKERS.get(name)
    if maker is None:
        return None
    if hints is not None:
        mention = hints.take(_MENTIONED.get(name, ""))
        if mention is not None and (name != "date" or _is_day(mention)):
            return mention
    return maker(chance)


def _is_day(text: str) -> bool:
    year, _, rest = text.partition("-")
    month, _, day = rest.partition("-")
    return (
        len(year) == 4 and len(month) == len(day) == 2 and rest[:2].isdecimal() and day.isdecimal()
        and 1 <= int(month) <= 12 and 1 <= int(day) <= 28
    )  # fmt: skip


def fitted(text: str, least: int, most: int) -> str:
    """Return a text of at least `least` and at most `most` characters."""
    if len(text) > most:
        short = text[:most].rstrip()
        text = short if len(short) >= least else text[:most]
    while len(text) < least:
        text = f"{text} {text}" if text else "text"
        if len(text) > least:
            text = text[:least].rstrip()
            text = text.ljust(least, ".")
    return text
