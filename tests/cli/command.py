"""Turns a command line into its mistake, inside of the tests' own process."""

from __future__ import annotations

from click.testing import CliRunner

from k3mock.cli.main import main


def refused(*flags: str) -> tuple[int, str]:
    """Run a command that ends by itself and return its status and what it said of the mistake."""
    done = CliRunner().invoke(main, flags)
    assert done.exception is None or isinstance(done.exception, SystemExit), done.exception
    assert done.stdout == ""
    assert "Traceback" not in done.stderr
    return done.exit_code, done.stderr
