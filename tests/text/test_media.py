from __future__ import annotations

import base64
from typing import TYPE_CHECKING, TypeAlias

import pytest
from hypothesis import given
from hypothesis import strategies as st

from k3mock.text.media import image_size, pads

if TYPE_CHECKING:
    from collections.abc import Callable

Maker: TypeAlias = "Callable[[int, int], bytes]"


def url(data: bytes, mime: str = "image/png") -> str:
    return f"data:{mime};base64,{base64.b64encode(data).decode()}"


def png(width: int, height: int) -> bytes:
    sizes = width.to_bytes(4) + height.to_bytes(4)
    return b"\x89PNG\r\n\x1a\n" + b"\x00\x00\x00\rIHDR" + sizes + b"\x08\x06\x00\x00\x00"


def gif(width: int, height: int, version: bytes = b"GIF89a") -> bytes:
    return version + width.to_bytes(2, "little") + height.to_bytes(2, "little") + b"\x80\x00\x00"


def bmp(width: int, height: int) -> bytes:
    sizes = width.to_bytes(4, "little", signed=True) + height.to_bytes(4, "little", signed=True)
    return b"BM" + bytes(12) + (40).to_bytes(4, "little") + sizes + bytes(4)


def jpeg(width: int, height: int, *, before: bytes = b"", frame: int = 0xC0) -> bytes:
    sizes = height.to_bytes(2) + width.to_bytes(2)
    return b"\xff\xd8" + before + bytes([0xFF, frame]) + b"\x00\x11\x08" + sizes + b"\x03" * 10


def app0(length: int = 16) -> bytes:
    return b"\xff\xe0" + length.to_bytes(2) + b"JFIF".ljust(length - 2, b"\x00")


def riff(kind: bytes, payload: bytes) -> bytes:
    return b"RIFF" + bytes(4) + b"WEBP" + kind + bytes(4) + payload.ljust(20, b"\x00")


def webp_extended(width: int, height: int) -> bytes:
    sizes = (width - 1).to_bytes(3, "little") + (height - 1).to_bytes(3, "little")
    return riff(b"VP8X", bytes(4) + sizes)


def webp_lossless(width: int, height: int) -> bytes:
    return riff(b"VP8L", b"\x2f" + ((width - 1) | (height - 1) << 14).to_bytes(4, "little"))


def webp_lossy(width: int, height: int) -> bytes:
    sizes = width.to_bytes(2, "little") + height.to_bytes(2, "little")
    return riff(b"VP8 ", b"\x00\x00\x00\x9d\x01\x2a" + sizes)


def heic(width: int, height: int) -> bytes:
    sizes = width.to_bytes(4) + height.to_bytes(4)
    return b"\x00\x00\x00\x18ftypheic" + bytes(12) + b"\x00\x00\x00\x14ispe" + bytes(4) + sizes


FORMATS = [
    pytest.param(png, id="png"),
    pytest.param(gif, id="gif"),
    pytest.param(bmp, id="bmp"),
    pytest.param(jpeg, id="jpeg"),
    pytest.param(webp_extended, id="webp-extended"),
    pytest.param(webp_lossless, id="webp-lossless"),
    pytest.param(webp_lossy, id="webp-lossy"),
    pytest.param(heic, id="heic"),
]


@pytest.mark.parametrize("make", FORMATS)
@pytest.mark.parametrize(("width", "height"), [(1, 1), (32, 32), (303, 181), (1500, 500)])
def test_the_size_is_read_from_every_format(make: Maker, width: int, height: int) -> None:
    assert image_size(url(make(width, height))) == (width, height)


@pytest.mark.parametrize("make", FORMATS)
def test_a_header_that_is_cut_anywhere_has_no_size_or_the_right_one(make: Maker) -> None:
    whole = make(303, 181)
    for length in range(len(whole)):
        assert image_size(url(whole[:length])) in {None, (303, 181)}
    assert image_size(url(whole[:10])) is None or make is gif


@pytest.mark.parametrize(
    ("make", "length"),
    [
        pytest.param(png, 24, id="png"),
        pytest.param(gif, 10, id="gif"),
        pytest.param(bmp, 26, id="bmp"),
        pytest.param(webp_extended, 30, id="webp-extended"),
        pytest.param(webp_lossless, 30, id="webp-lossless"),
        pytest.param(webp_lossy, 30, id="webp-lossy"),
        pytest.param(heic, 44, id="heic"),
    ],
)
def test_the_size_is_known_as_soon_as_its_last_byte_is_there(make: Maker, length: int) -> None:
    whole = make(303, 181)
    assert image_size(url(whole[:length])) == (303, 181)
    assert image_size(url(whole[: length - 1])) is None


@pytest.mark.parametrize("make", [png, gif, bmp, jpeg, webp_lossy, heic])
@pytest.mark.parametrize(("width", "height"), [(0, 5), (5, 0)])
def test_an_image_without_extent_has_no_size(make: Maker, width: int, height: int) -> None:
    assert image_size(url(make(width, height))) is None


def test_the_older_gif_is_read_too() -> None:
    assert image_size(url(gif(4, 7, b"GIF87a"))) == (4, 7)
    assert image_size(url(gif(4, 7, b"GIF88a"))) is None


def test_a_bitmap_stored_from_the_top_has_a_negative_height() -> None:
    assert image_size(url(bmp(4, -7))) == (4, 7)


