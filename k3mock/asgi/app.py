"""Turns settings into the ASGI application, with all that it needs loaded; adapters layer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.middleware.cors import CORSMiddleware
from starlette.routing import Mount

from k3mock.asgi.control import control_routes
from k3mock.asgi.driver import Driver
from k3mock.asgi.vendor import VendorApp
from k3mock.clock import SystemClock
from k3mock.delivery.pacing import parse_pace
from k3mock.generator.source import GeneratorSource
from k3mock.hosts import Hosts
from k3mock.pipeline import Pipeline
from k3mock.seed import Seed

if TYPE_CHECKING:
    from collections.abc import Sequence

    from starlette.types import Receive, Scope, Send

    from k3mock.clock import Clock
    from k3mock.matching.source import ReplySource
    from k3mock.settings import Settings


class App:
    """The application: an ASGI callable that also shows its parts to those who hold it."""

    def __init__(self, settings: Settings, *, clock: Clock | None = None) -> None:
        parse_pace(settings.pace)
        self.settings = settings
        self.clock = clock or SystemClock()
        self.seed = Seed(settings.seed)
        self.hosts = Hosts(settings.profile, settings.tokenizer)
        self.pipeline = Pipeline(
            settings, self.hosts, self._sources(), clock=self.clock, seed=self.seed
        )
        self.journal = self.pipeline.journal
        self.driver = Driver(self.clock, self.journal)
        vendor = VendorApp(self.pipeline, self.driver)
        self._app = Starlette(
            routes=[
                *control_routes(self.pipeline, self.driver, settings),
                Mount("/", app=vendor),
            ],
            middleware=_cors(settings),
        )

    def _sources(self) -> Sequence[ReplySource]:
        if self.settings.on_miss == "error":
            return []
        generator = GeneratorSource(self.seed, self.hosts.default.template.counter)
        generator.warm()
        return [generator]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await self._app(scope, receive, send)


def _cors(settings: Settings) -> list[Middleware]:
    if not settings.cors:
        return []
    return [
        Middleware(
            CORSMiddleware,
            allow_origins=list(settings.cors),
            allow_methods=["GET", "POST", "DELETE"],
            allow_headers=["*"],
            expose_headers=["*"],
        )
    ]


def create_app(settings: Settings, *, clock: Clock | None = None) -> App:
    """Build the application; vocabulary and generator are loaded before this returns.

    Raises:
        K3MockError: a profile, pace or vocabulary that cannot be used.
    """
    return App(settings, clock=clock)
