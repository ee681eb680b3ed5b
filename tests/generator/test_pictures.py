from __future__ import annotations

import pytest

from k3mock.generator.languages import CHINESE, ENGLISH, GERMAN
from k3mock.generator.pictures import described
from k3mock.protocol.request import MediaPart

PNG = (
    "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAMAAAACCAIAAAASFvFNAAAADklEQVR4nGNgQAW"
    "4OQAAMwABVh6zWQAAAABJRU5ErkJggg=="
)
MP4 = "data:video/mp4;base64," + "A" * 8_192


@pytest.mark.parametrize(
    ("media", "words"),
    [
        ((), ""),
        ((MediaPart("image", PNG),), "an image (PNG, 3x2 pixels)"),
        ((MediaPart("image", PNG),) * 2, "2 images (PNG, 3x2 pixels; PNG, 3x2 pixels)"),
        ((MediaPart("image", "x"), MediaPart("image", "y")), "2 images"),
        ((MediaPart("image", "https://example.org/a.jpg?x=1"),), "an image (JPEG)"),
        ((MediaPart("video", "ms://abc"), MediaPart("image", "y")), "a video and an image"),
        ((MediaPart("video", MP4),), "a video (MP4, 6 KB)"),
        ((MediaPart("video", "x"),) * 3, "3 videos"),
        ((MediaPart("hologram", "x"),), "an image"),
    ],
)
def test_media_are_described(media: tuple[MediaPart, ...], words: str) -> None:
    assert described(media, ENGLISH) == words


def test_media_are_described_in_the_language_of_the_answer() -> None:
    assert described((MediaPart("image", PNG),), CHINESE) == "一张图片（PNG, 3x2 像素）"
    assert described((MediaPart("video", MP4),) * 2, GERMAN).startswith("2 Videos (MP4, 6 KB")
