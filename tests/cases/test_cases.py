"""Every case from the field, asked for by configuration alone, as a raw client and the SDK see it.

`docs/cases.md` says what each id stands for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.cases import (  # noqa: F401 - each declares its cases
    calls,
    clients,
    errors,
    framing,
    history,
    order,
    parameters,
    reasoning,
    timing,
    tools,
    usage,
)
from tests.cases.case import CASES, CLIENTS, Case, World
from tests.support import serving

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from k3mock.serving import MockServer

GIVEN = {
    "A": (2, 3, 5), "B": (1, 2, 3, 4, 7, 9, 10, 12), "C": (1, 2, 3, 4, 7, 8, 9, 11, 13, 15, 17),
    "D": (1, 2, 3, 5, 7), "E": (1, 4), "F": (1, 2, 5, 6, 8), "G": (2, 4, 5, 6, 7, 9),
    "H": (1, 2, 3, 5, 6, 7, 8, 11, 12, 13, 14, 16),
    "I": (3, 5, 6, 7, 8, 10, 12, 13, 14, 15, 16, 17, 18), "J": (1, 2),
    "K": (2, 5, 7, 8, 9, 10, 11, 12, 13, 15), "L": (1, 2, 5), "M": (1, 2, 3, 4, 5, 7, 9),
    "N": (1, 2, 5),
}  # fmt: skip
"""The ids of all cases that were collected."""

LEAST_CLIENT_CASES = 25


@pytest.fixture(scope="session")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[MockServer]:
    """One server that has the scenarios of all cases loaded."""
    folder = tmp_path_factory.mktemp("cases")
    for known in CASES.values():
        if known.scenario and not known.own_server:
            (folder / f"{known.id.lower()}.yaml").write_text(known.scenario, encoding="utf-8")
    with serving(scenarios=(str(folder),)) as server:
        yield server


def _name(scenario: str) -> str:
    first = next(line for line in scenario.splitlines() if line.startswith("name:"))
    return first.removeprefix("name:").strip()


def _options(known: Case) -> str:
    pinned = known.scenario and "scenario=" not in known.options
    chosen = f"scenario={_name(known.scenario)}" if pinned else ""
    return ";".join(filter(None, (chosen, known.options)))


@pytest.fixture
def world(
    request: pytest.FixtureRequest, shared: MockServer, server: MockServer, tmp_path: Path
) -> Iterator[World]:
    """The case's own world: its server, a fresh session, its options."""
    known: Case = CASES[request.node.callspec.id]
    session = request.node.name
    if not known.own_server:
        yield World(shared if known.scenario else server, session, _options(known))
        return
    settings = dict(known.settings)
    if known.profile:
        path = tmp_path / "own.yaml"
        path.write_text(known.profile, encoding="utf-8")
        settings["profile"] = str(path)
    if known.scenario:
        path = tmp_path / "scenario.yaml"
        path.write_text(known.scenario, encoding="utf-8")
        settings["scenarios"] = (str(path),)
    with serving(**settings) as own:
        yield World(own, session, _options(known))


@pytest.mark.parametrize("known", [pytest.param(known, id=known.id) for known in CASES.values()])
def test_a_raw_client_sees_the_case(known: Case, world: World) -> None:
    known.check(world)


@pytest.mark.parametrize("check", [pytest.param(CLIENTS[name], id=name) for name in CLIENTS])
def test_the_real_client_suffers_as_reported(check: object, world: World) -> None:
    assert callable(check)
    check(world)


def test_no_case_is_missing() -> None:
    wanted = {f"{letter}{number:02}" for letter, numbers in GIVEN.items() for number in numbers}
    assert len(wanted) == 90
    assert set(CASES) == wanted
    assert len(CLIENTS) >= LEAST_CLIENT_CASES
