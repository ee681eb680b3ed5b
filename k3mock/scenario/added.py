"""Turns scenarios that came at run time into what is asked beside files; source layer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from k3mock.scenario.posted import Posted
from k3mock.scenario.scripted import Scripts

if TYPE_CHECKING:
    from k3mock.scenario.kinds import Context


@dataclass(frozen=True, slots=True)
class Added:
    """What is there beside files: what tests scripted for a session, and what was posted."""

    scripts: Scripts
    posted: Posted

    @staticmethod
    def to(context: Context) -> Added:
        """Return what is empty yet; `context` says how scenarios are read."""
        return Added(Scripts(context), Posted())
