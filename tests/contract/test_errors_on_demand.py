"""Every named error of the profile, asked for by name: status, bytes, headers as written here."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import pytest

from tests.contract.black_box import JSON_TYPE, body, entries
from tests.support import CHAT, KEY, call

if TYPE_CHECKING:
    from collections.abc import Mapping

    from k3mock.contract.profile import Profile
    from k3mock.serving import MockServer

RETRY = ("msh-cooldown-seconds", "retry-after", "x-retry-after")
COOLDOWN = dict.fromkeys(RETRY, "1")
ORG = "org-" + "0" * 32
ACCOUNT = f"Your account {ORG}\\u003cak-{'0' * 20}\\u003e"


@dataclass(frozen=True, kw_only=True)
class Known:
    """How an error looks on the wire, and how that is known."""

    status: int
    body: str
    evidence: str
    headers: Mapping[str, str] = field(default_factory=dict)
    content_type: str = JSON_TYPE


def two_keys(status: int, type_: str, message: str, evidence: str, **more: str) -> Known:
    """Return an error of the usual form; `more` are headers."""
    text = f'{{"error":{{"message":"{message}","type":"{type_}"}}}}'
    headers = {name.replace("_", "-"): value for name, value in more.items()}
    return Known(status=status, body=text, evidence=evidence, headers=headers)


def limited(message: str, evidence: str) -> Known:
    """Return a 429 that says when to come back."""
    text = f'{{"error":{{"message":"{ACCOUNT} {message}","type":"rate_limit_reached_error"}}}}'
    return Known(status=429, body=text, evidence=evidence, headers=COOLDOWN)


REQUEST, DENIED, QUOTA = (
    "invalid_request_error", "permission_denied_error", "exceeded_current_quota_error",
)  # fmt: skip

KNOWN = {
    "content_filtered": Known(
        status=400,
        body='{"error":{"code":400,"message":"The request was rejected because it was considered '
        'high risk","param":"prompt","type":"content_filter"}}',
        evidence="DT",
    ),
    "invalid_request": two_keys(400, REQUEST, "Invalid request: messages must not be empty", "DR"),
    "parameter_fixed": two_keys(
        400, REQUEST, "invalid temperature: only 1 is allowed for this model", "R"
    ),
    "input_too_long": two_keys(400, REQUEST, "Input token length too long", "D"),
    "context_overflow": two_keys(
        400,
        REQUEST,
        "Invalid request: Your request exceeded model token limit: 1048576 (requested: 1179648)",
        "TD",
    ),
    "message_too_large": two_keys(
        400, REQUEST, "total message size 2097153 exceeds limit 2097152", "D"
    ),
    "invalid_purpose": two_keys(400, REQUEST, "Invalid purpose: only 'file-extract' accepted", "D"),
    "file_too_large": two_keys(
        400,
        REQUEST,
        "File size is too large, max file size is 100MB, please confirm and re-upload the file",
        "D",
    ),
    "file_not_found": two_keys(
        404, "resource_not_found_error", "Not found the file or Permission denied", "I"
    ),
    "file_empty": two_keys(
        400, REQUEST, "File size is zero, please confirm and re-upload the file", "D"
    ),
    "too_many_files": two_keys(
        400,
        REQUEST,
        "The number of files you have uploaded exceeded the max file count 1000, "
        "please delete previous uploaded files",
        "D",
    ),
    "invalid_key": two_keys(401, "invalid_authentication_error", "Invalid Authentication", "D"),
    "wrong_region": two_keys(401, "invalid_authentication_error", "Invalid Authentication", "D"),
    "incorrect_key": two_keys(401, "incorrect_api_key_error", "Incorrect API key provided", "D"),
    "api_not_open": two_keys(403, DENIED, "The API you are accessing is not open", "D"),
    "other_user_info": two_keys(403, DENIED, "You are not allowed to get other user info", "D"),
    "ip_not_allowed": two_keys(
        403, DENIED, "Your IP is not allowed to access this organization", "D"
    ),
    "model_not_found": two_keys(
        404,
        "resource_not_found_error",
        "Not found the model kimi-k3 or Permission denied",
        "R",
    ),
    "request_too_large": two_keys(413, REQUEST, "Request exceeds the maximum size", "CT"),
    "rate_limited": limited(
        "request reached organization max RPM: 3, please try again after 1 seconds", "R"
    ),
    "concurrency_limited": limited(
        "request reached organization max concurrency: 3, please try again after 1 seconds", "DT"
    ),
    "tpm_limited": limited(
        "request reached organization TPM rate limit, current:500001, limit:500000", "DT"
    ),
    "tpd_limited": limited(
        "request reached organization TPD rate limit, current:1500001, limit:1500000", "DT"
    ),
    "engine_overloaded": two_keys(
        429,
        "engine_overloaded_error",
        "The engine is currently overloaded, please try again later",
        "R",
    ),
    "quota_exhausted": two_keys(
        429,
        QUOTA,
        f"You exceeded your current token quota: \\u003c{ORG}\\u003e 338950, "
        "please check your account balance",
        "RT",
    ),
    "insufficient_balance": two_keys(
        429,
        QUOTA,
        f"Your account {ORG} \\u003cak-{'0' * 20}\\u003e is suspended due to insufficient balance, "
        "please recharge your account or check your plan and billing details",
        "T",
    ),
    "quota_exhausted_old": two_keys(
        403,
        QUOTA,
        f"{ACCOUNT} is not active, organization \\u003c{ORG}\\u003e exceeded current quota, "
        "please check your plan and billing details",
        "T",
    ),
    "client_closed_request": two_keys(
        499, "client_closed_request", "The client closed the request", "DI"
    ),
    "server_error": two_keys(
        500, "server_error", "Failed to extract file: unexpected end of file", "D"
    ),
    "unexpected_output": two_keys(500, "unexpected_output", "invalid state transition", "D"),
    "server_unavailable": two_keys(
        503,
        "server_unavailable",
        "The server is currently unavailable, please try again later",
        "DI",
    ),
    "gateway_timeout": Known(
        status=504,
        body="<html><head><title>504 Gateway Time-out</title></head>\n"
        "<body><center><h1>504 Gateway Time-out</h1></center></body></html>\n",
        evidence="DI",
        content_type="text/html",
    ),
    "cloudflare_524": Known(
        status=524,
        body="<!DOCTYPE html>\n"
        '<html lang="en-US"><head><title>api.moonshot.ai | 524: A timeout occurred</title></head>\n'
        "<body><h1>A timeout occurred <span>Error code 524</span></h1></body></html>\n",
        evidence="TI",
        content_type="text/html; charset=UTF-8",
    ),
}


@pytest.mark.parametrize("stream", [False, True], ids=["json", "stream"])
@pytest.mark.parametrize("name", KNOWN)
def test_a_named_error_is_given_on_demand_to_the_byte(
    name: str,
    stream: bool,
    server: MockServer,
) -> None:
    """A rate limit carries the three headers, an overload none of them (raw captures)."""
    known = KNOWN[name]
    path = f"/with/fault={name};session=faults{CHAT}"
    answer = call(server, path, body(stream=stream))
    assert answer.body.decode() == known.body
    assert answer.status == known.status
    assert answer.headers["content-type"] == known.content_type
    assert answer.headers["content-length"] == str(len(answer.body))
    assert answer.headers["x-k3mock-source"] == f"fault:{name}"
    shown = {header: answer.headers[header] for header in RETRY if header in answer.headers}
    assert shown == dict(known.headers)


def test_every_named_error_stands_in_the_table_with_its_marks(moonshot: Profile) -> None:
    known = {name: error.evidence for name, error in KNOWN.items()}
    assert known == {name: "".join(error.evidence) for name, error in moonshot.errors.items()}


def test_the_rate_limit_has_the_length_of_the_raw_capture() -> None:
    """216 bytes, captured 2026-09-01; unescaped they would be 206."""
    assert len(KNOWN["rate_limited"].body) == 216


def test_a_named_error_comes_before_key_and_contract(server: MockServer) -> None:
    path = f"/with/fault=engine_overloaded;session=fault-first{CHAT}"
    answer = call(server, path, b"no json", key=None)
    assert answer.status == 429
    [entry] = entries(server, "fault-first")
    assert entry["source"] == "fault:engine_overloaded"
    assert entry["outcome"]["end"] == "fault"


def test_an_unknown_error_is_the_mock_s_own_refusal_with_the_nearest_name(
    server: MockServer,
) -> None:
    answer = call(server, f"/with/fault=engine_overlode{CHAT}", body(), key=KEY)
    assert answer.status == 422
    assert answer.error["type"] == "k3mock_error"
    assert answer.headers["x-should-retry"] == "false"
    assert answer.error["message"].startswith(
        "k3mock: unknown fault 'engine_overlode'; accepted: did you mean 'engine_overloaded'?"
    )
