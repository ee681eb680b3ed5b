"""Turns the command line into calls of the package."""

from __future__ import annotations

import importlib
import os
import sys
from typing import Any, ClassVar

import click

import k3mock
from k3mock.errors import K3MockError


class _Group(click.Group):
    """Imports a command's module when the command is asked for, and shows mistakes as text."""

    _modules: ClassVar[dict[str, str]] = {
        "serve": "k3mock.cli.serve",
        "replay": "k3mock.cli.replay",
        "record": "k3mock.cli.record",
        "cassette": "k3mock.cli.cassette",
        "rules": "k3mock.cli.contract",
        "profiles": "k3mock.cli.contract",
        "tokens": "k3mock.cli.tokens",
        "faults": "k3mock.cli.faults",
        "verdict": "k3mock.cli.verdict",
        "check": "k3mock.cli.scenario",
        "schema": "k3mock.cli.scenario",
    }

    def list_commands(self, ctx: click.Context) -> list[str]:
        del ctx
        return list(self._modules)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        del ctx
        module = self._modules.get(cmd_name)
        if module is None:
            return None
        command: click.Command = getattr(importlib.import_module(module), cmd_name)
        return command

    def invoke(self, ctx: click.Context) -> Any:  # noqa: ANN401 - click's signature
        try:
            return super().invoke(ctx)
        except K3MockError as error:
            click.echo(f"k3mock: {error}", err=True)
            sys.exit(2 if error.code in {"settings", "port", "option", "knob", "fault"} else 1)
        except BrokenPipeError:
            # A reader such as `head` has seen enough.
            os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
            sys.exit(1)


@click.group(cls=_Group, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(k3mock.__version__, prog_name="k3mock")
def main() -> None:
    """Offline emulator of the kimi-k3 chat-completions endpoint.

    Start it with `k3mock serve`, point a client's base URL at it, and send any key.
    """
