from __future__ import annotations

import gzip
import importlib
import random
import zlib
from typing import TYPE_CHECKING, Any

import pytest

from k3mock.cassette.encoding import Undone, undo

if TYPE_CHECKING:
    from collections.abc import Callable

TEXT = b'data: {"a": "\xe4\xb8\x96\xe7\x95\x8c"}\n\n' * 40
LONG = random.Random(1).randbytes(400_000)


def _raw(body: bytes) -> bytes:
    stream = zlib.compressobj(wbits=-15)
    return stream.compress(body) + stream.flush()


def _brotli(body: bytes) -> bytes:
    packed: bytes = pytest.importorskip("brotli").compress(body)
    return packed


def _zstd(body: bytes) -> bytes:
    packed: bytes = pytest.importorskip("zstandard").ZstdCompressor().compress(body)
    return packed


def _zstd_streamed(body: bytes) -> bytes:
    stream = pytest.importorskip("zstandard").ZstdCompressor().compressobj()
    packed: bytes = stream.compress(body) + stream.flush()
    return packed


ENCODERS: dict[str, tuple[str, Callable[[bytes], bytes]]] = {
    "gzip": ("gzip", gzip.compress),
    "gzip, old name": ("x-gzip", gzip.compress),
    "gzip, two members": ("gzip", lambda body: gzip.compress(body[:9]) + gzip.compress(body[9:])),
    "deflate": ("deflate", zlib.compress),
    "deflate without a head": ("deflate", _raw),
    "br": ("br", _brotli),
    "zstd": ("zstd", _zstd),
    "zstd without a size": ("ZSTD", _zstd_streamed),
}


@pytest.mark.parametrize("name", ENCODERS)
def test_a_body_that_is_encoded_is_decoded(name: str) -> None:
    encoding, encode = ENCODERS[name]
    assert undo(encode(TEXT), [encoding]) == Undone(body=TEXT)


@pytest.mark.parametrize("encoding", ["gzip", "deflate", "br", "zstd", "identity", "", "lzma"])
@pytest.mark.parametrize("body", [TEXT, b"", b"{}"])
def test_a_header_that_lies_about_text_is_not_believed(encoding: str, body: bytes) -> None:
    assert undo(body, [encoding]) == Undone(body=body)


def test_encodings_are_taken_off_from_the_last_to_the_first() -> None:
    twice = zlib.compress(gzip.compress(TEXT))
    assert undo(twice, ["gzip, deflate"]) == Undone(body=TEXT)
    assert undo(twice, ["gzip", "deflate"]) == Undone(body=TEXT)


def test_a_body_that_was_cut_off_is_decoded_as_far_as_it_goes() -> None:
    encoders = ((gzip.compress, "gzip"), (zlib.compress, "deflate"), (_zstd, "zstd"))
    for encode, name in encoders:
        undone = undo(encode(LONG)[:-6], [name])
        assert undone.body
        assert LONG.startswith(undone.body)
        assert undone.left == ()
        assert undone.warning == f"the {name} body is cut off; what could be decoded is used"


@pytest.mark.parametrize(
    ("body", "encoding", "warning"),
    [
        (b"\x1f\x8b\x08\x00damaged\xff\xff\xff\xff", "gzip", "the gzip body is damaged"),
        (b"\xff\xfe\xfd" * 9, "deflate", "the deflate body cannot be decoded"),
        (b"\xff\xfe\xfd" * 9, "lzma", "the content encoding 'lzma' is unknown"),
    ],
)
def test_a_body_that_cannot_be_decoded_stays_with_its_header(
    body: bytes, encoding: str, warning: str
) -> None:
    undone = undo(body, [encoding])
    assert undone.body == body
    assert undone.left == (encoding,)
    assert str(undone.warning).startswith(warning)


@pytest.mark.parametrize(
    ("body", "encoding", "package"),
    [
        (b"\xff\xfe\xfd" * 9, "br", "brotli"),
        (b"\x28\xb5\x2f\xfd" + b"\xff" * 40, "zstd", "zstandard"),
    ],
)
def test_a_damaged_body_of_an_optional_decoder_stays_with_its_header(
    body: bytes, encoding: str, package: str
) -> None:
    pytest.importorskip(package)
    undone = undo(body, [encoding])
    assert (undone.body, undone.left) == (body, (encoding,))
    assert str(undone.warning).startswith(f"the {encoding} body is damaged (")


def test_a_missing_decoder_is_named_and_a_lie_still_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> Any:
        raise ImportError(name)

    monkeypatch.setattr(importlib, "import_module", missing)
    for encoding, body, package in (
        ("br", b"\x8b\xff\xfe", "brotli"),
        ("zstd", b"\x28\xb5\x2f\xfd\xff", "zstandard"),
    ):
        assert undo(body, [encoding]) == Undone(
            body=body,
            left=(encoding,),
            warning=f"the body is encoded with {encoding} and no decoder is installed; "
            f"pip install {package}",
        )
        assert undo(TEXT, [encoding]) == Undone(body=TEXT)


def test_what_stands_under_an_unknown_encoding_stays_too() -> None:
    body = b"\xff\xfe\xfd" * 9
    assert undo(body, ["gzip, lzma"]).left == ("gzip", "lzma")
