"""Turns named errors into what is given instead of an answer; faults layer.

A profile's own errors, those of the engine behind a gateway and those of the catalogue take the
same parameters.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from k3mock.contract.profile import ErrorPreset
from k3mock.contract.rule import placeholders
from k3mock.fault.bend import Bend
from k3mock.fault.entry import Fault, Given, Parameter, header_char
from k3mock.fault.pages import cloudflare, nginx
from k3mock.protocol.policy import ErrorEnvelope

if TYPE_CHECKING:
    from collections.abc import Mapping

    from k3mock.contract.profile import Profile
    from k3mock.jsonvalue import JSONValue
    from k3mock.protocol.failure import ApiError

HTML = "text/html"
_RETRY = ("retry-after", "x-retry-after", "msh-cooldown-seconds")
_CHOICES: Mapping[str, JSONValue] = {"null": "null", "empty": "empty", "absent": "omit"}

PLACEHOLDERS: Mapping[str, str] = {
    "limit": "the limit that the message names",
    "requested": "the tokens asked for that the message names",
    "current": "the use that the message names",
    "seconds": "the seconds that message and headers name",
    "tokens": "the tokens that the message names",
    "size": "the size that the message names",
    "model": "the model that the message names",
    "org": "the organisation that the message names",
    "key": "the key that the message names",
    "n": "the number that the message names",
    "error": "the detail that the message names",
    "details": "the detail that the message names",
    "field": "the field that the message names",
    "value": "the value that the message names",
    "index": "the position that the message names",
}
"""Placeholders of built-in errors, as parameters."""

COMMON = (
    Parameter(
        name="status", kind="whole", about="status; 200 for an error that looks like a success",
        least=200, most=599,
    ),
    Parameter(name="message", kind="text", about="`error.message`"),
    Parameter(name="type", kind="text", about="`error.type`"),
    Parameter(name="code", kind="code", about="`error.code`"),
    Parameter(name="param", kind="text", about="`error.param`"),
    Parameter(
        name="retry_after", kind="header",
        about="seconds of Retry-After and of the headers beside it; `none` leaves them out",
    ),
    Parameter(name="headers", kind="headers", about="further response headers"),
    Parameter(name="body", kind="text", about="a literal body in place of the envelope"),
    Parameter(name="content_type", kind="header", about="Content-Type; `none` leaves it out"),
    Parameter(
        name="envelope", kind="choice", about="the shape of the error body",
        choices=tuple(map(str, ErrorEnvelope)),
    ),
    Parameter(
        name="choices", kind="choice", about="`choices` beside the error in the body",
        choices=tuple(_CHOICES),
    ),
    Parameter(name="values", kind="mapping", about="values of placeholders in the message"),
    Parameter(name="delay_ms", kind="number", about="silence before the status line", default=0),
)  # fmt: skip
"""What every error instead of an answer can be told."""


def error_parameters(preset: ErrorPreset | None = None) -> tuple[Parameter, ...]:
    """Return the parameters of an error: the common ones and its placeholders as flat keys.

    Without an error they are those of all built-in ones, for checks that know no host.
    """
    names = set(PLACEHOLDERS) if preset is None else {*preset.values, *_used(preset)}
    taken = {parameter.name for parameter in COMMON}
    flat = [
        Parameter(name=name, kind="text", about=PLACEHOLDERS.get(name, "fills the message"))
        for name in sorted(names - taken)
    ]
    return (*COMMON, *flat)


def _used(preset: ErrorPreset) -> set[str]:
    return placeholders(preset.message)


def bend_error(preset: ErrorPreset, given: Given) -> Bend:
    """Return the effect of an error, with what the parameters override."""
    wire: dict[str, JSONValue] = {}
    if (envelope := given.maybe_text("envelope")) is not None:
        wire["error_envelope"] = envelope
    if (choices := given.maybe_text("choices")) is not None:
        wire["error_choices"] = _CHOICES[choices]
    if (content_type := given.maybe_text("content_type")) is not None:
        wire["content_type"] = content_type
    error = overridden(preset, given)
    return Bend(instead=error, delay_ms=given.number("delay_ms"), wire=wire)


def overridden(preset: ErrorPreset, given: Given) -> ApiError:
    """Return an error of the host with what the parameters override."""
    values = {**preset.values, **{k: str(v) for k, v in given.mapping("values").items()}}
    for name in (*values, *_used(preset)):
        text = given.values.get(name)
        if isinstance(text, str) and name not in {"message", "type", "param"}:
            values[name] = text
    headers = dict(preset.headers)
    retry_after = given.maybe_text("retry_after")
    if retry_after is not None:
        headers = _retry_headers(headers, retry_after)
        values |= {} if retry_after == "none" else {"seconds": retry_after}
    headers |= {name: str(value) for name, value in given.mapping("headers").items()}
    body, content_type = given.maybe_text("body"), given.maybe_text("content_type")
    if body is None:
        body = preset.body
    elif content_type is None:
        is_json = body.lstrip()[:1] in {"{", "["}
        content_type = "application/json; charset=utf-8" if is_json else HTML
    code = given.code("code")
    error = replace(
        preset,
        status=given.maybe_whole("status") or preset.status,
        message=_either(given.maybe_text("message"), preset.message),
        type=_either(given.maybe_text("type"), preset.type),
        code=preset.code if code is None else code,
        param=preset.param if given.maybe_text("param") is None else given.text("param"),
        headers=headers,
        values=values,
        body=body,
        content_type=content_type or preset.content_type,
    ).error()
    shown = [(name, "".join(filter(header_char, value))) for name, value in error.headers]
    return replace(error, headers=tuple(shown))


def _either(given: str | None, usual: str) -> str:
    return usual if given is None else given


def _retry_headers(headers: Mapping[str, str], seconds: str) -> dict[str, str]:
    """Set the headers that say when to come back; the host's own ones, at least Retry-After."""
    there = [name for name in headers if name.lower() in _RETRY] or ["Retry-After"]
    kept = {name: value for name, value in headers.items() if name not in there}
    return kept if seconds == "none" else {**kept, **dict.fromkeys(there, seconds)}


