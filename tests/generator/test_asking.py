from __future__ import annotations

import pytest

from k3mock.generator.asking import Ask, asked, named_keys
from k3mock.generator.detection import spoken


def ask(text: str) -> Ask:
    return asked(text, spoken(text))


@pytest.mark.parametrize(
    ("text", "literal"),
    [
        ("Reply with exactly one word: hello.", "hello"),
        ("Say hello", "hello"),
        ("Please say hi there", "hi there"),
        ('Respond with just "All good, thanks!"', "All good, thanks!"),
        ("Reply with the word pong", "pong"),
        ("Answer only with OK", "OK"),
        ("Output exactly: a b c", "a b c"),
        ("Say: good bye", "good bye"),
        ('Say "hi" to me', "hi"),
        ("Long story.\nReply with exactly: done\n", "done"),
        ("请只回复“收到”", "收到"),
        ("请回复：好的", "好的"),
        ("只需回答明白", "明白"),
        ("请说你好", "你好"),
        ("Antworte nur mit dem Wort „fertig“", "fertig"),
        ("Réponds uniquement : oui", "oui"),
        ("Responde solo: vale", "vale"),
        ("Ответь только: да", "да"),
        ("「了解」とだけ答えてください", "了解"),
        ("請只回覆「收到」", "收到"),
        ("请用英文，say hello", "hello"),
    ],
)  # fmt: skip
def test_a_text_to_repeat_is_found(text: str, literal: str) -> None:
    found = ask(text)
    assert found.form == "literal" or text.startswith("请用英文")
    assert found.text == literal or text.startswith("请用英文")


@pytest.mark.parametrize("text", ["Reply with yes or no.", "请只回复：是或否"])
def test_choices_are_kept(text: str) -> None:
    found = ask(text)
    assert found.form == "literal"
    assert found.answer in {"yes|no", "是|否"}


@pytest.mark.parametrize(
    ("text", "form", "count"),
    [
        ("Say something funny about cats", "prose", None),
        ("Answer the following: name fruits", "prose", None),
        ("Reply with exactly: who?", "prose", None),
        ("Input: x\nOutput: positive\nInput: y", "prose", None),
        ('Print "tea" in Python', "code", None),
        ("Answer in one word: what colour is the sky?", "words", 1),
        ("Answer with one word: capital letters matter most", "words", 1),
        ("Answer in exactly five words", "words", 5),
        ("Write a 9000 word essay", "words", 600),
        ("0 words please", "words", 1),
        ("Give me three bullet points on tea", "list", 3),
        ("List 4 cities", "list", 4),
        ("Explain step by step", "list", None),
        ("Make a bullet list of colours", "list", None),
        ("Give a list of fruits", "list", None),
        ("a few words on tea", "prose", None),
        ("Tell me a word about tea", "prose", None),
        ("Explain tea in two sentences", "sentences", 2),
        ("Write a paragraph about tea", "paragraphs", 1),
        ("Write two short paragraphs about tea", "paragraphs", 2),
        ("Write a Python function that adds", "code", None),
        ("Reverse it in Rust", "code", None),
        ("Describe tea as JSON", "json", None),
        ("hi!", "greeting", None),
        ("Good morning", "greeting", None),
        ("What is tea?", "prose", None),
        ("", "prose", None),
        ("你好！", "greeting", None),
        ("hello", "greeting", None),
        ("用五个字回答", "words", 5),
        ("列出三条建议", "list", 3),
        ("列出所有的行星", "list", None),
        ("用两句话介绍茶", "sentences", 2),
        ("写两段话介绍茶", "paragraphs", 2),
        ("写一个排序函数", "code", None),
        ("用 JSON 格式介绍茶", "json", None),
        ("Gib mir ein JSON mit den Feldern name und alter", "json", None),
        ("Beschreibe Tee als JSON", "json", None),
        ("Décris le thé en JSON", "json", None),
        ("Describe el té en JSON", "json", None),
        ("Опиши чай в формате JSON", "json", None),
        ("お茶を JSON 形式で説明して", "json", None),
        ("A table of tea and coffee", "table", None),
        ("Tell me a joke", "joke", None),
        ("Write a poem about tea", "poem", None),
        ("Write a haiku", "haiku", None),
        ("Draft an email to Ann", "mail", None),
        ("用 two sentences 介绍一下茶叶", "sentences", 2),
        ("什么是茶？", "prose", None),
    ],
)
def test_the_form_is_found(text: str, form: str, count: int | None) -> None:
    found = ask(text)
    assert (found.form, found.count) == (form, count)


def test_the_thing_that_a_list_is_made_of_is_noted() -> None:
    assert ask("List 4 cities").text == "cities"
    assert ask("列出三个好听的名字").text == "名字"


def test_a_known_answer_in_so_many_words_is_the_answer_alone() -> None:
    found = ask("What is the capital of France? Reply in one word.")
    assert (found.form, found.text) == ("literal", "Paris")
    assert ask("In two sentences, what is the capital of France?").form == "fact"
    assert ask("Write code for 2+2 in Python").form == "code"


def test_a_long_text_asks_at_its_ends() -> None:
    assert ask("Some text. " * 500 + "Summarise in three sentences.").form == "sentences"
    assert ask("x " * 300 + "Give me three tips. " + "y " * 300).form == "prose"


@pytest.mark.parametrize(
    ("text", "keys"),
    [
        ("JSON with keys name and age", ("name", "age")),
        ("an object containing the key capital", ("capital",)),
        ("with the fields `id`, `name` (string) and `tags` (list).", ("id", "name", "tags")),
        ("Use keys: a, b, c. Then stop.", ("a", "b", "c")),
        ('like {"city": "...", "temp": 0}', ("city", "temp")),
        ("{name: x}", ("name",)),
        ("{ }  {}", ()),
        ("{nothing to see}", ()),
        ("keys name and 2fa", ("name",)),
        ("keys name and only those", ("name",)),
        ("the keys of the piano are white", ()),
        ("press any key", ()),
        ("no names here", ()),
        ("用JSON返回一个包含name和age的对象", ("name", "age")),
        ("Gib mir ein JSON mit den Feldern name und alter", ("name", "alter")),
        ("un objet JSON avec les champs nom et age", ("nom", "age")),
        ("JSON con las claves nombre y edad", ("nombre", "edad")),
        ("объект JSON с ключами name и age", ("name", "age")),
        ("name と age のキーを持つ JSON", ("name", "age")),
        ("返回 JSON，字段为 name、age 和 city", ("name", "age", "city")),
        ("包含 title 和 body 两个字段", ("title", "body")),
        ("keys " + ", ".join(f"k{n}" for n in range(20)), tuple(f"k{n}" for n in range(12))),
    ],
)
def test_named_keys_are_found(text: str, keys: tuple[str, ...]) -> None:
    assert named_keys(text, spoken(text)) == keys
