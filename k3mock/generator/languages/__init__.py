"""The languages that the generator speaks, as data; the first is spoken when nothing tells."""

from __future__ import annotations

from k3mock.generator.languages.chinese import CHINESE
from k3mock.generator.languages.english import ENGLISH
from k3mock.generator.languages.french import FRENCH
from k3mock.generator.languages.german import GERMAN
from k3mock.generator.languages.japanese import JAPANESE
from k3mock.generator.languages.russian import RUSSIAN
from k3mock.generator.languages.spanish import SPANISH
from k3mock.generator.languages.traditional import TRADITIONAL

LANGUAGES = (ENGLISH, CHINESE, TRADITIONAL, JAPANESE, GERMAN, FRENCH, SPANISH, RUSSIAN)
"""Known languages; of equally likely ones the earlier is taken."""

__all__ = [
    "CHINESE", "ENGLISH", "FRENCH", "GERMAN", "JAPANESE", "LANGUAGES", "RUSSIAN", "SPANISH",
    "TRADITIONAL",
]  # fmt: skip
