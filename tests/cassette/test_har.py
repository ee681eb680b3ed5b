"""HTTP archives as recordings."""

from __future__ import annotations

import base64
import json
from typing import TYPE_CHECKING, Any

import pytest

from k3mock.cassette.har import load_har
from k3mock.cassette.problem import CassetteError
from tests.cassette.samples import completion
from tests.support import request

if TYPE_CHECKING:
    from pathlib import Path

URL = "https://api.moonshot.ai/v1/chat/completions"


def entry(**changes: Any) -> dict[str, Any]:
    """Return an entry; changes to `request` and `response` are laid over theirs."""
    asked = {"method": "POST", "url": URL, "headers": [{"name": "Accept", "value": "*/*"}],
             "postData": {"text": json.dumps(request())}}  # fmt: skip
    said = {"status": 200, "statusText": "OK",
            "headers": [{"name": "Content-Type", "value": "application/json"},
                        {"name": "Content-Encoding", "value": "gzip"},
                        {"name": ":status", "value": "200"}],
            "content": {"size": 9, "text": json.dumps(completion())}}  # fmt: skip
    return {
        "startedDateTime": "2026-11-29T18:26:09.123Z",
        "timings": {"send": 0.5, "wait": 21, "receive": -1},
        **changes,
        "request": asked | changes.get("request", {}),
        "response": said | changes.get("response", {}),
    }  # fmt: skip


def archive(folder: Path, *entries: Any) -> Path:
    path = folder / "a.har"
    path.write_text(json.dumps({"log": {"entries": entries}}), encoding="utf-8-sig")
    return path


def test_an_entry_becomes_an_interaction(tmp_path: Path) -> None:
    [found] = load_har(archive(tmp_path, entry())).interactions
    assert (found.number, found.request.method, found.request.uri) == (1, "POST", URL)
    assert (found.request.headers, json.loads(found.request.body)) == (
        (("accept", "*/*"),), request(),
    )  # fmt: skip
    assert (found.response.status, found.response.reason) == (200, "OK")
    assert found.response.headers == (("content-type", "application/json"),)
    assert json.loads(found.response.body) == completion()
    assert found.timing is not None
    assert (found.timing.at, found.timing.head_us) == ("2026-11-29T18:26:09Z", 21_500)


@pytest.mark.parametrize(
    ("content", "body"),
    [
        ({"text": "aGk=", "encoding": "base64"}, b"hi"),
        ({"text": "hé"}, "hé".encode()),
        ({}, b""),
    ],
)
def test_bodies_come_in_several_forms(tmp_path: Path, content: Any, body: bytes) -> None:
    path = archive(tmp_path, entry(response={"content": content}))
    assert load_har(path).interactions[0].response.body == body


def test_forms_and_missing_times_are_read(tmp_path: Path) -> None:
    posted = {"params": [{"name": "a", "value": "b c"}]}
    path = archive(
        tmp_path, entry(request={"postData": posted}, startedDateTime="soon", timings={})
    )
    [found] = load_har(path).interactions
    assert found.request.body == b"a=b+c"
    assert found.timing is not None
    assert (found.timing.at, found.timing.head_us) == ("", 0)


@pytest.mark.parametrize(
    ("odd", "why"),
    [
        (entry(request={"method": "GET"}), f"GET {URL} is no chat completion"),
        (entry(request={"url": "wss://h/chat/completions"}), "no HTTP request"),
        ({}, "no HTTP request"),
        (entry(response={"status": 0}), f"POST {URL} got no answer"),
        (entry(response={"content": {"size": 3}}),
         f"POST {URL}: the archive does not hold the answer's body"),
        (entry(response={"content": {"text": "a", "encoding": "base64"}}),
         f"POST {URL}: the archive does not hold the answer's body"),
    ],
)  # fmt: skip
def test_what_is_of_no_use_is_named(tmp_path: Path, odd: Any, why: str) -> None:
    found = load_har(archive(tmp_path, entry(), odd))
    assert (len(found.interactions), found.left_out) == (1, (f"entry 2: {why}",))
    with pytest.raises(CassetteError, match="holds nothing that can be replayed"):
        load_har(archive(tmp_path, odd))


def test_everything_is_taken_when_asked(tmp_path: Path) -> None:
    other = entry(request={"method": "GET", "url": "https://api.moonshot.ai/v1/models"})
    path = archive(tmp_path, other, entry())
    assert [each.number for each in load_har(path, everything=True).interactions] == [1, 2]


@pytest.mark.parametrize("text", ["{}", "[]", "no json", '{"log": {"entries": {}}}'])
def test_what_is_no_archive_is_told(tmp_path: Path, text: str) -> None:
    path = tmp_path / "a.har"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(CassetteError, match="the file is no HTTP archive"):
        load_har(path)
    with pytest.raises(CassetteError, match="the archive cannot be read"):
        load_har(tmp_path)


def test_binary_bodies_survive(tmp_path: Path) -> None:
    content = {"text": base64.b64encode(b"\xff\x00").decode(), "encoding": "base64"}
    path = archive(tmp_path, entry(response={"content": content}))
    assert load_har(path).interactions[0].response.body == b"\xff\x00"
