"""Turns paths into everything that is wrong with the scenarios there; source layer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from k3mock.scenario.kinds import Context
from k3mock.scenario.load import load_library

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from os import PathLike

    from k3mock.contract.profile import Profile
    from k3mock.scenario.problem import Problem


def any_pace(_text: str) -> None:
    """Accept every pace: where nobody knows paces, they are not judged."""


def problems(
    sources: Iterable[str | PathLike[str]],
    *,
    check_pace: Callable[[str], object] = any_pace,
    profile: Profile | None = None,
) -> list[Problem]:
    """Check files, folders and shipped scenarios, as a server does when it loads them."""
    context = Context(folder=None, check_pace=check_pace, profile=profile)
    return list(load_library([str(source) for source in sources], context).problems)
