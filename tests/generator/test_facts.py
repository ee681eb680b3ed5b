from __future__ import annotations

import pytest

from k3mock.generator.detection import spoken
from k3mock.generator.facts import asks_for_effort, known


@pytest.mark.parametrize(
    ("text", "kind", "answer"),
    [
        ("What is the capital of France?", "fact", "Paris"),
        ("capital city of the united kingdom", "fact", "London"),
        ("Capital of Peru please", "fact", "Lima"),
        ("法国的首都是哪里？", "fact", "巴黎"),
        ("请问法国的首都", "fact", "巴黎"),
        ("法國的首都是哪裡？", "fact", "巴黎"),
        ("フランスの首都はどこですか", "fact", "パリ"),
        ("Was ist die Hauptstadt von Frankreich?", "fact", "Paris"),
        ("Quelle est la capitale de l'Italie ?", "fact", "Rome"),
        ("Quelle est la capitale du Japon ?", "fact", "Tokyo"),
        ("¿Cuál es la capital de Perú?", "fact", "Lima"),
        ("Какая столица Франции?", "fact", "Париж"),
        ("What is 17*23?", "sum", "391"),
        ("7 - 10", "sum", "-3"),
        ("6 / 4", "sum", "1.5"),
        ("6 ÷ 3", "sum", "2"),
        ("2 + 2 =", "sum", "4"),
    ],
)
def test_what_is_known_is_answered(text: str, kind: str, answer: str) -> None:
    found = known(text, spoken(text))
    assert found is not None
    assert (found.kind, found.answer) == (kind, answer)


@pytest.mark.parametrize(
    "text", ["capital of Mordor", "1 / 0", "12 * (7+3)", "1 + 2 + 3", "v1.2-3", "3.5 * 2"]
)
def test_what_is_not_known_is_not_answered(text: str) -> None:
    assert known(text, spoken(text)) is None


@pytest.mark.parametrize(
    ("text", "asks"),
    [
        ("What is your thinking effort?", True),
        ("Which reasoning_effort do you have right now?", True),
        ("你当前的 thinking_effort 是什么？只输出它的值。", True),
        ("Set the thinking effort to low.", False),
        ("How much effort does thinking take?", False),
        ("Is thinking effortless?", False),
    ],
)
def test_a_question_for_the_effort_is_told_from_talk_about_it(text: str, asks: bool) -> None:
    assert asks_for_effort(text) is asks
