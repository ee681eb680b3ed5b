from __future__ import annotations

import re
from typing import TYPE_CHECKING

from k3mock.asgi.control_page import POLICY, page_files
from tests.support import call, serving

if TYPE_CHECKING:
    from k3mock.serving import MockServer

PAGE = "/__k3mock__/"


def test_the_page_and_all_that_it_names_are_served_under_a_strict_policy(
    server: MockServer,
) -> None:
    found = call(server, PAGE, key=None)
    assert found.status == 200
    assert found.headers["content-type"] == "text/html; charset=utf-8"
    named = re.findall(r'(?:href|src)="(inspector/[^"]+)"', found.body.decode())
    assert len(named) >= 4
    for name in dict.fromkeys(named):
        part = call(server, f"{PAGE}{name}", key=None)
        assert part.status == 200
        assert part.headers["content-security-policy"] == POLICY
        assert part.headers["x-content-type-options"] == "nosniff"
        assert part.headers["cache-control"] == "no-store"


def test_every_module_that_is_imported_is_there() -> None:
    files = page_files()
    for name, data in files.items():
        for wanted in re.findall(r'from "\./([^"]+)"', data.decode()):
            assert wanted in files, f"{name} imports {wanted}"


def test_the_page_is_small_and_loads_nothing_from_elsewhere() -> None:
    files = page_files()
    assert sum(map(len, files.values())) < 200_000
    for name, data in files.items():
        text = data.decode().replace("http://www.w3.org/", "")
        assert not re.search(r"https?://|//[a-z]+\.|@import|innerHTML|insertAdjacentHTML", text), (
            name
        )
        assert not re.search(r'\sstyle="|\son[a-z]+="', text), name


def test_text_goes_into_the_page_as_text_only() -> None:
    for name, data in page_files().items():
        assert not re.search(rb"outerHTML|document\.write|DOMParser|\beval\b|Function\(", data), (
            name
        )


def test_the_last_slash_may_be_left_out(server: MockServer) -> None:
    found = call(server, "/__k3mock__", key=None)
    assert (found.status, found.headers["location"]) == (308, "/__k3mock__/")


def test_other_files_and_parameters_are_refused(server: MockServer) -> None:
    assert call(server, f"{PAGE}inspector/nothing.js").status == 404
    assert call(server, f"{PAGE}inspector/..%2Fcontrol.py").status == 404
    assert call(server, f"{PAGE}?x=1").status == 400
    assert call(server, PAGE, b"").status == 405


def test_other_hosts_and_origins_do_not_get_the_page(server: MockServer) -> None:
    assert call(server, PAGE, headers={"Host": "evil.example"}).status == 403
    assert call(server, PAGE, headers={"Origin": "http://evil.example"}).status == 403


def test_with_a_key_the_page_comes_and_what_it_shows_does_not() -> None:
    with serving(control_key="open-sesame") as server:
        assert call(server, PAGE, key=None).status == 200
        assert call(server, f"{PAGE}inspector/main.js", key=None).status == 200
        for path in ("requests", "overview", "switches", "verdict", "cassettes", "events"):
            assert call(server, f"{PAGE}{path}", key=None).status == 401
            if path != "events":
                assert call(server, f"{PAGE}{path}", key="open-sesame").status == 200


def test_on_another_address_the_page_is_off_like_the_rest() -> None:
    with serving(host="0.0.0.0") as server:  # noqa: S104 - that is what is tested
        assert call(server, PAGE).status == 403
        assert call(server, f"{PAGE}inspector/main.js").status == 403
    with serving(host="0.0.0.0", control_key="k-e-y") as server:  # noqa: S104
        assert call(server, PAGE, key=None).status == 200
        assert call(server, f"{PAGE}requests", key=None).status == 401
