"""Turns a running server's verdict on its clients into a table, JSON and an exit code."""

from __future__ import annotations

import json
import sys
import urllib.error
import urllib.request
from typing import TYPE_CHECKING
from urllib.parse import quote, urlsplit

import click
import orjson

from k3mock.cli.cassette_paths import counted
from k3mock.errors import K3MockError, SettingsError
from k3mock.jsonvalue import JSONObject, as_list, as_object
from k3mock.verdict.finding import Severity

if TYPE_CHECKING:
    from k3mock.jsonvalue import JSONValue

TIMEOUT_S = 60.0
_NEVER = "never"
_LOOKED_AT = ("requests", "calls")


@click.command()
@click.option("--url", required=True, metavar="URL", help="The server, as `serve` printed it.")
@click.option("--session", metavar="NAME", help="Only the requests of this session.")
@click.option(
    "--fail-on",
    type=click.Choice([*(severity.value for severity in Severity), _NEVER]),
    default=Severity.WARNING.value,
    show_default=True,
    help="Exit with 1 when something this bad, or worse, was found.",
)
@click.option("--control-key", metavar="KEY", help="The server's control key.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def verdict(
    *, url: str, session: str | None, fail_on: str, control_key: str | None, as_json: bool
) -> None:
    """Say what the clients of a running server did wrong."""
    answer = _asked(_address(url, session), control_key)
    findings = [as_object(item) or {} for item in as_list(answer.get("findings")) or []]
    if as_json:
        click.echo(orjson.dumps(answer, option=orjson.OPT_INDENT_2).decode())
    else:
        click.echo(_table(answer, findings))
    if fail_on != _NEVER:
        ranks = [Severity(str(finding["severity"])).rank for finding in findings]
        sys.exit(any(rank >= Severity(fail_on).rank for rank in ranks))


def _address(url: str, session: str | None) -> str:
    parts = urlsplit(url)
    if parts.scheme not in {"http", "https"} or not parts.netloc:
        raise SettingsError(
            f"--url {url!r} is no address of a server", accepted="http://127.0.0.1:8000"
        )
    chosen = "" if session is None else f"?session={quote(session, safe='')}"
    return f"{parts.scheme}://{parts.netloc}/__k3mock__/verdict{chosen}"


def _asked(address: str, control_key: str | None) -> JSONObject:
    headers = {} if control_key is None else {"Authorization": f"Bearer {control_key}"}
    asked = urllib.request.Request(address, headers=headers)  # noqa: S310 - checked above
    # A proxy of the environment does not reach a server on this machine.
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        with opener.open(asked, timeout=TIMEOUT_S) as response:
            answer: JSONValue = json.loads(response.read())
    except urllib.error.HTTPError as error:
        with error:
            raise K3MockError(
                "the server gives no verdict", where=address, found=_refusal(error.read())
            ) from None
    except (OSError, ValueError) as error:
        raise K3MockError(
            "no k3mock server answers", where=address, found=str(error),
            hint="start one with `k3mock serve`",
        ) from None  # fmt: skip
    return as_object(answer) or {}


def _refusal(body: bytes) -> str:
    try:
        return str(json.loads(body)["error"]["message"])
    except (ValueError, KeyError, TypeError):
        return body[:200].decode("utf-8", "replace")


def _table(answer: JSONObject, findings: list[JSONObject]) -> str:
    looked = ", ".join(counted(int(str(answer.get(what))), what[:-1]) for what in _LOOKED_AT)
    if not findings:
        return f"{looked}: nothing found"
    width = max(len(str(finding["rule"])) for finding in findings)
    lines = [f"{looked}, {counted(len(findings), 'finding')}"]
    for finding in findings:
        lines.append(f"\n{finding['severity']:7}  {finding['rule']:{width}}  {finding['message']}")
        seen = [as_object(item) or {} for item in as_list(finding["evidence"]) or []]
        shown = ", ".join(f"{each['id']} at {each['arrived']}" for each in seen[:3])
        more = f" and {len(seen) - 3} more" if len(seen) > 3 else ""
        lines.append(f"         session {finding['session']}: {shown}{more}")
    return "\n".join(lines)
