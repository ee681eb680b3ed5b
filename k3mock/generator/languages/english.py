"""Turns English into data for the generator; source layer."""

from __future__ import annotations

import re

from k3mock.generator.language import Language
from k3mock.generator.languages.english_phrases import EXACT, HAIKU, PHRASES
from k3mock.generator.phrases import vocabulary

_NUMBERS = {
    "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8,
    "nine": 9, "ten": 10, "eleven": 11, "twelve": 12, "fifteen": 15, "twenty": 20, "single": 1,
    "thirty": 30, "fifty": 50, "hundred": 100,
}  # fmt: skip

_STOP = vocabulary(
    "a about above after again all also am an and another any anything are as ask at be because "
    "been before being below best between both brief briefly but by can cannot could did do "
    "does doing don't down during each either else enough etc every everything exactly few for "
    "from further get give go good had has have having he hello help her here hers hey hi him "
    "his how however i i'd i'll i'm i've if in into is isn't it it's its itself just kindly "
    "know least let let's like long look made make many may maybe me might mine more most much "
    "must my need needs never no nor not nothing now of off ok okay on once one only onto or "
    "other our out over own per please possible put question quick quite really reply respond "
    "said same say see shall she short should show simple single so some something still such "
    "sure take tell than thank thanks that that's the their them then there there's these they "
    "thing things this those three through to today too try two under until up us use used "
    "using very want was way we well were what what's when where where's which while who who's "
    "whom whose why will wish with within without word words would write yes yet you you're "
    "your yours answer answers questions sentence sentences list explain describe find return "
    "output four five six seven eight nine ten bullet bullets point points paragraph paragraphs "
    "currently right able going makes making works work working gets getting got goes came come "
    "comes happens happen means mean rise rises rest keep puts says shows json object key keys "
    "field fields format value values valid latest liked improve improves reverse reverses "
    "create build check search translate summarise summarize calculate compute compare suggest "
    "invent draft finish fix wrote send book ate eat eats actually one-word"
)

_NOT_PLACES = vocabulary(
    "add ask book build buy call cancel change check compare compute convert count create delete "
    "draw email fetch fix generate go google grab how imagine json list look lookup mark monday "
    "name open order pay plan play python javascript read remind remove rename run save schedule "
    "search send set show solve start stop summarise summarize suggest test thursday tuesday turn "
    "translate update verify visit wednesday friday saturday sunday january february march april "
    "june july august september october november december who write weather english french german "
    "spanish chinese japanese celsius fahrenheit sql html css api url http id ok calculate draft "
    "reply respond assistant user system hello dear mr mrs ms dr is are does did was were"
)

_VERB = r"(?:reply|respond|answer|say|output|print|return|write|repeat)"
_GLUE = (
    r"(?:[\s,]|only|just|exactly|precisely|simply|with|using|by|the|this|following|single|one|two|"
    r"three|word|words|phrase|text|string|sentence|message|back|saying|literally|to me|and nothing "
    r"else)*"
)
_INSISTS = (
    r"(?=[^:\n]{0,60}\b(?:only|just|exactly|precisely|simply|literally|word|phrase|text|string|with"
    r"|back)\b[^:\n]{0,60}:)"
)
_COUNT = r"(?P<count>\d{1,6}|an?|" + "|".join(_NUMBERS) + ")"
_NOT_LITERAL = (
    r"(?!an?\b|your\b|only\b|just\b|one\b|two\b|three\b|exactly\b|json\b|some|any|at\b|more\b|its\b"
    r"|his\b|her\b|code\b|markdown\b|short|brief|each\b|all\b|which|what|how|why|if\b|that\b|about\b"
    r"|it\b|no more|valid\b|yaml\b|html\b|python\b|bullet|no\s|me\b|something\b|the\b|my\b|like\b"
    r"|in\b)"
)

