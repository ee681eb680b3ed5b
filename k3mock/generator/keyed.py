"""Turns the name of a key into a value that fits it; source layer."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from k3mock.generator.phrases import Slots, one
from k3mock.generator.snippets import snippet
from k3mock.generator.strings import drawn_date, drawn_time, formatted

if TYPE_CHECKING:
    from collections.abc import Callable

    from k3mock.generator.mentions import Hints
    from k3mock.jsonvalue import JSONValue
    from k3mock.seed import Chance

_KINDS = {
    "place": "city location place destination origin town capital from to departure arrival region "
    "state area venue cities locations 城市 地点 目的地 出发地 首都 地区",
    "country": "country nation 国家",
    "person": "name person author user username customer recipient contact assignee owner employee "
    "fullname 姓名 名字 作者 人名",
    "company": "company organization organisation employer vendor brand publisher 公司",
    "job": "job occupation profession role position 职业",
    "street": "address street 地址",
    "email": "email mail e_mail 邮箱",
    "url": "url uri link website homepage href endpoint 链接 网址",
    "path": "path file filename filepath 路径 文件名 ファイル",
    "directory": "directory folder dir cwd 目录",
    "command": "command cmd shell",
    "program": "code script source snippet",
    "date": "date day birthday deadline due start_date end_date checkin checkout 日期",
    "datetime": "datetime timestamp created updated created_at updated_at at start end",
    "time": "time hour 时间",
    "phone": "phone mobile telephone tel 电话",
    "id": "id uuid identifier key token sku reference ref 编号",
    "query": "query q search keyword keywords term terms topic subject prompt question pattern "
    "关键词 主题 问题 關鍵詞 主題 問題",
    "ticker": "symbol ticker",
    "expression": "expression formula equation calculation math 表达式",
    "message": "message body content",
    "large": "population inhabitants views downloads followers distance area bytes",
    "text": "text summary description title answer reason explanation note "
    "notes comment details response result headline label caption "
    "摘要 描述 标题 答案 内容 说明 理由",
    "unit": "unit units",
    "currency": "currency 货币",
    "language": "language lang locale 语言",
    "color": "color colour 颜色",
    "mood": "sentiment mood feeling tone 情感",
    "level": "priority severity level difficulty 优先级",
    "state": "status 状态",
    "weather": "condition conditions weather forecast 天气",
    "small": "count limit size quantity n num top k page pages max min amount passengers guests "
    "nights rows days hours minutes duration number seats people items 数量",
    "age": "age 年龄",
    "year": "year 年份",
    "degrees": "temperature temp degrees celsius humidity 温度 气温",
    "money": "price cost total budget salary balance fee revenue 价格 金额",
    "score": "score rating confidence probability weight ratio percent percentage 分数",
    "latitude": "latitude lat",
    "longitude": "longitude lon lng",
    "flag": "is has valid ok success enabled active available done completed required correct "
    "found verified 是否",
    "list": "tags items list steps results names hobbies skills categories ingredients colors "
    "features examples options points reasons tasks entries topics 标签 列表 步骤",
}
_KIND = {word: kind for kind, words in _KINDS.items() for word in words.split()}
_PARTS = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|[\u4e00-\u9fff]+")

_CHOICES = {
    "unit": ("celsius", "metric"),
    "currency": ("USD", "EUR"),
    "color": ("blue", "green", "red", "yellow"),
    "mood": ("positive", "neutral"),
    "level": ("medium", "high", "low"),
    "state": ("active", "open", "done"),
    "weather": ("sunny", "cloudy", "light rain", "clear"),
}

RANGES: dict[str, tuple[float, float]] = {
    "small": (1, 10), "age": (18, 79), "year": (1995, 2026), "degrees": (8, 31),
    "money": (5, 400), "score": (0, 1), "latitude": (-60, 60), "longitude": (-170, 170),
    "id": (1000, 9999), "large": (12_000, 4_800_000),
}  # fmt: skip
"""What a number is between, by kind of key."""

_NUMBER_KINDS = frozenset(RANGES) - {"id"}
_MENTIONED = {
    "place": ("place",),
    "country": ("place",),
    "email": ("email",),
    "url": ("url",),
    "path": ("path",),
    "date": ("date", "datetime", "day"),
    "datetime": ("datetime", "date", "day"),
    "time": ("time", "day"),
    "expression": ("expression", "quoted"),
    "text": ("quoted",),
    "message": ("quoted",),
    "id": ("uuid", "code", "quoted"),
    "person": ("person",),
    "ticker": ("ticker", "quoted"),
    "directory": ("path",),
    "currency": ("currency",),
    "command": ("command", "quoted"),
    "program": ("quoted",),
}
"""Which mentions of a text fit a kind of key, best first."""


_WITHOUT_SPACES = tuple((word, kind) for word, kind in _KIND.items() if ord(word[0]) > 127)
"""Words that are found inside of others."""


def kind_of(key: str) -> str:
    """Return the kind of value that a key's name asks for; nothing if it says nothing."""
    folded = key.lower()
    if folded in _KIND:
        return _KIND[folded]
    words = [part.lower() for part in _PARTS.findall(key[:80])]
    if words[:1] in (["is"], ["has"]):
        return "flag"
    for word in reversed(words):
        kind = _KIND.get(word)
        if kind is not None:
            return kind
    if key.isascii():
        return ""
    return next((kind for word, kind in _WITHOUT_SPACES if word in key), "")


