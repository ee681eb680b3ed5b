"""Every fault of the catalogue over a socket, as it is, on a stream and a whole body."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from k3mock.contract.load import load_profile
from k3mock.contract.profiles import NAMES
from k3mock.fault.catalogue import catalogue_rows
from tests.cases.raw import exchange
from tests.support import chat, request, serving, tool

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from k3mock.serving import MockServer

FAULTS = [str(row["name"]) for row in catalogue_rows(load_profile("moonshot"))]

UNHURRIED = {"one_byte_writes", "seven_byte_writes"}
"""They wait after each of their thousands of writes; here they need not."""

SCRIPT = """
name: spoken
turns:
  - reply:
      reasoning: Grün, 你好, we think about it for a while.
      content: one two three four five six seven eight 🌷 nine ten
      tool_calls: [{name: get_weather, arguments: {city: İzmir}}]
"""


@pytest.fixture(scope="module")
def scripted(tmp_path_factory: pytest.TempPathFactory) -> Iterator[MockServer]:
    path: Path = tmp_path_factory.mktemp("faults") / "spoken.yaml"
    path.write_text(SCRIPT, encoding="utf-8")
    with serving(scenarios=(str(path),)) as server:
        yield server


@pytest.mark.parametrize("name", FAULTS)
@pytest.mark.parametrize("stream", [True, False], ids=["stream", "whole"])
def test_a_fault_happens_and_the_server_goes_on(
    scripted: MockServer, name: str, stream: bool
) -> None:
    session = f"wire-{name}-{stream}"
    fault = f"{name}(gap_ms:0)" if name in UNHURRIED else name
    options = f"scenario=spoken;fault={fault};session={session};pace=speed=100"
    seen = exchange(
        scripted.address,
        f"/with/{options}/v1/chat/completions",
        request(stream=stream, tools=[tool()]),
        quiet_s=0.3,
    )
    if seen.raw.startswith(b"HTTP/1.1 ") and b"\r\n\r\n" in seen.raw:
        assert seen.status != 422, seen.body
        assert b"k3mock_error" not in seen.body
        assert f"{name}" in seen.headers["x-k3mock-source"]
    else:
        assert seen.end in {"closed", "reset", "silent"}
    after = chat(scripted, options=f"session={session}-after;scenario=spoken", tools=[tool()])
    assert after.status == 200


@pytest.mark.parametrize("gateway", [name for name in NAMES if name != "moonshot"])
def test_every_fault_is_given_at_every_gateway_too(scripted: MockServer, gateway: str) -> None:
    own = {str(row["name"]) for row in catalogue_rows(load_profile(gateway))}
    assert set(FAULTS) <= own
    for name in ("engine_overloaded", "cut_mid_stream", "bad_gateway_html", "content_filtered"):
        options = f"profile={gateway};scenario=spoken;fault={name};session={gateway}-{name}"
        path = f"/with/{options}/v1/chat/completions"
        seen = exchange(scripted.address, path, request(stream=True, tools=[tool()]))
        assert seen.status in {200, 400, 429, 502}
        assert b"k3mock_error" not in seen.body
