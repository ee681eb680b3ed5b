from __future__ import annotations

import pytest

from k3mock.generator.comparing import compared


@pytest.mark.parametrize(
    ("text", "pair"),
    [
        ("Compare Rust and Go in a table", ("Rust", "Go")),
        ("What is the difference between a cat and a dog?", ("a cat", "a dog")),
        ("Postgres vs MySQL", ("Postgres", "MySQL")),
        ("Vergleiche Tee mit Kaffee", ("Tee", "Kaffee")),
        ("Was ist der Unterschied zwischen Tee und Kaffee?", ("Tee", "Kaffee")),
        ("Différence entre le train et l'avion", ("train", "l'avion")),
        ("Diferencia entre té y café", ("té", "café")),
        ("Сравни чай и кофе", ("чай", "кофе")),
        ("比较茶和咖啡", ("茶", "咖啡")),
        ("茶和咖啡的区别", ("茶", "咖啡")),
        ("お茶とコーヒーの違い", ("お茶", "コーヒー")),
        ("Tell me about tea", None),
        ("", None),
    ],
)
def test_what_is_compared_is_found(text: str, pair: tuple[str, str] | None) -> None:
    assert compared(text) == pair
