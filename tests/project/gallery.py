"""Turns thirty requests into a page of the generator's answers.

`python -m tests.project.gallery` writes it.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import orjson

from k3mock.contract.load import load_profile
from k3mock.contract.read import read_request
from k3mock.generator.source import GeneratorSource
from k3mock.seed import Seed
from k3mock.text import vocabulary
from k3mock.text.counter import TokenCounter

if TYPE_CHECKING:
    from k3mock.protocol.reply import Reply

PAGE = Path(__file__).parents[2] / "docs" / "gallery.md"
SEED = 2026

_PIXEL = (
    "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAMAAAACCAIAAAASFvFNAAAADklEQVR4nGNgQAW"
    "4OQAAMwABVh6zWQAAAABJRU5ErkJggg=="
)


def _tool(name: str, description: str, *required: str, **properties: Any) -> dict[str, Any]:
    parameters = {"type": "object", "properties": properties, "required": list(required)}
    return {
        "type": "function",
        "function": {"name": name, "description": description, "parameters": parameters},
    }


_TEXT = {"type": "string"}
WEATHER = _tool(
    "get_weather", "Current weather of a city", "city",
    city=_TEXT, unit={"type": "string", "enum": ["celsius", "fahrenheit"]},
)  # fmt: skip
SEARCH = _tool("search_web", "Search the web", "query", query=_TEXT, limit={"type": "integer"})
LIST = _tool("list_files", "List the files of a directory", "path", path=_TEXT)
READ = _tool("read_file", "Read a text file", "path", path=_TEXT)
MAIL = _tool("send_email", "Send an e-mail", "to", "subject", to={"type": "string",
    "format": "email"},
             subject=_TEXT, body=_TEXT)  # fmt: skip

_PERSON = {
    "type": "object",
    "properties": {
        "name": _TEXT,
        "age": {"type": "integer", "minimum": 18, "maximum": 99},
        "email": {"type": "string", "format": "email"},
        "address": {"$ref": "#/$defs/address"},
        "tags": {"type": "array", "items": _TEXT, "minItems": 2, "uniqueItems": True},
    },
    "required": ["name", "age", "email", "address", "tags"],
    "additionalProperties": False,
    "$defs": {
        "address": {
            "type": "object",
            "properties": {"city": _TEXT, "zip": {"type": "string", "pattern": r"^\d{5}$"}},
            "required": ["city", "zip"],
            "additionalProperties": False,
        }
    },
}


def _schema(schema: dict[str, Any]) -> dict[str, Any]:
    return {
        "type": "json_schema",
        "json_schema": {"name": "answer", "schema": schema, "strict": True},
    }


def _media(text: str, *parts: dict[str, Any]) -> list[dict[str, Any]]:
    return [{"role": "user", "content": [{"type": "text", "text": text}, *parts]}]


def _called(question: str, *rounds: tuple[str, dict[str, Any], str]) -> list[dict[str, Any]]:
    """Return a history in which tools were called one after the other."""
    messages: list[dict[str, Any]] = [{"role": "user", "content": question}]
    for at, (name, arguments, result) in enumerate(rounds):
        function = {"name": name, "arguments": orjson.dumps(arguments).decode()}
        call = {"id": f"{name}_{at}", "type": "function", "function": function}
        messages += [
            {"role": "assistant", "content": "", "tool_calls": [call]},
            {"role": "tool", "tool_call_id": call["id"], "content": result},
        ]
    return messages


REQUESTS: list[tuple[str, dict[str, Any]]] = [
    ("Tell me about the history of green tea.", {}),
    ("How do I learn to play the guitar?", {"reasoning_effort": "low"}),
    ("Why do cats purr at night?", {"reasoning_effort": "high"}),
    ("What is the capital of France? Answer in one word.", {"reasoning_effort": "low"}),
    ("Compare Rust and Python in a table.", {"reasoning_effort": "low"}),
    ("Give me three bullet points on remote work.", {"reasoning_effort": "low"}),
    ("Explain step by step how to brew coffee, as a numbered list.", {"reasoning_effort": "low"}),
    ("Describe autumn in exactly five words.", {"reasoning_effort": "low"}),
    ("Write a haiku about mountains.", {"reasoning_effort": "low"}),
    ("Write a Rust function that checks whether a number is prime.", {"reasoning_effort": "low"}),
    ("Write a docker-compose YAML file for a web service.", {"reasoning_effort": "low"}),
    ("Draft an e-mail to my landlord about the broken heating.", {"reasoning_effort": "low"}),
    ("请介绍一下长城的历史。", {"reasoning_effort": "low"}),
    ("用三点说明学习编程的方法", {"reasoning_effort": "low"}),
    ("請用繁體中文說明人工智慧的發展。", {"reasoning_effort": "low"}),
    ("お茶の歴史について教えてください。", {"reasoning_effort": "low"}),
    ("Nenne mir drei Gründe für regelmäßigen Sport.", {"reasoning_effort": "low"}),
    ("Explique-moi la photosynthèse en deux phrases.", {"reasoning_effort": "low"}),
    ("¿Cómo puedo mejorar mi español?", {"reasoning_effort": "low"}),
    ("Расскажи о космосе.", {"reasoning_effort": "low"}),
    ("Explain photosynthesis. Answer in German.", {"reasoning_effort": "low"}),
    (
        "What's the weather in Paris and Rome?",
        {"reasoning_effort": "low", "tools": [SEARCH, WEATHER]},
    ),
    (
        "List the files in ./src, then read ./src/app.py and tell me what it does.",
        {"reasoning_effort": "low", "tools": [WEATHER, LIST, READ]},
    ),
    (
        "",
        {
            "reasoning_effort": "low",
            "tools": [WEATHER, LIST, READ],
            "messages": _called(
                "List the files in ./src, then read ./src/app.py and tell me what it does.",
                ("list_files", {"path": "./src"}, '["app.py", "models.py"]'),
            ),
        },
    ),
    (
        "",
        {
            "reasoning_effort": "low",
            "tools": [WEATHER],
            "messages": _called(
                "How warm is it in Izmir today?",
                ("get_weather", {"city": "Izmir"}, '{"temperature": 31, "sky": "clear"}'),
            ),
        },
    ),
    (
        'Send ann@example.com an e-mail with the subject "Offer 4711".',
        {"reasoning_effort": "low", "tools": [SEARCH, MAIL]},
    ),
    (
        "Describe Paris as JSON with the keys city, country and population.",
        {"reasoning_effort": "low", "response_format": {"type": "json_object"}},
    ),
    (
        "Invent a customer who lives in Hamburg.",
        {"reasoning_effort": "low", "response_format": _schema(_PERSON)},
    ),
    (
        "",
        {
            "messages": [
                {"role": "user", "content": "Finish my sentence about the sea."},
                {"role": "assistant", "content": "The sea is", "partial": True},
            ]
        },
    ),
    (
        "",
        {
            "reasoning_effort": "low",
            "messages": _media(
                "What is in this picture?", {"type": "image_url", "image_url": {"url": _PIXEL}}
            ),
        },
    ),
]
"""Prompts, and the fields of the request beside them."""


def answers() -> list[tuple[dict[str, Any], Reply]]:
    """Return the requests with what the generator says to them."""
    profile = load_profile("moonshot")
    source = GeneratorSource(
        Seed(value=SEED), TokenCounter(vocabulary.load("kimi_k3", counter="splintr"))
    )
    answered: list[tuple[dict[str, Any], Reply]] = []
    for prompt, fields in REQUESTS:
        body = {"model": "kimi-k3", "messages": [{"role": "user", "content": prompt}], **fields}
        answered.append((body, source.reply(read_request(body, profile))))
    return answered


def page() -> str:
    """Return the page as markdown."""
    lines = [
        "# What the generator says",
        "",
        "Thirty requests and the answers that they get when nothing is scripted.",
        f"The page is written by `python -m tests.project.gallery` with seed {SEED};",
        "with the same seed the same request always gets the same answer.",
        "The generator is not a language model: it knows the form of an answer, not its truth.",
    ]
    for number, (body, reply) in enumerate(answers(), 1):
        lines += ["", f"## {number}. {_title(body)}", "", *_asked(body), *_answered(reply)]
    return "\n".join(lines) + "\n"


def _title(body: dict[str, Any]) -> str:
    content = next(each["content"] for each in body["messages"] if each["role"] == "user")
    return str(content if isinstance(content, str) else content[0]["text"])


def _asked(body: dict[str, Any]) -> list[str]:
    """Say what the request holds besides its prompt."""
    noted = [f"effort `{body.get('reasoning_effort', 'max')}`"]
    if "tools" in body:
        names = ", ".join(f"`{each['function']['name']}`" for each in body["tools"])
        noted.append(f"tools {names}")
    if "response_format" in body:
        noted.append(f"format `{body['response_format']['type']}`")
    results = [each["content"] for each in body["messages"] if each["role"] == "tool"]
    if results:
        noted.append(f"after a tool returned `{results[-1]}`")
    begun = [each["content"] for each in body["messages"] if each.get("partial")]
    if begun:
        noted.append(f"to be continued from `{begun[-1]}`")
    if isinstance(body["messages"][-1]["content"], list):
        noted.append("with an image")
    return [f"*{'; '.join(noted)}*", ""]


def _answered(reply: Reply) -> list[str]:
    lines: list[str] = []
    if reply.reasoning:
        lines += [f"> {reply.reasoning}", ""]
    for call in reply.calls:
        lines += [f"Calls `{call.name}` with `{call.arguments}`", ""]
    if reply.content:
        fenced = reply.content.startswith(("{", "["))
        lines += ["```json", reply.content, "```"] if fenced else [reply.content]
    while lines and not lines[-1]:
        lines.pop()
    return lines


if __name__ == "__main__":
    PAGE.parent.mkdir(exist_ok=True)
    PAGE.write_text(page(), encoding="utf-8")
