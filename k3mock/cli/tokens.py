"""Turns text or a request body into token counts: `k3mock tokens`."""

from __future__ import annotations

import sys
from pathlib import Path

import click
import orjson

from k3mock.contract.jsontext import JsonTextError, read_json
from k3mock.contract.read import read_request
from k3mock.errors import SettingsError
from k3mock.hosts import Hosts
from k3mock.jsonvalue import as_object
from k3mock.settings import Settings, parse_pairs
from k3mock.text.accounting import prompt_tokens


@click.command()
@click.argument("source", metavar="[FILE|-]", default="-")
@click.option(
    "--profile",
    default="moonshot",
    show_default=True,
    metavar="NAME|FILE",
    help="Whose template and accounting count a request.",
)
@click.option(
    "--tokenizer",
    multiple=True,
    metavar="KEY=VALUE",
    help="vocabulary, path, template, accounting or counter; may be repeated.",
)
@click.option("--ids", is_flag=True, help="Print the token ids of a text, too.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def tokens(
    *, source: str, profile: str, tokenizer: tuple[str, ...], ids: bool, as_json: bool
) -> None:
    """Count the tokens of a text, or of a request body as `usage.prompt_tokens` would.

    A JSON object with `messages` is counted as a request; anything else as text. Without FILE, or
    with `-`, standard input is read.
    """
    raw = _read(source)
    settings = Settings(tokenizer=parse_pairs("--tokenizer", tokenizer))
    host = Hosts(profile, settings.tokenizer).default
    counter = host.template.counter
    shown: dict[str, object] = {"vocabulary": counter.vocabulary.label}
    try:
        body = as_object(read_json(raw))
    except JsonTextError:
        body = None
    if body is not None and "messages" in body:
        prompt = host.template.render(read_request(body, host.profile))
        shown["prompt_tokens"] = prompt_tokens(prompt, host.accounting)
        shown["rendered"] = prompt.rendered
    else:
        text = raw.decode("utf-8", "replace")
        shown["tokens"] = counter.count(text)
        if ids:
            shown["ids"] = counter.encode(text)
    if as_json:
        click.echo(orjson.dumps(shown).decode())
        return
    for name, value in shown.items():
        click.echo(f"{name}: {value}")


def _read(source: str) -> bytes:
    if source == "-":
        return sys.stdin.buffer.read()
    try:
        return Path(source).read_bytes()
    except OSError as error:
        raise SettingsError(
            "the file cannot be read", where=source, found=error.strerror,
            hint="give the path of a text or JSON file, or - for standard input",
        ) from error  # fmt: skip
