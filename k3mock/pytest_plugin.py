"""Turns fixtures into a running server; nothing heavy is imported before one is asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

    from k3mock.handle import K3Mock
    from k3mock.serving import MockServer

MARKED = ("scenario", "cassette", "profile", "pace", "fault", "contract", "limits", "seed")
"""What the marker chooses for a test: options of its base URL."""

_MARKER = (
    "k3mock(scenario=…, cassette=…, profile=…, pace=…, fault=…, contract=…, limits=…, seed=…, "
    "allow_misses=False): what the test's k3mock fixture answers with"
)


def pytest_addoption(parser: pytest.Parser) -> None:
    """Declare the ini settings and the options for recording."""
    parser.addini("k3mock_profile", "profile of the k3mock server: a name or a file", default="")
    parser.addini("k3mock_scenarios", "scenario files, folders or shipped names", type="args")
    parser.addini("k3mock_cassettes", "folder of cassettes", default="cassettes")
    group = parser.getgroup("k3mock")
    group.addoption(
        "--k3mock-record",
        metavar="MODE",
        help="record the cassettes of marked tests: once, new_episodes, all or rewrite",
    )
    group.addoption("--k3mock-upstream", metavar="URL", help="what is recorded from")


def pytest_configure(config: pytest.Config) -> None:
    """Declare the marker."""
    config.addinivalue_line("markers", _MARKER)


@pytest.fixture(scope="session")
def k3mock_server(pytestconfig: pytest.Config) -> Iterator[MockServer]:
    """A server for the whole run, on a free port of the loopback interface."""
    from k3mock.serving import start  # noqa: PLC0415 - late: only users pay for it

    with start(**_settings(pytestconfig)) as server:
        yield server


@pytest.fixture(scope="session")
def k3mock_tape_server(pytestconfig: pytest.Config) -> Iterator[MockServer]:
    """The server of tests that name a cassette: it replays, or records on request."""
    from k3mock.serving import start  # noqa: PLC0415 - late: only users pay for it

    folder = pytestconfig.rootpath / str(pytestconfig.getini("k3mock_cassettes"))
    mode = pytestconfig.getoption("--k3mock-record")
    given = {**_settings(pytestconfig), "scenarios": None, "cassettes": [str(folder)]}
    if mode:
        folder.mkdir(parents=True, exist_ok=True)
        upstream = pytestconfig.getoption("--k3mock-upstream")
        given |= {"record": str(mode), "upstream": upstream, "pace": "instant"}
    with start(**given, on_miss="error") as server:
        yield server


@pytest.fixture
def k3mock(request: pytest.FixtureRequest) -> Iterator[K3Mock]:
    """A fresh session on the run's server: `k3mock.base_url` and `k3mock.api_key`.

    The marker `k3mock` chooses what answers. A request that nothing answered fails the test, even
    where the program swallowed the error, unless the marker says `allow_misses=True`.
    """
    from k3mock.handle import K3Mock  # noqa: PLC0415 - late: only users pay for it

    chosen = _marked(request.node)
    allowed = bool(chosen.pop("allow_misses", False))
    name = "k3mock_tape_server" if "cassette" in chosen else "k3mock_server"
    sessions = request.config.stash.setdefault(_SESSIONS, [0])
    sessions[0] += 1
    handle = K3Mock(request.getfixturevalue(name), f"test-{sessions[0]}", chosen)
    yield handle
    problems = [] if allowed else [f"nothing answered: {miss}" for miss in handle.misses]
    problems += handle.finish()
    if problems:
        pytest.fail("\n".join(problems), pytrace=False)


def _settings(config: pytest.Config) -> dict[str, Any]:
    scenarios = config.getini("k3mock_scenarios")
    return {
        "profile": str(config.getini("k3mock_profile")) or None,
        "scenarios": list(scenarios) or None,
    }


def _marked(node: pytest.Item) -> dict[str, Any]:
    """Return what the markers of a test choose, the nearest one first."""
    chosen: dict[str, Any] = {}
    for marker in node.iter_markers("k3mock"):
        unknown = set(marker.kwargs) - {*MARKED, "allow_misses"}
        if unknown or marker.args:
            wrong = ", ".join(sorted(unknown)) or repr(marker.args[0])
            pytest.fail(f"@pytest.mark.k3mock does not take {wrong}; it takes "
                        f"{', '.join(MARKED)} and allow_misses", pytrace=False)  # fmt: skip
        chosen = {**marker.kwargs, **chosen}
    return chosen


_SESSIONS = pytest.StashKey[list[int]]()