def preset_fault(preset: ErrorPreset) -> Fault:
    """Return a profile's error as an entry of the catalogue."""
    text = "an HTML page" if preset.body is not None else preset.message
    return Fault(
        name=preset.name,
        about=f"{preset.status} {preset.type}: {text}",
        kind="error",
        seen=preset.source,
        make=lambda given, _: bend_error(preset, given),
        parameters=error_parameters(preset),
        example="retry_after:30" if preset.status == 429 else "delay_ms:50",
    )


def engine_error(profile: Profile, name: str) -> ErrorPreset | None:
    """Return an error of the engine behind a gateway, as the gateway words it."""
    preset = profile.engine.errors.get(name) if profile.engine is not None else None
    if preset is None:
        return None
    kept = {key: value for key, value in preset.headers.items() if key.lower() == "retry-after"}
    return replace(
        preset,
        type=profile.error_types.get(str(preset.status), preset.type),
        headers=kept,
        keys=None,
        source=f"the engine's error; {preset.source}",
    )


def page(name: str, status: int, about: str, *, seen: str, body: str, **more: str) -> Fault:
    """Return the fault of a proxy's page."""
    preset = ErrorPreset(
        name=name, status=status, type="api_error", message=about, body=body,
        content_type=more.get("content_type", HTML),
    )  # fmt: skip
    return Fault(
        name=name, about=about, kind="error", seen=seen, example="delay_ms:50",
        make=lambda given, _: bend_error(preset, given), parameters=error_parameters(preset),
    )  # fmt: skip


def error(preset: ErrorPreset, about: str, *, seen: str, example: str = "delay_ms:50") -> Fault:
    """Return the fault of an error in the host's envelope; the host's types by status win."""

    def make(given: Given, profile: Profile) -> Bend:
        kind = profile.error_types.get(str(preset.status), preset.type)
        return bend_error(replace(preset, type=kind), given)

    return Fault(
        name=preset.name, about=about, kind="error", seen=seen, make=make, example=example,
        parameters=error_parameters(preset),
    )  # fmt: skip


def shaped(preset: ErrorPreset, about: str, *, seen: str, envelope: ErrorEnvelope) -> Fault:
    """Return the fault of an error in an envelope of its own."""

    def make(given: Given, _: Profile) -> Bend:
        own: dict[str, JSONValue] = {"error_envelope": str(envelope)}
        return Bend(wire=own).then(bend_error(preset, given))

    return Fault(
        name=preset.name, about=about, kind="error", seen=seen, make=make,
        parameters=error_parameters(preset), example="status:400",
    )  # fmt: skip


PAGES = (
    page(
        "bad_gateway_html", 502, "The page of an nginx whose upstream is down.",
        seen="Significant-Gravitas/AutoGPT#944", body=nginx("502 Bad Gateway"),
    ),
    page(
        "service_unavailable_html", 503, "The page of an nginx that has no upstream.",
        seen="Significant-Gravitas/AutoGPT#944", body=nginx("503 Service Temporarily Unavailable"),
    ),
    page(
        "gateway_timeout_html", 504, "The page of an nginx that waited too long for its upstream.",
        seen="su-kaka/gcli2api#354 (I16)", body=nginx("504 Gateway Time-out"),
    ),
    page(
        "request_too_large_html", 413, "The page of an nginx that refuses a large body.",
        seen="MoonshotAI/kimi-cli#1222 (I15)", body=nginx("413 Request Entity Too Large"),
    ),
    page(
        "cloudflare_520", 520, "The page of a delivery network that got no proper answer.",
        seen="Significant-Gravitas/AutoGPT#944", content_type="text/html; charset=UTF-8",
        body=cloudflare(520, "Web server returned an unknown error",
                        "The origin sent something that is no HTTP answer."),
    ),
    page(
        "cloudflare_524", 524, "The page of a delivery network whose origin stayed silent.",
        seen="BlockRunAI/blockrun-mcp#76, su-kaka/gcli2api#354 (I16)",
        content_type="text/html; charset=UTF-8",
        body=cloudflare(524, "A timeout occurred", "The origin did not answer in time."),
    ),
    page(
        "cloudflare_403", 403, "The page of a delivery network that takes the client for a robot.",
        seen="JohnnyZ93/oai-compatible-copilot#134", content_type="text/html; charset=UTF-8",
        body=cloudflare(403, "Attention Required!", "This request was blocked."),
    ),
)  # fmt: skip

