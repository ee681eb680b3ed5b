"""Turns two recordings, or one and a live endpoint, into graded differences."""

from __future__ import annotations

import asyncio
import sys
from typing import TYPE_CHECKING, Any

import click

from k3mock.cassette.diff import Pair, compared, label
from k3mock.cassette.format import load
from k3mock.cassette.grade import GRADES, Grade
from k3mock.cassette.show import printable
from k3mock.cli.cassette_paths import cassette_file, counted, print_json, secret
from k3mock.errors import SettingsError
from k3mock.settings import environment_proxy

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from k3mock.cassette.interaction import Interaction
    from k3mock.jsonvalue import JSONObject, JSONValue
    from k3mock.recorder.drift import Drift

FAIL_ON = "value"
"""The grade from which on a difference is a failure: new words of the model are none."""

_fail_on = click.option(
    "--fail-on", type=click.Choice((*GRADES, "never")), default=FAIL_ON, show_default=True,
    help="Exit with 1 from this grade on; the grades rise from words to status.",
)  # fmt: skip
_json = click.option("--json", "as_json", is_flag=True, help="Print JSON.")


@click.command()
@click.argument("before", metavar="A")
@click.argument("after", metavar="B")
@_fail_on
@_json
def diff(*, before: str, after: str, fail_on: str, as_json: bool) -> None:
    """Compare two recordings of one session.

    Grades, from the least: words (the model said something else), value, added, removed, type,
    status (another status, or cut off).
    """
    one, other = (load(cassette_file(path)).interactions for path in (before, after))
    pairs = compared(one, other)
    if as_json:
        print_json({"pairs": [pair.as_json() for pair in pairs], "worst": _word(_worst(pairs))})
    else:
        for pair in pairs:
            if pair.changes:
                click.echo(str(pair))
        same = sum(1 for pair in pairs if not pair.changes)
        click.echo(f"{same} the same, {len(pairs) - same} not", err=True)
    sys.exit(1 if _fails(_worst(pairs), fail_on) else 0)


def _worst(pairs: Sequence[Pair]) -> Grade | None:
    return max((pair.worst for pair in pairs if pair.worst is not None), default=None)


def _word(grade: Grade | None) -> str | None:
    return None if grade is None else grade.word


def _fails(worst: Grade | None, fail_on: str) -> bool:
    return worst is not None and fail_on != "never" and worst >= Grade[fail_on.upper()]


@click.command()
@click.argument("file")
@click.option("--upstream", required=True, metavar="URL",
              help="Base URL to ask, as an SDK takes it: https://api.moonshot.ai/v1.")  # fmt: skip
@click.option("--api-key-env", default="MOONSHOT_API_KEY", show_default=True, metavar="NAME",
              help="The environment variable that holds the key.")  # fmt: skip
@click.option("--only", type=click.IntRange(min=1), multiple=True, metavar="N",
              help="Ask this interaction alone; may be given several times.")  # fmt: skip
@click.option("--upstream-timeout", "timeout_s", type=click.FloatRange(min=0.1), default=600.0,
              show_default=True, metavar="SECONDS", help="Give up after this silence.")  # fmt: skip
@click.option("--upstream-ca", "ca", metavar="FILE", help="PEM certificates to trust.")
@click.option("--upstream-proxy", "proxy", metavar="URL",
              help="Reach it through a proxy; without it HTTPS_PROXY is obeyed.")  # fmt: skip
@_fail_on
@_json
def verify(
    *, file: str, api_key_env: str, only: tuple[int, ...], fail_on: str, as_json: bool,
    **connection: Any,  # noqa: ANN401 - click hands over what was declared
) -> None:  # fmt: skip
    """Ask a live endpoint again what FILE recorded, and report what has changed.

    This costs what the requests cost. Nothing is stored. Grades are those of `diff`.
    """
    interactions = _chosen(file, only)
    key = secret(api_key_env)
    found = asyncio.run(_drifts(interactions, connection, key, quiet=as_json))
    worst = _told(found, as_json=as_json)
    sys.exit(1 if _fails(worst, fail_on) else 0)


def _told(found: Sequence[Drift], *, as_json: bool) -> Grade | None:
    """Sum up; return the worst grade."""
    changes = [change for each in found for change in each.changes]
    worst = max((change.grade for change in changes), default=None)
    if as_json:
        print_json({"interactions": [_as_json(each) for each in found], "worst": _word(worst)})
    else:
        skipped = sum(1 for each in found if each.skipped)
        changed = sum(1 for each in found if each.changes)
        click.echo(f"{counted(len(found) - skipped, 'request')} asked, {changed} answered "
                   f"otherwise, {skipped} not asked", err=True)  # fmt: skip
    return worst


def _chosen(file: str, only: tuple[int, ...]) -> list[Interaction]:
    path = cassette_file(file)
    interactions = load(path).interactions
    known = {each.number for each in interactions}
    for number in only:
        if number not in known:
            raise SettingsError(f"the cassette has no interaction {number}", where=str(path),
                                accepted=f"1 to {len(known)}")  # fmt: skip
    return [each for each in interactions if not only or each.number in only]


async def _drifts(
    interactions: Sequence[Interaction], connection: Mapping[str, Any], key: str, *, quiet: bool
) -> list[Drift]:
    # The client is slow to load.
    from k3mock.recorder.drift import drift  # noqa: PLC0415
    from k3mock.recorder.upstream import Upstream  # noqa: PLC0415

    url = connection["upstream"]
    proxy = connection["proxy"] or environment_proxy(url)
    upstream = Upstream(url, timeout_s=connection["timeout_s"], ca=connection["ca"], proxy=proxy)
    found: list[Drift] = []
    try:
        async for each in drift(interactions, upstream, key):
            found.append(each)
            if not quiet:
                click.echo(_shown(each))
    finally:
        await upstream.close()
    return found


def _shown(found: Drift) -> str:
    said = f"not asked: {found.skipped}" if found.skipped else "" if found.changes else "the same"
    lines = [f"#{found.recorded.number}  {label(found.recorded)}  {said}".rstrip(),
             *(f"  {change}" for change in found.changes)]  # fmt: skip
    return printable("\n".join(lines))


def _as_json(found: Drift) -> JSONObject:
    changes: list[JSONValue] = [change.as_json() for change in found.changes]
    return {"number": found.recorded.number, "request": label(found.recorded),
            "skipped": found.skipped or None, "changes": changes}  # fmt: skip
