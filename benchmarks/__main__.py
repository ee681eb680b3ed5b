"""Turns groups of measurements into `results.json`, and that into a page with plots.

    python -m benchmarks [GROUP …] [--rounds N] [--seconds S] [--minutes M] [--no-peers]

Without a group all run but the soak. Each group that was run replaces its part of the results, so
that a run can be continued later. `report` measures nothing and writes the page again.
"""

from __future__ import annotations

import argparse
import datetime as dt
import importlib
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, cast

from benchmarks import page
from benchmarks.figures import Group, load, save
from benchmarks.machine import allow_many_connections, this_machine
from benchmarks.plan import Plan

if TYPE_CHECKING:
    from collections.abc import Sequence

    from benchmarks.figures import Found

GROUPS = ("whole", "instant", "paced", "growth", "proxy", "startup", "cassettes", "soak")
SMOKE = ("whole", "instant", "startup")
HERE = Path(__file__).parent


class Measuring(Protocol):
    """What a module of a group has."""

    ABOUT: str

    def measure(self, plan: Plan, folder: Path, skipped: dict[str, str]) -> Found:
        """Run the group."""


def run(name: str, plan: Plan, out: Path) -> Group:
    """Measure one group and put it into the results."""
    module = cast("Measuring", importlib.import_module(f"benchmarks.groups.{name}"))
    skipped: dict[str, str] = {}
    with tempfile.TemporaryDirectory(prefix="k3mock-bench-") as folder:
        found = module.measure(plan, Path(folder), skipped)
    group = Group(
        name=name, about=module.ABOUT, date=dt.datetime.now(dt.UTC).date().isoformat(),
        machine=this_machine().as_json(), rounds=plan.rounds, seconds=plan.seconds,
        tables=found.tables, verdicts=found.verdicts, skipped=skipped, series=found.series,
    )  # fmt: skip
    save(out / "results.json", group)
    return group


def told(group: Group) -> None:
    """Print what a group found."""
    for reason in group.skipped.items():
        print("  left out: {}: {}".format(*reason))
    for each in group.verdicts:
        value, sign = each.value, "≥" if each.at_least else "≤"
        print(
            f"  {'met' if each.met else 'MISSED'}: {value.median:.3g} {value.unit} (of "
            f"{value.low:.3g} to {value.high:.3g}), wanted {sign} {each.limit:g}: {each.what}"
        )


def parse(words: Sequence[str]) -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(prog="make bench", description=__doc__)
    parser.add_argument("groups", nargs="*", metavar="GROUP", help=f"{', '.join(GROUPS)}, report")
    parser.add_argument("--rounds", type=int, default=5, help="how often each is measured [5]")
    parser.add_argument("--seconds", type=float, default=2.0, help="how long, each time [2]")
    parser.add_argument("--minutes", type=float, default=30.0, help="of the soak [30]")
    parser.add_argument("--no-peers", action="store_true", help="neither install nor measure peers")
    parser.add_argument("--smoke", action="store_true", help="only see whether all works")
    parser.add_argument("--out", type=Path, default=HERE, help="folder of results.json and page")
    given = parser.parse_args(words)
    unknown = set(given.groups) - {*GROUPS, "report"}
    if unknown:
        parser.error(f"no such group: {', '.join(sorted(unknown))}")
    return given


def main(words: Sequence[str]) -> None:
    """Run what was asked for."""
    given = parse(words)
    allow_many_connections()
    plan = Plan(
        rounds=1 if given.smoke else given.rounds,
        seconds=0.2 if given.smoke else given.seconds,
        minutes=given.minutes,
        peers=not (given.no_peers or given.smoke),
        smoke=given.smoke,
    )
    # A file that cannot be read is to be known now, not after half an hour.
    load(given.out / "results.json")
    names = given.groups or (SMOKE if given.smoke else [name for name in GROUPS if name != "soak"])
    given.out.mkdir(parents=True, exist_ok=True)
    for name in names:
        if name == "report":
            continue
        began = time.monotonic()
        print(f"{name} …", flush=True)
        told(run(name, plan, given.out))
        print(f"  {time.monotonic() - began:.0f} s", flush=True)
    page.write(given.out)


if __name__ == "__main__":
    main(sys.argv[1:])
