"""Turns uploads into files that a session keeps, and into the errors of the files endpoint."""

from __future__ import annotations

import base64
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from k3mock.protocol.request import MediaPart
from k3mock.seed import file_id

if TYPE_CHECKING:
    from collections.abc import Mapping

    from k3mock.contract.profile import Profile
    from k3mock.jsonvalue import JSONObject
    from k3mock.protocol.failure import ApiError
    from k3mock.protocol.request import ChatRequest, Message
    from k3mock.seed import AnswerIds
    from k3mock.state import Session, StoredFile

PURPOSES = ("file-extract", "image", "video", "batch")
MAX_FILE_BYTES = 104_857_600
MAX_FILES = 1000
_HEAD_BYTES = 600_000
_MEDIA_LEAD = "ms://"


@dataclass(frozen=True, slots=True, kw_only=True)
class Upload:
    """A file as it came in a form: None where the form did not have the field."""

    purpose: str | None
    filename: str | None
    data: bytes | None


def store(
    upload: Upload, session: Session, profile: Profile, ids: AnswerIds
) -> JSONObject | ApiError:
    """Keep an uploaded file; return its record, or the host's refusal.

    Evidence: texts and limits from the official error page and OpenAPI.
    """
    if upload.purpose not in PURPOSES:
        return profile.named_error("invalid_purpose")
    if not upload.data:
        return profile.named_error("file_empty")
    if len(upload.data) > MAX_FILE_BYTES:
        return profile.named_error("file_too_large")
    if len(session.files) >= MAX_FILES:
        return profile.named_error("too_many_files")
    stored = session.keep_file(
        file_id(ids), upload.filename or "upload", upload.purpose, upload.data, ids.created
    )
    return record(stored)


def record(stored: StoredFile) -> JSONObject:
    """Return a file's record, keys in the documentation's order.

    Its pages say `ready` in schemas and `ok` in what calls returned; clients that wait for a file
    (agno's MoonShot) wait for `ok`.
    """
    return {
        "id": stored.id,
        "object": "file",
        "bytes": len(stored.data),
        "created_at": stored.created_at,
        "filename": stored.filename,
        "purpose": stored.purpose,
        "status": "ok",
        "status_details": "",
    }


def extracted(stored: StoredFile, profile: Profile) -> str | ApiError:
    """Return a file's text, or the host's error for one that holds none."""
    try:
        return stored.data.decode("utf-8")
    except UnicodeDecodeError:
        return profile.named_error("server_error")


def with_uploads(request: ChatRequest, files: Mapping[str, StoredFile]) -> ChatRequest:
    """Show the content of uploaded media where a request names them as `ms://<id>`.

    Counting needs an image's size; ids that were not uploaded here stay as they are.
    """
    if not files:
        return request
    messages = tuple(_with_uploads(message, files) for message in request.messages)
    return replace(request, messages=messages)


def _with_uploads(message: Message, files: Mapping[str, StoredFile]) -> Message:
    parts = tuple(
        MediaPart(part.kind, _data_url(part.url, files)) if isinstance(part, MediaPart) else part
        for part in message.parts
    )
    return message if parts == message.parts else replace(message, parts=parts)


def _data_url(url: str, files: Mapping[str, StoredFile]) -> str:
    stored = files.get(url.removeprefix(_MEDIA_LEAD)) if url.startswith(_MEDIA_LEAD) else None
    if stored is None:
        return url
    head = base64.b64encode(stored.data[:_HEAD_BYTES]).decode()
    return f"data:application/octet-stream;base64,{head}"
