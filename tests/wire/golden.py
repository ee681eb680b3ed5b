"""Writes the golden answers of `fixtures/wire`: `python -m tests.wire.golden`.

Each is what one written reply becomes on the wire of the `moonshot` profile. The words are our own;
key order, field sets and token counts are the vendor's. Look at the difference before committing a
rewritten file: it is a change of the wire.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from k3mock.contract.load import load_profile
from k3mock.contract.read import read_request
from k3mock.protocol.failure import ApiError, mock_error
from k3mock.protocol.reply import Reply, written
from k3mock.text import accounting, vocabulary
from k3mock.text.counter import TokenCounter
from k3mock.text.template import Template
from k3mock.text.turn import generate
from k3mock.wire.body import encode_body
from k3mock.wire.chunks import encode_frames
from k3mock.wire.envelope import Envelope
from k3mock.wire.failure import encode_error
from tests.support import request, tool

if TYPE_CHECKING:
    from collections.abc import Iterator

    from k3mock.contract.profile import Profile

FOLDER = Path(__file__).parents[2] / "fixtures" / "wire"
ENVELOPE = Envelope(
    id="chatcmpl-6a980000c0ffee0123456789",
    created=0x6A980000,
    model="kimi-k3",
    fingerprint="fpv0_0a1b2c3d",
)
_ENOUGH = 131_072


@dataclass(frozen=True, kw_only=True)
class Scene:
    """A request, what is answered to it, and how the answer travels."""

    reply: Reply
    asked: str = "hi"
    fields: dict[str, Any] = field(default_factory=dict)
    cap: int = _ENOUGH
    cached: bool = False
    stream: bool = False
    include_usage: bool = False


_TEA = written(
    reasoning="The question is about tea. A short answer will do.",
    content="Steep it for three minutes, then taste.",
)
_TIDE = ("get_tide", '{"harbour":"St. Malo","days":2}')
_TRAIN = ("find_train", '{"from":"Lyon","to":"Brest","first_class":false}')
_TOOLS = {"tools": [tool("get_tide"), tool("find_train")]}
_UNICODE = written(
    reasoning="用户想要一句问候。😊 简短就好。",
    content="你好！👩\u200d🚀🇳🇱 ça va? <b>1 < 2 & 3 > 2</b>\u2028\tend",
)

SCENES = {
    "plain.json": Scene(asked="How long should green tea steep?", reply=_TEA),
    "cache_hit.json": Scene(asked="How long should green tea steep?", reply=_TEA, cached=True),
    "length_in_reasoning.json": Scene(
        asked="How long should green tea steep?", reply=_TEA, cap=10
    ),
    "length_after_content.json": Scene(
        asked="How long should green tea steep?",
        reply=written(reasoning="Short.", content="Three minutes."),
        cap=20,
    ),
    "without_reasoning.json": Scene(reply=written(content="Hello there.")),
    "tool_call.json": Scene(
        asked="When is high water?",
        fields=_TOOLS,
        reply=written(reasoning="I need the tide table.", calls=(_TIDE,)),
    ),
    "two_tool_calls.json": Scene(
        asked="Tide and train, please.",
        fields=_TOOLS,
        reply=written(reasoning="Two look-ups.", content="One moment.", calls=(_TIDE, _TRAIN)),
    ),
    "unicode.json": Scene(asked="你好", reply=_UNICODE),
    "stream_plain.sse": Scene(asked="How long should green tea steep?", reply=_TEA, stream=True),
    "stream_plain_with_usage.sse": Scene(
        asked="How long should green tea steep?", reply=_TEA, stream=True, include_usage=True
    ),
    "stream_cache_hit.sse": Scene(
        asked="How long should green tea steep?",
        reply=_TEA,
        stream=True,
        include_usage=True,
        cached=True,
    ),
    "stream_length.sse": Scene(
        asked="How long should green tea steep?", reply=_TEA, cap=10, stream=True
    ),
    "stream_tool_calls.sse": Scene(
        asked="Tide and train, please.",
        fields=_TOOLS,
        reply=written(reasoning="Two look-ups.", calls=(_TIDE, _TRAIN)),
        stream=True,
    ),
    "stream_unicode.sse": Scene(
        asked="你好", reply=_UNICODE, stream=True, include_usage=True
    ),
}  # fmt: skip

ERRORS = {
    "error_plain.json": ApiError(
        status=400,
        message="invalid temperature: only 1 is allowed for this model",
        type="invalid_request_error",
    ),
    "error_with_marks.json": ApiError(
        status=429,
        message="Your account org-0a1b<ak-2c3d> request reached organization max RPM: 3, "
        "please try again after 1 seconds",
        type="rate_limit_reached_error",
    ),
    "error_four_keys.json": ApiError(
        status=400,
        message="The request was rejected because it was considered high risk",
        type="content_filter",
        code=400,
        param="prompt",
        keys=("code", "message", "param", "type"),
    ),
    "error_of_the_mock.json": mock_error("no answer: <nothing> is loaded & the generator is off"),
}


@cache
def _profile() -> Profile:
    return load_profile("moonshot")


@cache
def _template() -> Template:
    return Template(TokenCounter(vocabulary.load("kimi_k3", counter="splintr")))


def rendered() -> Iterator[tuple[str, bytes]]:
    """Yield (file name, bytes) of every golden answer."""
    for name, scene in SCENES.items():
        yield name, _answer(scene)
    for name, error in ERRORS.items():
        yield name, encode_error(error, _profile().wire)[0]


def _answer(scene: Scene) -> bytes:
    profile = _profile()
    asked = read_request(request(scene.asked, **scene.fields), profile)
    prompt = _template().render(asked)
    turn = generate(scene.reply, _template(), cap=scene.cap)
    cached = accounting.prompt_tokens(prompt, "moonshot") if scene.cached else 0
    usage = accounting.usage(prompt, turn.counts, "moonshot", cached=cached)
    reply = replace(turn.reply, usage=usage)
    if not scene.stream:
        return encode_body(reply, ENVELOPE, profile.wire)
    frames = encode_frames(reply, ENVELOPE, profile.wire, include_usage=scene.include_usage)
    return b"".join(frame.data for frame in frames)


def main(folder: Path = FOLDER) -> None:
    """Write all golden files and say which of them changed."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, data in rendered():
        path = folder / name
        if not path.exists() or path.read_bytes() != data:
            path.write_bytes(data)
            sys.stdout.write(f"written: {path.name}\n")


if __name__ == "__main__":
    main()
