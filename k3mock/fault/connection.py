"""Turns connections that fail before an answer begins into bends; faults layer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from k3mock.fault.bend import Before, Bend
from k3mock.fault.entry import FOREVER, Fault, Given, Parameter
from k3mock.fault.pages import nginx
from k3mock.protocol.failure import ApiError
from k3mock.protocol.reply import Ending

if TYPE_CHECKING:
    from k3mock.contract.profile import Profile

HOW = Parameter(
    name="how", kind="choice", choices=tuple(map(str, Ending)), default=str(Ending.UNTERMINATED),
    about="`clean` ends the body properly, `unterminated` closes without, `reset` sends RST",
)  # fmt: skip

_AFTER_MS = Parameter(name="after_ms", kind="number", default=0, about="silence before it happens")
_JSON = "application/json; charset=utf-8"


def _closed(given: Given, data: bytes, how: Ending) -> Bend:
    return Bend(before=Before(silence_ms=given.number("after_ms"), data=data, how=how))


def _ends(name: str, about: str, seen: str, how: Ending) -> Fault:
    return Fault(
        name=name, about=about, kind="connection", seen=seen, parameters=(_AFTER_MS,),
        make=lambda given, _: _closed(given, b"", how), example="after_ms:50",
    )  # fmt: skip


def _bytes(name: str, about: str, seen: str, data: str) -> Fault:
    shown = Parameter(name="data", kind="text", default=data, about="what is sent, past HTTP")

    def make(given: Given, _: Profile) -> Bend:
        return _closed(given, given.text("data").encode(), given.ending())

    return Fault(
        name=name, about=about, kind="connection", seen=seen, make=make,
        parameters=(shown, HOW, _AFTER_MS), example="how:reset",
    )  # fmt: skip


def _silence(given: Given, _: Profile) -> Bend:
    silence_ms = given.time()
    return Bend(before=Before(silence_ms=silence_ms, how=given.ending()))


def _slow(given: Given, _: Profile) -> Bend:
    return Bend(delay_ms=given.number("delay_ms"))


def _early(given: Given, _: Profile) -> Bend:
    error = ApiError(
        status=given.whole("status"),
        message="Request Entity Too Large",
        type="invalid_request_error",
        body=nginx(f"{given.whole('status')} Request Entity Too Large"),
        content_type="text/html",
    )
    return Bend(early=True, instead=error)


def _empty(content_type: str) -> Fault:
    stream = content_type.startswith("text/event-stream")
    shown = Parameter(
        name="content_type", kind="header", default=content_type, about="Content-Type of nothing"
    )

    def make(given: Given, _: Profile) -> Bend:
        nothing = ApiError(
            status=200, message="", type="", body="", content_type=given.text("content_type")
        )
        return Bend(
            instead=nothing, delay_ms=given.number("delay_ms"),
            wire={"content_type": given.text("content_type")},
        )  # fmt: skip

    return Fault(
        name="empty_200_stream" if stream else "empty_body",
        about=f"Status 200, {content_type.partition(';')[0]}, and not one byte of body.",
        kind="error", make=make, example="delay_ms:50",
        seen="deepseek-ai/DeepSeek-R1#314, AstrBotDevs/AstrBot#403 (H13)",
        parameters=(
            shown,
            Parameter(name="delay_ms", kind="number", default=0, about="silence before it"),
        ),
    )  # fmt: skip


_LINES = (
    Parameter(name="count", kind="whole", default=3, most=10_000, about="how many blank lines"),
    Parameter(name="every_ms", kind="number", default=0, about="silence before each of them"),
)


def _lead(given: Given) -> tuple[tuple[float, bytes], ...]:
    return ((given.number("every_ms"), b"\n"),) * given.whole("count")


def _blank(given: Given, _: Profile) -> Bend:
    paced = given.number("every_ms") > 0
    body = "" if paced else "\n" * given.whole("count")
    nothing = ApiError(status=200, message="", type="", body=body, content_type=_JSON)
    return Bend(instead=nothing, lead=_lead(given) if paced else ())


FAULTS = (
    Fault(
        name="silence_before_headers", kind="connection", make=_silence, example="ms:5000",
        about="The request is taken and nothing comes back, until the client leaves.",
        seen="cline/cline#10632, BlockRunAI/Franklin#74 (J02)",
        parameters=(
            Parameter(name="ms", kind="time", default=FOREVER,
                      about="after so long the connection ends"),
            HOW,
        ),
    ),
    Fault(
        name="slow_headers", kind="connection", make=_slow, example="delay_ms:3000",
        about="The answer comes, but its status line is late.",
        seen="Vinix24/vnx-orchestration#860 (J02)",
        parameters=(
            Parameter(name="delay_ms", kind="number", default=1000,
                      about="silence before the status line"),
        ),
    ),
    _ends(
        "reset_before_headers", "The connection is reset (RST) before any byte of an answer.",
        "AgentFlocks/flocks#515 (H12)", Ending.RESET,
    ),
    _ends(
        "close_before_headers", "The connection is closed before any byte of an answer.",
        "Tencent/AI-Infra-Guard#191, npuichigo/openai_trtllm#31 (H12)", Ending.UNTERMINATED,
    ),
    _bytes(
        "half_status_line", "The connection ends inside the status line.",
        "nginx/nginx#723", "HTTP/1.1 20",
    ),
    _bytes(
        "half_headers", "The connection ends inside the headers.", "nginx/nginx#723",
        "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nx-request-",
    ),
    _bytes(
        "garbage_status_line", "What comes back is no HTTP.",
        "internetarchive/warcprox#134", "SSH-2.0-OpenSSH_9.6\r\n",
    ),
    Fault(
        name="body_refused_halfway", kind="connection", make=_early, example="status:413",
        about="413 is answered and the connection closed while the body is still being sent.",
        seen="MoonshotAI/kimi-cli#1222 (I15)",
        parameters=(
            Parameter(name="status", kind="whole", default=413, about="the status",
                      least=400, most=599),
        ),
    ),
    _empty(_JSON),
    _empty("text/event-stream"),
    Fault(
        name="blank_lines", kind="error", make=_blank, example="count:5",
        about="Status 200 and a body of blank lines alone.", parameters=_LINES,
        seen="bespokelabsai/curator#463, deepseek-ai/DeepSeek-V3#599 (H13)",
    ),
    Fault(
        name="leading_blank_lines", kind="shape", example="count:5,every_ms:1000",
        about="Blank lines come before a whole body, as signs of life.", parameters=_LINES,
        seen="AstrBotDevs/AstrBot#261, jundot/omlx#2072 (H14)",
        make=lambda given, _: Bend(lead=_lead(given)),
    ),
)  # fmt: skip
