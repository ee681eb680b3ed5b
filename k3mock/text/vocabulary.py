"""Turns a vocabulary's name into an engine that encodes text; text layer.

K3's own vocabulary comes from the package `splintr-rs`, whose ranks are byte-identical to
Moonshot's published `tiktoken.model` (163,584 ranks; file sha256 `b6c497a7…5103`). The engine is
tiktoken, or splintr itself (`counter: splintr`), which gives the same ids with less start-up.
Both are imported late: nothing here runs before a server is about to start.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from k3mock.errors import VocabularyError, did_you_mean

if TYPE_CHECKING:
    from collections.abc import Sequence

OFFICIAL_K3_FILE_SHA256 = "b6c497a7469b33ced9c38afb1ad6e47f03f5e5dc05f15930799210ec050c5103"
"""sha256 of Moonshot's `tiktoken.model` for K2 and K3 (Kimi-Vendor-Verifier, `beam/tokenizer/`)."""

_UPPER = r"[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}&&[^\p{Han}]]"
_LOWER = r"[\p{Ll}\p{Lm}\p{Lo}\p{M}&&[^\p{Han}]]"
_LEAD = r"[^\r\n\p{L}\p{N}]?"
_CONTRACTION = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
K3_PATTERN = "|".join(
    (
        r"[\p{Han}]+",
        f"{_LEAD}{_UPPER}*{_LOWER}+{_CONTRACTION}",
        f"{_LEAD}{_UPPER}+{_LOWER}*{_CONTRACTION}",
        r"\p{N}{1,3}",
        r" ?[^\s\p{L}\p{N}]+[\r\n]*",
        r"\s*[\r\n]+",
        r"\s+(?!\S)",
        r"\s+",
    )
)
"""How K3 splits text before it looks for tokens, so that a file needs no package beside tiktoken.
The same pattern as in splintr-rs and in Moonshot's `tokenization_kimi.py`."""


class Engine(Protocol):
    """What a vocabulary can do; control-token names in the text are ordinary text."""

    def encode(self, text: str) -> list[int]:
        """Return the token ids of `text`."""

    def token_bytes(self, token: int) -> bytes:
        """Return the bytes that one id stands for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Vocabulary:
    """A loaded vocabulary.

    `official` says whether it is byte for byte the one that the model's maker published.
    """

    name: str
    counter: str
    engine: Engine
    official: bool
    sha256: str

    @property
    def label(self) -> str:
        """How banners and listings name it."""
        exact = "official ranks" if self.official else "approximate"
        return f"{self.name} ({exact}, {self.counter})"


@dataclass(frozen=True, slots=True)
class _Known:
    ranks: int
    pattern: str
    pin: str


_KNOWN = {
    "kimi_k3": _Known(
        163_584,
        "KIMI_PATTERN",
        "7ee661b10730a4f152ff9ab8949ed5319225643f2f03b91e128fa935c33d805c",
    ),
    "o200k_base": _Known(
        199_998,
        "O200K_BASE_PATTERN",
        "5d6cb6182d039b81bc66a2185f24eb91de7e333213fb2e7a46d5c982c77f3d00",
    ),
    "cl100k_base": _Known(
        100_256,
        "CL100K_BASE_PATTERN",
        "be52da118a38232d010811f3ca60f21b7824fd75ab422e92cf240c54253bba22",
    ),
}
"""Pins are sha256 over each rank's length (4 bytes, little endian) and bytes, in order."""

VOCABULARIES = (*_KNOWN, "file", "chars")
COUNTERS = ("tiktoken", "splintr")


def load(name: str, *, counter: str = "tiktoken", path: str | None = None) -> Vocabulary:
    """Load a vocabulary.

    Args:
        name: `kimi_k3`, `o200k_base`, `cl100k_base`, `file` (a Kimi `tiktoken.model` at `path`) or
            `chars` (an estimate: characters / 4, never chosen silently).
        counter: `tiktoken` or `splintr`.
        path: the file, for `file` only.

    Raises:
        VocabularyError: unknown name, missing package or file, or bytes that differ from the pin.
    """
    if name == "chars":
        return Vocabulary(name=name, counter="characters / 4", engine=_Chars(), official=False,
                          sha256="")  # fmt: skip
    if name == "file":
        return _from_file(path)
    if name not in _KNOWN:
        raise VocabularyError(
            f"unknown vocabulary {name!r}", accepted=did_you_mean(name, VOCABULARIES)
        )
    if counter not in COUNTERS:
        raise VocabularyError(
            f"unknown counter {counter!r}", accepted=did_you_mean(counter, COUNTERS)
        )
    return _from_splintr(name, counter)


