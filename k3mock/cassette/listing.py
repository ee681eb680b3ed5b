"""Turns the cassettes of a server into rows that say what was served of them; source layer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from k3mock.cassette.show import row

if TYPE_CHECKING:
    from collections.abc import Sequence

    from k3mock.cassette.interaction import Cassette
    from k3mock.cassette.source import Shelf
    from k3mock.jsonvalue import JSONObject, JSONValue
    from k3mock.state import Session

MOST = 1000
"""So many interactions of a cassette are listed."""


def listing(shelf: Shelf, session: Session, after: int, limit: int) -> tuple[list[JSONObject], int]:
    """Return a page of cassettes and how many there are; long for long files.

    A file of a folder that nobody has asked for is not read for this.
    """
    files = list(shelf.all_files())
    served, here = shelf.served(), shelf.served_to(session)
    shown = files[after + 1 : after + 1 + limit]
    rows = [_row(name, shelf.loaded(path), served, here) for name, path in shown]
    return rows, len(files)


def _row(
    name: str,
    cassette: Cassette | None,
    served: frozenset[tuple[str, int]],
    here: frozenset[tuple[str, int]],
) -> JSONObject:
    if cassette is None:
        return {"name": name, "loaded": False, "count": 0, "unused": 0, "interactions": [],
                "warnings": []}  # fmt: skip
    of: Sequence[tuple[str, int]] = [
        (str(cassette.path), each.number) for each in cassette.interactions
    ]
    rows: list[JSONValue] = [
        {**row(each), "served": place in served, "served_here": place in here}
        for each, place in zip(cassette.interactions[:MOST], of, strict=False)
    ]
    return {
        "name": name,
        "loaded": True,
        "count": len(of),
        "unused": sum(place not in here for place in of),
        "interactions": rows,
        "warnings": list(cassette.warnings),
    }
