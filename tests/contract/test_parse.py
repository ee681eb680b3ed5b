"""The parser finds all that is wrong when it is asked for all of it, lazily and in order."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from k3mock.contract.load import load_profile
from k3mock.contract.parse import check_key, read_body, transport_rule, violations
from k3mock.protocol.failure import ApiError
from k3mock.protocol.request import RawRequest
from k3mock.text import accounting
from tests.contract.black_box import body, user
from tests.contract.test_rules_black_box import TABLES
from tests.support import profile_file

if TYPE_CHECKING:
    from pathlib import Path

    from k3mock.contract.profile import Profile
    from k3mock.protocol.request import ChatRequest
    from k3mock.text.template import Template


def all_violations(sent: dict[str, Any], profile: Profile, template: Template) -> list[ApiError]:
    def prompt_tokens(request: ChatRequest) -> int:
        return accounting.prompt_tokens(template.render(request), "moonshot")

    _, found = violations(sent, profile, size=0, prompt_tokens=prompt_tokens)
    return [violation.error for violation in found]


@pytest.mark.parametrize("table", TABLES, ids=lambda table: table.__name__)
def test_every_row_s_violations_can_all_be_had(
    table: Any, moonshot: Profile, template: Template, tmp_path: Path
) -> None:
    """As warning mode has them; what is refused is the first."""
    for parameters in table():
        [row] = parameters.values
        profile = moonshot
        if row.profile is not None:
            text = json.dumps({"extends": "moonshot", **row.profile})
            profile = load_profile(profile_file(tmp_path, text))
        found = all_violations(row.body, profile, template)
        first = found[0]
        assert (first.rule, first.message, first.status) == (row.rule, row.message, row.status)
        assert all(error.path for error in found)


def test_a_valid_body_has_no_violations(moonshot: Profile, template: Template) -> None:
    assert all_violations(body(), moonshot, template) == []


def test_violations_are_looked_for_only_when_asked_for(moonshot: Profile) -> None:
    """The prompt is not counted for a request that is refused before."""

    def prompt_tokens(_request: ChatRequest) -> int:
        pytest.fail("counted")

    sent = body(temperature=0.3, max_tokens=0)
    _, found = violations(sent, moonshot, size=0, prompt_tokens=prompt_tokens)
    first = next(found).error
    assert (first.rule, first.path) == ("temperature.fixed", "temperature")


@pytest.mark.parametrize(
    ("sent", "path"),
    [
        pytest.param(body(n=2), "n", id="field"),
        pytest.param(body(thinking={"effort": "x"}), "thinking.effort", id="inner-field"),
        pytest.param(body(stop=["a", 5]), "stop.1", id="item"),
        pytest.param(body(tools=[5]), "tools.0", id="tool"),
        pytest.param(body({"role": "system", "tools": [5]}), "messages.0.tools.0", id="dynamic"),
        pytest.param(body(user(), user(5)), "messages.1.content", id="message"),
        pytest.param(body(user([{"type": "text"}])), "messages.0.content.0", id="part"),
        pytest.param(body(max_tokens=0), "max_tokens", id="cap"),
        pytest.param(body(max_completion_tokens=0), "max_completion_tokens", id="newer-cap"),
    ],
)
def test_a_violation_says_where_it_is(
    sent: dict[str, Any], path: str, moonshot: Profile, template: Template
) -> None:
    assert all_violations(sent, moonshot, template)[0].path == path


def test_a_body_is_read_or_refused(moonshot: Profile) -> None:
    def read(raw: bytes, size: int | None = None) -> dict[str, Any] | ApiError:
        length = len(raw) if size is None else size
        request = RawRequest(method="POST", path="/", headers={}, body=raw, size=length)
        found: dict[str, Any] | ApiError = read_body(request, moonshot)
        return found

    assert read(b'{"a": 1}') == {"a": 1}
    for raw, size, rule in ((b"[]", None, "body.object"), (b"{", None, "body.json"),
                            (b"", 104_857_601, "body.size")):  # fmt: skip
        refused = read(raw, size)
        assert isinstance(refused, ApiError)
        assert refused.rule == rule


@pytest.mark.parametrize(
    ("header", "keys", "rule"),
    [
        pytest.param("Bearer a", (), None, id="any"),
        pytest.param("bearer a", ("a", "b"), None, id="first"),
        pytest.param("BEARER b", ("a", "b"), None, id="second"),
        pytest.param("Bearer c", ("a", "b"), "auth.unknown_key", id="none"),
        pytest.param("Bearer ü", ("ä",), "auth.unknown_key", id="letters"),
        pytest.param("Bearer  ", ("a",), "auth.missing", id="empty"),
        pytest.param(None, (), "auth.missing", id="absent"),
    ],
)
def test_a_key_is_compared_with_the_good_ones(
    header: str | None, keys: tuple[str, ...], rule: str | None, moonshot: Profile
) -> None:
    headers = {} if header is None else {"authorization": header}
    refused = check_key(headers, moonshot, keys)
    assert (None if refused is None else refused.rule) == rule


def test_a_transport_rule_is_found_by_its_check(moonshot: Profile) -> None:
    assert transport_rule(moonshot, "body_json").id == "body.json"
