from __future__ import annotations

import pytest

from k3mock.generator.steps import MOST_STEPS, parts_of, steps_of


@pytest.mark.parametrize(
    ("text", "steps"),
    [
        ("Read a.txt", ["Read a.txt"]),
        ("List the files, then read a.txt", ["List the files", "read a.txt"]),
        ("List them and then read a.txt. Finally stop.", ["List them", "read a.txt.", "stop."]),
        ("1. Read a.txt\n2. Read b.txt", ["Read a.txt", "Read b.txt"]),
        ("先列出文件，然后读取 a.txt", ["先列出文件", "读取 a.txt"]),
        ("天気を調べて、それからメールを送って", ["天気を調べて", "メールを送って"]),
        ("Lies a.txt, dann lies b.txt", ["Lies a.txt", "lies b.txt"]),
        ("Lis a.txt, puis b.txt", ["Lis a.txt", "b.txt"]),
        ("Lee a.txt y luego b.txt", ["Lee a.txt", "b.txt"]),
        ("Прочитай a.txt, затем b.txt", ["Прочитай a.txt", "b.txt"]),
        ("", []),
    ],
)
def test_steps_are_told_apart(text: str, steps: list[str]) -> None:
    assert steps_of(text) == steps


def test_long_texts_are_one_step_and_steps_are_limited() -> None:
    assert len(steps_of("Read it. " * 1_000)) == 1
    assert len(steps_of("Read it.\n" * 100)) == MOST_STEPS


def test_parts_are_told_apart() -> None:
    assert parts_of("the weather in Paris, Rome and Oslo") == [
        "the weather in Paris",
        "Rome",
        "Oslo",
    ]
    assert parts_of("北京、上海") == []
    assert parts_of("北京的天气、上海的时间") == ["北京的天气", "上海的时间"]
