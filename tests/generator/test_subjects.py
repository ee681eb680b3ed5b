from __future__ import annotations

import pytest

from k3mock.generator.detection import spoken
from k3mock.generator.reading import keywords, topics
from k3mock.generator.subjects import subject_text, subjects


def about(text: str) -> tuple[str, ...]:
    heard = spoken(text)
    left = subject_text(text, heard)
    words = keywords(left, heard)
    return subjects(text, words, topics(words, text) if heard.breaks is None else words, heard)


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("Tell me about the history of green tea.", "the history of green tea"),
        ("How do I learn to play the guitar?", "learning to play the guitar"),
        ("How to make tea", "making tea"),
        ("best way to run a marathon", "running a marathon"),
        ("How can I tie a knot?", "tying a knot"),
        ("Why do cats purr at night?", "cats"),
        ("Give me three bullet points on remote work", "remote work"),
        ("Explain to me how photosynthesis works in two sentences", "photosynthesis"),
        ("What is a neural network?", "a neural network"),
        ("I want to lose weight, any advice?", "losing weight"),
        ("Summarize the plot of Romeo and Juliet in 3 sentences", "the plot of Romeo and Juliet"),
        ("Who wrote Hamlet?", "Hamlet"),
        ("Can you tell me about my homework?", "your homework"),
        ("Schreibe ein Gedicht über den Herbst", "Herbst"),
        ("Écris un poème sur la mer", "mer"),
        ("Escribe un correo sobre las vacaciones", "vacaciones"),
        ("写一首关于春天的诗", "春天"),
        ("猫について俳句を書いて", "猫"),
        ("お茶の歴史について教えてください。", "お茶の歴史"),
        ("Напиши стихи про осень", "осень"),
        ("Explain photosynthesis. Answer in German.", "photosynthesis"),
        ("Describe autumn in exactly five words.", "autumn"),
        ("Write a haiku about mountains.", "mountains"),
        ("用三点说明学习编程的方法", "学习编程"),
        ("請用繁體中文說明人工智慧的發展。", "人工智慧"),
        ("Nenne mir drei Gründe für regelmäßigen Sport.", "Sport"),
        ("Explique-moi la photosynthèse en deux phrases.", "photosynthèse"),
        ("Расскажи о космосе.", "космос"),
        ("Расскажи о фотографии", "фотография"),
        ("Расскажи о кошках", "кошки"),
        ("Расскажи о воде", "вода"),
        ("Расскажи об истории чая", "история чая"),
    ],
)
def test_the_subject_is_found(text: str, first: str) -> None:
    assert about(text)[0] == first


@pytest.mark.parametrize("text", ["", "?", "Hello", "How do I 42?", "word " * 300])
def test_a_text_without_a_subject_is_no_trouble(text: str) -> None:
    assert len(about(text)) <= 3


def test_names_are_talked_about_beside_the_subject() -> None:
    assert about("Tell me about trains. I like Norway.") == ("trains", "Norway")
    assert about("What is the best way to travel? I like Norway.") == ("traveling", "Norway")


def test_a_long_subject_is_cut() -> None:
    found = about("Tell me about all of the many things one could possibly say of tea")
    assert len(found[0].split()) <= 8
