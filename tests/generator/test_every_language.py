"""The promises about form and length, in every language and over many prompts."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from k3mock.generator.assembly import LIMITS
from k3mock.generator.detection import spoken
from k3mock.generator.reasoning import LIMITS as THINKING
from k3mock.generator.source import GeneratorSource
from k3mock.seed import Seed

if TYPE_CHECKING:
    from collections.abc import Callable

    from k3mock.protocol.request import ChatRequest
    from k3mock.text.counter import TokenCounter

PLAIN = {
    "en": ("Tell me about the sea", "How do I bake bread?", "Why do birds sing?", "hm"),
    "zh": ("请介绍一下大海", "怎么烤面包？", "鸟为什么会唱歌？", "嗯这"),
    "zh-Hant": ("請介紹一下大海", "怎麼烤麵包？", "鳥為什麼會唱歌？", "這"),
    "ja": ("海について教えてください", "パンの焼き方は？", "鳥はなぜ鳴くのですか", "うん"),
    "de": ("Erzähl mir etwas über das Meer", "Wie backe ich Brot?", "Warum singen Vögel?", "ich"),
    "fr": (
        "Parle-moi de la mer",
        "Comment faire du pain ?",
        "Pourquoi les oiseaux chantent ?",
        "oui et",
    ),
    "es": ("Háblame del mar", "¿Cómo puedo hacer pan?", "¿Por qué cantan los pájaros?", "¿y?"),
    "ru": ("Расскажи о море", "Как сделать хлеб?", "Почему поют птицы?", "ну"),
}
COUNTED = [
    ("en", "Describe tea in exactly five words", "words", 5),
    ("zh", "用五个字形容茶", "letters", 5),
    ("zh-Hant", "請用五個字形容這杯茶", "letters", 5),
    ("ja", "お茶を5文字で説明して", "letters", 5),
    ("de", "Beschreibe Tee mit genau fünf Wörtern", "words", 5),
    ("fr", "Décris le thé en cinq mots", "words", 5),
    ("es", "Describe el té con cinco palabras", "words", 5),
    ("ru", "Опиши чай пятью словами", "words", 5),
    ("en", "Give me four tips for sleeping better", "items", 4),
    ("zh", "给我四条关于睡眠的建议", "items", 4),
    ("zh-Hant", "請給我四個關於睡眠的建議", "items", 4),
    ("ja", "よく眠るためのコツを四つ教えて", "items", 4),
    ("de", "Gib mir vier Tipps für besseren Schlaf", "items", 4),
    ("fr", "Donne-moi quatre conseils pour mieux dormir", "items", 4),
    ("es", "Dame cuatro consejos para dormir mejor", "items", 4),
    ("ru", "Дай четыре совета для хорошего сна", "items", 4),
    ("en", "Explain rain in two sentences", "sentences", 2),
    ("zh", "用两句话解释下雨", "sentences", 2),
    ("zh-Hant", "請用兩句話說明為什麼會下雨", "sentences", 2),
    ("ja", "雨を二つの文で説明してください", "sentences", 2),
    ("de", "Erkläre Regen in zwei Sätzen", "sentences", 2),
    ("fr", "Explique la pluie en deux phrases", "sentences", 2),
    ("es", "Explica la lluvia en dos frases", "sentences", 2),
    ("ru", "Объясни дождь двумя предложениями", "sentences", 2),
    ("en", "Write a haiku about rain", "lines", 3),
    ("zh", "写一首关于雨的俳句", "lines", 3),
    ("zh-Hant", "請寫一首關於雨的俳句", "lines", 3),
    ("ja", "雨の俳句を書いて", "lines", 3),
    ("de", "Schreibe ein Haiku über den Regen", "lines", 3),
    ("fr", "Écris un haïku sur la pluie", "lines", 3),
    ("es", "Escribe un haiku sobre la lluvia", "lines", 3),
    ("ru", "Напиши хайку про дождь", "lines", 3),
    ("en", "one word: best season?", "words", 1),
    ("de", "Beste Jahreszeit? Antworte mit einem Wort.", "words", 1),
    ("fr", "Meilleure saison ? Réponds en un mot.", "words", 1),
    ("es", "¿Mejor estación? Responde en una palabra.", "words", 1),
    ("ru", "Лучшее время года? Ответь одним словом.", "words", 1),
    ("en", "Describe tea in under 20 words", "words", 16),
    ("en", "Describe tea in between 10 and 20 words", "words", 15),
]
TABLES = {
    "en": "Compare tea and coffee in a table",
    "zh": "用表格比较茶和咖啡",
    "zh-Hant": "請用表格比較這兩種飲料：茶和咖啡",
    "ja": "お茶とコーヒーの違いを表で説明して",
    "de": "Vergleiche Tee und Kaffee in einer Tabelle",
    "fr": "Compare le thé et le café dans un tableau",
    "es": "Compara el té y el café en una tabla",
    "ru": "Сравни чай и кофе в таблице",
}
NUMBERED = {
    "en": "Explain step by step how to make tea",
    "zh": "分步骤说明怎么泡茶，列出步骤",
    "de": "Erkläre in einer nummerierten Liste, wie man Tee kocht",
    "fr": "Fais une liste numérotée pour préparer du thé",
    "es": "Escribe una lista numerada para hacer té",
    "ru": "Составь нумерованный список, как заварить чай",
    "ja": "お茶の入れ方を番号付きリストで教えて",
}
CODE = {
    "de": ("Schreibe eine Python-Funktion, die eine Zahl auf Primzahl prüft", "python"),
    "fr": ("Écris une fonction Rust qui inverse une chaîne", "rust"),
    "es": ("Escribe una función en JavaScript que ordena una lista", "javascript"),
    "ru": ("Напиши функцию на Go, которая считает факториал", "go"),
    "ja": ("Python でフィボナッチ関数を書いてください", "python"),
    "zh": ("用 Java 写一个排序函数", "java"),
    "zh-Hant": ("請用 TypeScript 寫一個反轉字串的函式", "typescript"),
}


@pytest.fixture(scope="module")
def say(chat: Callable[..., ChatRequest], counter: TokenCounter) -> Callable[..., tuple[str, str]]:
    """Return (reasoning, content) for a prompt."""
    source = GeneratorSource(Seed(value=9), counter)

    def answer(text: str, effort: str = "low", seed: int = 9) -> tuple[str, str]:
        reply = source.reply(chat(text, effort=effort), Seed(value=seed))
        return reply.reasoning, reply.content

    return answer


@pytest.mark.parametrize("effort", THINKING)
@pytest.mark.parametrize("code", PLAIN)
def test_lengths_stay_in_range_and_the_language_is_kept(
    code: str, effort: str, say: Callable[..., tuple[str, str]], counter: TokenCounter
) -> None:
    for text in PLAIN[code]:
        for seed in range(6):
            reasoning, content = say(text, effort, seed)
            assert THINKING[effort][0] <= counter.count(reasoning) <= THINKING[effort][1]
            assert LIMITS[0] <= counter.count(content) <= LIMITS[1]
            assert spoken(reasoning).code == code, reasoning
            assert spoken(content).code == code, content
            assert "{" not in reasoning + content


@pytest.mark.parametrize("effort", ["low", "high"])
def test_thoughts_grow_with_effort(
    effort: str, say: Callable[..., tuple[str, str]], counter: TokenCounter
) -> None:
    more = {"low": "high", "high": "max"}[effort]
    texts = [text for each in PLAIN.values() for text in each]
    spent = {
        each: sum(counter.count(say(text, each)[0]) for text in texts) for each in (effort, more)
    }
    assert spent[more] > 1.4 * spent[effort]


@pytest.mark.parametrize(
    ("code", "text", "unit", "count"),
    COUNTED,
    ids=[f"{row[0]}-{row[2]}-{row[3]}" for row in COUNTED],
)
def test_counts_are_exact(
    code: str, text: str, unit: str, count: int, say: Callable[..., tuple[str, str]]
) -> None:
    assert spoken(text).code == code
    for seed in range(8):
        content = say(text, "low", seed)[1]
        match unit:
            case "words":
                found = len(content.split())
            case "letters":
                found = len(re.findall(r"\w", content))
            case "sentences":
                found = len(re.findall(r"[.!?。！？](?=\s|$|[^\s.」”])", content))
            case "items":
                found = len([line for line in content.splitlines() if line.startswith("- ")])
            case _:
                found = len(content.splitlines())
        assert found == count, content


@pytest.mark.parametrize("code", TABLES)
def test_a_comparison_in_a_table_has_both_things_as_columns(
    code: str, say: Callable[..., tuple[str, str]]
) -> None:
    lines = say(TABLES[code])[1].splitlines()
    assert lines[1] == "| --- | --- | --- |"
    assert len(lines) == 6
    assert spoken(TABLES[code]).code == code


@pytest.mark.parametrize("code", NUMBERED)
def test_steps_are_numbered(code: str, say: Callable[..., tuple[str, str]]) -> None:
    content = say(NUMBERED[code])[1]
    assert re.search(r"^1\. .+\n2\. .+\n3\. ", content, re.MULTILINE), content


@pytest.mark.parametrize("code", CODE)
def test_code_is_fenced_in_the_named_language(
    code: str, say: Callable[..., tuple[str, str]]
) -> None:
    text, language = CODE[code]
    content = say(text)[1]
    assert content.startswith(f"```{language}\n")
    assert content.count("```") == 2


@pytest.mark.parametrize(
    "text", ["Tell me a joke", "Write a poem about rain", "Tell me a short story about a fox",
             "Write an email to my boss about holidays", "Erzähl einen Witz", "讲个笑话",
             "Raconte une blague",
             "冗談を言って", "Cuéntame un chiste", "Расскажи анекдот", "Напиши письмо о встрече",
             "講個笑話"]
)  # fmt: skip
def test_other_forms_have_a_usual_length(
    text: str, say: Callable[..., tuple[str, str]], counter: TokenCounter
) -> None:
    for seed in range(6):
        assert LIMITS[0] <= counter.count(say(text, "low", seed)[1]) <= LIMITS[1]


def test_a_story_of_so_many_sentences_has_as_many(say: Callable[..., tuple[str, str]]) -> None:
    content = say("Write a story about a fox in three sentences")[1]
    assert content.count(". ") + content.count('." ') >= 1
    assert len(re.findall(r"[.!?](?:\"?)(?:\s|$)", content)) == 3
