from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from k3mock.contract.load import load_profile
from k3mock.fault.call import parse_call
from k3mock.fault.catalogue import bend
from k3mock.wire.failure import encode_error
from tests.support import profile_file

if TYPE_CHECKING:
    from pathlib import Path

    from k3mock.fault.bend import Bend
    from k3mock.protocol.failure import ApiError


def bent(call: str, profile: str = "moonshot") -> Bend:
    return bend([parse_call(call)], load_profile(profile))


def error(call: str, profile: str = "moonshot") -> ApiError:
    found = bent(call, profile).instead
    assert found is not None
    return found


def test_every_part_of_an_error_can_be_overridden() -> None:
    found = error("engine_overloaded(status:503,message:later,type:busy,code:7,param:model)")
    assert (found.status, found.message, found.type) == (503, "later", "busy")
    assert (found.code, found.param) == (7, "model")


def test_a_message_keeps_its_own_words_when_only_values_change() -> None:
    found = error("rate_limited(limit:20,seconds:9,values:{org:o,key:k})")
    assert found.message == (
        "Your account org-o<ak-k> request reached organization max RPM: 20, "
        "please try again after 9 seconds"
    )
    assert dict(found.headers)["Retry-After"] == "9"


def test_a_new_message_may_use_the_placeholders() -> None:
    assert error('rate_limited(message:"{limit} a minute",limit:5)').message == "5 a minute"


def test_retry_after_sets_all_headers_of_the_host_and_the_message() -> None:
    found = error("rate_limited(retry_after:30)")
    names = ("Msh-Cooldown-Seconds", "Retry-After", "X-Retry-After")
    assert dict(found.headers) == dict.fromkeys(names, "30")
    assert found.message.endswith("please try again after 30 seconds")
    assert dict(error("engine_overloaded(retry_after:7)").headers) == {"Retry-After": "7"}


def test_retry_after_can_be_left_out() -> None:
    found = error("rate_limited(retry_after:none)")
    assert found.headers == ()
    assert found.message.endswith("after 1 seconds")


def test_further_headers_are_added() -> None:
    found = error("engine_overloaded(headers:{X-Should-Retry:false})")
    assert found.headers == (("X-Should-Retry", "false"),)


def test_values_cannot_break_a_header() -> None:
    found = error('rate_limited(seconds:"1\\r\\nX-Evil: 1")')
    assert dict(found.headers)["Retry-After"] == "1X-Evil: 1"


@pytest.mark.parametrize(
    ("body", "content_type"),
    [("[1]", "application/json; charset=utf-8"), ("oops", "text/html")],
)
def test_a_literal_body_is_labelled_by_what_it_looks_like(body: str, content_type: str) -> None:
    found = error(f'server_error(body:"{body}")')
    assert (found.body, found.content_type) == (body, content_type)
    named = error(f'server_error(body:"{body}",content_type:text/css)')
    assert (named.body, named.content_type) == (body, "text/css")


def test_a_content_type_is_the_error_s_and_a_knob() -> None:
    found = bent("bad_gateway_html(content_type:text/plain)")
    assert found.instead is not None
    assert found.instead.content_type == "text/plain"
    assert dict(found.wire) == {"content_type": "text/plain"}


@pytest.mark.parametrize(
    ("choices", "knob"), [("null", "null"), ("[]", "empty"), ("empty", "empty"), ("absent", "omit")]
)
def test_envelope_and_choices_are_knobs(choices: str, knob: str) -> None:
    found = bent(f"error_200(choices:{choices},envelope:flat,delay_ms:40)")
    assert dict(found.wire) == {"error_envelope": "flat", "error_choices": knob}
    assert found.delay_ms == 40


def test_an_envelope_of_its_own_can_be_replaced() -> None:
    assert dict(bent("error_string").wire) == {"error_envelope": "string"}
    assert dict(bent("error_string(envelope:vllm)").wire) == {"error_envelope": "vllm"}


def test_an_error_of_the_catalogue_takes_the_host_s_type_for_its_status() -> None:
    assert error("unavailable_retry_after").type == "server_unavailable"
    assert error("unavailable_retry_after", "apiany").type == "api_error"
    assert error("credits_402(code:none)", "apiany").code == "none"


def test_an_engine_error_has_the_gateway_s_keys_and_types() -> None:
    """Its order of keys and the engine's own headers stay behind."""
    found = error("content_filtered", "apiany")
    assert (found.type, found.keys, found.code) == ("invalid_request_error", None, 400)
    limited = error("tpm_limited", "devotel")
    assert dict(limited.headers) == {"Retry-After": "1"}
    body, _ = encode_error(found, load_profile("apiany").wire)
    assert body.startswith(b'{"error":{"message":"The request was rejected')


def test_an_error_of_a_user_s_profile_has_its_own_placeholders(tmp_path: Path) -> None:
    path = profile_file(
        tmp_path,
        "extends: moonshot\nprofile: own\nerrors:\n  night: {status: 503, type: closed, "
        "message: 'open at {hour}', values: {hour: '6'}}\n",
    )
    assert error("night", path).message == "open at 6"
    assert error("night(hour:7)", path).message == "open at 7"
    with pytest.raises(Exception, match="unknown fault 'night'"):
        error("night")
