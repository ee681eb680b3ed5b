"""Fixtures that every test may use; each test builds the rest of its world itself."""

from __future__ import annotations

import importlib
import os
from typing import TYPE_CHECKING, Any

import hypothesis
import pytest

from k3mock.contract.load import load_profile
from k3mock.text import vocabulary
from k3mock.text.counter import TokenCounter
from k3mock.text.template import Template
from tests.support import serving

if TYPE_CHECKING:
    import ssl
    from collections.abc import Callable, Iterator

    from k3mock.contract.profile import Profile
    from k3mock.serving import MockServer

pytest_plugins = ["pytester"]

hypothesis.settings.register_profile(
    "ci",
    derandomize=True,
    deadline=None,
    max_examples=60,
    suppress_health_check=list(hypothesis.HealthCheck),
    database=None,
)
hypothesis.settings.load_profile("ci")


@pytest.fixture(scope="session", autouse=True)
def certificates() -> Iterator[None]:
    """Let all clients of a process share what they read of the system's certificates.

    Each client reads them anew, 30 ms of it, though hardly any of the tests speaks TLS.
    """
    with pytest.MonkeyPatch.context() as patch:
        for client in ("httpx", "httpx2"):
            module = importlib.import_module(f"{client}._transports.default")
            patch.setattr(module, "create_ssl_context", _shared(module.create_ssl_context))
        yield


def _shared(make: Callable[..., ssl.SSLContext]) -> Callable[..., ssl.SSLContext]:
    made: dict[str | None, ssl.SSLContext] = {}

    def make_once(verify: Any = True, cert: Any = None, *, trust_env: bool = True) -> Any:
        if verify is not True or cert is not None or not trust_env:
            return make(verify=verify, cert=cert, trust_env=trust_env)
        file = os.environ.get("SSL_CERT_FILE")
        if file not in made:
            made[file] = make(trust_env=True)
        return made[file]

    return make_once


@pytest.fixture(scope="session")
def server() -> Iterator[MockServer]:
    """A shared server with the moonshot profile; isolate with `/with/session=…`."""
    with serving() as running:
        yield running


@pytest.fixture(scope="session")
def counter() -> TokenCounter:
    """K3's own vocabulary, counted by the fast engine."""
    return TokenCounter(vocabulary.load("kimi_k3", counter="splintr"))


@pytest.fixture(scope="session")
def template(counter: TokenCounter) -> Template:
    """The prompt template over K3's vocabulary."""
    return Template(counter)


@pytest.fixture(scope="session")
def moonshot() -> Profile:
    """The built-in profile."""
    return load_profile("moonshot")
