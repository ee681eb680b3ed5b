"""Turns a refusal into the error a client sees; values layer."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

MOCK_ERROR_TYPE = "k3mock_error"
"""`error.type` of every mock-made error; no vendor uses it."""

MOCK_ERROR_STATUS = 422
"""Status of every mock-made error: a 4xx that no SDK retries (it also gets
`x-should-retry: false`)."""


class Origin(StrEnum):
    """Who is to be blamed for an error: the emulated vendor or the mock itself."""

    VENDOR = "vendor"
    MOCK = "mock"


@dataclass(frozen=True, slots=True, kw_only=True)
class ApiError:
    """An error as the client sees it.

    `code` and `param` are left out of the body when None and the profile's error keys do not ask
    for them. `rule` names the contract rule that was broken, `path` the place in the body. `keys`
    are this error's own keys, in order; `body` is a literal body (a proxy's HTML page) in place of
    the envelope. `info` marks what a journal notes although nothing is wrong.
    """

    status: int
    message: str
    type: str
    code: str | int | None = None
    param: str | None = None
    headers: tuple[tuple[str, str], ...] = ()
    origin: Origin = Origin.VENDOR
    rule: str | None = None
    path: str | None = None
    keys: tuple[str, ...] | None = None
    body: str | None = None
    content_type: str | None = None
    info: bool = False


def mock_error(
    message: str, *, status: int = MOCK_ERROR_STATUS, code: str | None = None
) -> ApiError:
    """Return an error that can never be taken for the vendor's."""
    return ApiError(
        status=status,
        message=f"k3mock: {message}",
        type=MOCK_ERROR_TYPE,
        code=code,
        headers=(("x-should-retry", "false"),),
        origin=Origin.MOCK,
    )
