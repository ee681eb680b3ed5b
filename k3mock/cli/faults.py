"""Turns the catalogue of faults into the listings that `k3mock faults` prints."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING
from urllib.parse import quote

import click
import orjson

from k3mock.contract.load import load_profile
from k3mock.fault.call import parse_call
from k3mock.fault.catalogue import KINDS, catalogue_rows, fault_row, find_fault

if TYPE_CHECKING:
    from k3mock.fault.entry import Fault, Parameter
    from k3mock.jsonvalue import JSONObject, JSONValue


@click.command()
@click.argument("name", required=False)
@click.option(
    "--profile",
    default="moonshot",
    metavar="NAME|FILE",
    show_default=True,
    help="The host whose own errors are listed, too.",
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def faults(*, name: str | None, profile: str, as_json: bool) -> None:
    """List the faults, or tell all about one of them."""
    host = load_profile(profile)
    if name is not None:
        fault = find_fault(name, host)
        click.echo(_json(fault_row(fault)) if as_json else _described(fault))
        return
    rows = catalogue_rows(host)
    click.echo(_json([*rows]) if as_json else _listed(rows))


def _json(value: JSONValue) -> str:
    return orjson.dumps(value, option=orjson.OPT_INDENT_2).decode()


def _listed(rows: list[JSONObject]) -> str:
    """Return one line for each fault, under a heading for each kind."""
    lines: list[str] = []
    width = max(len(str(row["name"])) for row in rows)
    for kind, group in groupby(rows, key=lambda row: str(row["kind"])):
        lines += ["", f"{kind}: {KINDS[kind]}"]
        lines += [f"  {row['name']:{width}}  {row['about']}  [{row['seen']}]" for row in group]
    return "\n".join(lines[1:])


def _described(fault: Fault) -> str:
    lines = [f"{fault.name}: {fault.about}", f"kind: {fault.kind}, {KINDS[fault.kind]}"]
    lines.append(f"seen: {fault.seen}")
    lines.append("parameters:" if fault.parameters else "parameters: none")
    lines += [f"  {_parameter(parameter)}" for parameter in fault.parameters]
    text, yaml = examples(fault)
    return "\n".join([*lines, f"base URL: /with/fault={text}/v1", f"YAML: faults: [{yaml}]"])


def _parameter(parameter: Parameter) -> str:
    usual = "" if parameter.default is None else f"; default {_json_line(parameter.default)}"
    return f"{parameter.name}: {parameter.about} ({parameter.takes()}{usual})"


def _json_line(value: JSONValue) -> str:
    return orjson.dumps(value).decode()


def examples(fault: Fault) -> tuple[str, str]:
    """Return a call of the fault as base URLs write it, and as YAML does."""
    written = f"{fault.name}({fault.example})" if fault.example else fault.name
    parameters = parse_call(written).parameters
    if not parameters:
        return written, fault.name
    inside = ", ".join(f"{key}: {_json_line(value)}" for key, value in parameters.items())
    return quote(written, safe="():,"), f"{{name: {fault.name}, {inside}}}"
