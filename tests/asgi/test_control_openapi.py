from __future__ import annotations

import json
from importlib import resources
from typing import TYPE_CHECKING, Any

import pytest
from jsonschema import Draft202012Validator
from starlette.routing import Route

from tests.support import call, chat, serving

if TYPE_CHECKING:
    from collections.abc import Iterator

    from k3mock.serving import MockServer

SPEC: dict[str, Any] = json.loads(
    resources.files("k3mock.asgi").joinpath("openapi.json").read_bytes()
)
PREFIX = "/__k3mock__"


def references(value: Any) -> Iterator[str]:
    match value:
        case dict():
            for name, item in value.items():
                if name == "$ref":
                    yield item
                else:
                    yield from references(item)
        case list():
            for item in value:
                yield from references(item)
        case _:
            pass


def resolved(reference: str) -> Any:
    found: Any = SPEC
    for part in reference.removeprefix("#/").split("/"):
        found = found[part]
    return found


def check(value: Any, name: str) -> None:
    """Compare an answer with a schema of the description."""
    schema = {"$ref": f"#/components/schemas/{name}", "components": SPEC["components"]}
    problems = [error.message for error in Draft202012Validator(schema).iter_errors(value)]
    assert problems == []


def test_the_server_shows_the_description(server: MockServer) -> None:
    assert call(server, f"{PREFIX}/openapi.json").json == SPEC
    assert SPEC["openapi"].startswith("3.1.")


def test_every_route_is_described_and_every_description_has_a_route(server: MockServer) -> None:
    routes = {
        (method, route.path.removeprefix(PREFIX).replace(":path}", "}"))
        for route in server.app._control.routes
        if isinstance(route, Route)
        for method in (route.methods or set()) - {"HEAD"}
        if "{rest" not in route.path and route.path != PREFIX
    }  # fmt: skip
    described = {
        (method.upper(), path) for path, item in SPEC["paths"].items() for method in item
    }  # fmt: skip
    assert routes == described


def test_every_reference_leads_somewhere() -> None:
    found = set(references(SPEC))
    for reference in found:
        assert resolved(reference) is not None
    for kind, members in SPEC["components"].items():
        for name in members:
            used = f"#/components/{kind}/{name}" in found or kind == "securitySchemes"
            assert used, f"{kind} {name} is described for nobody"


def test_every_operation_has_its_own_name_and_path_parameters() -> None:
    operations = [
        (path, item) for methods in SPEC["paths"].items() for path in [methods[0]]
        for item in methods[1].values()
    ]  # fmt: skip
    names = [item["operationId"] for _, item in operations]
    assert len(set(names)) == len(names)
    for path, item in operations:
        given = {each["name"] for each in item.get("parameters", ()) if each.get("in") == "path"}
        assert given == {part[1:-1] for part in path.split("/") if part.startswith("{")}


@pytest.mark.parametrize("path", sorted(SPEC["paths"]))
def test_described_query_parameters_are_those_that_are_taken(server: MockServer, path: str) -> None:
    for method, item in SPEC["paths"][path].items():
        described = {
            (resolved(each["$ref"]) if "$ref" in each else each)["name"]
            for each in item.get("parameters", ())
        } - {"id", "name", "file"}  # fmt: skip
        real = path.replace("{id}", "none").replace("{name}", "none")
        body = b"" if method == "post" else None
        answer = call(server, f"{PREFIX}{real}?nothing=1", body, method=method.upper())
        if path == "/health":
            continue
        assert answer.status == 400
        check(answer.json, "Error")
        for name in described:
            assert name in answer.error["message"]


def test_answers_are_as_described() -> None:
    with serving(on_miss="error") as server:
        text = b"name: p\nabout: x\nturns: [{when: {last: hi}, reply: x, times: 2}, {reply: y}]"
        check(call(server, f"{PREFIX}/scenarios?session=s", text).json, "Loaded")
        chat(server, "hi", options="session=s")
        chat(server, "hi")
        chat(server, temperature=0, options="session=s")
        call(server, "/v1/models")
        check(call(server, f"{PREFIX}/health").json, "Health")
        page = call(server, f"{PREFIX}/requests").json
        assert len(page["requests"]) == 4
        check(page, "Requests")
        check(call(server, f"{PREFIX}/requests/{page['requests'][0]['id']}").json, "Entry")
        misses = call(server, f"{PREFIX}/misses").json
        assert len(misses["misses"]) == 1
        check(misses, "Misses")
        chat(server, "hi", options="session=s;fault=invalid_key")
        chat(server, "hi", options="session=s;fault=invalid_key")
        verdict = call(server, f"{PREFIX}/verdict").json
        assert verdict["findings"]
        check(verdict, "Verdict")
        check(call(server, f"{PREFIX}/scenarios?session=s").json, "Scenarios")
        check(call(server, f"{PREFIX}/sessions", b"").json, "Session")
        check(call(server, f"{PREFIX}/scenarios", b"name: 3").json, "Broken")
        check(call(server, f"{PREFIX}/nothing").json, "Error")
