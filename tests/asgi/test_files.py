"""The endpoints of moonshot beside chat and models: files, token estimate, balance."""

from __future__ import annotations

import base64
import struct
from typing import TYPE_CHECKING, Any

import pytest

from k3mock import files
from tests.support import CHAT, Answer, call, chat, profile_file, request, serving

if TYPE_CHECKING:
    from pathlib import Path

    from k3mock.serving import MockServer

BORDER = "frontier"
PNG = b"\x89PNG\r\n\x1a\n" + struct.pack(">I4sII", 13, b"IHDR", 1024, 768) + b"\x08\x02\0\0\0"


def form(**fields: str | tuple[str, bytes]) -> bytes:
    """Return a multipart body; a tuple is a file of (name, content)."""
    pieces = []
    for name, value in fields.items():
        filename, data = value if isinstance(value, tuple) else ("", value.encode())
        shown = f'; filename="{filename}"' if filename else ""
        pieces.append(
            f'--{BORDER}\r\nContent-Disposition: form-data; name="{name}"{shown}\r\n\r\n'.encode()
            + data
            + b"\r\n"
        )
    return b"".join(pieces) + f"--{BORDER}--\r\n".encode()


def upload(server: MockServer, session: str, **fields: str | tuple[str, bytes]) -> Answer:
    headers = {"Content-Type": f"multipart/form-data; boundary={BORDER}"}
    return call(server, f"/with/session={session}/v1/files", form(**fields), headers=headers)


def test_a_file_is_kept_listed_read_and_deleted(server: MockServer) -> None:
    kept = upload(server, "files-1", purpose="file-extract", file=("notes.txt", "grüße".encode()))
    assert kept.status == 200
    assert list(kept.json) == [
        "id", "object", "bytes", "created_at", "filename", "purpose", "status", "status_details",
    ]  # fmt: skip
    assert (kept.json["bytes"], kept.json["filename"]) == (7, "notes.txt")
    assert (kept.json["status"], kept.json["status_details"]) == ("ok", "")
    base = "/with/session=files-1/v1/files"
    listed = call(server, base).json
    assert listed == {"object": "list", "data": [kept.json]}
    one = f"{base}/{kept.json['id']}"
    assert call(server, one).json == kept.json
    text = call(server, f"{one}/content")
    assert (text.body.decode(), text.headers["content-type"]) == (
        "grüße",
        "text/plain; charset=utf-8",
    )
    assert call(server, one, method="DELETE").json == {
        "id": kept.json["id"],
        "object": "file",
        "deleted": True,
    }
    assert call(server, one).status == 404
    assert call(server, one).error["type"] == "resource_not_found_error"
    assert call(server, base).json["data"] == []


def test_sessions_do_not_see_each_others_files(server: MockServer) -> None:
    upload(server, "files-a", purpose="image", file=("a.png", PNG))
    assert call(server, "/with/session=files-b/v1/files").json["data"] == []


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        pytest.param(
            {"purpose": "assistants", "file": ("a", b"x")},
            "Invalid purpose: only 'file-extract' accepted",
            id="purpose",
        ),
        pytest.param(
            {"file": ("a", b"x")}, "Invalid purpose: only 'file-extract' accepted", id="no-purpose"
        ),
        pytest.param(
            {"purpose": "image", "file": ("a", b"")},
            "File size is zero, please confirm and re-upload the file",
            id="empty",
        ),
        pytest.param(
            {"purpose": "image"},
            "File size is zero, please confirm and re-upload the file",
            id="no-file",
        ),
    ],
)
def test_a_wrong_upload_is_refused_in_the_vendors_words(
    server: MockServer, fields: dict[str, Any], message: str
) -> None:
    """Evidence: official error page."""
    answer = upload(server, "files-wrong", **fields)
    assert answer.status == 400
    assert answer.error == {"message": message, "type": "invalid_request_error"}


