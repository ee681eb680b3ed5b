"""A browser for the tests of the inspector page: Debian's Chromium, driven by Playwright."""

from __future__ import annotations

import os
import shutil
from typing import TYPE_CHECKING, Any

import pytest

from tests.support import serving

if TYPE_CHECKING:
    from collections.abc import Iterator

    from k3mock.serving import MockServer

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
FLAGS = (
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync",
    "--disable-background-networking", "--disable-component-update",
)  # fmt: skip
ADVICE = "no Chromium: install it (Debian: apt-get install chromium), or name it in K3MOCK_CHROMIUM"


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    """A headless browser for the whole run."""
    playwright = pytest.importorskip("playwright.sync_api", reason="Playwright is not installed")
    path = os.environ.get("K3MOCK_CHROMIUM") or next(
        filter(None, map(shutil.which, BROWSERS)), None
    )
    if path is None:
        pytest.skip(ADVICE)
    with playwright.sync_playwright() as running:
        started = running.chromium.launch(executable_path=path, args=list(FLAGS))
        yield started
        started.close()


@pytest.fixture
def mock() -> Iterator[MockServer]:
    """A server of the test's own."""
    with serving() as server:
        yield server


@pytest.fixture
def page(browser: Any, mock: MockServer) -> Iterator[Any]:
    """A tab that is allowed to reach the server and nothing else, and that has no errors."""
    context = browser.new_context(viewport={"width": 1280, "height": 800}, color_scheme="light")
    context.grant_permissions(["clipboard-read", "clipboard-write"], origin=mock.address)
    tab = context.new_page()
    tab.set_default_timeout(15_000)
    foreign: list[str] = []
    wrong: list[str] = []

    def watch(route: Any) -> None:
        if route.request.url.startswith(f"{mock.address}/__k3mock__/"):
            route.continue_()
        else:
            foreign.append(route.request.url)
            route.abort()

    context.route("**/*", watch)
    tab.on("pageerror", lambda error: wrong.append(str(error)))
    tab.on("console", lambda told: wrong.append(told.text) if told.type == "error" else None)
    yield tab
    context.close()
    assert foreign == []
    assert [text for text in wrong if "Failed to load resource" not in text] == []
