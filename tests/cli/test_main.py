from __future__ import annotations

from click.testing import CliRunner

import k3mock
from k3mock.cli.main import main


def test_help_lists_every_command() -> None:
    shown = CliRunner().invoke(main, ["--help"])
    assert shown.exit_code == 0
    for command in ("serve", "rules", "profiles", "tokens"):
        assert command in shown.output


def test_the_version_is_the_packages() -> None:
    assert (
        CliRunner().invoke(main, ["--version"]).output == f"k3mock, version {k3mock.__version__}\n"
    )


def test_an_unknown_command_is_a_usage_error() -> None:
    shown = CliRunner().invoke(main, ["serv"])
    assert shown.exit_code == 2
    assert "serv" in shown.output