_SERVER = ErrorPreset(
    name="error", status=500, type="server_error", message="The server had an error"
)
_OVERFLOW = (
    "ContextWindowExceededError: the input ({requested} tokens) is longer than the model's "
    "context length ({limit} tokens)."
)

WORDED = (
    error(
        _SERVER, "Any error: status, message, type, code, param, headers and body as given.",
        seen="I (all HTTP errors)", example="status:418,message:no tea",
    ),
    error(
        replace(_SERVER, name="error_200", status=200),
        "An error body with status 200.", example="choices:null",
        seen="openai/openai-agents-python#2850, langchain-ai/langchain#34515 (I12)",
    ),
    error(
        ErrorPreset(name="bad_gateway", status=502, type="api_error",
                    message="The upstream provider failed"),
        "A gateway's upstream failed, as JSON.", seen="CommandCodeAI/command-code#785 (I13)",
    ),
    error(
        ErrorPreset(name="unavailable_retry_after", status=503, type="server_unavailable",
                    message="The server is currently unavailable, please try again later",
                    headers={"Retry-After": "1"}),
        "503 that says when to come back.", seen="OpenRouter's public error page",
        example="retry_after:30",
    ),
    error(
        ErrorPreset(name="request_timeout", status=408, type="timeout",
                    message="The request timed out"),
        "408 of a gateway that gave up.", seen="OpenRouter's public error page",
    ),
    error(
        ErrorPreset(name="credits_402", status=402, type="insufficient_credits", code=402,
                    message="Insufficient credits"),
        "402 of a prepaid account that is empty.", seen="OpenRouter's public error page",
    ),
    error(
        ErrorPreset(name="spend_cap_402", status=402, type="credit_limit",
                    message="The spending limit of this account is reached"),
        "402 of an account that has spent what it may.", seen="Together's public error page",
    ),
    error(
        ErrorPreset(name="context_overflow_403", status=403, type="invalid_request_error",
                    message="The input and the output together exceed {limit} tokens",
                    values={"limit": "1048576"}),
        "A context overflow that comes as 403.", seen="Together's public error page",
        example="limit:262144",
    ),
    error(
        ErrorPreset(name="forbidden_user_agent", status=403, type="access_terminated_error",
                    message="This plan is only available to coding agents"),
        "403 because of the User-Agent header.", example="delay_ms:50",
        seen="MoonshotAI/kimi-cli#275, continuedev/continue#10847 (I05)",
    ),
    error(
        ErrorPreset(name="transient_400", status=400, type="invalid_request_error",
                    message="Invalid request: could not parse the JSON body"),
        "A 400 that is gone when the same request comes again.",
        seen="HKUDS/LightRAG#3144, yaogang1991/harness#392 (I17)",
    ),
    error(
        ErrorPreset(name="reasoning_missing", status=400, type="invalid_request_error",
                    message="thinking is enabled but reasoning_content is missing in assistant "
                            "tool call message at index {index}", values={"index": "2"}),
        "The refusal of a history that lost its reasoning.", example="index:32",
        seen="MoonshotAI/kimi-agent-sdk#169 (A02)",
    ),
    shaped(
        ErrorPreset(name="aggregator_error", status=400, type="invalid_request_error", code=400,
                    message="tool_call_id  is not found"),
        "An aggregator's error around the provider's own, as escaped JSON.",
        seen="agentscope-ai/QwenPaw#433 (A02), decolua/9router#772",
        envelope=ErrorEnvelope.AGGREGATOR,
    ),
    shaped(
        ErrorPreset(name="error_string", status=401, type="invalid_authentication_error",
                    message="invalid api key"),
        "`error` is a string.", seen="arunrajiah/odoopilot#42 (I13)",
        envelope=ErrorEnvelope.STRING,
    ),
    shaped(
        ErrorPreset(name="overflow_detail", status=400, type="BadRequestError", code=400,
                    message=_OVERFLOW, values={"requested": "1179648", "limit": "1048576"}),
        "A context overflow as text under `detail`.", seen="getkimchi/kimchi#794 (I08)",
        envelope=ErrorEnvelope.DETAIL,
    ),
)  # fmt: skip

FAULTS = (*PAGES, *WORDED)
