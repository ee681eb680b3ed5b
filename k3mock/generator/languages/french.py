"""Turns French into data for the generator; source layer."""

from __future__ import annotations

import re

from k3mock.generator.language import Language
from k3mock.generator.languages.french_phrases import EXACT, HAIKU, PHRASES
from k3mock.generator.languages.wording import Wording, asks_of
from k3mock.generator.phrases import vocabulary

_NUMBERS = {
    "un": 1, "une": 1, "seul": 1, "seule": 1, "deux": 2, "trois": 3, "quatre": 4, "cinq": 5,
    "six": 6,
    "sept": 7, "huit": 8, "neuf": 9, "dix": 10, "douze": 12, "quinze": 15, "vingt": 20,
}  # fmt: skip

_STOP = vocabulary(
    "le la les un une des du de et ou où en au aux à dans sur sous avec sans pour par ce cet "
    "cette ces "
    "mon ma mes ton ta tes son sa ses notre nos votre vos leur leurs je tu il elle on nous vous "
    "ils "
    "elles me te se lui y que qui quoi dont quel quelle quels quelles comment pourquoi quand "
    "combien "
    "est es suis sont être était avoir ai as avons avez ont fait faire fais peux peut pouvez veux "
    "veut "
    "voulez dois doit ne pas plus moins très bien tout toute tous toutes si oui non mais donc car "
    "comme "
    "aussi alors puis ensuite bonjour salut merci svp plaît explique expliquez expliquer donne "
    "donnez "
    "donner écris écrivez écrire décris décrivez parle parlez dis dites réponds répondez montre "
    "cite "
    "citez propose liste tableau phrase phrases mot mots paragraphe paragraphes point points "
    "exemple "
    "exemples question réponse exactement seulement juste simple court courte brièvement deux "
    "trois "
    "quatre cinq six sept huit neuf dix raconte compare comparez différence entre fonction code "
    "programme clés champs objet format python javascript java json histoire poème blague haïku "
    "fonctionne fonctionnent quelques lis cherche trouve calcule "
    "traduis résume numérotée numérotées étapes étape faut qu'est-ce moi toi mail e-mail courriel "
    "explique-moi dis-moi donne-moi parle-moi montre-moi raconte-moi aide-moi"
)

_CAPITALS = {
    "france": "Paris", "allemagne": "Berlin", "italie": "Rome", "espagne": "Madrid",
    "japon": "Tokyo", "chine": "Pékin", "turquie": "Ankara", "canada": "Ottawa",
    "autriche": "Vienne", "suisse": "Berne", "belgique": "Bruxelles", "portugal": "Lisbonne",
    "grèce": "Athènes", "russie": "Moscou", "pologne": "Varsovie", "suède": "Stockholm",
}  # fmt: skip

_ASKS = asks_of(
    Wording(
        numbers=_NUMBERS,
        say="réponds|répondez|dis|dites|écris|écrivez|répète|répétez|affiche",
        only="seulement|uniquement|exactement|juste|simplement",
        write="écris|écrivez|écrire|crée|créez|rédige|rédigez|programme|donne[- ]moi|montre[- ]moi|"
        "génère|implémente",
        conjunction="et",
        between="entre",
        to="et|à",
        under="au plus|moins de|maximum|au maximum|jusqu[’']à",
        greeting="bonjour|salut|bonsoir|coucou",
        things="puces|points?|conseils|raisons|exemples|étapes|idées|faits|noms|suggestions|avantages|"
        "inconvénients|questions|villes|pays|entreprises|règles|titres|façons|livres|films|couleurs|fruits|"
        "animaux|personnes|astuces",
        listing="liste|puces|énumère",
        numbered="liste numérotée|numérotée?s?|étapes|étape par étape|pas à pas",
        word="mots?",
        sentence="phrases?",
        paragraph="paragraphes?",
        table="tableau",
        haiku="ha[iï]kus?",
        poem="poème|vers|rime",
        story="histoire (?:sur|d[’']un|d[’']une|courte)|courte histoire|conte",
        joke="blague",
        mail="e-?mail|mail|courriel|lettre",
        code="fonction|script|programme|classe|code|requête|méthode|algorithme|regex|page",
        keys="clés?|champs?|propriétés",
        how="comment (?:faire|puis-je|peut-on|apprendre|créer|installer|améliorer|préparer|écrire|"
        "on)",
        why="pourquoi",
        compare="compare[rz]?|différences?|comparaison|plutôt que",
    )
)

