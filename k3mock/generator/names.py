"""Turns chance into names of people, places and firms; source layer.

Faker supplies them. It is imported when the first name is drawn, or by `Vocabularies.warm`.
"""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from faker import Faker

    from k3mock.generator.language import Language
    from k3mock.seed import Chance


_PROVIDERS = ("address", "company", "job", "lorem", "person")
"""What is drawn from; Faker has five times as many, and making a locale of all takes as long."""


class Vocabularies:
    """One Faker a locale and thread, made on first use and seeded anew for every answer.

    Long requests are answered in threads: a Faker that two of them shared would mix their names.
    """

    def __init__(self) -> None:
        self._local = threading.local()

    def faker(self, locale: str) -> Faker:
        """Return this thread's Faker of a locale."""
        fakers: dict[str, Faker] = self._local.__dict__.setdefault("fakers", {})
        known = fakers.get(locale)
        if known is None:
            from faker import Faker  # noqa: PLC0415 - late: only a generated name pays for it

            providers = [f"faker.providers.{name}" for name in _PROVIDERS]
            known = fakers[locale] = Faker(locale, providers=providers)
        return known

    def warm(self, locales: Iterable[str]) -> None:
        """Make the Fakers of some locales and draw from each once."""
        for locale in locales:
            self.faker(locale).name()

    def seeded(self, language: Language, chance: Chance) -> Names:
        """Return the names of one answer."""
        return Names(self, language, chance.getrandbits(64))


class Names:
    """Draws names for one answer; the Faker behind it is seeded by the first draw."""

    def __init__(self, vocabularies: Vocabularies, language: Language, seed: int) -> None:
        self._vocabularies = vocabularies
        self._language = language
        self._seed = seed
        self._drawing: Faker | None = None

    def _faker(self) -> Faker:
        if self._drawing is None:
            self._drawing = self._vocabularies.faker(self._language.locale)
            self._drawing.seed_instance(self._seed)
        return self._drawing

    def person(self) -> str:
        """Draw a name without titles, in the order that the language has."""
        faker = self._faker()
        if self._language.breaks is not None:
            return str(faker.name()).replace(" ", "")
        if faker.random_int(0, 1):
            return f"{faker.first_name_female()} {faker.last_name_female()}"
        return f"{faker.first_name_male()} {faker.last_name_male()}"

    def first(self) -> str:
        return self._faker().first_name()

    def company(self) -> str:
        return self._faker().company()

    def city(self) -> str:
        """Draw a city: one of the language's known places, where it has any."""
        places = self._language.places
        if places:
            return str(self._faker().random_element(places))
        return self._faker().city()

    def country(self) -> str:
        return self._faker().country()

    def word(self) -> str:
        return self._faker().word()

    def job(self) -> str:
        return self._faker().job()

    def street(self) -> str:
        return self._faker().street_address()
