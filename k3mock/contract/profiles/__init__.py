"""The built-in profiles, as the YAML files that a user's own profile extends."""

from __future__ import annotations

from pathlib import Path

FOLDER = Path(__file__).parent
NAMES = tuple(sorted(path.stem for path in FOLDER.glob("*.yaml")))