FRENCH = Language(
    code="fr",
    locale="fr_FR",
    script=re.compile(r"[A-Za-zÀ-ÖØ-öø-ÿ]{1,60}"),
    weight=1.0,
    marks=vocabulary(
        "le la les des du et est sont une pour avec sans que qui quoi dans sur je tu il elle nous "
        "vous "
        "pas plus comment pourquoi quel quelle quels quelles ce cette ces mon ma mes votre vos son "
        "peux pouvez moi au aux en explique expliquez donne donnez écris écrivez réponds bonjour "
        "salut "
        "merci deux trois quatre cinq décris compare raconte avec champs phrases mots entre c l d "
        "qu é è ê à ç ù œ"
    ),
    word=re.compile(r"(?<![\w-])[^\W\d_][\w-]{2,39}(?![\w'’])"),
    gap=" ",
    comma=", ",
    last=" et ",
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
            "fact": "Capitale demandée ({of}) : {it}.",
            "sum": "{of} = {it}.",
            "form_json": "un objet JSON",
            "form_code": "du code",
            "form_list": "une liste",
            "form_table": "un tableau",
            "form_words": "un nombre exact de mots",
            "form_literal": "un texte précis",
            "form_sentences": "un nombre donné de phrases",
            "form_paragraphs": "plusieurs paragraphes",
            "form_sum": "le résultat d’un calcul",
            "form_haiku": "un haïku",
            "form_poem": "un poème",
            "form_story": "une courte histoire",
            "form_joke": "une blague",
            "form_mail": "un e-mail",
            "image": "une image", "images": "{n} images", "video": "une vidéo",
            "videos": "{n} vidéos",
            "sized": "{what} ({sizes})", "pixels": "{size} pixels",
            "the": "l’outil", "is": "{key} : {value}",
            "one": "Oui", "no_values": "aucun", "topic": "patience",
            "aspect": "Aspect", "country": "Pays", "capital_of": "Capitale", "note": "Appréciation",
        },
    },
    aspects=(
        ("Effort", ("faible", "moyen", "élevé")),
        ("Coût", ("bas", "raisonnable", "élevé")),
        ("Apprentissage", ("rapide", "progressif", "exigeant")),
        ("Souplesse", ("limitée", "bonne", "très bonne")),
        ("Entretien", ("simple", "régulier", "lourd")),
        ("Convient à", ("un début", "un usage courant", "un grand projet")),
        ("Risque", ("faible", "maîtrisé", "sensible")),
    ),
    place=re.compile(
        r"(?:\b(?:à|de|pour|vers|en|au|près de)\s+|\bd[’'])(?:la\s+)?([A-ZÀ-Ý][\w’'-]{1,30})"
    ),
    places=(
        "Paris", "Lyon", "Marseille", "Toulouse", "Nice", "Nantes", "Bordeaux", "Lille", "Rennes",
        "Strasbourg", "Grenoble", "Montpellier", "Dijon", "Bruxelles", "Genève", "Lausanne",
        "Montréal",
        "Québec", "Liège", "Londres", "Berlin", "Rome", "Madrid", "Lisbonne", "Vienne",
    ),
    items={
        "couleurs": "colour", "animaux": "animal", "fruits": "fruit",
        "noms": "person", "personnes": "person", "villes": "city", "pays": "country",
           "entreprises": "company"},
    things={
        "fruit": (
            "pomme", "poire", "banane", "orange", "mangue", "cerise", "prune", "raisin", "pêche",
            "kiwi",
        ),
        "animal": (
            "renard", "loutre", "hibou", "hérisson", "dauphin", "cheval", "blaireau", "faucon",
            "tortue", "lynx",
        ),
        "colour": (
            "bleu", "vert", "rouge", "jaune", "orange", "violet", "turquoise", "brun", "gris",
            "rose",
        ),
    },
    glosses={
        "météo": "weather", "temps": "weather", "température": "weather", "pluie": "weather",
        "cherche": "search", "recherche": "search", "trouve": "search", "calcule": "calculate",
        "calcul": "calculate", "heure": "time", "action": "stock", "traduis": "translate",
        "fichier": "file", "fichiers": "file", "lis": "read", "réunion": "event", "vol": "flight",
        "hôtel": "hotel", "actualités": "news", "carte": "map", "envoie": "send", "crée": "create",
        "supprime": "delete", "commande": "order", "prix": "price", "dossier": "directory",
        "écris": "write", "ouvre": "open",
    },
    not_places=vocabulary(
        "quel quelle comment pourquoi explique donne écris réponds cherche lis lundi mardi "
        "mercredi "
        "jeudi vendredi samedi dimanche janvier février mars avril mai juin juillet août septembre "
        "octobre novembre décembre python json euro bonjour merci français anglais je le la les "
        "un une"
    ),
)  # fmt: skip