@pytest.mark.parametrize(
    "before",
    [
        pytest.param(app0(), id="application-segment"),
        pytest.param(app0() + app0(200), id="two-segments"),
        pytest.param(b"\xff\xff\xff" + app0()[1:], id="fill-bytes"),
        pytest.param(b"\xff\x01\xff\xd0", id="markers-without-length"),
        pytest.param(b"\x00\x00", id="garbage-between"),
        pytest.param(b"\xff\xc4\x00\x04\x00\x00", id="huffman-table-is-no-frame"),
        pytest.param(b"\xff\xc8\x00\x04\x00\x00", id="extension-is-no-frame"),
        pytest.param(b"\xff\xcc\x00\x04\x00\x00", id="arithmetic-table-is-no-frame"),
    ],
)
def test_a_jpeg_is_searched_for_its_frame(before: bytes) -> None:
    assert image_size(url(jpeg(640, 480, before=before))) == (640, 480)


@pytest.mark.parametrize("frame", [0xC1, 0xC2, 0xC9, 0xCF])
def test_every_kind_of_jpeg_frame_has_the_size(frame: int) -> None:
    assert image_size(url(jpeg(640, 480, frame=frame))) == (640, 480)


def test_a_jpeg_without_a_frame_has_no_size() -> None:
    assert image_size(url(b"\xff\xd8" + app0() + b"\xff\xd9" + bytes(40))) is None
    assert image_size(url(b"\xff\xd8" + b"\xff\xe0\x00\x00" * 10)) is None


def test_an_unknown_kind_of_webp_has_no_size() -> None:
    assert image_size(url(riff(b"ANIM", bytes(20)))) is None


def test_a_heic_made_of_tiles_is_as_large_as_its_largest_box() -> None:
    """Phones store a grid of 512x512 tiles and name the whole size behind them."""
    tiles = heic(512, 512)
    whole = heic(4032, 3024)[28 - 4 :]
    thumbnail = heic(320, 240)[28 - 4 :]
    assert image_size(url(tiles + whole + thumbnail)) == (4032, 3024)
    assert image_size(url(tiles + whole[:9])) == (512, 512)


def test_a_heic_without_its_size_box_has_no_size() -> None:
    assert image_size(url(b"\x00\x00\x00\x18ftypheic" + bytes(40))) is None


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("", id="nothing"),
        pytest.param("ms://file-id", id="uploaded-file"),
        pytest.param("https://example.com/a.png", id="address"),
        pytest.param("data:image/png,abc", id="not-base64"),
        pytest.param("data:image/png;base64,", id="no-data"),
        pytest.param("data:image/png;base64,abc", id="less-than-one-group"),
        pytest.param("data:image/png;base64,ä" * 4, id="not-ascii"),
        pytest.param("data:image/png;base64,=AAA", id="padding-in-front"),
        pytest.param("data:image/png;base64,AAAAA", id="odd-length"),
        pytest.param("data:" + "x" * 300 + ";base64,AAAA", id="far-comma"),
        pytest.param(url(b"plain text, not an image"), id="text"),
    ],
)
def test_what_is_no_image_has_no_size(text: str) -> None:
    assert image_size(text) is None


def test_the_stated_type_does_not_matter() -> None:
    assert image_size(url(png(3, 4), mime="image/webp")) == (3, 4)


def test_unpadded_data_is_read_as_far_as_it_goes() -> None:
    assert image_size(url(png(3, 4) + b"xx").rstrip("=")) == (3, 4)


def test_only_the_head_of_a_large_image_is_read() -> None:
    assert image_size(url(png(3, 4) + bytes(2_000_000))) == (3, 4)


@given(data=st.binary(max_size=80), magic=st.sampled_from((
    b"", b"\x89PNG\r\n\x1a\n", b"\xff\xd8", b"GIF89a", b"RIFF0000WEBPVP8X", b"RIFF0000WEBPVP8L",
    b"RIFF0000WEBPVP8 ", b"BM", b"0000ftypheic", b"0000ftypmif1\x00\x00\x00\x14ispe",
)))  # fmt: skip
def test_any_bytes_have_a_positive_size_or_none(magic: bytes, data: bytes) -> None:
    size = image_size(url(magic + data))
    assert size is None or min(size) > 0
    if size is not None:
        assert 1 <= pads(*size) <= 2 * 16_641


@given(text=st.text(max_size=60))
def test_any_text_behind_the_comma_is_read_without_an_error(text: str) -> None:
    image_size(f"data:image/png;base64,{text}")


@pytest.mark.parametrize(
    ("width", "height", "tokens"),
    [
        pytest.param(1, 1, 1, id="smallest"),
        pytest.param(28, 28, 1, id="one-pad"),
        pytest.param(29, 28, 2, id="two-pads"),
        pytest.param(32, 32, 4, id="32x32"),
        pytest.param(100, 100, 16, id="100x100"),
        pytest.param(303, 181, 77, id="303x181"),
        pytest.param(1024, 768, 1036, id="1024x768"),
        pytest.param(1500, 500, 972, id="1500x500"),
        pytest.param(2875, 1500, 5562, id="2875x1500"),
        pytest.param(4000, 3000, 15_444, id="4000x3000"),
        pytest.param(8000, 8000, 16_641, id="8000x8000"),
        pytest.param(1, 100_000, 256, id="thin-line"),
        pytest.param(4_294_967_295, 4_294_967_295, 16_384, id="largest-header"),
    ],
)
def test_pads_follow_the_checkpoints_resize_rule(width: int, height: int, tokens: int) -> None:
    """The sizes from 32x32 to 8000x8000 are published ones."""
    assert pads(width, height) == tokens
