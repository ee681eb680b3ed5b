"""k3mock: an offline emulator of the kimi-k3 chat-completions endpoint.

The names below are resolved on first use, so that importing the package costs nothing.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from k3mock.version import __version__

if TYPE_CHECKING:
    from k3mock.asgi.app import create_app
    from k3mock.handle import K3Mock
    from k3mock.inside import async_transport, transport
    from k3mock.serving import MockServer, start
    from k3mock.settings import Settings

_HOMES = {
    "K3Mock": "k3mock.handle",
    "MockServer": "k3mock.serving",
    "Settings": "k3mock.settings",
    "async_transport": "k3mock.inside",
    "create_app": "k3mock.asgi.app",
    "start": "k3mock.serving",
    "transport": "k3mock.inside",
}

__all__ = [
    "K3Mock",
    "MockServer",
    "Settings",
    "__version__",
    "async_transport",
    "create_app",
    "start",
    "transport",
]


def __getattr__(name: str) -> Any:  # noqa: ANN401 - as wide as the names it serves
    home = _HOMES.get(name)
    if home is None:
        text = f"module 'k3mock' has no attribute {name!r}"
        raise AttributeError(text)
    return getattr(importlib.import_module(home), name)