def mentioned_kinds(key: str) -> tuple[str, ...]:
    """Return which mentions of a text fit a key, best first."""
    return _MENTIONED.get(kind_of(key), ("quoted",))


def text_for(key: str, chance: Chance, hints: Hints) -> str:
    """Return a text for a key: what the message mentions where it fits, else something drawn."""
    kind = kind_of(key)
    mentioned = _mentioned(kind, hints)
    if mentioned is not None:
        return mentioned
    choices = _CHOICES.get(kind)
    if choices is not None:
        return next((word for word in choices if word in hints.folded), chance.choice(choices))
    return _drawn(kind, key, chance, hints)


def _mentioned(kind: str, hints: Hints) -> str | None:
    for mention in _MENTIONED.get(kind, ("quoted",)):
        value = hints.take(mention)
        if value is not None:
            return value
    return None


def _drawn(kind: str, key: str, chance: Chance, hints: Hints) -> str:
    names = hints.names
    makers: dict[str, Callable[[], str]] = {
        "place": names.city,
        "country": lambda: _country(hints) or names.country(),
        "person": names.person,
        "company": names.company,
        "job": names.job,
        "street": names.street,
        "query": hints.query,
        "expression": lambda: f"{chance.randint(2, 99)} + {chance.randint(2, 99)}",
        "date": lambda: drawn_date(chance),
        "time": lambda: drawn_time(chance)[:5],
        "datetime": lambda: formatted("date-time", chance) or "",
        "email": lambda: formatted("email", chance) or "",
        "url": lambda: formatted("uri", chance) or "",
        "path": lambda: f"./{_slug(hints)}.txt",
        "ticker": lambda: chance.choice(("ACME", "GLOB", "INIT")),
        "directory": lambda: ".",
        "message": lambda: _message(chance, hints),
        "command": lambda: chance.choice(("ls -la", "git status", "pwd")),
        "program": lambda: snippet(hints.text, hints.keywords)[1],
        "phone": lambda: f"+1-555-{chance.randint(100, 999)}-{chance.randint(1000, 9999)}",
        "id": lambda: f"{_letters(key)}-{chance.randint(1000, 9999)}",
        "language": lambda: hints.language.code,
    }
    maker = makers.get(kind)
    if maker is not None:
        return maker()
    if kind in {"text", ""}:
        return sentence(chance, hints)
    return hints.keyword()


def sentence(chance: Chance, hints: Hints) -> str:
    """Return a short title-like text on what the message is about."""
    known = dict(zip("abc", hints.keywords, strict=False))
    slots = Slots(known, {"first": hints.names.first})
    return one(hints.language.phrases["text_value"], slots, chance)


def _message(chance: Chance, hints: Hints) -> str:
    """Return a sentence or two, as in the body of a message."""
    slots = Slots(dict(zip("a", hints.keywords, strict=False)), {"first": hints.names.first})
    return one(hints.language.phrases["text_body"], slots, chance)


def _country(hints: Hints) -> str | None:
    """Return the country whose capital the text mentions."""
    for country, capital in hints.language.facts["capital"].items():
        if capital in hints.text:
            return country.title()
    return None


def _slug(hints: Hints) -> str:
    word = hints.keyword()
    return word.lower() if word.isascii() and word.isalnum() else "notes"


def _letters(key: str) -> str:
    letters = "".join(part[:1] for part in _PARTS.findall(key[:80])).upper()
    return letters if letters.isascii() and letters else "N"


def range_for(key: str, text: str = "") -> tuple[float, float]:
    """Return what a number for a key is usually between."""
    kind = kind_of(key)
    return RANGES.get(kind) or RANGES.get(kind_of(text)) or (1, 100)


def value_for(key: str, chance: Chance, hints: Hints) -> JSONValue:
    """Return a value for a key of which only the name is known."""
    kind = kind_of(key)
    if kind in _NUMBER_KINDS:
        low, high = RANGES[kind]
        if kind in {"latitude", "longitude", "money", "score"}:
            return round(chance.uniform(low, high), 2)
        mentioned = hints.take("number") if kind in {"age", "year", "small"} else None
        if mentioned is not None and mentioned.lstrip("-").isdecimal():
            return int(mentioned)
        return chance.randint(int(low), int(high))
    if kind == "flag":
        return True
    if kind == "list":
        return [hints.keyword() for _ in range(min(3, max(1, len(hints.keywords))))]
    return text_for(key, chance, hints)
