"""Turns cases from the field into uses of the clients in which they were reported.

`docs/cases.md` says what each id stands for.
"""

from __future__ import annotations

from tests.clients import judge
from tests.clients.cells import Cell, answer

CASES: dict[str, Cell] = {
    "H01": Cell(
        title="H01", use="stream", judge=judge.broken,
        scenario=answer("faults: [{name: clean_close, after: {content_tokens: 4}}]"),
        about="a stream ends properly in its midst: no finish, no [DONE]",
        reported="2389-research/tracker#544 and others",
    ),
}  # fmt: skip
