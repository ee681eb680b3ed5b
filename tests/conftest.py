"""Fixtures that every test may use; each test builds the rest of its world itself."""

from __future__ import annotations

from typing import TYPE_CHECKING

import hypothesis
import pytest

from k3mock.contract.load import load_profile
from k3mock.text import vocabulary
from k3mock.text.counter import TokenCounter
from k3mock.text.template import Template
from tests.support import serving

if TYPE_CHECKING:
    from collections.abc import Iterator

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
