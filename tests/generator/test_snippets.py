from __future__ import annotations

import ast

import pytest

from k3mock.generator.snippets import programming_language, snippet


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("in TypeScript", "typescript"),
        ("a Node.js script", "javascript"),
        ("an SQL query", "sql"),
        ("a bash script", "bash"),
        ("golang", "go"),
        ("Rust please", "rust"),
        ("java class", "java"),
        ("C++ program", "cpp"),
        ("in C please", "c"),
        ("a docker-compose file", "yaml"),
        ("some html", "html"),
        ("whatever", "python"),
    ],
)
def test_the_language_is_named_by_the_text(text: str, language: str) -> None:
    assert programming_language(text) == language
    named, code = snippet(text, ("green", "tea"))
    assert named == language
    assert "NAME" not in code
    assert "WORD" not in code
    assert "OTHER" not in code


@pytest.mark.parametrize(
    ("text", "printed"),
    [
        ("reverse a string", "olleh"),
        ("check a palindrome", "True"),
        ("fibonacci numbers", "55"),
        ("factorial", "120"),
        ("is it a prime", "True"),
        ("sort a list", "[1, 2, 3]"),
        ("add two numbers", "5"),
        ("count things", "{'things': 2, 'sample': 1}"),
    ],
)
def test_python_code_runs(text: str, printed: str, capsys: pytest.CaptureFixture[str]) -> None:
    _, code = snippet(text, tuple(text.split()[-1:]))
    ast.parse(code)
    exec(code, {})  # noqa: S102 - our own snippet
    assert capsys.readouterr().out.strip() == printed


@pytest.mark.parametrize("keywords", [(), ("function",), ("class",), ("茶",), ("import", "for")])
def test_names_are_always_identifiers(keywords: tuple[str, ...]) -> None:
    ast.parse(snippet("python", keywords)[1])


def test_other_languages_write_names_their_way() -> None:
    assert "function greenTea(" in snippet("javascript", ("green", "tea"))[1]
    assert "fn green_tea(" in snippet("rust", ("green", "tea"))[1]
