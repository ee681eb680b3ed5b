"""Every named error of every gateway, asked for by name: status, bytes and headers."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import pytest

from k3mock.contract.load import load_profile
from tests.contract.black_box import JSON_TYPE
from tests.gateways.table import GATEWAYS, at, chat_body, check_headers, journal
from tests.support import call

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from _pytest.mark import ParameterSet

    from k3mock.serving import MockServer


@dataclass(frozen=True, kw_only=True)
class Known:
    """How an error looks on the wire, and how that is known."""

    gateway: str
    name: str
    status: int
    inside: str
    marks: str
    headers: Mapping[str, str] = field(default_factory=dict)


def devotel() -> Iterator[Known]:
    """Keys message, type, param, code; nulls stay."""
    for name, status, marks, inside in (
        ("rate_limited", 429, "I", ('"message":"Rate limit exceeded.","type":"rate_limit_error",'
         '"param":null,"code":"rate_limit_exceeded"')),
        ("quota_exhausted", 402, "I", ('"message":"Insufficient balance.",'
         '"type":"insufficient_quota","param":null,"code":"insufficient_balance"')),
        ("bad_gateway", 502, "I", ('"message":"The upstream provider failed.","type":"api_error",'
         '"param":null,"code":"upstream_error"')),
        ("request_too_large", 413, "SI", ('"message":"Request body too large. The limit is 2 MB.",'
         '"type":"invalid_request_error","param":null,"code":"request_too_large"')),
        ("invalid_key", 401, "I", ('"message":"Incorrect API key provided.",'
         '"type":"invalid_request_error","param":null,"code":"invalid_api_key"')),
        ("model_not_found", 404, "I", ('"message":"The model \'kimi-k3\' does not exist.",'
         '"type":"invalid_request_error","param":"model","code":"model_not_found"')),
        ("invalid_request", 400, "SI", ('"message":"Invalid value for \'temperature\': expected a '
         'number between 0 and 2.","type":"invalid_request_error","param":"temperature",'
         '"code":"invalid_value"')),
        ("missing_parameter", 400, "SI", ('"message":"Missing required parameter: \'messages\'.",'
         '"type":"invalid_request_error","param":"messages","code":"missing_required_parameter"')),
        ("unknown_path", 404, "SI", ('"message":"Unknown request URL: POST /v1/embeddings. Please '
         'check the URL for typos.","type":"invalid_request_error","param":null,'
         '"code":"unknown_url"')),
        ("server_error", 500, "I", ('"message":"Internal server error.","type":"api_error",'
         '"param":null,"code":"internal_error"')),
    ):  # fmt: skip
        headers = {"retry-after": "1"} if name == "rate_limited" else {}
        yield Known(gateway="devotel", name=name, status=status, inside=inside, marks=marks,
                    headers=headers)  # fmt: skip


def apiany() -> Iterator[Known]:
    """Keys message, type, code, param; nulls stay."""
    for name, status, marks, inside in (
        ("quota_exhausted", 402, "P", ('"message":"Insufficient credits",'
         '"type":"insufficient_quota","code":"insufficient_credits","param":null')),
        ("rate_limited", 429, "PI", ('"message":"Rate limit exceeded","type":"rate_limit_error",'
         '"code":"rate_limit_exceeded","param":null')),
        ("forbidden", 403, "PI", ('"message":"You are not allowed to use this model",'
         '"type":"permission_error","code":"permission_denied","param":null')),
        ("server_error", 500, "PI", ('"message":"Internal server error","type":"api_error",'
         '"code":"internal_error","param":null')),
        ("bad_gateway", 502, "PI", ('"message":"No usable answer from the model after retries",'
         '"type":"api_error","code":"upstream_error","param":null')),
        ("gateway_timeout", 504, "PI", ('"message":"The request exceeded its time budget",'
         '"type":"api_error","code":"timeout","param":null')),
        ("invalid_key", 401, "PI", ('"message":"Invalid API key","type":"authentication_error",'
         '"code":"invalid_api_key","param":null')),
        ("model_not_found", 404, "PI", ('"message":"Model \'kimi-k3\' not found",'
         '"type":"not_found_error","code":"model_not_found","param":"model"')),
        ("invalid_request", 400, "PI", ('"message":"n must be 1","type":"invalid_request_error",'
         '"code":"invalid_value","param":"n"')),
        ("invalid_effort", 400, "PD", ('"message":"kimi-k3 does not support reasoning_effort '
         '\'medium\'. Supported values: low, high, max.","type":"invalid_request_error",'
         '"code":"invalid_reasoning_effort","param":"reasoning_effort"')),
        ("invalid_media_url", 400, "SI", ('"message":"Media must be base64 data URLs",'
         '"type":"invalid_request_error","code":"invalid_media_url","param":"messages"')),
    ):  # fmt: skip
        yield Known(gateway="apiany", name=name, status=status, inside=inside, marks=marks)


def hotrouter() -> Iterator[Known]:
    """Keys message, type, param, code; nulls stay."""
    for name, status, marks, inside in (
        ("rate_limited", 429, "I", ('"message":"Rate limit exceeded","type":"rate_limit_error",'
         '"param":null,"code":"rate_limit_exceeded"')),
        ("quota_exhausted", 402, "I", ('"message":"Insufficient balance",'
         '"type":"insufficient_quota","param":null,"code":"insufficient_balance"')),
        ("server_error", 500, "I", ('"message":"Internal server error",'
         '"type":"api_error","param":null,"code":"internal_error"')),
        ("bad_gateway", 502, "I", ('"message":"Upstream error","type":"api_error","param":null,'
         '"code":"upstream_error"')),
        ("server_unavailable", 503, "I", ('"message":"Service unavailable","type":"api_error",'
         '"param":null,"code":"unavailable"')),
        ("invalid_key", 401, "I", ('"message":"Invalid API key","type":"authentication_error",'
         '"param":null,"code":"invalid_api_key"')),
        ("invalid_request", 400, "SI", ('"message":"top_p must be a number from 0 to 1",'
         '"type":"invalid_request_error","param":"top_p","code":"invalid_value"')),
        ("model_not_found", 404, "I", ('"message":"Model not found","type":"not_found_error",'
         '"param":"model","code":"model_not_found"')),
    ):  # fmt: skip
        yield Known(gateway="hotrouter", name=name, status=status, inside=inside, marks=marks)


def evolink() -> Iterator[Known]:
    """Keys message, type, code; a code may be null. An empty balance is 429, too."""
    for name, status, inside in (
        ("rate_limited", 429, ('"message":"Rate limit exceeded","type":"rate_limit_error",'
         '"code":"rate_limit_exceeded"')),
        ("quota_exhausted", 429, ('"message":"Insufficient quota",'
         '"type":"insufficient_quota_error","code":"insufficient_quota"')),
        ("server_error", 500, ('"message":"Internal service error","type":"internal_server_error",'
         '"code":null')),
        ("invalid_request", 400, ('"message":"reasoning_effort must be one of: max",'
         '"type":"invalid_request_error","code":"invalid_parameter"')),
        ("invalid_key", 401, ('"message":"API key is missing or invalid",'
         '"type":"authentication_error","code":"invalid_api_key"')),
    ):  # fmt: skip
        yield Known(gateway="evolink", name=name, status=status, inside=inside, marks="SI")


KNOWN = [known for table in (devotel, apiany, hotrouter, evolink) for known in table()]


def _rows() -> Iterator[ParameterSet]:
    for known in KNOWN:
        yield pytest.param(known, id=f"{known.gateway}-{known.name}")


@pytest.mark.parametrize("stream", [False, True], ids=["json", "stream"])
@pytest.mark.parametrize("known", list(_rows()))
def test_a_named_error_is_given_on_demand_to_the_byte(
    known: Known, *, stream: bool, server: MockServer
) -> None:
    session = f"named-{known.gateway}-{known.name}"
    path = at(known.gateway, session, fault=known.name)
    answer = call(server, path, chat_body(stream=stream))
    assert answer.body.decode() == f'{{"error":{{{known.inside}}}}}'
    assert answer.status == known.status
    assert answer.headers["content-type"] == JSON_TYPE
    assert answer.headers["content-length"] == str(len(answer.body))
    assert answer.headers["x-k3mock-source"] == f"fault:{known.name}"
    shown = {name: answer.headers[name] for name in ("retry-after",) if name in answer.headers}
    assert shown == dict(known.headers)
    check_headers(known.gateway, answer)
    assert journal(server, session)["outcome"]["end"] == "fault"


@pytest.mark.parametrize("gateway", GATEWAYS)
def test_every_named_error_stands_in_the_table_with_its_marks(gateway: str) -> None:
    known = {error.name: error.marks for error in KNOWN if error.gateway == gateway}
    errors = load_profile(gateway).errors
    assert known == {name: "".join(error.evidence) for name, error in errors.items()}


@pytest.mark.parametrize("gateway", GATEWAYS)
def test_a_named_error_comes_before_key_and_body(gateway: str, server: MockServer) -> None:
    path = at(gateway, f"first-{gateway}", fault="rate_limited")
    assert call(server, path, b"no json", key=None).status == 429


@pytest.mark.parametrize("gateway", GATEWAYS)
def test_an_error_of_the_engine_comes_in_the_gateway_s_envelope(
    gateway: str, server: MockServer
) -> None:
    path = at(gateway, f"engine-{gateway}", fault="concurrency_limited")
    answer = call(server, path, chat_body())
    kind = "rate_limit_error" if gateway == "apiany" else "rate_limit_reached_error"
    assert (answer.status, answer.error["type"]) == (429, kind)
    assert answer.error["message"].startswith("Your account org-")
    keys = {"devotel": "message type param code", "apiany": "message type code param",
            "hotrouter": "message type param code", "evolink": "message type code"}  # fmt: skip
    assert list(answer.error) == keys[gateway].split()
    assert answer.headers["retry-after"] == "1"
    assert "msh-cooldown-seconds" not in answer.headers


def test_another_gateway_s_error_is_not_given(server: MockServer) -> None:
    """The mock says so in its own two keys, whatever the gateway's are."""
    answer = call(server, at("hotrouter", "others", fault="invalid_effort"), chat_body())
    assert (answer.status, list(answer.error)) == (422, ["message", "type"])
    assert answer.error["message"].startswith("k3mock: unknown fault 'invalid_effort'")
    assert answer.headers["x-should-retry"] == "false"