_ASKS = {
    "literal": (
        re.compile(
            rf"\b{_VERB}\b{_GLUE}:?\s*[\"“'`‘](?P<literal>[^\"”`\n]{{1,300}}?)[\"”'`’](?!\w)"
            r"(?!\s+(?:in|into|as|using|for|on|to(?!\sme))\b)",
            re.IGNORECASE,
        ),
        re.compile(
            rf"\b(?:say|repeat|{_VERB}{_INSISTS})\b{_GLUE}:\s*(?P<literal>[^\n]{{1,200}}?)\s*[.!。]?\s*(?:\n|$)",
            re.IGNORECASE,
        ),
        re.compile(
            r"\b(?:reply|respond|answer)\s(?:only\s|just\s|exactly\s|simply\s)*with\s"
            r"(?:only\s|just\s|exactly\s|the\s(?:single\s)?(?:word|phrase|text)s?\s)*"
            + _NOT_LITERAL
            + r"(?P<literal>(?:[\w'-]{1,40}\s?){1,4}?)\s*(?:and nothing else\s*)?[.!]?\s*(?:\n|$)",
            re.IGNORECASE,
        ),
        re.compile(
            r"^\s*(?:please\s|just\s|only\s|can you\s|could you\s)*(?:say|repeat)\s"
            r"(?:just\s|only\s|exactly\s|the\sword\s)*"
            + _NOT_LITERAL
            + r"(?P<literal>(?:[\w'-]{1,40},?\s?){1,6}?)\s*(?:to me|please)?[.!?]?\s*$",
            re.IGNORECASE,
        ),
    ),
    "greeting": (
        re.compile(
            r"^\s*(?:hi|hey|hello|good (?:morning|evening|afternoon)|howdy|greetings)"
            r"(?:\s+(?:there|kimi|again|all|everyone|world))?\s*[.!?,]*\s*$",
            re.IGNORECASE,
        ),
    ),
    "json": (
        re.compile(r"\b(?:as|in|only|valid|with|a|return|output|produce)\s+json\b", re.IGNORECASE),
    ),
    "code": (
        re.compile(
            r"\b(?:write|implement|create|code|give me|show me|generate|need|complete|provide)\b"
            r"[^.\n]{0,60}?\b(?:function|script|program|class|snippet|code|query|regex|method"
            r"|algorithm|decorator|page|config(?:uration)?|manifest|yaml|dockerfile)\b",
            re.IGNORECASE,
        ),
        re.compile(
            r"\b(?:in|using)\s(?:python|javascript|typescript|rust|bash|java|sql|yaml|golang|go|html|c)"
            r"(?:\b|\+\+)(?!-)",
            re.IGNORECASE,
        ),
    ),
    "list": (
        re.compile(
            rf"\b{_COUNT}\s+(?:[\w-]{{1,20}}\s+){{0,2}}?(?P<noun>bullet(?:\s|-)?points?|bullets|items|"
            r"points|reasons|examples|tips|steps|ideas|ways|facts|names|things|options|"
            r"suggestions|questions|advantages|benefits|cities|countries|companies|people|colou?rs|"
            r"words for|titles|features|differences|risks|lines|books|movies|recipes|exercises|"
            r"habits|keywords|synonyms|topics|fruits|animals|disadvantages|rules|hints)\b",
            re.IGNORECASE,
        ),
        re.compile(
            r"\b(?:bullet(?:ed)?|numbered)?\s*\b"
            r"(?P<noun>bullet(?:\s|-)?points?|bullets|list of|lists?(?=\s+(?:the|all|some|a few|"
            r"of))|"
            r"numbered list|bulleted list|bullet list|step[- ]by[- ]step|as a list)",
            re.IGNORECASE,
        ),
    ),
    "words": (
        re.compile(
            r"(?:\bbetween\s+(?P<low>\d{1,6})\s+and\s+"
            r"|\b(?P<under>under|less than|fewer than|at most|no more than|up to|maximum of|"
            r"within)\s+)?"
            rf"\b{_COUNT}[\s-]+words?\b(?!\s+(?:for|that|problem))",
            re.IGNORECASE,
        ),
    ),
    "table": (
        re.compile(
            r"\b(?:as|in|with|make|create|draw|give me|show|a|markdown)\s(?:an?\s)?"
            r"(?:markdown\s|comparison\s|small\s|short\s)*table\b(?!\s+(?:for|at|named|called)\b)",
            re.IGNORECASE,
        ),
    ),
    "numbered": (
        re.compile(r"\b(?:numbered|steps|step[- ]by[- ]step|ordered list)\b", re.IGNORECASE),
    ),
    "haiku": (re.compile(r"\bhaikus?\b", re.IGNORECASE),),
    "poem": (re.compile(r"\b(?:poem|verse|limerick|rhyme)\b", re.IGNORECASE),),
    "story": (
        re.compile(
            r"\b(?:short|tell|write|me)\b[^.\n]{0,30}\b(?:story|fairy tale)\b", re.IGNORECASE
        ),
    ),
    "joke": (re.compile(r"\bjokes?\b", re.IGNORECASE),),
    "mail": (
        re.compile(r"\b(?:write|draft|compose)\b[^.\n]{0,30}\b(?:e-?mail|letter)\b", re.IGNORECASE),
    ),
    "compare": (
        re.compile(
            r"\b(?:compare|comparison|differences?\s(?:between|in)|versus|vs|should i "
            r"[^.\n]{0,30}\bor)\b",
            re.IGNORECASE,
        ),
    ),
    "why": (re.compile(r"\b(?:why|reasons?\sfor)\b", re.IGNORECASE),),
    "how": (
        re.compile(
            r"\b(?:how\s(?:do|can|should|would|to|could)\s|best way to\b|guide to\b)",
            re.IGNORECASE,
        ),
    ),
    "sentences": (re.compile(rf"\b{_COUNT}\s+(?:[a-z]{{1,12}}\s+)?sentences?\b", re.IGNORECASE),),
    "paragraphs": (re.compile(rf"\b{_COUNT}\s+(?:[a-z]{{1,12}}\s+)?paragraphs?\b", re.IGNORECASE),),
    "keys": (
        re.compile(
            r"\b(?:keys?|fields?|properties|property|attributes?)\b(?:\s+(?:named|called|are|is|as|"
            r"of|being))?\s*:?\s*((?:(?:[\"'`“]?[A-Za-z_][\w-]{0,40}[\"'`”]?)"
            r"(?:\s*\([^)\n]{0,40}\))?(?:\s*(?:,|/|&)\s*(?:and\s+)?|\s+and\s+|(?=[^\w]|$))){1,12})",
            re.IGNORECASE,
        ),
    ),
}

