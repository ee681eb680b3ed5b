"""Turns the inspector's files into a page; all that it shows comes from the control API."""

from __future__ import annotations

from functools import lru_cache
from importlib import resources
from typing import TYPE_CHECKING

from starlette.responses import RedirectResponse, Response

from k3mock.asgi.control_answers import PREFIX, ControlError, asked

if TYPE_CHECKING:
    from collections.abc import Mapping

    from starlette.requests import Request

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
_TYPES = {
    "html": "text/html; charset=utf-8",
    "js": "text/javascript; charset=utf-8",
    "css": "text/css; charset=utf-8",
    "svg": "image/svg+xml",
}
_HEADERS = {
    "content-security-policy": POLICY,
    "cache-control": "no-store",
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
}


@lru_cache(maxsize=1)
def page_files() -> Mapping[str, bytes]:
    """Return the files of the page by name."""
    folder = resources.files("k3mock.asgi").joinpath("inspector")
    return {each.name: each.read_bytes() for each in folder.iterdir() if each.is_file()}


async def page(request: Request) -> Response:
    """Give the page; it holds nothing of the server's, so that it needs no key."""
    asked(request)
    return _file("index.html")


async def page_file(request: Request) -> Response:
    """Give one of the files that the page is made of."""
    asked(request)
    return _file(request.path_params["file"])


def _file(name: str) -> Response:
    data = page_files().get(name)
    if data is None:
        raise ControlError(404, f"no file {name[:100]!r} belongs to the inspector page")
    return Response(data, headers=_HEADERS, media_type=_TYPES[name.rpartition(".")[2]])


async def to_page(request: Request) -> Response:
    """Lead to the page those who left out the last slash."""
    root = request.scope.get("root_path", "")
    return RedirectResponse(f"{root}{PREFIX}/", 308, {"cache-control": "no-store"})
