"""Turns flags, environment and defaults into one frozen `Settings`; ground layer.

The only place that reads the environment. Precedence, strongest first: the value given in a call
or on the command line, the variable `K3MOCK_<NAME>`, the default below.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from math import inf
from types import NoneType
from typing import Any
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

from k3mock.errors import SettingsError, did_you_mean
from k3mock.options import CONTRACT_MODES, WARNING_MODES

ENVIRONMENT_PREFIX = "K3MOCK_"
RECORD_MODES = ("none", "once", "new_episodes", "all", "rewrite")
MISS_MODES = ("generate", "error")
EXHAUSTED_MODES = ("error", "repeat-last", "cycle")
LOG_FORMATS = ("text", "json", "off")
TOKENIZER_KEYS = ("vocabulary", "path", "template", "accounting", "counter", "replayed_reasoning")
LOOPBACK = ("127.0.0.1", "localhost", "::1")


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """Everything that a server is told when it starts.

    Attributes:
        profile: name of a built-in profile or path of a user's.
        scenarios: files, folders, and names of shipped scenarios, one layer over the other.
        cassettes: files and folders of recorded sessions.
        exhausted: what follows the last recording of a request: `error`, `repeat-last`, `cycle`.
        strict_match: whether only requests that are exactly the same match a recording.
        ignore: places of a body that may differ from the recording, such as `messages[*].name`.
        ignore_text: regular expressions of text that may differ.
        check_contract: whether the contract looks at requests that a recording answers.
        reload: whether scenario files are read again when they change.
        host: address to bind; anything but loopback switches the control API off.
        port: 0 picks a free one.
        workers: processes that serve; there is one.
        pace: a named pace, tokens per second, or `key=value` pairs.
        seed: makes ids and times repeat, too; None leaves them real.
        on_miss: whether the generator answers what nothing else does; None leaves that to what is
            loaded: where only cassettes are, it does not.
        contract: `enforce` refuses, `warn` answers and notes, `off` does not look.
        warnings: whether what the host drops, changes or overlooks without a word is noted in the
            journal (`note`) or an answer of its own (`error`).
        api_keys: the accepted keys; empty accepts any.
        limits: a tier or numbers of real rate limits, for each session; None sets none.
        tokenizer: keys that override the profile's tokenizer.
        cors: origins that browsers may call from.
        ssl_certfile, ssl_keyfile: serve TLS.
        log_format: of the request log on standard error; `off` and None write no requests.
        control_key: the key of the control API.
        record: the mode of recording; None does not record.
        upstream: the base URL that is recorded from.
        upstream_timeout: seconds of silence after which it is given up.
        upstream_ca: PEM certificates to trust instead of the usual ones.
        upstream_proxy: a proxy to reach it through; None obeys HTTPS_PROXY and its like.
        max_body: answers of more bytes are relayed but not recorded.
        drain: read an answer to its end after the client has left.
        record_errors: record that the upstream could not be reached.
        keep_media: recordings keep base64 media instead of type, size and digest.
        redact_content: recordings keep digests instead of the texts of messages and answers.
    """

    profile: str = "moonshot"
    scenarios: tuple[str, ...] = ()
    cassettes: tuple[str, ...] = ()
    exhausted: str = "error"
    strict_match: bool = False
    ignore: tuple[str, ...] = ()
    ignore_text: tuple[str, ...] = ()
    check_contract: bool = False
    reload: bool = False
    host: str = "127.0.0.1"
    port: int = 8000
    workers: int = 1
    pace: str = "instant"
    seed: int | None = None
    on_miss: str | None = None
    contract: str = "enforce"
    warnings: str = "note"
    api_keys: tuple[str, ...] = ()
    limits: str | None = None
    tokenizer: Mapping[str, str] = field(default_factory=dict)
    cors: tuple[str, ...] = ()
    ssl_certfile: str | None = None
    ssl_keyfile: str | None = None
    log_format: str | None = None
    control_key: str | None = None
    record: str | None = None
    upstream: str | None = None
    upstream_timeout: float = 600.0
    upstream_ca: str | None = None
    upstream_proxy: str | None = None
    max_body: int = 32_000_000
    drain: bool = False
    record_errors: bool = False
    keep_media: bool = False
    redact_content: bool = False

    def __post_init__(self) -> None:
        _types(self)
        if self.control_key == "" or "" in self.api_keys:
            raise SettingsError("a key is empty", hint="leave --control-key or --api-key away, or "
                                "give it a value")  # fmt: skip
        if self.on_miss is not None:
            _choice("--on-miss", self.on_miss, MISS_MODES)
        _choice("--exhausted", self.exhausted, EXHAUSTED_MODES)
        _choice("--contract", self.contract, CONTRACT_MODES)
        _choice("--warnings", self.warnings, WARNING_MODES)
        if self.log_format is not None:
            _choice("--log-format", self.log_format, LOG_FORMATS)
        for key in self.tokenizer:
            _choice("--tokenizer", key, TOKENIZER_KEYS)
        if not 0 <= self.port <= 65_535:
            raise SettingsError("not a port", found=str(self.port), accepted="0 to 65535")
        if self.workers != 1:
            raise SettingsError(
                "a server is one process: sessions, sequences, limits and the journal are in its "
                "memory, and each of several would know a part of them",
                found=f"{self.workers} workers",
                accepted="1",
                hint="start several servers, each on a port of its own and with clients of its own",
            )
        if (self.ssl_certfile is None) != (self.ssl_keyfile is None):
            raise SettingsError(
                "TLS needs a certificate and its key",
                hint="give --ssl-certfile and --ssl-keyfile together",
            )
        _recording(self)

    @property
    def generates(self) -> bool:
        """Whether the generator answers what nothing else does."""
        if self.on_miss is None:
            return not self.cassettes or bool(self.scenarios)
        return self.on_miss == "generate"

    @property
    def loopback(self) -> bool:
        """Whether only this machine can reach the server."""
        return self.host in LOOPBACK

    @property
    def keys(self) -> tuple[str, ...]:
        """The server's own keys, which nothing may show."""
        return (*self.api_keys, *filter(None, (self.control_key,)))


