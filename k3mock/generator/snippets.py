"""Turns a wish for code into a short working snippet in the wanted language; source layer."""

from __future__ import annotations

import re
from dataclasses import dataclass

from k3mock.generator.phrases import vocabulary

_LANGUAGES = (
    ("typescript", r"typescript|\bts\b"),
    ("javascript", r"javascript|node(?:\.js)?\b|\bjs\b"),
    ("sql", r"\bsql\b|\bquery\b|查询语句"),
    ("bash", r"\bbash\b|\bshell\b"),
    ("go", r"\bgolang\b|\bin go\b"),
    ("rust", r"\brust\b"),
    ("java", r"\bjava\b"),
    ("c", r"\bc\+\+|\bin c\b|\bcpp\b"),
    ("html", r"\bhtml\b"),
    ("python", r"python|\bpy\b"),
)
"""Names of programming languages as fences write them; the first that a text names is taken."""


@dataclass(frozen=True, slots=True)
class _Task:
    """A task that is solved in earnest, in Python."""

    name: str
    wording: re.Pattern[str]
    parameters: str
    result: str
    call: str
    body: str


def _task(name: str, wording: str, head: str, call: str, *body: str) -> _Task:
    parameters, _, result = head.partition(" -> ")
    lines = "\n".join(f"    {line}" for line in body)
    return _Task(name, re.compile(wording, re.IGNORECASE), parameters, result, call, lines)


_TASKS = (
    _task("reverse", r"revers|反转|倒序", "text: str -> str", '"hello"', "return text[::-1]"),
    _task(
        "is_palindrome",
        r"palindrom|回文",
        "text: str -> bool",
        '"Never odd or even"',
        "cleaned = [letter.lower() for letter in text if letter.isalnum()]",
        "return cleaned == cleaned[::-1]",
    ),
    _task(
        "fibonacci",
        r"fibonacci|斐波那契",
        "n: int -> int",
        "10",
        "before, current = 0, 1",
        "for _ in range(n):",
        "    before, current = current, before + current",
        "return before",
    ),
    _task(
        "factorial",
        r"factorial|阶乘",
        "n: int -> int",
        "5",
        "product = 1",
        "for factor in range(2, n + 1):",
        "    product *= factor",
        "return product",
    ),
    _task(
        "is_prime",
        r"\bprimes?\b|质数|素数",
        "n: int -> bool",
        "97",
        "if n < 2:",
        "    return False",
        "return all(n % d for d in range(2, int(n**0.5) + 1))",
    ),
    _task(
        "sorted_values",
        r"\bsort|排序",
        "values: list[int] -> list[int]",
        "[3, 1, 2]",
        "if len(values) < 2:",
        "    return values",
        "pivot, *rest = values",
        "low = [value for value in rest if value < pivot]",
        "high = [value for value in rest if value >= pivot]",
        "return [*sorted_values(low), pivot, *sorted_values(high)]",
    ),
    _task(
        "add",
        r"\badds?\b|\bsum\b|相加|求和|之和",
        "a: float, b: float -> float",
        "2, 3",
        "return a + b",
    ),
)

_TEMPLATES = {
    "python": (
        "def NAME(items: list[str]) -> dict[str, int]:\n    counts: dict[str, int] = {}\n"
        "    for item in items:\n        counts[item] = counts.get(item, 0) + 1\n"
        "    return counts\n\n\n"
        'print(NAME(["WORD", "OTHER", "WORD"]))'
    ),
    "javascript": (
        "function NAME(items) {\n  const counts = {};\n  for (const item of items) {\n"
        "    counts[item] = (counts[item] ?? 0) + 1;\n  }\n  return counts;\n}\n\n"
        'console.log(NAME(["WORD", "OTHER", "WORD"]));'
    ),
    "typescript": (
        "function NAME(items: string[]): Record<string, number> {\n"
        "  const counts: Record<string, number> = {};\n  for (const item of items) {\n"
        "    counts[item] = (counts[item] ?? 0) + 1;\n  }\n  return counts;\n}\n\n"
        'console.log(NAME(["WORD", "OTHER", "WORD"]));'
    ),
    "sql": (
        "SELECT name, COUNT(*) AS total\nFROM NAME\nWHERE created_at >= '2026-01-01'\n"
        "GROUP BY name\nORDER BY total DESC\nLIMIT 10;"
    ),
    "bash": (
        '#!/usr/bin/env bash\nset -euo pipefail\n\nNAME() {\n  sort "$1" | uniq -c | sort -rn\n'
        '}\n\nNAME "${1:-WORD.txt}"'
    ),
    "go": (
        "func NAME(items []string) map[string]int {\n\tcounts := make(map[string]int)\n"
        "\tfor _, item := range items {\n\t\tcounts[item]++\n\t}\n\treturn counts\n}"
    ),
    "rust": (
        "use std::collections::HashMap;\n\nfn NAME(items: &[&str]) -> HashMap<String, usize> {\n"
        "    let mut counts = HashMap::new();\n    for item in items {\n"
        "        *counts.entry(item.to_string()).or_insert(0) += 1;\n    }\n    counts\n}"
    ),
    "java": (
        "static Map<String, Integer> NAME(List<String> items) {\n"
        "    Map<String, Integer> counts = new HashMap<>();\n    for (String item : items) {\n"
        "        counts.merge(item, 1, Integer::sum);\n    }\n    return counts;\n}"
    ),
    "c": (
        "int NAME(const int *values, int length) {\n    int total = 0;\n"
        "    for (int i = 0; i < length; i++) {\n        total += values[i];\n    }\n"
        "    return total;\n}"
    ),
    "html": (
        '<!doctype html>\n<html lang="en">\n<head>\n  <meta charset="utf-8">\n'
        "  <title>WORD</title>\n</head>\n<body>\n  <h1>WORD</h1>\n  <p>OTHER</p>\n</body>\n</html>"
    ),
}
"""Snippets by language; NAME is an identifier, WORD and OTHER are keywords."""

_COMPILED = tuple((name, re.compile(pattern, re.IGNORECASE)) for name, pattern in _LANGUAGES)
_PARTS = re.compile(r"[a-z][a-z0-9]*")
_NOT_NAMES = vocabulary("function script code class program python javascript write sql")


def programming_language(text: str) -> str:
    """Name the programming language that a text wants, Python if it names none."""
    return next((name for name, pattern in _COMPILED if pattern.search(text)), "python")


def snippet(text: str, keywords: tuple[str, ...]) -> tuple[str, str]:
    """Return (programming language, code) for a text that asks for code."""
    language = programming_language(text)
    if language == "python":
        for task in _TASKS:
            if task.wording.search(text):
                head = f"def {task.name}({task.parameters}) -> {task.result}:"
                return language, f"{head}\n{task.body}\n\n\nprint({task.name}({task.call}))"
    words = [word for word in keywords if word.lower() not in _NOT_NAMES]
    word = words[0] if words else "example"
    other = words[1] if len(words) > 1 else "sample"
    template: str = _TEMPLATES[language]
    code = template.replace("NAME", _identifier(words, language))
    return language, code.replace("WORD", word).replace("OTHER", other)


def _identifier(words: list[str], language: str) -> str:
    parts: list[str] = [part for word in words for part in _PARTS.findall(word.lower())][:3]
    if len(parts) < 2:
        parts = [*parts, "counts"]
    if language in {"javascript", "typescript", "java", "go"}:
        return parts[0] + "".join(part.capitalize() for part in parts[1:])
    return "_".join(parts)
