from __future__ import annotations

import ast
import shutil
import subprocess

import pytest

from k3mock.generator.programs import PROGRAMS, TASKS, WORDINGS

CODES = [
    pytest.param(language, code, id=f"{task}-{language}")
    for task, programs in PROGRAMS.items()
    for language, code in programs.items()
]


def test_every_task_has_programs() -> None:
    assert [name for name, _ in TASKS] == list(PROGRAMS)
    for programs in PROGRAMS.values():
        assert {"python", "javascript", "typescript", "go", "rust", "java", "c"} <= programs.keys()


@pytest.mark.parametrize(("language", "code"), CODES)
def test_programs_look_whole(language: str, code: str) -> None:
    for opening, closing in ("()", "{}"):
        assert code.count(opening) == code.count(closing)
    if language == "python":
        ast.parse(code)


@pytest.mark.skipif(shutil.which("bash") is None, reason="needs bash")
@pytest.mark.parametrize("code", [each["bash"] for each in PROGRAMS.values() if "bash" in each])
def test_shell_scripts_can_be_read(code: str) -> None:
    assert subprocess.run(["bash", "-n"], input=code.encode(), check=False).returncode == 0


@pytest.mark.parametrize(
    ("text", "task"),
    [
        ("reverse a list", "reverse"), ("Zeichenkette umkehren", "reverse"), ("反转字符串",
            "reverse"),
        ("a palindrome", "palindrome"), ("числа Фибоначчи", "fibonacci"), ("階乗", "factorial"),
        ("nombres premiers", "prime"), ("ordenar una lista", "sort"), ("addiere zwei Zahlen",
            "add"),
    ],
)  # fmt: skip
def test_tasks_are_recognised_in_every_language(text: str, task: str) -> None:
    assert next(name for name, wording in WORDINGS if wording.search(text)) == task