def _recording(settings: Settings) -> None:
    """Refuse what does not make a recording."""
    if settings.upstream_timeout <= 0 or settings.upstream_timeout == inf:
        raise SettingsError("--upstream-timeout: not a number of seconds above 0",
                            found=f"{settings.upstream_timeout:g}")  # fmt: skip
    if settings.max_body < 1:
        raise SettingsError("--max-body: not a number of bytes above 0",
                            found=str(settings.max_body))  # fmt: skip
    if settings.record is None:
        if settings.upstream is not None:
            raise SettingsError("--upstream is for recording", hint="give --record MODE, too")
        return
    _choice("--record", settings.record, RECORD_MODES)
    if len(settings.cassettes) != 1:
        raise SettingsError(
            "a recording needs one place to go to", found=", ".join(settings.cassettes) or "none",
            accepted="--cassette FILE.yaml for one recording, --cassette FOLDER for several",
        )  # fmt: skip
    if settings.upstream is None and settings.record != "none":
        raise SettingsError(
            "a recording needs an upstream", accepted="--upstream URL, what an SDK takes as its "
            "base URL, such as https://api.moonshot.ai/v1",
        )  # fmt: skip


_KINDS: Mapping[str, tuple[tuple[type, ...], str]] = {
    "port": ((int,), "a whole number"),
    "workers": ((int,), "a whole number"),
    "seed": ((int, NoneType), "a whole number"),
    "api_keys": ((tuple, list), "a list of texts"),
    "cors": ((tuple, list), "a list of texts"),
    "scenarios": ((tuple, list), "a list of texts"),
    "cassettes": ((tuple, list), "a list of texts"),
    "ignore": ((tuple, list), "a list of texts"),
    "ignore_text": ((tuple, list), "a list of texts"),
    "strict_match": ((bool,), "true or false"),
    "check_contract": ((bool,), "true or false"),
    "reload": ((bool,), "true or false"),
    "tokenizer": ((Mapping,), "a mapping"),
    "upstream_timeout": ((int, float), "a number of seconds"),
    "max_body": ((int,), "a whole number of bytes"),
    "drain": ((bool,), "true or false"),
    "record_errors": ((bool,), "true or false"),
    "keep_media": ((bool,), "true or false"),
    "redact_content": ((bool,), "true or false"),
}


