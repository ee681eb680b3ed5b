"""Turns fixtures into a running server; nothing heavy is imported before one is asked for."""

from __future__ import annotations

import hashlib
import re
from typing import TYPE_CHECKING, Any

import pytest

from k3mock.version import __version__

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator

    from k3mock.handle import K3Mock
    from k3mock.serving import MockServer

MARKED = ("scenario", "cassette", "profile", "pace", "fault", "contract", "limits", "seed")
"""What the marker chooses for a test: options of its base URL."""

ALLOWED = ("allow_unused", "allow_misses")
"""What the marker lets pass at the end of a test."""

VARIABLES = {
    f"{name}_{kind}": kind
    for name in ("OPENAI", "MOONSHOT", "KIMI")
    for kind in ("BASE_URL", "API_KEY")
}
"""What programs read their address and key from."""

_MARKER = (
    "k3mock(scenario=…, cassette=…, profile=…, pace=…, fault=…, contract=…, limits=…, seed=…, "
    "allow_unused=False, allow_misses=False): what the test's k3mock fixture answers with; a list "
    "of profiles runs the test with each; cassette=True is a cassette of the test's own"
)
_UNUSED = "at the end of a test, let scripted replies pass that were not used"
_MISSES = "at the end of a test, let requests pass that nothing answered"
_NAME_CHARS = 120


def pytest_addoption(parser: pytest.Parser) -> None:
    """Declare the ini settings and the options for recording."""
    parser.addini("k3mock_profile", "profile of the k3mock server: a name or a file", default="")
    parser.addini("k3mock_scenarios", "scenario files, folders or shipped names", type="args")
    parser.addini("k3mock_cassettes", "folder of cassettes", default="cassettes")
    parser.addini("k3mock_allow_unused", _UNUSED, type="bool", default=False)
    parser.addini("k3mock_allow_misses", _MISSES, type="bool", default=False)
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


def pytest_report_header(config: pytest.Config) -> str:
    """Name the version, the profile and how tokens are counted."""
    profile = str(config.getini("k3mock_profile")) or "moonshot"
    header = f"k3mock: {__version__}, profile {profile}, tokenizer kimi_k3 (splintr)"
    mode = config.getoption("--k3mock-record")
    return f"{header}, recording {mode}" if mode else header


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run a test once for each profile that its nearest marker lists."""
    if "k3mock" not in metafunc.fixturenames:
        return
    profile = next(
        (marker.kwargs["profile"] for marker in metafunc.definition.iter_markers("k3mock")
         if "profile" in marker.kwargs), None,
    )  # fmt: skip
    if isinstance(profile, list | tuple):
        metafunc.parametrize("k3mock", profile, indirect=True)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item,
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Show the requests of a test that fails."""
    report = yield
    if report.failed:
        item.stash[_FAILED] = True
        handles = [each for node in item.listchain() for each in node.stash.get(_HANDLES, [])]
        told = "\n".join(map(_told, handles))
        told = told or item.stash.get(_LAST, "")
        if told:
            report.sections.append(("k3mock requests", told))
    return report


