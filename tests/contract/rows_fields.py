"""Rows about single fields: fixed values, types, ranges, words, caps and sizes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tests.contract.black_box import (
    PREFIX,
    WRONG,
    body,
    illegal,
    row,
    user,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from _pytest.mark import ParameterSet


def fixed() -> Iterator[ParameterSet]:
    """Every value that was seen or that the vendor's verifier sends."""
    table: dict[str, tuple[str, str, list[Any]]] = {
        "temperature": ("1", "RC", [0, 0.3, 0.6, 0.7, 9.9, 1.1, 2.0, -0.1, 1.0000001]),
        "top_p": ("0.95", "R", [0, 0.8, 0.9, 1, 1.0, 0.949]),
        "n": ("1", "DC", [0, 2, 5, -1]),
        "presence_penalty": ("0", "R", [0.5, -2, 1, 2.0]),
        "frequency_penalty": ("0", "R", [0.5, -2, 1, 2.0]),
        "logprobs": ("false", "R", [True]),
    }
    for field, (allowed, evidence, values) in table.items():
        message = f"invalid {field}: only {allowed} is allowed for this model"
        for value in values:
            sent = body(**{field: value})
            yield row(str(value), f"{field}.fixed", evidence, message, sent)


def types() -> Iterator[ParameterSet]:
    """Every field of the type table with every wrong type."""
    table = {
        "model": "string",
        "messages": "array",
        "response_format": "object",
        "temperature": "number",
        "top_p": "number",
        "n": "integer",
        "presence_penalty": "number",
        "frequency_penalty": "number",
        "logprobs": "bool",
        "top_logprobs": "integer",
        "max_completion_tokens": "integer",
        "max_tokens": "integer",
        "stop": "string or array",
        "stream": "bool",
        "stream_options": "object",
        "tools": "array",
        "tool_choice": "string or object",
        "prompt_cache_key": "string",
        "safety_identifier": "string",
    }
    for field, expected in table.items():
        fits = {"integer": "number"}.get(expected, expected).split(" or ")
        wrong = [(kind, value) for kind, value in WRONG.items() if kind not in fits]
        if expected == "integer":
            wrong.append(("number", 1.5))
        for got, value in wrong:
            message = illegal(field, expected, got)
            yield row(f"{field}-{value}", "types.fields", "T", message, body(**{field: value}))
    for got, value in WRONG.items():
        if got != "string":
            message = "the reasoning_effort field (expected type string) is illegal"
            sent = body(reasoning_effort=value)
            yield row(got, "types.reasoning_effort", "T", message, sent)
            message = illegal("stop", "string", got)
            yield row(got, "types.stop_items", "I", message, body(stop=["a", value]))
        if got != "object":
            message = (
                "the thinking field in the request (expected type object) is illegal, "
                f"and {got} is not acceptable"
            )
            yield row(got, "types.thinking", "T", message, body(thinking=value))


