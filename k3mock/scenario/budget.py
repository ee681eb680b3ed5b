"""Turns what a template does into expenses, and stops it before it costs too much; source layer."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from k3mock.clock import processor_ms
from k3mock.scenario.problem import ScenarioError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from k3mock.seed import Chance

MAX_CHARS = 2_000_000
"""So much a template may say."""

MAX_WRITTEN = 10_000_000
"""So many characters it may write on the way there."""

MAX_STEPS = 200_000
"""So many rounds of loops it may take; a filter, a call or a sum counts as four."""

MAX_ITEMS = 200_000
"""So many items one of its values may hold, those inside others included."""

MAX_NUMBER = 10**100
MAX_MS = 1000.0
"""So much processor time it may use; the other limits come first, except on slow machines."""

Kept = TypeVar("Kept")


class TemplateError(ScenarioError):
    """A template cannot be filled in."""


class Budget:
    """What one filling of a template may still cost; `chance` is what it draws by."""

    def __init__(self, chance: Callable[[], Chance]) -> None:
        self.chance = chance
        self._steps = 0
        self._written = 0
        self._deadline = processor_ms() + MAX_MS

    def step(self) -> None:
        """Take one round of a loop."""
        self._steps += 1
        if not self._steps & 15:
            self._go_on()

    def work(self) -> None:
        """Filter, call or add up something, which takes as long as a few rounds."""
        self._steps += 4
        self._go_on()

    def _go_on(self) -> None:
        if self._steps > MAX_STEPS:
            raise TemplateError(f"the template takes more than {MAX_STEPS} steps")
        if processor_ms() > self._deadline:
            raise TemplateError(f"the template takes more than {MAX_MS:.0f} ms")

    def write(self, chars: int) -> None:
        """Write so many characters."""
        self._written += chars
        if self._written > MAX_WRITTEN:
            raise TemplateError(f"the template writes more than {MAX_WRITTEN} characters")

    def checked(self, value: Kept) -> Kept:
        """Return a value that was just made, unless it is too large."""
        match value:
            case str():
                self.write(len(value))
            case bool():
                pass
            case int():
                if not -MAX_NUMBER <= value <= MAX_NUMBER:
                    raise TemplateError("a number is too large for a template")
            case list() | tuple() | dict():
                weigh(value)
            case _:
                pass
        return value

    def joined(self, between: object, items: Iterable[object]) -> str:
        """Join the texts of items."""
        said: list[str] = []
        gap = str(between)
        for item in items:
            self.step()
            said.append(str(item))
            self.write(len(said[-1]) + len(gap))
        return gap.join(said)

    def multiplied(self, size: int, times: int) -> None:
        """Make room for a text or list of a size, so many times."""
        if size * max(times, 0) > MAX_CHARS:
            raise TemplateError("a text or list is too large for a template")


def weigh(value: object) -> None:
    """Refuse a value that holds too much; what it holds twice counts twice.

    A list of two lists of two lists … is short to write, and endless to print or to compare.
    """
    waiting = [value]
    items = chars = 0
    while waiting:
        each = waiting.pop()
        items += 1
        if isinstance(each, str):
            chars += len(each)
        elif isinstance(each, list | tuple | dict):
            if items + len(waiting) + len(each) <= MAX_ITEMS:
                waiting += each
                waiting += each.values() if isinstance(each, dict) else ()
            else:
                items = MAX_ITEMS + 1
        if items > MAX_ITEMS or chars > MAX_WRITTEN:
            raise TemplateError("a list or mapping is too large for a template")
