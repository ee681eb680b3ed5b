from __future__ import annotations

from tests.project.gallery import PAGE, REQUESTS, page


def test_the_page_shows_what_the_generator_says() -> None:
    """Written by `python -m tests.project.gallery`."""
    assert PAGE.read_text(encoding="utf-8") == page()


def test_the_page_holds_thirty_requests() -> None:
    assert len(REQUESTS) == 30
    assert "{a}" not in PAGE.read_text(encoding="utf-8")
