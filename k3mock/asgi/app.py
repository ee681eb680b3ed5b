"""Turns settings into the ASGI application, with all that it needs loaded; adapters layer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.middleware.cors import CORSMiddleware
from starlette.responses import JSONResponse, Response
from starlette.routing import Mount

from k3mock.asgi.control import control_routes
from k3mock.asgi.driver import Driver
from k3mock.asgi.vendor import VendorApp
from k3mock.clock import SystemClock
from k3mock.delivery.pacing import parse_pace
from k3mock.generator.source import GeneratorSource
from k3mock.hosts import Hosts
from k3mock.pipeline import Pipeline
from k3mock.protocol.failure import MOCK_ERROR_TYPE
from k3mock.seed import Seed

if TYPE_CHECKING:
    from collections.abc import Sequence

    from starlette.requests import Request
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
            exception_handlers={Exception: _defect},
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


async def _defect(_request: Request, error: Exception) -> Response:
    """Answer for a defect of the mock itself, unmistakably; the traceback goes to the log."""
    body = {
        "error": {
            "message": f"k3mock: internal error ({type(error).__name__}); this is a defect of "
            "k3mock, please report the request",
            "type": MOCK_ERROR_TYPE,
        }
    }
    return JSONResponse(body, status_code=500, headers={"x-should-retry": "false"})


def create_app(settings: Settings, *, clock: Clock | None = None) -> App:
    """Build the application; vocabulary and generator are loaded before this returns.

    Raises:
        K3MockError: a profile, pace or vocabulary that cannot be used.
    """
    return App(settings, clock=clock)
