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
    ):  # fmt: skip
        yield Known(gateway="apiany", name=name, status=status, inside=inside, marks=marks)


def hotrouter() -> Iterator[Known]:
    """Keys message, type, param, code; nulls stay."""
    for name, status, inside in (
        ("rate_limited", 429, ('"message":"Rate limit exceeded","type":"rate_limit_error",'
         '"param":null,"code":"rate_limit_exceeded"')),
        ("quota_exhausted", 402, ('"message":"Insufficient balance","type":"insufficient_quota",'
         '"param":null,"code":"insufficient_balance"')),
        ("server_error", 500, ('"message":"Internal server error","type":"api_error","param":null,'
         '"code":"internal_error"')),
        ("bad_gateway", 502, ('"message":"Upstream error","type":"api_error","param":null,'
         '"code":"upstream_error"')),
        ("server_unavailable", 503, ('"message":"Service unavailable","type":"api_error",'
         '"param":null,"code":"unavailable"')),
        ("invalid_key", 401, ('"message":"Invalid API key","type":"authentication_error",'
         '"param":null,"code":"invalid_api_key"')),
    ):  # fmt: skip
        yield Known(gateway="hotrouter", name=name, status=status, inside=inside, marks="I")


def evolink() -> Iterator[Known]:
    """Keys message, type, code; a code may be null. An empty balance is 429, too."""
    for name, status, inside in (
        ("rate_limited", 429, ('"message":"Rate limit exceeded","type":"rate_limit_error",'
         '"code":"rate_limit_exceeded"')),
        ("quota_exhausted", 429, ('"message":"Insufficient quota",'
         '"type":"insufficient_quota_error","code":"insufficient_quota"')),
        ("server_error", 500, ('"message":"Internal service error","type":"internal_server_error",'
         '"code":null')),
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
def test_another_host_s_error_is_not_given(gateway: str, server: MockServer) -> None:
    """The mock says so in its own two keys, whatever the gateway's are."""
    path = at(gateway, f"others-{gateway}", fault="engine_overloaded")
    answer = call(server, path, chat_body())
    assert (answer.status, list(answer.error)) == (422, ["message", "type"])
    assert answer.error["message"].startswith("k3mock: unknown fault 'engine_overloaded'")
    assert answer.headers["x-should-retry"] == "false"