_CAPITALS = {
    "france": "Paris", "germany": "Berlin", "italy": "Rome", "spain": "Madrid", "japan": "Tokyo",
    "china": "Beijing", "turkey": "Ankara", "türkiye": "Ankara", "canada": "Ottawa",
    "australia": "Canberra", "brazil": "Brasília", "india": "New Delhi", "egypt": "Cairo",
    "russia": "Moscow", "portugal": "Lisbon", "austria": "Vienna", "greece": "Athens",
    "poland": "Warsaw", "norway": "Oslo", "sweden": "Stockholm", "finland": "Helsinki",
    "denmark": "Copenhagen", "ireland": "Dublin", "mexico": "Mexico City", "peru": "Lima",
    "kenya": "Nairobi", "thailand": "Bangkok", "vietnam": "Hanoi", "south korea": "Seoul",
    "england": "London", "united kingdom": "London", "switzerland": "Bern", "belgium": "Brussels",
    "netherlands": "Amsterdam", "argentina": "Buenos Aires", "chile": "Santiago", "cuba": "Havana",
}  # fmt: skip

_PLACES = (
    "London", "Paris", "Berlin", "Madrid", "Rome", "Vienna", "Prague", "Lisbon", "Dublin", "Oslo",
    "Stockholm", "Helsinki", "Copenhagen", "Amsterdam", "Brussels", "Zurich", "Athens", "Istanbul",
    "Izmir", "Warsaw", "Budapest", "Barcelona", "Munich", "Hamburg", "Milan", "New York", "Boston",
    "Chicago", "Seattle", "San Francisco", "Los Angeles", "Austin", "Toronto", "Montreal",
    "Vancouver", "Sydney", "Melbourne", "Tokyo", "Osaka", "Kyoto", "Seoul", "Beijing", "Shanghai",
    "Singapore", "Bangkok", "Mumbai", "Delhi", "Cairo", "Nairobi", "Lagos", "Dubai", "Lima",
)  # fmt: skip

