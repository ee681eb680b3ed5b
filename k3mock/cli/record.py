"""Turns `k3mock record` into a relay that writes down what passes it."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import click

from k3mock.cli.log import Log, say
from k3mock.cli.progress import Progress
from k3mock.settings import LOG_FORMATS, RECORD_MODES, from_sources

if TYPE_CHECKING:
    from collections.abc import Callable

    from k3mock.asgi.app import App
    from k3mock.recorder.session import Recorder

_OPTIONS = (
    click.option(
        "--upstream", metavar="URL",
        help="Base URL to record from, as an SDK takes it: https://api.moonshot.ai/v1.",
    ),
    click.option(
        "--upstream-timeout", type=float, metavar="SECONDS",
        help="Give the upstream up after this silence.  [600]",
    ),
    click.option(
        "--upstream-ca", metavar="FILE",
        help="PEM certificates to trust; without it the usual ones, or SSL_CERT_FILE.",
    ),
    click.option(
        "--upstream-proxy", metavar="URL",
        help="Reach the upstream through a proxy; without it HTTPS_PROXY and its like are obeyed.",
    ),
    click.option(
        "--max-body", type=int, metavar="BYTES",
        help="Relay longer answers, but do not record them.  [32000000]",
    ),
    click.option(
        "--drain", is_flag=True, default=None,
        help="Read an answer to its end after the client has left.",
    ),
    click.option(
        "--record-errors", is_flag=True, default=None,
        help="Record it, too, when the upstream cannot be reached.",
    ),
    click.option(
        "--keep-media", is_flag=True, default=None,
        help="Keep base64 media instead of their type, size and digest.",
    ),
    click.option(
        "--redact-content", is_flag=True, default=None,
        help="Keep digests instead of the texts of messages and answers.",
    ),
)  # fmt: skip


def recording_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options that say how to record."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


@click.command()
@recording_options
@click.option(
    "--cassette", "cassettes", metavar="FILE|FOLDER",
    help="Where the recording goes: a file, or a folder with a file for each session.",
)  # fmt: skip
@click.option(
    "--mode", "record", type=click.Choice([mode for mode in RECORD_MODES if mode != "none"]),
    help="What happens to a recording that is there already.  [once]",
)  # fmt: skip
@click.option("--host", help="Address to bind.  [127.0.0.1]")
@click.option("--port", type=int, help="Port; 0 picks a free one.  [8000]")
@click.option("--control-key", metavar="KEY", help="Key of the control API.")
@click.option("--ssl-certfile", metavar="FILE", help="PEM certificate: serve TLS.")
@click.option("--ssl-keyfile", metavar="FILE", help="PEM key of the certificate.")
@click.option(
    "--log-format", type=click.Choice(LOG_FORMATS[:2]), help="Notes on standard error.  [text]"
)
def record(**flags: Any) -> None:  # noqa: ANN401 - click hands over what was declared
    """Relay requests to a live endpoint and record them, until Ctrl-C.

    Point a client's base URL here and leave its key as it is: the key passes through and is kept
    nowhere. The client sees every write as it comes. Ctrl-C publishes the recording.
    """
    given = {**flags, "cassettes": (flags["cassettes"],) if flags["cassettes"] else ()}
    settings = from_sources(
        given, defaults={"record": "once", "pace": "recorded", "log_format": "text"}
    )
    from k3mock import serving  # noqa: PLC0415 - late: --help needs no server

    log = Log(settings.log_format or "text")
    recorders: list[Recorder] = []
    progress: list[Progress] = []

    def ready(address: str, app: App) -> None:
        if app.recorder is None:
            raise AssertionError
        log.start(address, app)
        recorders.append(app.recorder)
        progress.append(Progress(log, app.recorder))
        say(f"k3mock listening on {address}")

    try:
        serving.run(settings, ready)
    finally:
        for shown in progress:
            shown.close()
        log.note("k3mock stopped")
        log.close()
    if any(recorder.problems for recorder in recorders):
        sys.exit(1)
