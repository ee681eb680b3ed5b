"""Turns `k3mock replay` into a server that answers from cassettes alone."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from k3mock.cli.serve import run
from k3mock.errors import SettingsError
from k3mock.settings import EXHAUSTED_MODES, LOG_FORMATS, MISS_MODES, from_sources

if TYPE_CHECKING:
    from k3mock.asgi.app import App
    from k3mock.cli.log import Log

_LISTED = 20


@click.command()
@click.argument("cassettes", nargs=-1, required=True, metavar="CASSETTE...")
@click.option(
    "--pace",
    metavar="recorded|instant|FACTOR",
    help="As it was recorded, without waiting, or so many times as fast.  [recorded]",
)
@click.option("--max-gap", type=float, metavar="MS", help="Play no silence longer than this.")
@click.option(
    "--exhausted",
    type=click.Choice(EXHAUSTED_MODES),
    help="What follows the last recording of a request.  [error]",
)
@click.option(
    "--strict", "strict_match", is_flag=True, default=None,
    help="Match only requests that are exactly as recorded.",
)  # fmt: skip
@click.option(
    "--ignore", multiple=True, metavar="PATH",
    help="Place of a body that may differ, such as messages[*].name; may be repeated.",
)  # fmt: skip
@click.option(
    "--ignore-text", multiple=True, metavar="REGEX",
    help="Text that may differ, such as a date; may be repeated.",
)  # fmt: skip
@click.option(
    "--check-contract", is_flag=True, default=None,
    help="Note in the journal where contract and recording disagree.",
)  # fmt: skip
@click.option(
    "--on-miss", type=click.Choice(MISS_MODES),
    help="What answers when no recording does.  [error]",
)  # fmt: skip
@click.option("--profile", metavar="NAME|FILE", help="Contract beside the cassettes.  [moonshot]")
@click.option("--host", help="Address to bind.  [127.0.0.1]")
@click.option("--port", type=int, help="Port; 0 picks a free one.  [8000]")
@click.option("--control-key", metavar="KEY", help="Key of the control API.")
@click.option("--ssl-certfile", metavar="FILE", help="PEM certificate: serve TLS.")
@click.option("--ssl-keyfile", metavar="FILE", help="PEM key of the certificate.")
@click.option(
    "--log-format", type=click.Choice(LOG_FORMATS),
    help="Request log on standard error; off: only notes.  [text]",
)  # fmt: skip
def replay(max_gap: float | None, **flags: Any) -> None:  # noqa: ANN401 - click's declarations
    """Answer as recorded, until Ctrl-C.

    A CASSETTE is a file or a folder, in vcrpy's format, whoever recorded it. A request is found
    again by method, end of the path and body; equal requests get their answers in the order in
    which they were recorded. At the end the recordings that nobody asked for are listed.
    """
    given = {**flags, "pace": _pace(flags["pace"])}
    # Tokens are counted for the generator alone, which hardly answers here: a quick start counts.
    quick = {"counter": "splintr"}
    defaults = {"pace": "recorded", "log_format": "text", "tokenizer": quick}
    settings = from_sources(given, defaults=defaults)
    if max_gap is not None:
        settings = replace(settings, pace=f"{settings.pace},max_gap_ms={max_gap:g}")
    run(settings, _report)


def _pace(text: str | None) -> str | None:
    """Return a pace; a number alone is how many times as fast, 0 without waiting."""
    if text is None:
        return None
    try:
        factor = float(text)
    except ValueError:
        return text
    if not 0 <= factor <= 1e6:
        raise SettingsError("--pace: not a speed", found=text, accepted="numbers from 0 up")
    return f"recorded,speed={factor:g}" if factor else "instant"


def _report(app: App, log: Log) -> None:
    """List the recordings that nobody asked for."""
    unused = app.pipeline.replaying.shelf.unused()
    if not unused:
        log.note("every recording was asked for")
        return
    lines = [f"{len(unused)} recordings were not asked for:"]
    lines += [f"  {item.label} {item.seen.place}" for item in unused[:_LISTED]]
    if len(unused) > _LISTED:
        lines.append(f"  and {len(unused) - _LISTED} more")
    log.note("\n".join(lines))
