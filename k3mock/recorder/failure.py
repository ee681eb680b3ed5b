"""Turns what a client library says of an upstream into one kind of failure; pipeline layer."""

from __future__ import annotations


class UpstreamFailure(Exception):  # noqa: N818 - it is no defect, and no mistake of the user
    """An upstream gave no answer, or did not end it.

    `name` is the client library's word for it; `timeout` says that it was silent for too long,
    `reset` that it broke the connection off.
    """

    def __init__(self, name: str, text: str, *, timeout: bool, reset: bool) -> None:
        self.name = name
        self.text = text
        self.timeout = timeout
        self.reset = reset
        super().__init__(f"{name} ({text})" if text else name)
