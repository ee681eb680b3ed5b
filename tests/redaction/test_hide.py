"""Taking secrets out of texts and bodies."""

from __future__ import annotations

import json
import time

import pytest

from k3mock.redaction import hide as hiding
from k3mock.redaction.draft import Draft
from k3mock.redaction.hide import hidden, hide

KNOWN = ("canary-of-mine",)


def without(body: str, *known: str) -> str:
    draft = Draft(body.encode())
    hide(draft, known or KNOWN)
    return draft.text


def test_what_a_secret_covered_is_found_in_the_next_round() -> None:
    assert hidden("canary-of-minesk-Abcdefgh12", KNOWN) == "[redacted][redacted]"
    assert without('{"a":"canary-of-minesk-Abcdefgh12 x"}') == '{"a":"[redacted][redacted] x"}'


def test_many_glued_secrets_take_few_rounds_and_go_together() -> None:
    row = ("AIza" + "a1B2c" * 7) * 5_000
    before = time.process_time()
    assert json.loads(without(json.dumps({"a": f"x {row} y", "b": 1}))) == {
        "a": "x [redacted][redacted][redacted][redacted] y",
        "b": 1,
    }
    assert hidden(f"x {row} y", KNOWN) == "x [redacted][redacted][redacted][redacted] y"
    assert time.process_time() - before < 10


def test_rounds_have_an_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hiding, "ROUNDS", 1)
    assert hidden("canary-of-minesk-Abcdefgh12", KNOWN) == "[redacted]sk-Abcdefgh12"
    assert without("canary-of-minesk-Abcdefgh12") == "[redacted]sk-Abcdefgh12"


def test_finds_that_overlap_become_one() -> None:
    assert hidden("a-canary-of-mine-b", ("a-canary", "canary-of-mine")) == "[redacted]-b"


def test_documents_of_a_stream_and_what_stands_between_them_are_edited() -> None:
    body = (
        ": canary-of-mine\n\ndata: hello canary-of-mine\n\n"
        'data: {"n": 4711471147, "a": "canary-of-mine"}\n\nid: canary-of-mine\n'
    )
    assert without(body, "canary-of-mine", "4711471147") == (
        ": [redacted]\n\ndata: hello [redacted]\n\n"
        'data: {"n": "[redacted]", "a": "[redacted]"}\n\nid: [redacted]\n'
    )


def test_a_find_across_documents_leaves_their_structure_alone() -> None:
    body = 'id: abcdefgh\ndata: {"abc": 1}\n\n'
    assert without(body, 'efgh\ndata: {"ab') == 'id: abcd[redacted]{"[redacted]c": 1}\n\n'


@pytest.mark.parametrize("body", ['{"a": [[[[[[[[1]]]]]]]]}'])
def test_structure_alone_is_no_secret(body: str) -> None:
    assert without(body, "[[[[[[[[") == body
