"""The same flows over a socket and in process: same events, same errors, same journal."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import httpx2
import pytest

import k3mock
from k3mock.cassette.format import write
from tests.inprocess.flows import SCENARIOS, TAPE, Flow, flows, noted, see, see_async

if TYPE_CHECKING:
    from collections.abc import Iterator

    from k3mock.inprocess.transport import Transport
    from k3mock.serving import MockServer

FLOWS = list(flows())

SOME = [flow for flow in FLOWS if flow.name in {
    "plain-whole", "plain-stream", "tools-stream", "reset_mid_stream-stream",
    "cut_mid_stream-stream", "half_headers-whole", "stall_forever-stream", "long", "too-large",
    "close_before_headers-whole", "garbage_status_line-stream", "retry-stream", "taped",
}]  # fmt: skip


@pytest.fixture(scope="module")
def settings(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    folder = tmp_path_factory.mktemp("flows")
    scenarios = folder / "all.yaml"
    scenarios.write_text(SCENARIOS, encoding="utf-8")
    write(folder / "tape.yaml", [TAPE])
    return {
        "scenarios": [str(scenarios)],
        "cassettes": [str(folder / "tape.yaml")],
        "on_miss": "generate",
        "seed": 7,
    }


@pytest.fixture(scope="module")
def server(settings: dict[str, Any]) -> Iterator[MockServer]:
    with k3mock.start(**settings) as running:
        yield running


@pytest.fixture(scope="module")
def transport(settings: dict[str, Any]) -> Iterator[Transport]:
    with k3mock.transport(**settings) as made:
        yield made


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


def test_there_are_flows_enough() -> None:
    assert len({flow.name for flow in FLOWS}) == len(FLOWS) >= 50


@pytest.mark.parametrize("flow", [pytest.param(flow, id=flow.name) for flow in FLOWS])
def test_a_flow_is_the_same_over_a_socket_and_in_process(
    flow: Flow, server: MockServer, transport: Transport
) -> None:
    with httpx2.Client() as outside:
        over_socket = see(outside, flow, server.address)
    # This client is not closed: the transport serves the next one, too.
    inside = httpx2.Client(transport=transport)
    assert see(inside, flow, "http://localhost") == over_socket
    assert noted(transport.app, flow.name) == noted(server.app, flow.name)


@pytest.mark.anyio
@pytest.mark.parametrize("flow", [pytest.param(flow, id=flow.name) for flow in SOME])
async def test_a_flow_is_the_same_for_an_asynchronous_client(
    flow: Flow, server: MockServer, settings: dict[str, Any]
) -> None:
    server.app.pipeline.sessions.drop(flow.name)
    server.app.journal.clear(flow.name)
    async with httpx2.AsyncClient() as outside:
        over_socket = await see_async(outside, flow, server.address)
    transport = k3mock.async_transport(**settings)
    async with httpx2.AsyncClient(transport=transport) as inside:
        assert await see_async(inside, flow, "http://localhost") == over_socket
    assert noted(transport.app, flow.name) == noted(server.app, flow.name)
