"""Turns requests on the files endpoint into uploads, records, texts and deletions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from starlette.datastructures import UploadFile
from starlette.exceptions import HTTPException
from starlette.requests import Request

from k3mock.files import Upload, extracted, record, store

if TYPE_CHECKING:
    from starlette.types import Message

    from k3mock.jsonvalue import JSONObject
    from k3mock.pipeline import Visit
    from k3mock.protocol.failure import ApiError
    from k3mock.protocol.request import RawRequest
    from k3mock.state import StoredFile


async def read_upload(raw: RawRequest) -> Upload | None:
    """Read a form with `file` and `purpose`; None for requests that are no upload."""
    if raw.method != "POST":
        return None

    async def receive() -> Message:
        return {"type": "http.request", "body": raw.body, "more_body": False}

    headers = [(name.encode(), value.encode("latin-1")) for name, value in raw.headers.items()]
    scope = {"type": "http", "method": "POST", "path": raw.path, "headers": headers}
    try:
        async with Request(scope, receive).form() as form:
            purpose, file = form.get("purpose"), form.get("file")
            data = await file.read() if isinstance(file, UploadFile) else None
            filename = file.filename if isinstance(file, UploadFile) else None
    except HTTPException:
        # What is no well-formed form has neither field.
        return Upload(purpose=None, filename=None, data=None)
    return Upload(
        purpose=purpose if isinstance(purpose, str) else None, filename=filename, data=data
    )


def files_answer(
    raw: RawRequest, base: str, visit: Visit, upload: Upload | None
) -> JSONObject | str | ApiError | None:
    """Answer what lies under the files path; None for what the host does not serve there."""
    profile, files = visit.host.profile, visit.session.files
    if raw.path == base:
        if upload is not None:
            return store(upload, visit.session, profile, visit.ids)
        listed: JSONObject = {"object": "list", "data": [record(kept) for kept in files.values()]}
        return listed if raw.method == "GET" else None
    if not raw.path.startswith(f"{base}/"):
        return None
    name, _, rest = raw.path.removeprefix(f"{base}/").partition("/")
    wanted = (raw.method, rest)
    if wanted not in {("GET", ""), ("DELETE", ""), ("GET", "content")}:
        return None
    stored: StoredFile | None = files.get(name)
    if stored is None:
        return profile.named_error("file_not_found")
    if wanted == ("GET", "content"):
        return extracted(stored, profile)
    if wanted == ("DELETE", ""):
        del files[name]
        return {"id": name, "object": "file", "deleted": True}
    return record(stored)
