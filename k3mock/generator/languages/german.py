"""Turns German into data for the generator; source layer."""

from __future__ import annotations

import re

from k3mock.generator.language import Language
from k3mock.generator.languages.german_phrases import EXACT, HAIKU, PHRASES
from k3mock.generator.languages.wording import Wording, asks_of
from k3mock.generator.phrases import vocabulary

_NUMBERS = {
    "einen": 1, "einem": 1, "einer": 1, "eine": 1, "ein": 1, "zwei": 2, "drei": 3, "vier": 4,
    "fünf": 5, "sechs": 6, "sieben": 7, "acht": 8, "neun": 9, "zehn": 10, "zwölf": 12,
    "zwanzig": 20,
}  # fmt: skip

_STOP = vocabulary(
    "frage fragen antwort wort wörter worten satz sätze sätzen absatz absätze absätzen liste "
    "tabelle "
    "beispiel bitte danke thema punkte punkt stichpunkte tipps hallo funktion code programm skript "
    "mich dir mir was wie warum wer wo wann welche erkläre erklär nenne schreibe schreib zeige gib "
    "beschreibe vergleiche sag sage antworte hilf liste erzähl erzähle python javascript java rust "
    "json gedicht haiku witz geschichte e-mail mail gründe gründen ideen fakten ich du er "
    "sie es der die das den dem des ein eine einen kannst könntest was ist sind gibt schritt "
    "schritte "
    "felder feld schlüssel objekt form format lies such suche finde rechne übersetze fasse stelle "
    "woraus wozu weshalb wieso welcher welches wenn dann danach zuerst und oder aber mit ohne für"
)

_CAPITALS = {
    "frankreich": "Paris", "deutschland": "Berlin", "italien": "Rom", "spanien": "Madrid",
    "japan": "Tokio", "china": "Peking", "türkei": "Ankara", "kanada": "Ottawa",
    "österreich": "Wien", "schweiz": "Bern", "polen": "Warschau", "norwegen": "Oslo",
    "schweden": "Stockholm", "portugal": "Lissabon", "griechenland": "Athen", "russland": "Moskau",
}  # fmt: skip

_ASKS = asks_of(
    Wording(
        numbers=_NUMBERS,
        say="antworte|antworten sie|sag|sage|schreib|schreibe|gib|wiederhole",
        only="nur|genau|einfach|ausschließlich|lediglich",
        write="schreib|schreibe|schreiben sie|erstelle|verfasse|programmiere|gib mir|zeig mir|"
        "implementiere|entwickle|formuliere|generiere",
        conjunction="und",
        between="zwischen",
        to="und|bis",
        under="höchstens|maximal|weniger als|unter|bis zu",
        greeting="hallo|hi|guten (?:morgen|tag|abend)|moin|servus|grüß gott",
        things="stichpunkten?|punkten?|tipps|gründen?|beispielen?|schritten?|ideen|fakten|namen|"
        "vorschlägen?|vorteilen?|nachteilen?|fragen|städten?|länder|ländern|firmen|regeln|titeln?|"
        "wege|möglichkeiten|bücher|filme|farben|tieren?|personen|früchte|obstsorten",
        listing="liste|aufzählung|stichpunkten?|auflistung",
        numbered="nummerierten? liste|nummeriert|schritte?n?|schritt für schritt",
        word="wörter[n]?|worten?|wort",
        sentence="sätze[n]?|satz",
        paragraph="absätze[n]?|absatz",
        table="tabelle|tabellarisch",
        haiku="haikus?",
        poem="gedicht|verse|reim",
        story="(?:kurz)?geschichte (?:über|von)|märchen|kurzgeschichte|erzählung",
        joke="witz",
        mail="e-?mail|mail|brief",
        code="funktion|skript|programm|klasse|code|abfrage|methode|algorithmus|regex|seite",
        keys="schlüsseln?|feldern?|felder|keys?|eigenschaften",
        how="wie (?:kann|mache?|lerne?|baue?|schreibe?|koche?|richte?|löse?|erstelle?|verbessere?|"
        "fange?|bekomme?|lässt|werde?)|anleitung",
        why="warum|wieso|weshalb",
        compare="vergleiche?n?|unterschied(?:e)?|gegenüber|oder lieber",
    )
)