def test_limits_of_size_and_number_hold(
    server: MockServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Evidence: official error page."""
    monkeypatch.setattr(files, "MAX_FILE_BYTES", 10)
    large = upload(server, "files-limits", purpose="image", file=("a", b"x" * 11))
    assert large.error["message"].startswith("File size is too large, max file size is 100MB")
    monkeypatch.setattr(files, "MAX_FILES", 1)
    assert upload(server, "files-limits", purpose="image", file=("a", b"x")).status == 200
    many = upload(server, "files-limits", purpose="image", file=("b", b"x"))
    assert many.error["message"].startswith("The number of files you have uploaded exceeded")


def test_a_body_that_is_no_form_is_refused(server: MockServer) -> None:
    for body, kind in ((b"{}", "application/json"), (b"x", "multipart/form-data")):
        answer = call(server, "/v1/files", body, headers={"Content-Type": kind})
        assert answer.status == 400, kind
        assert answer.error["type"] == "invalid_request_error"


def test_a_file_without_text_cannot_be_extracted(server: MockServer) -> None:
    kept = upload(server, "files-binary", purpose="image", file=("a.png", PNG))
    path = f"/with/session=files-binary/v1/files/{kept.json['id']}"
    answer = call(server, f"{path}/content")
    assert answer.status == 500
    assert answer.error["message"].startswith("Failed to extract file: ")
    assert call(server, f"{path}/nothing").status == 404
    assert call(server, path, b"", method="PUT").status == 404


def test_an_uploaded_image_costs_what_its_size_costs(server: MockServer) -> None:
    kept = upload(server, "files-ms", purpose="image", file=("a.png", PNG))

    def prompt_tokens(url: str) -> int:
        part = {"type": "image_url", "image_url": {"url": url}}
        messages = [{"role": "user", "content": [part]}]
        sent = chat(server, messages=messages, options="session=files-ms", max_tokens=1)
        return int(sent.json["usage"]["prompt_tokens"])

    inline = prompt_tokens("data:image/png;base64," + base64.b64encode(PNG).decode())
    assert prompt_tokens(f"ms://{kept.json['id']}") == inline
    assert prompt_tokens("ms://unknown") != inline


def test_files_need_a_key(server: MockServer) -> None:
    headers = {"Content-Type": f"multipart/form-data; boundary={BORDER}"}
    sent = form(purpose="image", file=("a", b"x"))
    path = "/with/session=files-key/v1/files"
    assert call(server, path, sent, headers=headers, key=None).status == 401
    assert call(server, path).json["data"] == []


def test_an_estimate_is_what_usage_would_say(server: MockServer) -> None:
    """Evidence: official OpenAPI for the shape; that tools and effort count is chosen here."""
    body = request("say hi", max_tokens=1)
    estimate = call(server, "/v1/tokenizers/estimate-token-count", body)
    assert estimate.json == {"data": {"total_tokens": 87}}
    assert call(server, CHAT, body).json["usage"]["prompt_tokens"] == 87
    wrong = call(server, "/v1/tokenizers/estimate-token-count", {"model": "gpt", "messages": []})
    assert wrong.status == 400
    assert call(server, "/v1/tokenizers/estimate-token-count", b"{").status == 400
    assert call(server, "/v1/tokenizers/estimate-token-count", body, key=None).status == 401
    assert call(server, "/v1/tokenizers/estimate-token-count").status == 404


def test_the_balance_has_the_documented_form(server: MockServer) -> None:
    """Evidence: official OpenAPI."""
    assert call(server, "/v1/users/me/balance").body == (
        b'{"code":0,"data":{"available_balance":49.58894,"voucher_balance":46.58893,'
        b'"cash_balance":3.00001},"scode":"0x0","status":true}'
    )
    assert call(server, "/v1/users/me/balance", b"{}").status == 404


def test_a_profile_that_took_an_error_away_is_told_so(tmp_path: Path) -> None:
    own = profile_file(tmp_path, "extends: moonshot\nerrors: {file_not_found: null}\n")
    with serving(profile=own) as server:
        answer = call(server, "/v1/files/none")
        assert answer.status == 422
        assert answer.error["message"] == "k3mock: the profile 'own' has no error 'file_not_found'"


def test_file_ids_repeat_with_a_seed() -> None:
    ids = []
    for _ in range(2):
        with serving(seed=3) as server:
            ids.append(upload(server, "s", purpose="image", file=("a", b"x")).json["id"])
    assert ids[0] == ids[1]
    assert len(ids[0]) == 20


def test_an_estimate_meets_a_pinned_fault_like_any_other_path(server: MockServer) -> None:
    path = "/with/fault=engine_overloaded/v1/tokenizers/estimate-token-count"
    assert call(server, path, request()).error["type"] == "engine_overloaded_error"
