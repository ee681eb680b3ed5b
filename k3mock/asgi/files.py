"""Turns requests on the files endpoint into uploads, records, texts and deletions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from starlette.datastructures import UploadFile
from starlette.exceptions import HTTPException
from starlette.formparsers import MultiPartException
from starlette.requests import Request

from k3mock.files import Upload, extracted, record, store

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from starlette.types import Message

    from k3mock.jsonvalue import JSONObject
    from k3mock.protocol.failure import ApiError
    from k3mock.protocol.request import RawRequest
    from k3mock.respond import Answering, Visit


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
    except (HTTPException, MultiPartException):
        # What is no well-formed form has neither field.
        return Upload(purpose=None, filename=None, data=None)
    return Upload(
        purpose=purpose if isinstance(purpose, str) else None, filename=filename, data=data
    )


async def files_route(raw: RawRequest, base: str) -> Answering | None:
    """Find what answers below the files path; None for what the host does not serve there."""
    if raw.path == base:
        upload = await read_upload(raw)
        if upload is not None:
            return lambda visit: store(upload, visit.session, visit.host.profile, visit.ids)
        return _listed if raw.method == "GET" else None
    if not raw.path.startswith(f"{base}/"):
        return None
    name, _, rest = raw.path.removeprefix(f"{base}/").partition("/")
    act = _ACTS.get((raw.method, rest))
    return None if act is None else lambda visit: act(visit, name)


def _listed(visit: Visit) -> JSONObject:
    return {"object": "list", "data": [record(kept) for kept in visit.session.files.values()]}


def _shown(visit: Visit, name: str) -> JSONObject | ApiError:
    stored = visit.session.files.get(name)
    return _missing(visit) if stored is None else record(stored)


def _deleted(visit: Visit, name: str) -> JSONObject | ApiError:
    if visit.session.files.pop(name, None) is None:
        return _missing(visit)
    return {"id": name, "object": "file", "deleted": True}


def _content(visit: Visit, name: str) -> str | ApiError:
    stored = visit.session.files.get(name)
    return _missing(visit) if stored is None else extracted(stored, visit.host.profile)


def _missing(visit: Visit) -> ApiError:
    return visit.host.profile.named_error("file_not_found")


_ACTS: Mapping[tuple[str, str], Callable[[Visit, str], JSONObject | str | ApiError]] = {
    ("GET", ""): _shown,
    ("DELETE", ""): _deleted,
    ("GET", "content"): _content,
}