GERMAN = Language(
    code="de",
    locale="de_DE",
    script=re.compile(r"[A-Za-zÀ-ÖØ-öø-ÿ]{1,60}"),
    weight=1.0,
    marks=vocabulary(
        "der die das den dem des und ist sind ein eine einen einem einer für mit wie was nicht "
        "bitte "
        "auf von zu im ich du sie wir mir dir mich über warum welche kann kannst wird werden auch "
        "aus bei nach oder wenn dass nenne erkläre erklär schreibe schreib gib antworte hallo "
        "danke "
        "beschreibe vergleiche als zum zur am hat gibt keine mein meine dein ihr guten tag morgen "
        "wer wo heute zwei drei vier fünf sätzen wörtern ä ö ü ß"
    ),
    word=re.compile(r"(?<!\w)[A-ZÄÖÜ][\wäöüß-]{1,39}(?!\w)"),
    nouns=True,
    gap=" ",
    comma=", ",
    last=" und ",
    ends=".!?",
    stop=_STOP,
    phrases=PHRASES,
    exact=EXACT,
    haiku=HAIKU,
    asks=_ASKS,
    numbers=_NUMBERS,
    facts={
        "capital": _CAPITALS,
        "word": {
            "fact": "Die Hauptstadt von {of} ist {it}.",
            "sum": "{of} = {it}.",
            "form_json": "ein JSON-Objekt",
            "form_code": "Code",
            "form_list": "eine Liste",
            "form_table": "eine Tabelle",
            "form_words": "eine feste Zahl von Wörtern",
            "form_literal": "ein genau vorgegebener Text",
            "form_sentences": "eine feste Zahl von Sätzen",
            "form_paragraphs": "mehrere Absätze",
            "form_sum": "das Ergebnis einer Rechnung",
            "form_haiku": "ein Haiku",
            "form_poem": "ein Gedicht",
            "form_story": "eine kurze Geschichte",
            "form_joke": "ein Witz",
            "form_mail": "eine E-Mail",
            "image": "ein Bild", "images": "{n} Bilder", "video": "ein Video",
            "videos": "{n} Videos",
            "sized": "{what} ({sizes})", "pixels": "{size} Pixel",
            "the": "dem Werkzeug", "is": "{key} ist {value}",
            "one": "Ja", "no_values": "es braucht keine", "topic": "Geduld",
            "aspect": "Aspekt", "country": "Land", "capital_of": "Hauptstadt",
            "note": "Einschätzung",
        },
    },
    aspects=(
        ("Aufwand", ("gering", "mittel", "hoch")),
        ("Kosten", ("niedrig", "überschaubar", "hoch")),
        ("Lernkurve", ("flach", "mäßig", "steil")),
        ("Flexibilität", ("begrenzt", "gut", "sehr gut")),
        ("Wartung", ("einfach", "regelmäßig nötig", "aufwendig")),
        ("Geeignet für", ("den Einstieg", "den Alltag", "große Vorhaben")),
        ("Risiko", ("klein", "kalkulierbar", "spürbar")),
    ),
    place=re.compile(
        r"\b(?:in|nach|aus|von|bei|für|um)\s+(?:der\s+|den\s+)?([A-ZÄÖÜ][\wäöüß-]{1,30}"
        r"(?:\s(?:am|an der)\s[A-ZÄÖÜ]\w{2,20})?)"
    ),
    places=(
        "Berlin", "Hamburg", "München", "Köln", "Frankfurt", "Stuttgart", "Leipzig", "Dresden",
        "Bremen", "Hannover", "Wien", "Zürich", "Bern", "Graz", "Basel", "Salzburg", "Bonn",
        "Mainz",
        "Nürnberg", "Freiburg", "Paris", "London", "Rom", "Madrid", "Oslo", "Prag", "Warschau",
    ),
    items={
        "farben": "colour", "tiere": "animal", "tieren": "animal", "früchte": "fruit",
        "obstsorten": "fruit",
        "namen": "person", "personen": "person", "städte": "city", "städten": "city",
           "länder": "country", "ländern": "country", "firmen": "company"},
    things={
        "fruit": (
            "Apfel", "Birne", "Banane", "Orange", "Mango", "Kirsche", "Pflaume", "Traube",
            "Pfirsich", "Kiwi",
        ),
        "animal": (
            "Fuchs", "Otter", "Eule", "Igel", "Delfin", "Pferd", "Dachs", "Falke", "Schildkröte",
            "Luchs",
        ),
        "colour": (
            "Blau", "Grün", "Rot", "Gelb", "Orange", "Violett", "Türkis", "Braun", "Grau", "Rosa",
        ),
    },
    glosses={
        "wetter": "weather", "temperatur": "weather", "regnet": "weather", "regen": "weather",
        "suche": "search", "such": "search", "finde": "search", "rechne": "calculate",
        "berechne": "calculate", "uhrzeit": "time", "spät": "time", "aktie": "stock",
        "übersetze": "translate", "datei": "file", "dateien": "file", "lies": "read",
        "termin": "event",
        "flug": "flight", "nachrichten": "news", "karte": "map", "schicke": "send", "sende": "send",
        "lösche": "delete", "erstelle": "create", "bestellung": "order", "preis": "price",
        "verzeichnis": "directory", "schreibe": "write", "öffne": "open",
    },
    not_places=vocabulary(
        "ich du wie was wer wo wann warum welche nenne erkläre schreibe gib antworte lies suche "
        "montag dienstag mittwoch donnerstag freitag samstag sonntag januar februar märz april mai "
        "juni juli august september oktober november dezember wetter datei json python der die das "
        "deutsch englisch euro celsius uhr herr frau hallo bitte danke"
    ),
)  # fmt: skip
