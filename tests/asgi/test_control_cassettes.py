from __future__ import annotations

from pathlib import Path
from shutil import copy
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from k3mock.cassette.format import load
from tests.asgi.test_control_openapi import check
from tests.support import call, serving

if TYPE_CHECKING:
    from k3mock.serving import MockServer

FIXTURES = Path(__file__).parents[2] / "fixtures" / "cassettes" / "k3mock"
PATH = "/__k3mock__/cassettes"


def recorded(name: str = "tide") -> tuple[str, bytes]:
    """Return the path and the body of the first recorded request of a sample."""
    cassette = load(FIXTURES / f"{name}.yaml")
    first = cassette.interactions[0].request
    return urlsplit(first.uri).path, first.body


def listed(server: MockServer, query: str = "") -> Any:
    found = call(server, PATH + query)
    assert found.status == 200
    check(found.json, "Cassettes")
    return found.json


def test_interactions_show_what_was_served_to_whom() -> None:
    with serving(cassettes=[str(FIXTURES / "tide.yaml")]) as server:
        path, body = recorded()
        [before] = listed(server)["cassettes"]
        assert before["loaded"]
        assert before["unused"] == before["count"] == len(before["interactions"]) > 0
        answer = call(server, f"/with/session=t1{path}", body)
        assert answer.headers["x-k3mock-source"] == "cassette:tide.yaml#1"
        [here] = listed(server, "?session=t1")["cassettes"]
        assert here["unused"] == here["count"] - 1
        first = here["interactions"][0]
        assert (first["served"], first["served_here"]) == (True, True)
        [there] = listed(server)["cassettes"]
        assert there["unused"] == there["count"]
        assert there["interactions"][0]["served"]
        assert not there["interactions"][0]["served_here"]


def test_files_of_a_folder_are_listed_before_they_are_read(tmp_path: Path) -> None:
    for name in ("one", "two"):
        copy(FIXTURES / "tide.yaml", tmp_path / f"{name}.yaml")
    with serving(cassettes=[str(tmp_path)]) as server:
        found = listed(server, "?limit=1")
        assert [each["name"] for each in found["cassettes"]] == ["one"]
        assert not found["cassettes"][0]["loaded"]
        [second] = listed(server, f"?after={found['next']}")["cassettes"]
        assert second["name"] == "two"
        path, body = recorded()
        call(server, f"/with/cassette=two{path}", body)
        one, two = listed(server)["cassettes"]
        assert (one["loaded"], two["loaded"]) == (False, True)
        assert two["unused"] == two["count"] - 1


def test_a_server_without_cassettes_lists_none(server: MockServer) -> None:
    found = listed(server)
    assert (found["cassettes"], found["next"], found["recording"]) == ([], None, None)
