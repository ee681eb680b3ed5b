"""Turns settings into the ASGI application, with all that it needs loaded; adapters layer."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from starlette.applications import Starlette
from starlette.middleware.cors import CORSMiddleware

from k3mock.asgi.control import Parts as ControlParts
from k3mock.asgi.control import control_routes
from k3mock.asgi.control_answers import PREFIX, problem
from k3mock.asgi.control_events import Feed
from k3mock.asgi.control_metrics import Tally
from k3mock.asgi.driver import Driver
from k3mock.asgi.sender import STARTED
from k3mock.asgi.vendor import VendorApp
from k3mock.clock import Signal, SystemClock
from k3mock.delivery.pacing import parse_pace
from k3mock.generator.source import GeneratorSource
from k3mock.hosts import Hosts
from k3mock.matching.source import Parts
from k3mock.memory import InMemory
from k3mock.pipeline import Pipeline
from k3mock.scenario.kinds import Context
from k3mock.scenario.load import load_library
from k3mock.scenario.reload import Watcher
from k3mock.scenario.source import ScenarioSource
from k3mock.seed import Seed
from k3mock.switches import Switches

if TYPE_CHECKING:
    from collections.abc import Awaitable

    from starlette.responses import Response
    from starlette.types import ASGIApp, Receive, Scope, Send

    from k3mock.clock import Clock
    from k3mock.memory import State
    from k3mock.recorder.session import Recorder
    from k3mock.settings import Settings
    from k3mock.text.counter import TokenCounter


class App:
    """The application: an ASGI callable that also shows its parts to those who hold it."""

    def __init__(self, settings: Settings, *, clock: Clock | None = None) -> None:
        parse_pace(settings.pace)
        self.settings = settings
        self._stopping = Signal()
        self._watching: asyncio.Task[None] | None = None
        self._generator: GeneratorSource | None = None
        self.clock = clock or SystemClock()
        self.seed = Seed(settings.seed)
        self.hosts = Hosts(settings.profile, settings.tokenizer)
        profile = self.hosts.default.profile
        self._context = Context(folder=None, check_pace=parse_pace, profile=profile)
        self.state: State = InMemory(self._context)
        self.pipeline = Pipeline(
            settings, self.hosts, self._parts(), self.state, clock=self.clock, seed=self.seed
        )
        self.pipeline.recorder = self.recorder = self._recorder()
        self.journal = self.pipeline.journal
        self.tally = Tally()
        self.driver = Driver(self.clock, self.journal, self.tally.wrote)
        self._feed = Feed()
        for listener in (self.tally.ended, self._feed.publish):
            self.journal.listen(listener)
        self.journal.welcome(self._feed.welcome)
        self.switches = Switches()
        self.pipeline.sessions.listen(self.switches.forget)
        self._vendor = VendorApp(self.pipeline, self.driver, self.switches)
        self._control = Starlette(routes=control_routes(self._control_parts()))
        self._app: ASGIApp = self._dispatch
        if settings.cors:
            self._app = _with_cors(self._app, settings)

    def _control_parts(self) -> ControlParts:
        return ControlParts(
            pipeline=self.pipeline, driver=self.driver, scenarios=self.scenarios,
            context=self._context, tally=self.tally, feed=self._feed, switches=self.switches,
        )  # fmt: skip

    def _parts(self) -> Parts:
        counter = self.hosts.default.template.counter
        generator = GeneratorSource(self.seed, counter)
        if not self.settings.generates:
            return Parts(generator=generator, scripts=self._scripts(generator, counter))
        self._generator = generator
        return Parts(
            generator=generator, scripts=self._scripts(generator, counter), sources=[generator]
        )

    def _scripts(self, generator: GeneratorSource, counter: TokenCounter) -> ScenarioSource:
        library = load_library(self.settings.scenarios, self._context)
        self.scenarios = ScenarioSource(
            library, self._context, counter=counter, writer=generator, added=self.state.added
        )
        return self.scenarios

    def _recorder(self) -> Recorder | None:
        if self.settings.record is None:
            return None
        # Only a server that records pays for its parts.
        from k3mock.recorder.session import Recorder  # noqa: PLC0415

        return Recorder(self.settings, self.clock, self.pipeline.replaying.shelf.manner)

    def start(self) -> None:
        """Begin what runs beside requests, on the running loop: looking after scenario files."""
        if self.settings.reload:
            watcher = Watcher(self.scenarios, self.settings.scenarios, self._context)
            watching = watcher.watch(self.clock, self._stopping)
            self._watching = asyncio.get_running_loop().create_task(watching)

    def stop(self) -> None:
        """End what runs, so that the server can leave."""
        self._stopping.set()
        self.driver.stop()
        self._feed.stop()

    def warm(self) -> None:
        """Import and draw now what the first generated answers would otherwise wait for."""
        if self._generator is not None:
            self._generator.warm()

    async def finish(self) -> None:
        """Publish what was recorded, once nothing runs any more."""
        if self.recorder is not None:
            await self.recorder.finish()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await self._app(scope, receive, send)

    def _dispatch(self, scope: Scope, receive: Receive, send: Send) -> Awaitable[None]:
        inside = str(scope.get("path", "")).removeprefix(scope.get("root_path", ""))
        control = scope["type"] == "lifespan" or f"{inside}/".startswith(f"{PREFIX}/")
        return (self._control if control else self._guarded)(scope, receive, send)

    async def _guarded(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer also for a defect of the mock itself; a wrapped `send` would cost each write."""
        try:
            await self._vendor(scope, receive, send)
        except Exception as error:
            if STARTED not in scope:
                await _defect(error)(scope, receive, send)
            raise


def _with_cors(app: ASGIApp, settings: Settings) -> ASGIApp:
    return CORSMiddleware(
        app,
        allow_origins=list(settings.cors),
        allow_methods=["GET", "POST", "DELETE"],
        allow_headers=["*"],
        expose_headers=["*"],
    )


def _defect(error: Exception) -> Response:
    """Answer for a defect of the mock itself, unmistakably; the traceback goes to the log."""
    name = type(error).__name__
    return problem(
        500, f"internal error ({name}); this is a defect of k3mock, please report the request"
    )


def create_app(settings: Settings, *, clock: Clock | None = None) -> App:
    """Build the application; vocabulary and generator are loaded before this returns.

    It runs under any ASGI server that uses asyncio, also mounted below a path of another
    application.

    Raises:
        K3MockError: a profile, pace or vocabulary that cannot be used.
    """
    return App(settings, clock=clock)
