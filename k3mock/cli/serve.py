"""Turns `k3mock serve` into a running server with a banner and a log."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import click

from k3mock.cli.log import Log, say
from k3mock.cli.record import recording_options
from k3mock.options import CONTRACT_MODES, WARNING_MODES
from k3mock.scenario.problem import Severity
from k3mock.settings import LOG_FORMATS, MISS_MODES, RECORD_MODES, from_sources, parse_pairs

if TYPE_CHECKING:
    from collections.abc import Callable

    from k3mock.asgi.app import App
    from k3mock.settings import Settings


@click.command()
@click.argument("scenarios", nargs=-1, metavar="[SCENARIO]...")
@click.option(
    "--cassette",
    "cassettes",
    multiple=True,
    metavar="PATH",
    help="File or folder of recorded sessions to answer from; may be repeated.",
)
@click.option("--profile", metavar="NAME|FILE", help="Contract to answer by.  [moonshot]")
@click.option("--host", help="Address to bind.  [127.0.0.1]")
@click.option("--port", type=int, help="Port; 0 picks a free one.  [8000]")
@click.option("--workers", type=int, help="Processes that serve: 1, as they share no memory.  [1]")
@click.option("--pace", help="instant, realistic, tokens per second, or key=value,…  [realistic]")
@click.option("--seed", type=int, help="Makes ids and timestamps repeat, too.")
@click.option(
    "--on-miss",
    type=click.Choice(MISS_MODES),
    help="What answers when nothing else does.  [generate; error where only cassettes are loaded]",
)
@click.option(
    "--contract",
    type=click.Choice(CONTRACT_MODES),
    help="Refuse what the host refuses, note it, or do not look.  [enforce]",
)
@click.option(
    "--warnings",
    type=click.Choice(WARNING_MODES),
    help="Note what the host drops or changes without a word, or make it an error.  [note]",
)
@click.option(
    "--api-key",
    "api_keys",
    multiple=True,
    metavar="KEY",
    help="Accepted key; may be repeated. Without it any key will do.",
)
@click.option(
    "--limits",
    metavar="TIER|KEY=VALUE,…",
    help="tier0 to tier5, or rpm, tpm, tpd, concurrency, balance: real limits of each session.",
)
@click.option(
    "--tokenizer",
    multiple=True,
    metavar="KEY=VALUE",
    help="vocabulary, path, template, accounting or counter; may be repeated.",
)
@click.option(
    "--reload", is_flag=True, default=None, help="Read scenario files again when they change."
)
@click.option(
    "--record",
    metavar="MODE",
    type=click.Choice(RECORD_MODES),
    help="Relay to --upstream and record into --cassette: none, once, new_episodes, all, rewrite.",
)
@recording_options
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
    "--log-format",
    type=click.Choice(LOG_FORMATS),
    help="Request log on standard error; off: only notes.  [text]",
)
def serve(**flags: Any) -> None:  # noqa: ANN401 - click hands over what was declared
    """Answer as kimi-k3 does, until Ctrl-C.

    A SCENARIO is a file, a folder, or the name of a shipped one.
    When requests are taken, one line `k3mock listening on URL` goes to standard output; everything
    else goes to standard error. Every flag is also read from K3MOCK_<NAME>.
    """
    given = {**flags, "tokenizer": parse_pairs("--tokenizer", flags["tokenizer"]) or None}
    settings = from_sources(given, defaults={"pace": "realistic", "log_format": "text"})
    run(settings)


def run(settings: Settings, at_end: Callable[[App, Log], None] | None = None) -> None:
    """Serve with a banner and a log; `at_end` has the last word."""
    from k3mock import serving  # noqa: PLC0415 - late: --help needs no server

    log = Log(settings.log_format or "text")
    served: list[App] = []

    def ready(address: str, app: App) -> None:
        if settings.cassettes:
            # Who starts a server wants to know now what is wrong in a folder.
            app.pipeline.replaying.shelf.together()
        served.append(app)
        if settings.log_format != "off":
            app.journal.listen(log.request)
        app.scenarios.note = log.note
        if app.recorder is not None:
            app.recorder.listen(log.note)
        log.start(address, app)
        for problem in app.scenarios.library.problems:
            if problem.severity is Severity.WARNING:
                log.note(str(problem))
        for warning in app.pipeline.replaying.shelf.warnings:
            log.note(f"warning: {warning}")
        say(f"k3mock listening on {address}")

    try:
        serving.run(settings, ready)
    finally:
        if at_end is not None and served:
            at_end(served[0], log)
        log.note("k3mock stopped")
        log.close()
    if any(app.recorder is not None and app.recorder.problems for app in served):
        sys.exit(1)
