"""Turns the records of a journal into the cassette itself, in one step; source layer.

The documents are put together as they are: nothing is written anew, and what is checked is what the
disk holds.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import chain
from typing import TYPE_CHECKING

from k3mock.cassette import format as files
from k3mock.cassette.atomic import replace_file
from k3mock.cassette.journal import journal_file
from k3mock.cassette.layout import is_json
from k3mock.cassette.problem import CassetteError, of_disk

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from pathlib import Path
    from typing import TypeAlias

    from k3mock.cassette.interaction import Interaction
    from k3mock.cassette.journal import Record

    Check: TypeAlias = "Callable[[Iterable[Interaction]], list[str]]"


class Documents:
    """The documents of a journal, read when they are asked for: a long session may be large."""

    def __init__(self, source: Path, records: Sequence[Record]) -> None:
        self._source = source
        self._records = records

    def __len__(self) -> int:
        return len(self._records)

    def texts(self) -> Iterator[str]:
        try:
            with self._source.open("rb") as file:
                for each in self._records:
                    file.seek(each.start)
                    yield file.read(each.size).decode("ascii")
        except OSError as error:
            raise of_disk(error, self._source, "the journal cannot be read") from error

    def interactions(self, first: int) -> Iterator[Interaction]:
        """Yield what the documents hold, numbered from `first`."""
        for number, text in enumerate(self.texts(), first):
            yield replace(_only(text, self._source), number=number)

    def without(self, known: Sequence[Interaction]) -> Documents:
        """Leave out what is published: the recorder may die between publishing and tidying up."""
        texts = set(map(files.document, known))
        pairs = zip(self._records, self.texts(), strict=True)
        return Documents(self._source, [each for each, text in pairs if text not in texts])


def _only(text: str, source: Path) -> Interaction:
    # The journal is YAML, whatever the cassette is.
    return files.parse(text.encode("ascii"), source).interactions[0]


def publish(path: Path, kept: tuple[Interaction, ...], documents: Documents, check: Check) -> None:
    """Have everything checked, then put the cassette into its place.

    Raises:
        CassetteError: `check` found something, or the disk refuses.
    """
    source = journal_file(path)
    first = len(kept) + 1
    still = f"what was recorded is kept in {source.name}"
    problems = check(chain(kept, documents.interactions(first)))
    if problems:
        raise CassetteError("the recording is not published: it holds what must not be kept",
                            where=str(path), found="\n    ".join(problems),
                            hint=f"k3mock cassette scrub {path} --known-env NAME, where the "
                                 f"variable NAME holds the key, then k3mock cassette recover "
                                 f"{path}; {still}")  # fmt: skip
    if is_json(path):
        parts = files.rendered(path, (*kept, *documents.interactions(first)))
    else:
        parts = files.joined(chain(map(files.document, kept), documents.texts()))
    replace_file(path, parts, still)