def plain_fields() -> Iterator[ParameterSet]:
    """Model, messages, probabilities, stop words, effort and thinking."""
    empty = f"{PREFIX}messages must not be empty"
    yield row("absent", "messages.empty", "R", empty, {"model": "kimi-k3"})
    yield row("null", "messages.empty", "R", empty, {"model": "kimi-k3", "messages": None})
    for model in ("Kimi-K3", "KIMI-K3", "kimi-k3 ", "kimi-k2.6", "moonshotai/kimi-k3", "<none>"):
        message = f"Not found the model {model} or Permission denied"
        more = {"status": 404, "type": "resource_not_found_error"}
        yield row(model, "model.unknown", "R", message, body(model=model), **more)
    message = "Not found the model  or Permission denied"
    for name, fields in (("absent", {}), ("null", {"model": None}), ("empty", {"model": ""})):
        sent = {"messages": [user()], **fields}
        yield row(name, "model.unknown", "R", message, sent, status=404,
                  type="resource_not_found_error")  # fmt: skip
    message = f"{PREFIX}top_logprobs must be between 0 and 20"
    for number in (-1, 21, 1000):
        yield row(str(number), "top_logprobs.range", "DI", message, body(top_logprobs=number))
    message = f"{PREFIX}logprobs must be set to true if top_logprobs is used"
    for number in (0, 20):
        yield row(str(number), "top_logprobs.alone", "R", message, body(top_logprobs=number))
    sent = body(top_logprobs=3, logprobs=False)
    yield row("beside-false", "top_logprobs.alone", "R", message, sent)
    for value in ({}, {"50256": -100}, 5, "x"):
        message = f"{PREFIX}logit_bias is not supported yet"
        yield row(str(value), "logit_bias.refused", "R", message, body(logit_bias=value))
    message = f"{PREFIX}stop must not have more than 5 items"
    yield row("7", "stop.count", "DI", message, body(stop=list("abcdefg")))
    message = f"{PREFIX}stop must not be longer than 32 bytes"
    yield row("33-letters", "stop.bytes", "DI", message, body(stop="x" * 33))
    yield row("second", "stop.bytes", "DI", message, body(stop=["x", "é" * 17]))
    message = f"{PREFIX}invalid reasoning_effort: only low, high, max are allowed for this model"
    for effort in ("medium", "minimal", "none", "xhigh", "High", ""):
        sent = body(reasoning_effort=effort)
        yield row(effort, "reasoning_effort.value", "DI", message, sent)
        sent = body(thinking={"type": "enabled", "effort": effort})
        yield row(effort, "thinking.effort", "CI", message, sent)
    yield row("number", "thinking.effort", "CI", message, body(thinking={"effort": 3}))


def thinking_switch() -> Iterator[ParameterSet]:
    """The sources disagree about `thinking`; a switch chooses."""
    disabled = "invalid thinking: only type=enabled is allowed for this model"
    for kind in ("disabled", "auto", "", 5):
        sent = body(thinking={"type": kind})
        yield row(str(kind), "thinking.disabled", "TC", disabled, sent)
    refused = f"{PREFIX}thinking is not supported for this model"
    switched: dict[str, Any] = {"profile": {"switches": {"thinking": "refuse"}}}
    for name, thinking in (("enabled", {"type": "enabled"}), ("disabled", {"type": "disabled"}),
                           ("empty", {})):  # fmt: skip
        yield row(name, "thinking.refused", "TI", refused, body(thinking=thinking), **switched)


def sizes() -> Iterator[ParameterSet]:
    """Caps, the window and the size of all texts; `hi` at full effort counts 86 tokens.

    Every further `fig` of a text counts one more; 85 of them belong to the template.
    """
    for field in ("max_completion_tokens", "max_tokens"):
        for cap in (0, -1, 1_048_577, 2_000_000):
            message = (
                f"{PREFIX}Your request exceeded model token limit: 1048576 (requested: {86 + cap})"
            )
            yield row(f"{field}-{cap}", "cap.range", "DTI", message, body(**{field: cap}))
    message = f"{PREFIX}Your request exceeded model token limit: 1048576 (requested: 86)"
    sent = body(max_completion_tokens=0, max_tokens=5)
    yield row("the-newer-one-counts", "cap.range", "DTI", message, sent)
    window: dict[str, Any] = {"profile": {"limits": {"window_tokens": 200}}}
    message = f"{PREFIX}Your request exceeded model token limit: 200 (requested: {{}})"
    for name, figs, requested, fields in (
        ("default-cap", 150, 131_307, {}),
        ("cap", 150, 236, {"max_tokens": 1}),
        ("stream", 150, 236, {"max_tokens": 1, "stream": True}),
        ("full-to-the-brim", 115, 201, {"max_tokens": 1}),
    ):
        sent = body(user("fig " * (figs - 1) + "fig"), **fields)
        yield row(name, "window.exceeded", "TD", message.format(requested), sent, **window)
    limited: dict[str, Any] = {"profile": {"switches": {"message_size": "limited"}}}
    message = "total message size 2097153 exceeds limit 2097152"
    sent = body(user("ab"), user([{"type": "text", "text": "ü" * 1_048_575}, {"type": "text",
                "text": "c"}]))  # fmt: skip
    yield row("two-megabytes", "messages.size", "D", message, sent, **limited)
