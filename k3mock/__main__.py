"""Turns `python -m k3mock` into the command line."""

from k3mock.cli.main import main

if __name__ == "__main__":
    main()
