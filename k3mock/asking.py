"""Turns an examined request into what those who may answer look at; pipeline layer."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from k3mock.fault.catalogue import named_error
from k3mock.matching.source import Asked
from k3mock.protocol.failure import ApiError
from k3mock.text import accounting

if TYPE_CHECKING:
    from k3mock.respond import Taken
    from k3mock.work import Examined

_AGAIN = re.compile("0*[1-9][0-9]*")


def asked(taken: Taken, examined: Examined) -> Asked:
    """Return the request with all that sources may look at."""
    headers = taken.raw.headers
    again = _AGAIN.fullmatch(headers.get("x-stainless-retry-count", "0"))
    last = taken.session.served.get(taken.digest)
    return Asked(
        request=examined.request,
        body={} if isinstance(taken.body, ApiError) else taken.body,
        headers=headers,
        profile=taken.host.profile.name,
        session=taken.session,
        seed=taken.seed,
        attempt=taken.occurrence + 1,
        retry=again is not None or taken.session.failed_before(taken.digest),
        prompt_tokens=lambda: accounting.prompt_tokens(examined.prompt, taken.host.accounting),
        pinned=taken.options.scenario,
        answered_by=last.label if last is not None else None,
        errors=lambda call: named_error(call, taken.host.profile),
        cap=examined.cap,
    )