def _told(handle: K3Mock) -> str:
    return "\n".join([handle.told(), *(f"nothing answered: {miss}" for miss in handle.misses)])


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

    `k3mock.reply(…)` scripts answers, the marker `k3mock` chooses others. A scripted reply that was
    not used and a request that nothing answered fail the test, even where the program swallowed the
    error, unless the marker says `allow_unused=True` or `allow_misses=True`.
    """
    yield from _session(request)


@pytest.fixture(scope="module")
def k3mock_module(request: pytest.FixtureRequest) -> Iterator[K3Mock]:
    """A session that the tests of a module share; it is looked at when they have ended."""
    yield from _session(request)


@pytest.fixture(scope="session")
def k3mock_session(request: pytest.FixtureRequest) -> Iterator[K3Mock]:
    """A session that all tests share; it is looked at when they have ended."""
    yield from _session(request)


@pytest.fixture
def k3mock_env(k3mock: K3Mock, monkeypatch: pytest.MonkeyPatch) -> K3Mock:
    """The test's session, which programs find through the environment.

    `OPENAI_BASE_URL`, `OPENAI_API_KEY`, and the same of `MOONSHOT` and `KIMI`.
    """
    for name, kind in VARIABLES.items():
        monkeypatch.setenv(name, k3mock.base_url if kind == "BASE_URL" else k3mock.api_key)
    return k3mock


def _session(request: pytest.FixtureRequest) -> Iterator[K3Mock]:
    """Give a session, and fail at its end if anything in it was not as it should be."""
    from k3mock.handle import K3Mock  # noqa: PLC0415 - late: only users pay for it

    chosen = _marked(request)
    allowed = {name: bool(chosen.pop(name, False)) or bool(request.config.getini(f"k3mock_{name}"))
               for name in ALLOWED}  # fmt: skip
    name = "k3mock_tape_server" if "cassette" in chosen else "k3mock_server"
    sessions = request.config.stash.setdefault(_SESSIONS, [0])
    sessions[0] += 1
    handle = K3Mock(request.getfixturevalue(name), f"test-{sessions[0]}", chosen)
    stash = request.node.stash
    stash.setdefault(_HANDLES, []).append(handle)
    yield handle
    failed = stash.get(_FAILED, False)
    # A test that has failed shows its requests; what it did not get to is no news.
    problems = [] if failed else _problems(handle, allowed)
    stash[_LAST] = handle.told()
    stash[_HANDLES].remove(handle)
    problems += handle.finish()
    if problems:
        pytest.fail("\n".join(problems), pytrace=False)


def _problems(handle: K3Mock, allowed: dict[str, bool]) -> list[str]:
    """Return what a test must not leave behind."""
    arrived = handle.requests  # answers that still run are waited for
    problems: list[str] = []
    if not allowed["allow_misses"]:
        problems += [f"nothing answered: {miss}" for miss in handle.misses]
        problems += [f"k3mock refused: {each}" for each in handle.refused]
    unused = [] if allowed["allow_unused"] else handle.unused
    if unused:
        problems += [f"not used: {each}" for each in unused]
        many = {0: "no request", 1: "1 request"}.get(len(arrived), f"{len(arrived)} requests")
        problems.append(f"{many} arrived; allow_unused=True in @pytest.mark.k3mock lets this pass")
    return problems


def _settings(config: pytest.Config) -> dict[str, Any]:
    scenarios = config.getini("k3mock_scenarios")
    return {
        "profile": str(config.getini("k3mock_profile")) or None,
        "scenarios": list(scenarios) or None,
    }


def _marked(request: pytest.FixtureRequest) -> dict[str, Any]:
    """Return what the markers of a test choose, the nearest one first."""
    node = request.node
    chosen: dict[str, Any] = {}
    for marker in node.iter_markers("k3mock"):
        unknown = set(marker.kwargs) - {*MARKED, *ALLOWED}
        if unknown or marker.args:
            wrong = ", ".join(sorted(unknown)) or repr(marker.args[0])
            pytest.fail(f"@pytest.mark.k3mock does not take {wrong}; it takes "
                        f"{', '.join(MARKED)} and {', '.join(ALLOWED)}", pytrace=False)  # fmt: skip
        chosen = {**marker.kwargs, **chosen}
    if isinstance(chosen.get("profile"), list | tuple):
        chosen["profile"] = _one_profile(request)
    if chosen.get("cassette") is True:
        chosen["cassette"] = cassette_name(node.nodeid)
    return {name: value for name, value in chosen.items() if value is not None}


def _one_profile(request: pytest.FixtureRequest) -> str:
    """Return the profile of this run of a test that runs with several."""
    if not hasattr(request, "param"):
        pytest.fail("@pytest.mark.k3mock(profile=[…]) runs a test function once for each profile; "
                    "here, give one profile", pytrace=False)  # fmt: skip
    return str(request.param)


def cassette_name(nodeid: str) -> str:
    """Return the name of a test's own cassette: its module and its name, as a file can have it."""
    module, _, test = nodeid.partition("::")
    full = f"{module.removesuffix('.py').replace('/', '.')}.{test.replace('::', '.')}"
    plain = full.replace("[", "-").replace("]", "")
    name = re.sub(r"[^A-Za-z0-9_.-]", "-", plain).lstrip(".-")
    if name != plain or len(name) > _NAME_CHARS:
        # Letters were lost: what tells names apart must stay.
        name = f"{name[:_NAME_CHARS]}-{hashlib.sha256(full.encode()).hexdigest()[:8]}"
    return name


_SESSIONS = pytest.StashKey[list[int]]()
_HANDLES = pytest.StashKey["list[K3Mock]"]()
_FAILED = pytest.StashKey[bool]()
_LAST = pytest.StashKey[str]()
