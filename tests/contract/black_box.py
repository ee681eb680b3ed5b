"""Turns contract rules into requests over a real socket and into the very bytes of refusals."""

from __future__ import annotations

import contextlib
import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import pytest

from tests.support import CHAT, KEY, call, profile_file, request, serving

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from _pytest.mark import ParameterSet

    from k3mock.contract.profile import Profile
    from k3mock.serving import MockServer
    from tests.support import Answer

FIXTURES = Path(__file__).parents[2] / "fixtures" / "requests"
INVALID = "invalid_request_error"
PREFIX = "Invalid request: "
WRONG: dict[str, Any] = {"number": 5, "bool": True, "string": "x", "array": [], "object": {}}
"""A value of each JSON type, under the name that the vendor's type errors give it."""
JSON_TYPE = "application/json; charset=utf-8"
INVALID_FIXTURES = sorted((FIXTURES / "invalid").glob("*.json"))
VALID_FIXTURES = sorted((FIXTURES / "valid").glob("*.json"))


def read_fixture(path: Path) -> dict[str, Any]:
    """Return a fixture's content."""
    content: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return content


@dataclass(frozen=True, kw_only=True)
class Row:
    """A request, the rule that refuses it, how the rule is known, and the whole refusal.

    `profile` is what a profile of one's own changes at moonshot's; None is moonshot's itself.
    """

    rule: str
    evidence: str
    message: str
    body: dict[str, Any]
    status: int = 400
    type: str = INVALID
    profile: dict[str, Any] | None = None


class Worlds(Protocol):
    """Gives the shared server, or one with a profile and keys of its own."""

    def __call__(
        self, profile: Mapping[str, Any] | None = None, api_keys: tuple[str, ...] = ()
    ) -> MockServer:
        """Return a running server."""
        ...


@contextlib.contextmanager
def worlds_beside(shared: MockServer, folder: Path) -> Iterator[Worlds]:
    """Start each further server once, on demand; all of them end together."""
    running: dict[str, MockServer] = {}
    with contextlib.ExitStack() as stack:

        def world(
            profile: Mapping[str, Any] | None = None, api_keys: tuple[str, ...] = ()
        ) -> MockServer:
            if profile is None and not api_keys:
                return shared
            # JSON is YAML, so the file is what a user would have written.
            text = json.dumps({"extends": "moonshot", "profile": "own", **(profile or {})})
            named = f"{text} {api_keys}"
            if named not in running:
                path = profile_file(folder, text, f"own_{len(running)}.yaml")
                running[named] = stack.enter_context(serving(profile=path, api_keys=api_keys))
            return running[named]

        yield world


def wire(error: Mapping[str, Any]) -> bytes:
    """Write an error as the vendor does: compact, keys in order, `<`, `>` and `&` escaped."""
    text = json.dumps({"error": error}, ensure_ascii=False, separators=(",", ":"))
    for char in "<>&":
        text = text.replace(char, f"\\u{ord(char):04x}")
    return text.encode()


def post(server: MockServer, body: object, *, session: str = "black-box", **more: Any) -> Answer:
    """Post a body to the chat address, in a session of its own."""
    return call(server, f"/with/session={session}{CHAT}", body, **more)


def send(server: MockServer, fixture: Mapping[str, Any], session: str, **fields: Any) -> Answer:
    """Send a fixture's request; `fields` are added to its body.

    What the request refers back to is asked before it, in the same session.
    """
    if "before" in fixture:
        assert post(server, fixture["before"], session=session).status == 200
    headers = {"authorization": f"Bearer {KEY}", **fixture.get("headers", {})}
    body: object = fixture.get("request")
    if isinstance(body, dict):
        body = {**body, **fields}
    if "raw" in fixture:
        body = fixture["raw"].encode()
    return call(
        server,
        f"/with/session={session}{fixture.get('path', CHAT)}",
        body,
        method=fixture.get("method"),
        headers={name: value for name, value in headers.items() if value is not None},
        key=None,
    )


def assert_refused(
    answer: Answer, rule: str, error: Mapping[str, Any], *, status: int = 400
) -> None:
    """Assert a refusal to the byte: status, body, type, length, and who gave it."""
    assert answer.headers["x-k3mock-source"] == f"contract:{rule}", answer.body
    assert answer.body == wire(error)
    assert answer.status == status
    assert answer.headers["content-type"] == JSON_TYPE
    assert answer.headers["content-length"] == str(len(answer.body))


def assert_accepted(answer: Answer) -> None:
    """Assert that the contract let a request through to the generator."""
    assert (answer.status, answer.headers["x-k3mock-source"]) == (200, "generator"), answer.body


def entries(server: MockServer, session: str) -> list[dict[str, Any]]:
    """Return the journal's entries of a session."""
    shown: list[dict[str, Any]] = call(
        server, f"/__k3mock__/requests?session={session}", key=None
    ).json["requests"]
    return shown


def marks(profile: Profile, rule: str) -> str:
    """Return a rule's evidence marks as one word, such as `RC`."""
    return "".join(profile.rule(rule).evidence)


def body(*messages: dict[str, Any], **fields: Any) -> dict[str, Any]:
    """Return a request with these messages, or with one of two letters."""
    return request("hi", **({"messages": list(messages)} if messages else {}), **fields)


def user(content: Any = "hi", **fields: Any) -> dict[str, Any]:
    """Return a user message."""
    return {"role": "user", "content": content, **fields}


def function(name: Any = "find_train", parameters: Any = None, **fields: Any) -> dict[str, Any]:
    """Return a tool declaration."""
    schema = {"type": "object", "properties": {}} if parameters is None else parameters
    return {"type": "function", "function": {"name": name, "parameters": schema, **fields}}


def called(*ids: str, **fields: Any) -> dict[str, Any]:
    """Return an assistant message that calls a function under each of the ids."""
    calls = [
        {"id": name, "type": "function", "function": {"name": "find_train", "arguments": "{}"}}
        for name in ids
    ]
    return {"role": "assistant", "content": "", "tool_calls": calls, **fields}


def result(call_id: Any, content: Any = "09:14") -> dict[str, Any]:
    """Return a tool message."""
    return {"role": "tool", "tool_call_id": call_id, "content": content}


def declared(tools: Any, **system: Any) -> dict[str, Any]:
    """Return a request whose tools a system message declares."""
    return body({"role": "system", "tools": tools, **system}, user())


def row(name: str, rule: str, evidence: str, message: str, sent: Any, **more: Any) -> ParameterSet:
    """Return a row of a table, named by its rule and a word."""
    return pytest.param(
        Row(rule=rule, evidence=evidence, message=message, body=sent, **more), id=f"{rule}:{name}"
    )


def illegal(field: str, expected: str, got: str) -> str:
    """Return the vendor's text for a field of the wrong type."""
    return (
        f"{PREFIX}the `{field}` field in the request (expected type {expected}) is illegal, "
        f"and {got} is not acceptable"
    )
