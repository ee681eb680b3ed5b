"""Turns a wish for code into a short working snippet in the wanted language; source layer."""

from __future__ import annotations

import re

from k3mock.generator.phrases import vocabulary
from k3mock.generator.programs import PROGRAMS, WORDINGS

_LANGUAGES = (
    ("typescript", r"typescript|\bts\b"),
    ("javascript", r"javascript|node(?:\.js)?\b|\bjs\b"),
    ("sql", r"\bsql\b|\bquery\b|查询语句|查詢語句|クエリ|запрос к базе"),
    ("yaml", r"\bya?ml\b|docker[- ]compose|kubernetes"),
    ("dockerfile", r"dockerfile"),
    ("bash", r"\bbash\b|\bshell\b|\bsh script\b"),
    (
        "go",
        r"\bgolang\b|\b(?:in|en|auf|на) go\b|\bgo (?:function|program|code)\b|\bGo[ 语語でのを]",
    ),
    ("rust", r"\brust\b"),
    ("java", r"\bjava\b"),
    ("cpp", r"\bc\+\+|\bcpp\b"),
    ("csharp", r"\bc#|\bcsharp\b"),
    ("c", r"\bin c\b|\ba c (?:function|program)|\bC[ 语語言で]|\bC-Programm"),
    ("css", r"\bcss\b"),
    ("html", r"\bhtml\b|\bweb ?page\b"),
    ("json", r"\bjson (?:config|file|document)"),
    ("php", r"\bphp\b"),
    ("ruby", r"\bruby\b"),
    ("regex", r"\bregex\b|regular expression"),
    ("python", r"python|\bpy\b"),
)
"""Names of programming languages as fences write them; the first that a text names is taken."""

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
        "#!/usr/bin/env bash\nset -euo pipefail\n\nNAME() {\n  local source=$1 target=$2\n"
        '  mkdir -p "$target"\n  for file in "$source"/*; do\n    echo "copying $file"\n'
        '    cp -r "$file" "$target/"\n  done\n}\n\nNAME "${1:-.}" "${2:-./WORD}"'
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
        "  <title>WORD</title>\n</head>\n<body>\n  <h1>WORD</h1>\n"
        "  <p>Welcome! Here you find everything about WORD.</p>\n</body>\n</html>"
    ),
    "yaml": (
        "name: NAME\nversion: 1\nservices:\n  WORD:\n    image: example/WORD:latest\n    ports:\n"
        '      - "8080:8080"\n    environment:\n      LOG_LEVEL: info\n    restart: unless-stopped'
    ),
    "dockerfile": (
        "FROM python:3.12-slim\nWORKDIR /app\nCOPY requirements.txt .\n"
        "RUN pip install --no-cache-dir -r requirements.txt\nCOPY . .\n"
        'CMD ["python", "-m", "NAME"]'
    ),
    "json": (
        '{\n  "name": "NAME",\n  "version": "1.0.0",\n  "enabled": true,\n'
        '  "items": ["WORD", "OTHER"],\n  "limits": { "retries": 3, "timeoutSeconds": 30 }\n}'
    ),
    "css": (
        ".NAME {\n  display: flex;\n  gap: 1rem;\n  padding: 1rem 1.5rem;\n  border-radius: 8px;\n"
        "  background: #f6f7f9;\n}\n\n.NAME:hover {\n  background: #e8ebf0;\n}"
    ),
    "cpp": (
        "#include <map>\n#include <string>\n#include <vector>\n\n"
        "std::map<std::string, int> NAME(const std::vector<std::string>& items) {\n"
        "    std::map<std::string, int> counts;\n    for (const auto& item : items) {\n"
        "        ++counts[item];\n    }\n    return counts;\n}"
    ),
    "csharp": (
        "static Dictionary<string, int> NAME(IEnumerable<string> items) =>\n"
        "    items.GroupBy(item => item).ToDictionary(group => group.Key, group => group.Count());"
    ),
    "php": (
        "<?php\n\nfunction NAME(array $items): "
        "array\n{\n    return array_count_values($items);\n}\n\n"
        "print_r(NAME(['WORD', 'OTHER', 'WORD']));"
    ),
    "ruby": 'def NAME(items)\n  items.tally\nend\n\nputs NAME(["WORD", "OTHER", "WORD"])',
    "regex": "^[A-Za-z0-9._%+-]+@[A-Za-z0-9.-]+\\.[A-Za-z]{2,}$",
}
"""Snippets by language; NAME is an identifier, WORD and OTHER are keywords."""

_COMPILED = tuple((name, re.compile(pattern, re.IGNORECASE)) for name, pattern in _LANGUAGES)
_PARTS = re.compile(r"[a-z][a-z0-9]*")
_NOT_NAMES = vocabulary(
    "function script code class program python javascript typescript write sql yaml html css json "
    "go rust java bash file page query table config takes given using example c c++ golang backs "
    "kubernetes manifest docker-compose compose backup folder top find service services web users "
    "funktion"
)


_USUAL = {"yaml": ["web"], "sql": ["orders"], "html": ["home"], "bash": ["copy", "files"]}
"""What code is about where a text names nothing."""

CONFIGURATION = frozenset(("yaml", "json", "html", "css", "sql", "dockerfile", "regex"))
"""Languages whose texts are not called like a function."""


def programming_language(text: str) -> str:
    """Name the programming language that a text wants, Python if it names none."""
    return next((name for name, pattern in _COMPILED if pattern.search(text)), "python")


def snippet(text: str, keywords: tuple[str, ...]) -> tuple[str, str]:
    """Return (programming language, code) for a text that asks for code."""
    language = programming_language(text)
    for name, wording in WORDINGS:
        if wording.search(text):
            code = PROGRAMS[name].get(language)
            if code is not None:
                return language, code
            break
    words = [word for word in keywords if _fits(word)] or _USUAL.get(language, [])
    if language == "sql":
        words = [word for word in words if word.endswith("s")][:1] or words[:1]
    word = words[0] if words else "example"
    word = word.lower() if language == "yaml" else word
    other = words[1] if len(words) > 1 else "sample"
    template: str = _TEMPLATES[language]
    code = template.replace("NAME", _identifier(words, language))
    return language, code.replace("WORD", word).replace("OTHER", other)


def _fits(word: str) -> bool:
    """Tell whether a keyword can stand in code."""
    return word.lower() not in _NOT_NAMES and word.replace("-", "").replace("_", "").isalnum()


def _identifier(words: list[str], language: str) -> str:
    parts: list[str] = [part for word in words for part in _PARTS.findall(word.lower())][:3]
    if len(parts) < 2 and language not in CONFIGURATION:
        parts = [*parts, "counts"]
    if language in {"javascript", "typescript", "java", "go", "csharp", "php"}:
        return parts[0] + "".join(part.capitalize() for part in parts[1:])
    parts = parts or ["example"]
    return ("-" if language in {"css", "yaml", "json"} else "_").join(parts)
