from __future__ import annotations

import dataclasses
import subprocess
import sys
import threading
from typing import TYPE_CHECKING

import faker
import pytest

from k3mock.generator.languages import LANGUAGES
from k3mock.generator.languages.chinese import CHINESE
from k3mock.generator.languages.english import ENGLISH
from k3mock.generator.names import Vocabularies
from k3mock.seed import Seed

if TYPE_CHECKING:
    from k3mock.generator.language import Language


def _names(vocabularies: Vocabularies, seed: int) -> list[str]:
    names = vocabularies.seeded(ENGLISH, Seed(value=seed).chance(b"x"))
    return [
        names.person(), names.first(), names.company(), names.city(), names.country(),
        names.word(), names.job(), names.street(),
    ]  # fmt: skip


def test_the_same_chance_gives_the_same_names() -> None:
    vocabularies = Vocabularies()
    first = _names(vocabularies, 1)
    assert all(first)
    assert _names(vocabularies, 2) != first
    assert _names(Vocabularies(), 1) == first


@pytest.mark.parametrize("language", LANGUAGES, ids=lambda language: language.locale)
def test_names_are_those_of_a_whole_faker(language: Language) -> None:
    """Only the parts that are drawn from are loaded; none of the others has a say."""
    names = Vocabularies().seeded(language, Seed(value=1).chance(b"x"))
    drawn = [names.person(), names.company(), names.word(), names.job(), names.street()]
    whole = Vocabularies().seeded(language, Seed(value=1).chance(b"x"))
    whole._drawing = faker.Faker(language.locale)
    whole._drawing.seed_instance(whole._seed)
    assert drawn == [
        whole.person(), whole.company(), whole.word(), whole.job(), whole.street()
    ]  # fmt: skip


def test_cities_are_real_ones() -> None:
    names = Vocabularies().seeded(CHINESE, Seed(value=1).chance(b"x"))
    assert names.city() in CHINESE.places


def test_a_language_without_places_has_drawn_cities() -> None:
    language = dataclasses.replace(ENGLISH, places=())
    assert Vocabularies().seeded(language, Seed(value=1).chance(b"x")).city()


def test_one_faker_is_kept_for_each_locale() -> None:
    vocabularies = Vocabularies()
    vocabularies.warm(["en_US"])
    assert vocabularies.faker("en_US") is vocabularies.faker("en_US")


@pytest.mark.parametrize("heavy", ["faker", "jsonschema"])
def test_importing_the_generator_imports_nothing_heavy(heavy: str) -> None:
    code = f"import sys, k3mock.generator.source; sys.exit({heavy!r} in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_answers_in_two_threads_do_not_mix_their_names() -> None:
    vocabularies = Vocabularies()
    fakers = [vocabularies.faker("en_US")]
    other = threading.Thread(target=lambda: fakers.append(vocabularies.faker("en_US")))
    other.start()
    other.join()
    assert fakers[0] is vocabularies.faker("en_US")
    assert fakers[0] is not fakers[1]