ENGLISH = Language(
    code="en",
    locale="en_US",
    script=re.compile(r"[A-Za-zÀ-ÖØ-öø-ÿ]{1,60}"),
    weight=1.0,
    marks=vocabulary(
        "the is are what when where who how of and to for with you please write give my it this "
        "that can do does why which about hello tell list explain describe words exactly at have "
        "has not your they from would should"
    ),
    word=re.compile(r"(?<!\w)[^\W\d_][\w'’-]{1,39}(?!\w)"),
    gap=" ",
    comma=", ",
    last=" and ",
    ends=".!?。！？",
    stop=_STOP,
    phrases=PHRASES,
    exact=EXACT,
    haiku=HAIKU,
    asks=_ASKS,
    numbers=_NUMBERS,
    facts={
        "capital": _CAPITALS,
        "word": {
            "fact": "The capital of {of} is {it}.",
            "sum": "{of} = {it}.",
            "form_json": "a JSON object",
            "form_code": "code",
            "form_list": "a list",
            "form_words": "an answer of a given number of words",
            "form_literal": "one exact text",
            "form_sentences": "a given number of sentences",
            "form_paragraphs": "several paragraphs",
            "form_sum": "the result of a calculation",
            "form_table": "a table",
            "form_haiku": "a haiku",
            "form_poem": "a poem",
            "form_story": "a short story",
            "form_joke": "a joke",
            "form_mail": "an e-mail",
            "image": "an image", "images": "{n} images", "video": "a video", "videos": "{n} videos",
            "sized": "{what} ({sizes})", "pixels": "{size} pixels",
             "the": "the tool", "is": "{key} is {value}",
            "one": "Yes", "no_values": "it takes none",
            "topic": "patience",
            "aspect": "Aspect", "country": "Country", "capital_of": "Capital", "note": "Assessment",
        },
    },
    aspects=(
        ("Effort", ("low", "moderate", "high")),
        ("Cost", ("low", "reasonable", "high")),
        ("Learning curve", ("gentle", "moderate", "steep")),
        ("Flexibility", ("limited", "good", "very good")),
        ("Upkeep", ("easy", "regular", "demanding")),
        ("Best for", ("getting started", "everyday use", "larger plans")),
        ("Risk", ("small", "manageable", "noticeable")),
    ),
    place=re.compile(
        r"\b(?:in|at|for|from|to|near|of|visit|around|into|towards)\s+(?:the\s+)?"
        r"([A-ZÀ-ÖØ-Þ][\w’'-]{1,30}(?:\s[A-ZÀ-ÖØ-Þ][\w’'-]{1,30}){0,2})"
    ),
    places=_PLACES,
    items={
        "fruit": "fruit", "fruits": "fruit", "animal": "animal", "animals": "animal",
        "color": "colour", "colors": "colour", "colour": "colour", "colours": "colour",
        "name": "person", "people": "person", "cities": "city", "companies": "company",
        "countries": "country",
    },
    things={
        "fruit": (
            "apple", "pear", "banana", "orange", "mango", "cherry", "plum", "grape", "peach",
            "kiwi",
        ),
        "animal": (
            "fox", "otter", "owl", "hedgehog", "dolphin", "horse", "badger", "falcon", "turtle",
            "lynx",
        ),
        "colour": (
            "blue", "green", "red", "yellow", "orange", "purple", "teal", "brown", "grey", "pink",
        ),
    },
    glosses={
        "forecast": "weather", "temperature": "weather", "rain": "weather", "sunny": "weather",
        "snow": "weather", "google": "search", "lookup": "search", "mail": "email",
        "sum": "calculate", "plus": "calculate", "times": "calculate", "minus": "calculate",
        "multiply": "calculate", "divided": "calculate", "compute": "calculate",
        "clock": "time", "share": "stock", "meeting": "event", "appointment": "event",
        "calculator": "calculate", "calculation": "calculate", "math": "calculate",
    },
    not_places=_NOT_PLACES,
)  # fmt: skip
