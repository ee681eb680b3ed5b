from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from k3mock.generator.detection import spoken, wished, without_wishes
from k3mock.generator.languages import (
    CHINESE,
    ENGLISH,
    FRENCH,
    GERMAN,
    JAPANESE,
    RUSSIAN,
    SPANISH,
    TRADITIONAL,
)

if TYPE_CHECKING:
    from k3mock.generator.language import Language


@pytest.mark.parametrize(
    ("texts", "language"),
    [
        (["Hello there"], ENGLISH),
        (["What is a die and what is a des?"], ENGLISH),
        (["How do I make a café au lait?"], ENGLISH),
        (["2 + 2"], ENGLISH),
        (["你好"], CHINESE),
        (["用 Python 写一个 quicksort 函数"], CHINESE),
        (["Translate 你好 into English"], ENGLISH),
        (["看看这段代码：```\nfor x in range(10): print(x, y, z)\n```"], CHINESE),
        (["看 https://example.org/a-long-path-of-many-words"], CHINESE),
        (["42", "请用中文回答"], CHINESE),
        (["42", ""], ENGLISH),
        (["請說明人工智慧的發展"], TRADITIONAL),
        (["這個檔案裡有什麼？"], TRADITIONAL),
        (["日本の首都はどこですか"], JAPANESE),
        (["東京都庁の電話番号"], JAPANESE),
        (["カタカナ"], JAPANESE),
        (["Wie funktioniert eine Wärmepumpe?"], GERMAN),
        (["Nenne mir drei Städte in Italien"], GERMAN),
        (["Hallo"], GERMAN),
        (["Comment fonctionne une pompe à chaleur ?"], FRENCH),
        (["Bonjour"], FRENCH),
        (["¿Cómo funciona una bomba de calor?"], SPANISH),
        (["Dame tres consejos para dormir mejor"], SPANISH),
        (["Как работает тепловой насос?"], RUSSIAN),
        (["Привет, world"], RUSSIAN),
    ],
)  # fmt: skip
def test_the_language_is_chosen_by_script_and_common_words(
    texts: list[str], language: Language
) -> None:
    assert spoken(*texts).code == language.code


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("Explain tea. Answer in German.", GERMAN),
        ("Answer in French, please: what is tea?", FRENCH),
        ("Was ist Tee? Antworte auf Englisch.", ENGLISH),
        ("Qu'est-ce que le thé ? Réponds en espagnol.", SPANISH),
        ("¿Qué es el té? Responde en inglés.", ENGLISH),
        ("Что такое чай? Ответь по-английски.", ENGLISH),
        ("Was ist Tee? Antworte auf Russisch.", RUSSIAN),
        ("Explain tea in traditional Chinese.", TRADITIONAL),
        ("Explain tea in Chinese.", CHINESE),
        ("用英文介绍一下茶", ENGLISH),
        ("请用繁体中文介绍一下茶", TRADITIONAL),
        ("日本語で答えて: what is tea?", JAPANESE),
        ("Translate 'tea' into Japanese.", JAPANESE),
        ("What happened in German history?", None),
        ("Tell me about French cuisine", None),
        ("Explain tea in Klingon.", None),
    ],
)
def test_a_wish_for_a_language_is_heard(text: str, language: Language | None) -> None:
    found = wished(text)
    assert (found.code if found else None) == (language.code if language else None)


def test_the_first_text_with_a_wish_decides_and_the_last_wish_in_it() -> None:
    assert wished("Say it in German.", "Always answer in French.") is GERMAN
    assert wished("What is tea?", "Always answer in French.") is FRENCH
    assert wished("Not in German. " + "x " * 900 + "In Spanish.") is SPANISH


def test_a_wish_is_no_part_of_the_topic() -> None:
    assert without_wishes("Explain tea. Answer in German.").split() == ["Explain", "tea.", "."]
    assert "繁體" not in without_wishes("請用繁體中文說明茶")
