"""Turns a request into the answer of the first scenario whose turn matches; source layer."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from k3mock.errors import did_you_mean
from k3mock.matching.near import nearest_patterns, told
from k3mock.matching.search import PATIENCE_MS
from k3mock.matching.source import Hit, Miss, MissReason
from k3mock.matching.view import View
from k3mock.protocol.style import Style
from k3mock.scenario.added import Added
from k3mock.scenario.deck import Deck
from k3mock.scenario.files import shipped_file, shipped_names
from k3mock.scenario.load import Library, load_library
from k3mock.scenario.making import Making
from k3mock.scenario.problem import ScenarioError, refusal

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from k3mock.jsonvalue import JSONObject
    from k3mock.matching.source import Asked, Found
    from k3mock.protocol.reply import Reply
    from k3mock.scenario.kinds import Context
    from k3mock.scenario.making import Writer
    from k3mock.scenario.model import Scenario, Turn
    from k3mock.scenario.order import Entry, Order
    from k3mock.state import Session
    from k3mock.text.counter import TokenCounter

_SCRIPTED = "what the test has scripted"
_CHANGE_IT = "Change the request or the pattern, or add a turn without when"
_SCRIPT_IT = "Script an answer for it: k3mock.reply(…) or k3mock.when(…).reply(…)"


class ScenarioSource:
    """Answers from scripted turns; what is counted is counted in the session.

    `scripts` are the scenarios that single sessions have for themselves; they are asked first.
    They and the posted ones are of the server's state (`added`), the files are the source's own.
    `trouble` is what is wrong with the files that were to replace the loaded ones, if anything is;
    `note` is told when files have changed.
    """

    heavy = False

    def __init__(
        self,
        library: Library,
        context: Context,
        *,
        counter: TokenCounter,
        writer: Writer,
        added: Added | None = None,
    ) -> None:
        self._context = context
        self._counter = counter
        self._writer = writer
        self._shipped: dict[str, Scenario] = {}
        beside = added or Added.to(context)
        self.scripts, self.posted = beside.scripts, beside.posted
        self.trouble = ""
        self.note: Callable[[str], None] = lambda _: None
        self.load(library)

    def load(self, library: Library) -> None:
        """Replace all loaded scenarios.

        Raises:
            ScenarioError: a file has errors; what was loaded before stays.
        """
        wrong = refusal(library.problems)
        if wrong is not None:
            raise wrong
        self.library = library
        self._prepare()
        self.trouble = ""

    def _prepare(self) -> None:
        self._deck = Deck.of(self.posted.layers(self.library.scenarios))

    def post(self, library: Library, session: str | None, size: int) -> list[str]:
        """Add scenarios that are no files, for all sessions or for one.

        They replace those of the same names; returns the names of those that were posted before.
        `size` is how long they are as text.

        Raises:
            ScenarioError: they have errors, or there is no room; everything stays as it was.
        """
        wrong = refusal(library.problems)
        if wrong is not None:
            raise wrong
        replaced = self.posted.add(library.scenarios, session, size)
        if session is None:
            self._prepare()
        else:
            self.scripts.post(session, library.scenarios)
        return replaced

    def unpost(self, session: str | None, name: str | None = None) -> list[str]:
        """Forget what was posted: a session's own, or (None) all of all; one name, or each."""
        owners = self.posted.owners() if session is None else (session,)
        gone: dict[str, None] = {}
        for owner in owners:
            names = self.posted.remove(owner, name)
            if owner is not None:
                self.scripts.remove(owner, names)
            gone.update(dict.fromkeys(names))
        self._prepare()
        return list(gone)

    def goes_first(self, session: str) -> bool:
        return bool(self._deck.scenarios) or self.scripts.get(session) is not None

    def forget(self, session: str | None) -> None:
        """Forget what one session or any session has for itself; what is for all stays."""
        self.scripts.drop(session)
        for owner in self.posted.owners() if session is None else (session,):
            if owner is not None:
                self.posted.remove(owner)

    def check(self, name: str) -> None:
        """Look whether a scenario of that name is loaded or shipped.

        Raises:
            ScenarioError: there is none.
        """
        self._scenario(name)

    def find(self, asked: Asked) -> Found:
        """Return the answer of the first turn that matches and is not used up."""
        view = View(asked)
        script = self.scripts.get(asked.session.name)
        if script is None or not script.answers:
            return self._loaded(view)
        found = self._answer(view, script.orders, script.scenarios, _SCRIPTED)
        if isinstance(found, Hit):
            return found
        after = self._loaded(view)
        return after if isinstance(after, Hit) else _final(found, after)

    def _loaded(self, view: View) -> Found:
        pinned = view.asked.pinned
        if pinned is not None:
            return self._pinned(view, pinned)
        scenarios = self._deck.scenarios
        who = _count(sum(1 for each in scenarios if each.turns), "loaded scenario")
        return self._answer(view, self._deck.orders, scenarios, who)

    def overlay(self, asked: Asked) -> Style:
        """Return what the scenarios without turns do to every answer; a higher priority wins."""
        style = Style()
        script = self.scripts.get(asked.session.name)
        for scenario in (*self._deck.bending, *(script.bending if script is not None else ())):
            if scenario.meant_for(asked.profile):
                style = scenario.style.over(style)
        return style

    def candidates(self, session: str) -> list[Scenario]:
        """Return all scenarios of a session in the order in which they are asked."""
        script = self.scripts.get(session)
        return [*(script.scenarios if script is not None else ()), *self._deck.scenarios]

    def listing(self, session: Session) -> list[JSONObject]:
        """Return what is loaded, with how often each turn has answered in a session."""
        script = self.scripts.get(session.name)
        return [
            {
                "name": scenario.name,
                "about": scenario.about,
                "where": scenario.where,
                "origin": origin,
                "priority": scenario.priority,
                "turns": [
                    {
                        "number": turn.number,
                        "when": turn.when,
                        "times": turn.times,
                        "hits": session.used(turn.key),
                    }
                    for turn in scenario.turns
                ],
            }
            for origin, scenario in (
                *(("session", each) for each in (script.scenarios if script is not None else ())),
                *((self.posted.origin(each), each) for each in self._deck.scenarios),
            )
        ]

    def _pinned(self, view: View, name: str) -> Found:
        """Ask one scenario alone; a shipped one need not be loaded."""
        scenario = self._scenario(name)
        profile = view.asked.profile
        if not scenario.meant_for(profile):
            hosts = ", ".join(scenario.profiles)
            return Miss(reason=MissReason.NO_MATCH, message=f"the pinned scenario {name!r} is for "
                        f"{hosts}, not for {profile}")  # fmt: skip
        if not scenario.turns:
            return Hit(label=scenario.label, style=scenario.style,
                       contract=scenario.contract)  # fmt: skip
        orders = self._deck.alone(scenario)
        return self._answer(view, orders, [scenario], f"the pinned scenario {name!r}")

    def _scenario(self, name: str) -> Scenario:
        return self._deck.named.get(name) or self._shipped_scenario(name)

    def _shipped_scenario(self, name: str) -> Scenario:
        if name not in self._shipped:
            path = shipped_file(name)
            if path is None:
                known = {*self._deck.named, *shipped_names()}
                raise ScenarioError(
                    f"unknown scenario {name[:100]!r}", accepted=did_you_mean(name[:60], known),
                    hint="load its file when the server starts, or name a shipped one",
                )  # fmt: skip
            library = load_library([str(path)], self._context)
            wrong = refusal(library.problems)
            if wrong is not None:
                raise wrong
            self._shipped |= {each.name: each for each in library.scenarios}
        return self._shipped[name]

    def _answer(
        self, view: View, orders: Iterable[Order], scenarios: Iterable[Scenario], who: str
    ) -> Found:
        """Ask scenarios; `who` names them in messages."""
        again = self._repeated(view, orders)
        if again is not None:
            return self._hit(view, again, counts=False)
        used_up: list[Entry] = []
        chosen = self._choose(view, orders, used_up)
        if chosen is not None:
            return self._hit(view, chosen, counts=True)
        return self._miss(view, scenarios, used_up, who)

    def _repeated(self, view: View, orders: Iterable[Order]) -> Entry | None:
        """Return the turn that answered before, when the client tries again.

        A retry gets the same answer and does not advance a sequence, unless the turn fails a number
        of times: such a turn counts retries.
        """
        asked = view.asked
        if not asked.retry or asked.answered_by is None:
            return None
        label = asked.answered_by.partition("+")[0]
        for order in orders:
            for entry in order.matching(view):
                if entry.turn.label == label:
                    counted = entry.turn.failing and entry.turn.times is not None
                    return None if counted else entry
        return None

    def _choose(self, view: View, orders: Iterable[Order], used_up: list[Entry]) -> Entry | None:
        """Return the turn that answers.

        At one priority, a turn that says `when` goes before a catch-all of another scenario.
        """
        session = view.asked.session
        for order in orders:
            fallback: dict[str, Entry] = {}
            for entry in order.matching(view):
                turn = entry.turn
                if turn.times is not None and session.used(turn.key) >= turn.times:
                    used_up.append(entry)
                elif entry.scenario.name in fallback:
                    continue
                elif turn.when is not None:
                    return entry
                else:
                    fallback[entry.scenario.name] = entry
            if fallback:
                return next(iter(fallback.values()))
        return None

    def _hit(self, view: View, entry: Entry, *, counts: bool) -> Hit:
        turn, session = entry.turn, view.asked.session

        def take() -> None:
            if counts:
                session.use(turn.key)

        make = turn.answer.make
        return Hit(
            write=None if make is None else lambda: self._written(view, turn, make),
            long=turn.answer.long,
            label=turn.label,
            style=turn.style,
            contract=entry.scenario.contract,
            take=take,
        )

    def _written(self, view: View, turn: Turn, make: Callable[[Making], Reply]) -> Reply:
        """Write a turn's answer; what is wrong with it stands in a file."""
        try:
            return make(Making(view, self._counter, self._writer))
        except ScenarioError as error:
            raise ScenarioError(error.what, where=turn.where, hint=error.hint) from error

    def _miss(
        self, view: View, scenarios: Iterable[Scenario], used_up: list[Entry], who: str
    ) -> Miss:
        asking = [scenario for scenario in scenarios if scenario.turns]
        if not asking:
            return self._said(MissReason.NOTHING_LOADED, "no scenario with turns is loaded")
        if used_up:
            return self._said(MissReason.USED_UP, _used_up(view, used_up))
        return Miss(
            reason=MissReason.NO_MATCH,
            message=f"nothing in {who} matches this request",
            explain=lambda: self._explained(view, asking, who),
        )

    def _explained(self, view: View, scenarios: Iterable[Scenario], who: str) -> Miss:
        near = nearest_patterns(
            ((f"{each.name!r} turn {turn.number}", turn.pattern)
             for each in scenarios for turn in each.turns),
            view,
        )  # fmt: skip
        slow = ""
        if view.memo.gave_up:
            slow = f". Regular expressions took more than {PATIENCE_MS:.0f} ms and were given up"
        if not any(verdict.held for _, verdict in near):
            # A pinned scenario answers alone, whatever --on-miss says.
            other = (
                "pin another scenario"
                if view.asked.pinned
                else "load a scenario for it, start with --on-miss generate"
            )
            return self._said(
                MissReason.NOTHING_SIMILAR,
                f"nothing in {who} matches this request, and nothing comes near. Looked at: "
                f"{told(near)}{slow}. Change the request or the pattern, {other}, or add a turn "
                "without when",
            )
        remedy = _SCRIPT_IT if who == _SCRIPTED else _CHANGE_IT
        return self._said(
            MissReason.NO_MATCH,
            f"nothing in {who} matches this request. Nearest: {told(near)}{slow}. {remedy}",
        )

    def _said(self, reason: MissReason, message: str) -> Miss:
        trouble = ""
        if self.trouble:
            trouble = (
                f". Files have changed and are broken, the last good set answers: {self.trouble}"
            )
        return Miss(reason=reason, message=f"{message}{trouble}")


def _final(scripted: Miss, loaded: Miss) -> Miss:
    """Join why neither the script of a session nor what is loaded answers; nobody else may."""

    def explain() -> Miss:
        told = scripted.full()
        if loaded.reason is MissReason.NOTHING_LOADED:
            return told
        return replace(told, message=f"{told.message}. Beside the script: {loaded.full().message}")

    return replace(scripted, explain=explain, final=True)


def _used_up(view: View, entries: Iterable[Entry]) -> str:
    session = view.asked.session
    turns = "; ".join(
        f"{entry.scenario.name!r} turn {entry.turn.number} has answered "
        f"{session.used(entry.turn.key)} of {entry.turn.times} times"
        for entry in list(entries)[:3]
    )
    return (
        f"every turn that matches is used up: {turns}. Raise times, add a turn, or reset the "
        f"session {session.name[:100]!r}"
    )


def _count(number: int, noun: str) -> str:
    return f"1 {noun}" if number == 1 else f"{number} {noun}s"