def _types(settings: Settings) -> None:
    """Refuse wrong types where a call from Python could bring them."""
    for known in fields(settings):
        value = getattr(settings, known.name)
        kinds, words = _KINDS.get(known.name, ((str, NoneType), "a text"))
        wrong = not isinstance(value, kinds) or (isinstance(value, bool) and bool not in kinds)
        if isinstance(value, tuple | list):
            wrong = wrong or not all(isinstance(item, str) for item in value)
        if wrong:
            raise SettingsError(
                f"the setting {known.name!r} has the wrong type", found=repr(value)[:80],
                accepted=words,
            )  # fmt: skip


def _choice(flag: str, value: str, known: tuple[str, ...]) -> None:
    if value not in known:
        raise SettingsError(f"{flag}: unknown value {value!r}", accepted=did_you_mean(value, known))


def from_sources(
    given: Mapping[str, Any],
    *,
    environ: Mapping[str, str] | None = None,
    defaults: Mapping[str, Any] | None = None,
) -> Settings:
    """Merge given values (None and () are not given) over the environment over the defaults.

    `defaults` are a caller's own, weaker than the environment and stronger than those of the class.

    Raises:
        SettingsError: a value that cannot be used, with the flag or variable that holds it.
    """
    variables = os.environ if environ is None else environ
    values = {name: value for name, value in given.items() if value is not None and value != ()}
    for known in fields(Settings):
        name = f"{ENVIRONMENT_PREFIX}{known.name.upper()}"
        text = variables.get(name)
        if text is not None and known.name not in values:
            values[known.name] = _from_text(name, known.name, text)
    return Settings(**{**(defaults or {}), **values})


def from_call(given: Mapping[str, Any]) -> Settings:
    """Return the settings of a call from Python: a free port, texts counted by the fast engine.

    Raises:
        SettingsError: an unknown name or a value that cannot be used.
    """
    known = [each.name for each in fields(Settings)]
    unknown = given.keys() - set(known)
    if unknown:
        name = min(unknown)
        raise SettingsError(f"unknown setting {name!r}", accepted=did_you_mean(name, known))
    return from_sources(given, defaults={"port": 0, "tokenizer": {"counter": "splintr"}})


def _from_text(variable: str, name: str, text: str) -> object:
    match name:
        case "port" | "workers" | "seed" | "max_body":
            try:
                return int(text)
            except ValueError as error:
                raise SettingsError(f"{variable} is a whole number", found=text) from error
        case "upstream_timeout":
            try:
                return float(text)
            except ValueError as error:
                raise SettingsError(f"{variable} is a number of seconds", found=text) from error
        case "reload" | "strict_match" | "check_contract" | "drain" | "record_errors":
            return _flag(variable, text)
        case "keep_media" | "redact_content":
            return _flag(variable, text)
        case "api_keys" | "cors" | "scenarios" | "cassettes" | "ignore" | "ignore_text":
            return tuple(part.strip() for part in text.split(",") if part.strip())
        case "tokenizer":
            return parse_pairs(variable, text.split(","))
        case _:
            return text


def _flag(variable: str, text: str) -> bool:
    words = {
        "1": True,
        "true": True,
        "yes": True,
        "0": False,
        "false": False,
        "no": False,
        "": False,
    }
    known = words.get(text.strip().lower())
    if known is None:
        raise SettingsError(f"{variable} is true or false", found=text[:60])
    return known


def parse_pairs(flag: str, pairs: list[str] | tuple[str, ...]) -> dict[str, str]:
    """Read `key=value` pairs.

    Raises:
        SettingsError: a pair without `=`.
    """
    result: dict[str, str] = {}
    for pair in pairs:
        key, found, value = pair.partition("=")
        if not found:
            raise SettingsError(f"{flag} takes key=value", found=pair)
        result[key.strip()] = value.strip()
    return result


def variable(name: str) -> str | None:
    """Return an environment variable that a user named, None where it is not set."""
    return os.environ.get(name)


def environment_proxy(url: str) -> str | None:
    """Return the proxy that the environment or the system names for a URL, None to go straight."""
    parts = urlsplit(url)
    known = getproxies()
    if proxy_bypass(parts.netloc.rpartition("@")[2]):
        return None
    found = known.get(parts.scheme) or known.get("all")
    return found if found is None or "://" in found else f"http://{found}"