@cache
def _from_splintr(name: str, counter: str) -> Vocabulary:
    """Load a vocabulary and check its ranks, once a process: an engine holds nothing of its user.

    Failures are not remembered.
    """
    try:
        import splintr  # noqa: PLC0415 - late: only a starting server pays for it
    except ImportError as error:
        raise VocabularyError(
            "the package splintr-rs, which carries K3's vocabulary, is not installed",
            hint="pip install 'splintr-rs>=0.22,<0.23', or choose vocabulary=file with a path",
        ) from error
    known = _KNOWN[name]
    tokenizer = splintr.Tokenizer.from_pretrained(name)
    ranks = [tokenizer.decode_token_bytes(rank) for rank in range(known.ranks)]
    digest = _pin(ranks)
    if digest != known.pin:
        raise VocabularyError(
            f"the vocabulary {name!r} in the installed splintr-rs is not the published one",
            found=f"sha256 {digest}",
            accepted=f"sha256 {known.pin}",
            hint="install splintr-rs 0.22.0, or choose vocabulary=file with a path",
        )
    pattern: str = getattr(splintr, known.pattern)
    engine: Engine = (
        _Splintr(tokenizer) if counter == "splintr" else _tiktoken(name, pattern, ranks)
    )
    return Vocabulary(
        name=name, counter=counter, engine=engine, official=name == "kimi_k3", sha256=digest
    )


def _pin(ranks: Sequence[bytes]) -> str:
    joined = b"".join(len(rank).to_bytes(4, "little") + rank for rank in ranks)
    return hashlib.sha256(joined).hexdigest()


def _from_file(path: str | None) -> Vocabulary:
    if path is None:
        raise VocabularyError("vocabulary=file needs a path", hint="--tokenizer path=FILE")
    try:
        raw = Path(path).read_bytes()
    except OSError as error:
        raise VocabularyError(
            "the vocabulary file cannot be read", where=path, found=str(error.strerror)
        ) from error
    ranks: list[bytes] = []
    for number, line in enumerate(raw.splitlines(), start=1):
        try:
            token, rank = line.split()
            ranks.append(base64.b64decode(token, validate=True))
            in_order = int(rank) == number - 1
        except (ValueError, binascii.Error):
            in_order = False
        if not in_order:
            raise VocabularyError(
                "not a tiktoken vocabulary file",
                where=f"{path}:{number}",
                found=line[:60].decode("utf-8", "replace"),
                accepted="lines of a base64 token and its rank, ranks counting up from 0",
            )
    missing = {bytes([value]) for value in range(256)}.difference(ranks)
    if missing:
        # The engine would not fail here but at the first text that needs the byte.
        raise VocabularyError(
            "not a whole tiktoken vocabulary file",
            where=path,
            found=f"{len(ranks)} ranks, without {len(missing)} of the 256 single bytes",
            accepted="a Kimi tiktoken.model of 163,584 lines",
        )
    digest = hashlib.sha256(raw).hexdigest()
    return Vocabulary(
        name="file",
        counter="tiktoken",
        engine=_tiktoken("file", K3_PATTERN, ranks),
        official=digest == OFFICIAL_K3_FILE_SHA256,
        sha256=digest,
    )


def _tiktoken(name: str, pattern: str, ranks: Sequence[bytes]) -> Engine:
    import tiktoken  # noqa: PLC0415 - late: only a starting server pays for it

    encoding = tiktoken.Encoding(
        name,
        pat_str=pattern,
        mergeable_ranks={token: rank for rank, token in enumerate(ranks)},
        special_tokens={},
    )
    # The table is only needed for pickling; the engine keeps its own. 25 MB less per process.
    encoding._mergeable_ranks = {}  # noqa: SLF001
    return _Tiktoken(encoding.encode_ordinary, encoding.decode_single_token_bytes)


class _Tiktoken:
    def __init__(self, encode: _Encode, token_bytes: _TokenBytes) -> None:
        self.encode = encode
        self.token_bytes = token_bytes


class _Encode(Protocol):
    def __call__(self, text: str) -> list[int]: ...


class _TokenBytes(Protocol):
    def __call__(self, token: int) -> bytes: ...


class _SplintrTokenizer(Protocol):
    def encode_ordinary(self, text: str) -> list[int]: ...

    def decode_token_bytes(self, token: int) -> bytes: ...


class _Splintr:
    def __init__(self, tokenizer: _SplintrTokenizer) -> None:
        self.encode = tokenizer.encode_ordinary
        self.token_bytes = tokenizer.decode_token_bytes


class _Chars:
    """Four characters a token; an id stands for its piece by position in a table of its own."""

    def __init__(self) -> None:
        self._pieces: dict[str, int] = {}
        self._texts: list[str] = []

    def encode(self, text: str) -> list[int]:
        return [self._id(text[start : start + 4]) for start in range(0, len(text), 4)]

    def _id(self, piece: str) -> int:
        known = self._pieces.get(piece)
        if known is None:
            known = self._pieces[piece] = len(self._texts)
            self._texts.append(piece)
        return known

    def token_bytes(self, token: int) -> bytes:
        return self._texts[token].encode()
