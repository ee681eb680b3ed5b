"""Fixtures of the gateway tests: servers with profiles and keys of their own."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.contract.black_box import worlds_beside

if TYPE_CHECKING:
    from collections.abc import Iterator

    from k3mock.serving import MockServer
    from tests.contract.black_box import Worlds


@pytest.fixture(scope="session")
def worlds(server: MockServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Worlds]:
    """The one server of the run, and further ones by profile and keys, each started once."""
    with worlds_beside(server, tmp_path_factory.mktemp("gateways")) as world:
        yield world
