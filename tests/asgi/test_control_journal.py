from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.asgi.test_control_openapi import check
from tests.support import call, chat, serving

if TYPE_CHECKING:
    from collections.abc import Iterator

    from k3mock.serving import MockServer

PATH = "/__k3mock__/requests"


@pytest.fixture(scope="module")
def filled() -> Iterator[MockServer]:
    """A server that has seen five requests, one of them refused and one with a warning."""
    with serving() as server:
        for number in range(3):
            chat(server, f"number {number}", max_completion_tokens=1, options="session=a")
        chat(server, "Straße é", temperature=0, options="session=b")
        chat(server, "warned", max_tokens=1, options="session=b")
        yield server


def ids(server: MockServer, query: str) -> list[str]:
    found = call(server, f"{PATH}?view=brief{query}")
    assert found.status == 200, found.body
    check(found.json, "BriefPage")
    return [entry["id"] for entry in found.json["requests"]]


def test_a_brief_page_leaves_bodies_out_and_counts_all(filled: MockServer) -> None:
    page = call(filled, f"{PATH}?view=brief&limit=2").json
    assert page["total"] == 5
    assert len(page["requests"]) == 2
    first = page["requests"][0]
    assert not {"received", "forwarded"} & set(first)
    tokens = first["tokens"]
    assert tokens["prompt"] > tokens["cached"] == 0
    assert tokens["reasoning"] + tokens["answer"] == 1
    assert (first["end"], first["status"], first["stream"]) == ("complete", 200, False)


def test_the_newest_come_first_where_they_are_asked_for(filled: MockServer) -> None:
    whole = ids(filled, "")
    assert ids(filled, "&order=newest") == whole[::-1]
    first: Any = call(filled, f"{PATH}?view=brief&order=newest&limit=2").json
    rest = ids(filled, f"&order=newest&after={first['next']}")
    assert [entry["id"] for entry in first["requests"]] + rest == whole[::-1]
    older = call(filled, f"{PATH}?view=brief&limit=3").json
    assert ids(filled, f"&after={older['next']}") == whole[3:]


@pytest.mark.parametrize(
    ("query", "places"),
    [
        ("&session=b", [3, 4]), ("&status=4xx", [3]), ("&status=200", [0, 1, 2, 4]),
        ("&status=none", []), ("&warning=max_tokens.deprecated", [4]), ("&warning=any", [3, 4]),
        ("&text=NUMBER%201", [1]), ("&text=stra%C3%9Fe", [3]), ("&text=%C3%89", [3]),
        ("&text=nowhere", []), ("&text=completions&session=a", [0, 1, 2]),
    ],
)  # fmt: skip
def test_filters_keep_what_fits(filled: MockServer, query: str, places: list[int]) -> None:
    whole = ids(filled, "")
    assert ids(filled, query) == [whole[place] for place in places]


def test_words_that_are_not_known_are_refused(filled: MockServer) -> None:
    wrong = call(filled, f"{PATH}?view=bref")
    assert wrong.status == 400
    assert "brief" in wrong.error["message"]
    assert call(filled, f"{PATH}?order=newest").status == 400


def test_the_overview_counts_what_the_filters_keep(filled: MockServer) -> None:
    found = call(filled, "/__k3mock__/overview").json
    check(found, "Overview")
    assert (found["requests"], found["warned"]) == (5, 2)
    assert found["status"] == {"200": 4, "400": 1}
    assert call(filled, "/__k3mock__/overview?session=a").json["requests"] == 3
