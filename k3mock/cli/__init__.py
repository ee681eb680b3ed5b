"""The command line; every command is a thin face of the package."""
