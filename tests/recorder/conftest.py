"""A relay before a fake upstream, and clients that see writes as they come."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Any

import pytest

from k3mock.cassette.format import load
from tests.recorder.upstream import FakeUpstream
from tests.support import serving

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from k3mock.cassette.interaction import Interaction
    from k3mock.serving import MockServer
    from tests.recorder.upstream import Act, Seen


class Studio:
    """A relay and its upstream; what was recorded is read when the relay has stopped."""

    def __init__(self, upstream: FakeUpstream, server: MockServer, path: Path) -> None:
        self.upstream = upstream
        self.server = server
        self.path = path

    @property
    def seen(self) -> list[Seen]:
        return self.upstream.seen

    def stop(self) -> None:
        """Let the server leave, which publishes."""
        self.server.stop()

    def recorded(self) -> tuple[Interaction, ...]:
        """Publish and return what is in the file."""
        self.stop()
        return load(self.path).interactions

    @property
    def problems(self) -> list[str]:
        recorder = self.server.app.recorder
        assert recorder is not None
        return recorder.problems


@pytest.fixture
def studio(tmp_path: Path) -> Iterator[Callable[..., Studio]]:
    """Start a relay: `script` gives the upstream's acts for each request."""
    with contextlib.ExitStack() as stack:

        def start(
            script: Callable[[Seen], Sequence[Act]] | Sequence[Act],
            cassette: str = "tape.yaml",
            **settings: Any,
        ) -> Studio:
            upstream = stack.enter_context(
                FakeUpstream(script if callable(script) else lambda _: script)
            )
            given = {"record": "once", "upstream": upstream.url, **settings}
            path = tmp_path / cassette
            server = stack.enter_context(serving(cassettes=(str(path),), **given))
            return Studio(upstream, server, path)

        yield start
