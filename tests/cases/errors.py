"""Cases about HTTP errors (I)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.cases.case import case
from tests.support import request

if TYPE_CHECKING:
    from tests.cases.case import World


@case(
    "I03",
    "A 429 that must not be retried: the balance is used up.",
    options="fault=insufficient_balance",
)
def _(world: World) -> None:
    answer = world.ask()
    assert answer.status == 429
    assert answer.error["type"] == "exceeded_current_quota_error"
    assert "suspended due to insufficient balance" in answer.error["message"]
    wrapped = world.send(request(), options="wire.error_envelope=aggregator").json["error"]
    assert "exceeded_current_quota_error" in wrapped["metadata"]["raw"]
    assert len(world.entries()) == 2


@case(
    "I05",
    "Clients whose User-Agent is not on a list are refused with 403.",
    scenario="""
    name: i05
    turns:
      - when: {not: {headers: {user-agent: {starts_with: kimi, ignore_case: true}}}}
        reply:
          error:
            status: 403
            type: access_terminated_error
            message: This plan is only for coding agents.
      - reply: {content: Welcome.}
    """,
)
def _(world: World) -> None:
    refused = world.send(request(), headers={"User-Agent": "python-httpx/1.0"})
    assert (refused.status, refused.error["type"]) == (403, "access_terminated_error")
    welcome = world.send(request(), headers={"User-Agent": "KimiCLI/1.2"})
    assert welcome.message["content"] == "Welcome."


@case(
    "I06",
    "A valid key at the wrong site: 401 on every path, the list of models too.",
    profile="""
    extends: moonshot
    keys: {sk-from-the-other-site: wrong_region, sk-test: ok}
    """,
)
def _(world: World) -> None:
    other = {"Authorization": "Bearer sk-from-the-other-site"}
    expected = {"message": "Invalid Authentication", "type": "invalid_authentication_error"}
    assert world.ask().status == 200
    assert world.models().status == 200
    for path, body in (("/v1/models", None), ("/v1/chat/completions", request())):
        refused = world.send(body, path=path, headers=other)
        assert (refused.status, refused.error) == (401, expected)
        assert b"other-site" not in refused.raw


@case(
    "I07",
    "The prompt is longer than the window; the text has both numbers and no code.",
    profile="""
    extends: moonshot
    limits: {window_tokens: 600, default_cap_tokens: 100}
    """,
)
def _(world: World) -> None:
    long = world.ask("word " * 900)
    assert long.status == 400
    assert set(long.error) == {"message", "type"}
    start = "Invalid request: Your request exceeded model token limit: 600 (requested: "
    assert long.error["message"].startswith(start)
    assert int(long.error["message"].removeprefix(start).rstrip(")")) > 900
    assert world.ask("word " * 90).status == 200


@case(
    "I08",
    "Another host reports the same overflow as text under `detail`, or in a flat object.",
    options="fault=context_overflow;wire.error_envelope=detail",
)
def _(world: World) -> None:
    detail = world.ask().json
    assert set(detail) == {"detail"}
    assert "token limit" in detail["detail"]
    flat = world.send(request(), options="wire.error_envelope=vllm").json
    assert flat["object"] == "error"
    assert (flat["param"], flat["code"]) == (None, 400)
    assert "token limit" in flat["message"]


@case(
    "I10",
    "The content filter refuses with 400; the error has a numeric code and names a parameter.",
    scenario="""
    name: i10
    turns:
      - when: {messages: {any: {content: {contains: forbidden, ignore_case: true}}}}
        reply: {error: content_filtered}
      - reply: {content: Fine.}
    """,
)
def _(world: World) -> None:
    assert world.ask("something Forbidden").error == {
        "code": 400,
        "message": "The request was rejected because it was considered high risk",
        "param": "prompt",
        "type": "content_filter",
    }
    assert world.ask("something nice").message["content"] == "Fine."


@case(
    "I12",
    "Status 200 with an error in the body, with or without `choices`.",
    scenario="""
    name: i12
    turns:
      - when: {last: {content: {contains: daily}}}
        reply: {error: {status: 200, body: '{"code":"rate_limit_daily","message":"Come back tomorrow."}', content_type: application/json}}
      - reply: {error: {name: server_error, status: 200}}
    """,
)
def _(world: World) -> None:
    plain = world.ask()
    assert (plain.status, set(plain.json)) == (200, {"error"})
    for shown, value in (("null", None), ("empty", [])):
        other = world.send(request(), options=f"wire.error_choices={shown}").json
        assert other["choices"] == value
        assert other["error"]["message"]
    daily = world.ask("daily")
    assert daily.status == 200
    assert daily.json == {"code": "rate_limit_daily", "message": "Come back tomorrow."}


@case(
    "I13",
    "`error` is a text, or the message stands elsewhere.",
    options="fault=invalid_key;wire.error_envelope=string",
)
def _(world: World) -> None:
    assert world.ask().json == {"error": "Invalid Authentication"}
    only = world.send(request(), options="wire.error_envelope=message_only")
    assert only.json == {"message": "Invalid Authentication"}
    other = world.send(request(), options="wire.error_envelope=success_false").json
    assert other["success"] is False
    assert other["error"]["status"] == 401


@case(
    "I14",
    "An unknown, retired or misspelt model: 404 with the name that was asked for.",
)
def _(world: World) -> None:
    for model in ("kimi-k2.5", "Kimi-K3"):
        refused = world.ask(model=model)
        assert refused.status == 404
        assert refused.error == {
            "message": f"Not found the model {model} or Permission denied",
            "type": "resource_not_found_error",
        }


@case(
    "I15",
    "A body above the proxy's limit gets the proxy's HTML page with 413, again and again.",
    profile="""
    extends: moonshot
    limits: {body_bytes: 2000}
    rules:
      body.size:
        body: "<html><head><title>413 Request Entity Too Large</title></head></html>"
        content_type: text/html
    """,
)
def _(world: World) -> None:
    for _attempt in range(2):
        refused = world.ask("x" * 3000)
        assert refused.status == 413
        assert refused.headers["content-type"] == "text/html"
        assert b"<title>413 Request Entity Too Large</title>" in refused.body
    assert world.ask("x").status == 200


@case(
    "I16",
    "The delivery network gives up on a long silent request: 524 with an HTML page.",
    options="fault=cloudflare_524(delay_ms:120000);pace=speed=600",
)
def _(world: World) -> None:
    answer = world.ask()
    assert answer.status == 524
    assert "html" in answer.headers["content-type"]
    assert answer.times[0] >= 0.2
    assert world.entries()[0].outcome.end == "fault"


@case(
    "I17",
    "A 400 that is really transient: the very same request succeeds the second time.",
    scenario="""
    name: i17
    turns:
      - times: 1
        reply:
          error: {status: 400, type: invalid_request_error, message: could not parse the JSON body}
      - reply: {content: Fine this time.}
    """,
)
def _(world: World) -> None:
    first, second, third = world.ask(), world.ask(), world.ask()
    assert first.status == 400
    assert first.error["message"] == "could not parse the JSON body"
    assert second.message["content"] == third.message["content"] == "Fine this time."


@case(
    "I18",
    "429 texts that name the limit: requests a minute, concurrency, tokens a minute or a day.",
    options="limits=rpm=2,window_s=600",
)
def _(world: World) -> None:
    assert [world.ask().status for _ in range(3)] == [200, 200, 429]
    refused = world.ask()
    assert refused.error["type"] == "rate_limit_reached_error"
    assert (
        "request reached organization max RPM: 2, please try again after"
        in (refused.error["message"])
    )
    assert int(refused.headers["retry-after"]) > 100
    scripted = {
        "concurrency_limited": "max concurrency: ",
        "tpm_limited": "TPM rate limit, current:",
        "tpd_limited": "TPD rate limit, current:",
    }
    for name, text in scripted.items():
        answer = world.send(request(), options=f"fault={name}")
        assert answer.status == 429
        assert text in answer.error["message"]
