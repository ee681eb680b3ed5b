"""What `docs/migrating.md` shows on the right runs as it stands."""

from __future__ import annotations

import http.client
import re
import shlex
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner

from k3mock.cli.main import main
from tests.support import call, request, tool

if TYPE_CHECKING:
    from k3mock.handle import K3Mock

PAGE = Path(__file__).parents[2] / "docs" / "migrating.md"
ROWS = re.findall(r"^\| .* \| (.*) \|$", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
SHOWN = list(dict.fromkeys(code for row in ROWS for code in re.findall(r"`([^`]+)`", row)))
CALLS = [code for code in SHOWN if re.match(r"k3mock\.\w+\(", code)]
SCRIPTS = [code for code in CALLS if re.match(r"k3mock\.(reply|when)", code)]
COMMANDS = [code for code in SHOWN if code.startswith("k3mock ")]
CONTROL = [code.split() for code in SHOWN if "/__k3mock__/" in code]
CALL = '{"name": "f", "arguments": {}}'


def test_the_table_is_read() -> None:
    assert len(SCRIPTS) >= 12
    assert len(COMMANDS) >= 6
    assert len(CONTROL) == 2


@pytest.mark.parametrize("code", SCRIPTS)
def test_a_script_answers(k3mock: K3Mock, code: str) -> None:
    eval(code.replace("[…]", f"[{CALL}]").replace("{…}", "{}"), {"k3mock": k3mock})  # noqa: S307
    path = k3mock.base_url.removeprefix(k3mock.server.address) + "/chat/completions"
    body = request("the weather", stream="reset" in code or "cut" in code, tools=[tool("f")])
    headers = {"x-k3mock": "pace=speed=1000"}
    try:
        answer = call(k3mock.server.address, path, body, headers=headers)
    except (OSError, http.client.HTTPException):
        assert "reply_fault" in code
    else:
        assert answer.status == (503 if "503" in code else 429 if "rate_limited" in code else 200)
    [entry] = k3mock.requests
    assert entry.source is not None
    assert entry.source.startswith("scenario:k3mock.")
    k3mock.reset()


@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_and_its_options_exist(command: str) -> None:
    words = [word for word in shlex.split(command)[1:] if word != "…"]
    names = [word for word in words if not word.startswith("-")][: 2 if "cassette" in words else 1]
    shown = CliRunner().invoke(main, [*names, "--help"])
    assert shown.exit_code == 0
    for option in (word for word in words if word.startswith("--")):
        assert option in shown.output


@pytest.mark.parametrize(("method", "path"), CONTROL)
def test_an_address_of_the_control_api_answers(k3mock: K3Mock, method: str, path: str) -> None:
    address = k3mock.server.address
    assert call(address, path, method=method).status == 200


@pytest.mark.parametrize("text", [code for code in SHOWN if code.startswith(("turns:", "reply:"))])
def test_a_scenario_is_one(k3mock: K3Mock, text: str) -> None:
    scripted = text if text.startswith("turns:") else f"turns: [{{{text}}}]"
    scripted = f"name: shown\n{scripted}"
    k3mock.scenario(scripted)
    k3mock.reset()
