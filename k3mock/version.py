"""Turns the release into a name that every layer may read; ground layer."""

__version__ = "0.1.0"
