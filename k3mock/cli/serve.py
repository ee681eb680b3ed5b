"""Turns `k3mock serve` into a running server with a banner and a log."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import click
import orjson

import k3mock
from k3mock.settings import LOG_FORMATS, MISS_MODES, from_sources, parse_pairs

if TYPE_CHECKING:
    from collections.abc import Callable

    from k3mock.asgi.app import App
    from k3mock.journal import JournalEntry


@click.command()
@click.option("--profile", metavar="NAME|FILE", help="Contract to answer by.  [moonshot]")
@click.option("--host", help="Address to bind.  [127.0.0.1]")
@click.option("--port", type=int, help="Port; 0 picks a free one.  [8000]")
@click.option("--pace", help="instant, realistic, tokens per second, or key=value,…  [realistic]")
@click.option("--seed", type=int, help="Makes ids and timestamps repeat, too.")
@click.option(
    "--on-miss",
    type=click.Choice(MISS_MODES),
    help="What answers when nothing else does.  [generate]",
)
@click.option(
    "--contract",
    type=click.Choice(("enforce", "warn", "off")),
    help="Refuse what the host refuses, note it, or do not look.  [enforce]",
)
@click.option(
    "--api-key",
    "api_keys",
    multiple=True,
    metavar="KEY",
    help="Accepted key; may be repeated. Without it any key will do.",
)
@click.option(
    "--tokenizer",
    multiple=True,
    metavar="KEY=VALUE",
    help="vocabulary, path, template, accounting or counter; may be repeated.",
)
@click.option("--control-key", metavar="KEY", help="Key of the control API.")
@click.option(
    "--cors",
    multiple=True,
    metavar="ORIGIN",
    help="Origin of a browser page that may call; may be repeated.",
)
@click.option("--ssl-certfile", metavar="FILE", help="PEM certificate: serve TLS.")
@click.option("--ssl-keyfile", metavar="FILE", help="PEM key of the certificate.")
@click.option(
    "--log-format", type=click.Choice(LOG_FORMATS), help="Request log on standard error.  [text]"
)
def serve(**flags: Any) -> None:  # noqa: ANN401 - click hands over what was declared
    """Answer as kimi-k3 does, until Ctrl-C.

    When requests are taken, one line `k3mock listening on URL` goes to standard output; everything
    else goes to standard error. Every flag is also read from K3MOCK_<NAME>.
    """
    given = {**flags, "tokenizer": parse_pairs("--tokenizer", flags["tokenizer"]) or None}
    settings = from_sources(given, defaults={"pace": "realistic", "log_format": "text"})
    from k3mock import serving  # noqa: PLC0415 - late: --help needs no server

    def ready(address: str, app: App) -> None:
        app.journal.listen(_logger(settings.log_format))
        click.echo(_banner(address, app), err=True)
        click.echo(f"k3mock listening on {address}")
        sys.stdout.flush()

    serving.run(settings, ready)
    click.echo("k3mock stopped", err=True)


def _banner(address: str, app: App) -> str:
    host = app.hosts.default
    profile = host.profile
    seed = "none" if app.settings.seed is None else str(app.settings.seed)
    lines = [
        f"k3mock {k3mock.__version__}",
        f"  profile    {profile.name}: {profile.about}; contract {app.settings.contract}",
        f"  model      {', '.join(profile.models)}",
        f"  tokenizer  {host.template.counter.vocabulary.label}, accounting {host.accounting}",
        f"  pace       {app.settings.pace}; seed {seed}",
        f"  base URL   {address}/v1",
        f"  journal    {address}/__k3mock__/requests",
    ]
    return "\n".join(lines)


def _logger(log_format: str | None) -> Callable[[JournalEntry], None]:
    def text(entry: JournalEntry) -> None:
        outcome = entry.outcome
        line = (
            f"{entry.method} {entry.path[:200]} {entry.status} {entry.source} {outcome.end} "
            f"{outcome.tokens} tokens {outcome.duration_ms or 0:.0f} ms "
            f"[{entry.session} {entry.id}]"
        )
        # Paths and session names are a client's own words: nothing in them may steer a terminal.
        click.echo("".join(sign if sign.isprintable() else "?" for sign in line), err=True)

    def json(entry: JournalEntry) -> None:
        shown = {
            "id": entry.id,
            "session": entry.session,
            "profile": entry.profile,
            "method": entry.method,
            "path": entry.path,
            "status": entry.status,
            "source": entry.source,
            "outcome": entry.outcome.as_json(),
        }
        click.echo(orjson.dumps(shown).decode(), err=True)

    return json if log_format == "json" else text
