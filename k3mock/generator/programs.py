"""Turns common programming tasks into working code, by programming language; source layer."""

from __future__ import annotations

import re

TASKS = (
    (
        "reverse",
        r"revers|umdreh|umkehr|invers|invert|inviert|переверн|разверн|反转|反轉|倒序|逆順|反転",
    ),
    ("palindrome", r"palindrom|палиндром|回文"),
    ("fibonacci", r"fibonacci|фибоначчи|斐波那契|フィボナッチ"),
    ("factorial", r"factorial|fakultät|factorielle|факториал|阶乘|階乘|階乗"),
    (
        "prime",
        r"\bprimes?\b|primzahl|nombres? premiers?|primos?\b|прост(?:ое|ых|ые) чис|质数|質數|素数",
    ),
    ("sort", r"\bsort|sortier|\btri(?:e|er|ez)\b|orden(?:a|ar|e)\b|сортир|排序|並べ替え|ソート"),
    (
        "add",
        r"\badds?\b|\bsum\b|addier|summe|addition|somme|suma\b|сумм|сложен|相加|求和|之和|加算|合計|足し",
    ),
)
"""Tasks and how they are asked for; the first that a text names is taken."""

WORDINGS = tuple((name, re.compile(wording, re.IGNORECASE)) for name, wording in TASKS)

PROGRAMS: dict[str, dict[str, str]] = {
    "reverse": {
        "python": (
            'def reverse(text: str) -> str:\n    return text[::-1]\n\n\nprint(reverse("hello"))'
        ),
        "javascript": (
            "function reverse(text) {\n"
            '  return [...text].reverse().join("");\n'
            "}\n"
            "\n"
            'console.log(reverse("hello"));'
        ),
        "typescript": (
            "function reverse(text: string): string {\n"
            '  return [...text].reverse().join("");\n'
            "}\n"
            "\n"
            'console.log(reverse("hello"));'
        ),
        "go": (
            "func Reverse(text string) string {\n"
            "\trunes := []rune(text)\n"
            "\tfor i, j := 0, len(runes)-1; i < j; i, j = i+1, j-1 {\n"
            "\t\trunes[i], runes[j] = runes[j], runes[i]\n"
            "\t}\n"
            "\treturn string(runes)\n"
            "}"
        ),
        "rust": ("fn reverse(text: &str) -> String {\n    text.chars().rev().collect()\n}"),
        "java": (
            "static String reverse(String text) {\n"
            "    return new StringBuilder(text).reverse().toString();\n"
            "}"
        ),
        "c": (
            "void reverse(char *text) {\n"
            "    size_t length = strlen(text);\n"
            "    for (size_t i = 0; i < length / 2; i++) {\n"
            "        char kept = text[i];\n"
            "        text[i] = text[length - 1 - i];\n"
            "        text[length - 1 - i] = kept;\n"
            "    }\n"
            "}"
        ),
        "bash": ("#!/usr/bin/env bash\nset -euo pipefail\n\nprintf '%s\\n' \"$1\" | rev"),
    },
    "palindrome": {
        "python": (
            "def is_palindrome(text: str) -> bool:\n"
            "    cleaned = [letter.lower() for letter in text if letter.isalnum()]\n"
            "    return cleaned == cleaned[::-1]\n"
            "\n"
            "\n"
            'print(is_palindrome("Never odd or even"))'
        ),
        "javascript": (
            "function isPalindrome(text) {\n"
            '  const cleaned = text.toLowerCase().replace(/[^a-z0-9]/g, "");\n'
            '  return cleaned === [...cleaned].reverse().join("");\n'
            "}"
        ),
        "typescript": (
            "function isPalindrome(text: string): boolean {\n"
            '  const cleaned = text.toLowerCase().replace(/[^a-z0-9]/g, "");\n'
            '  return cleaned === [...cleaned].reverse().join("");\n'
            "}"
        ),
        "go": (
            "func IsPalindrome(text string) bool {\n"
            "\trunes := []rune(strings.ToLower(text))\n"
            "\tfor i, j := 0, len(runes)-1; i < j; i, j = i+1, j-1 {\n"
            "\t\tif runes[i] != runes[j] {\n"
            "\t\t\treturn false\n"
            "\t\t}\n"
            "\t}\n"
            "\treturn true\n"
            "}"
        ),
        "rust": (
            "fn is_palindrome(text: &str) -> bool {\n"
            "    let cleaned: Vec<char> = text\n"
            "        .to_lowercase()\n"
            "        .chars()\n"
            "        .filter(|c| c.is_alphanumeric())\n"
            "        .collect();\n"
            "    cleaned.iter().eq(cleaned.iter().rev())\n"
            "}"
        ),
        "java": (
            "static boolean isPalindrome(String text) {\n"
            '    String cleaned = text.toLowerCase().replaceAll("[^a-z0-9]", "");\n'
            "    return new StringBuilder(cleaned).reverse().toString().equals(cleaned);\n"
            "}"
        ),
        "c": (
            "int is_palindrome(const char *text) {\n"
            "    size_t left = 0, right = strlen(text);\n"
            "    while (right > left + 1) {\n"
            "        if (text[left++] != text[--right]) {\n"
            "            return 0;\n"
            "        }\n"
            "    }\n"
            "    return 1;\n"
            "}"
        ),
    },
    "fibonacci": {
        "python": (
            "def fibonacci(n: int) -> int:\n"
            "    before, current = 0, 1\n"
            "    for _ in range(n):\n"
            "        before, current = current, before + current\n"
            "    return before\n"
            "\n"
            "\n"
            "print(fibonacci(10))"
        ),
        "javascript": (
            "function fibonacci(n) {\n"
            "  let [before, current] = [0, 1];\n"
            "  for (let i = 0; i < n; i++) {\n"
            "    [before, current] = [current, before + current];\n"
            "  }\n"
            "  return before;\n"
            "}\n"
            "\n"
            "console.log(fibonacci(10));"
        ),
        "typescript": (
            "function fibonacci(n: number): number {\n"
            "  let [before, current] = [0, 1];\n"
            "  for (let i = 0; i < n; i++) {\n"
            "    [before, current] = [current, before + current];\n"
            "  }\n"
            "  return before;\n"
            "}"
        ),
        "go": (
            "func Fibonacci(n int) int {\n"
            "\tbefore, current := 0, 1\n"
            "\tfor i := 0; i < n; i++ {\n"
            "\t\tbefore, current = current, before+current\n"
            "\t}\n"
            "\treturn before\n"
            "}"
        ),
        "rust": (
            "fn fibonacci(n: u32) -> u64 {\n"
            "    let (mut before, mut current) = (0, 1);\n"
            "    for _ in 0..n {\n"
            "        (before, current) = (current, before + current);\n"
            "    }\n"
            "    before\n"
            "}"
        ),
        "java": (
            "static long fibonacci(int n) {\n"
            "    long before = 0, current = 1;\n"
            "    for (int i = 0; i < n; i++) {\n"
            "        long next = before + current;\n"
            "        before = current;\n"
            "        current = next;\n"
            "    }\n"
            "    return before;\n"
            "}"
        ),
        "c": (
            "long fibonacci(int n) {\n"
            "    long before = 0, current = 1;\n"
            "    for (int i = 0; i < n; i++) {\n"
            "        long next = before + current;\n"
            "        before = current;\n"
            "        current = next;\n"
            "    }\n"
            "    return before;\n"
            "}"
        ),
        "bash": (
            "#!/usr/bin/env bash\n"
            "set -euo pipefail\n"
            "\n"
            "before=0 current=1\n"
            "for ((i = 0; i < ${1:-10}; i++)); do\n"
            '  echo "$before"\n'
            "  next=$((before + current)) before=$current current=$next\n"
            "done"
        ),
    },
    "factorial": {
        "python": (
            "def factorial(n: int) -> int:\n"
            "    product = 1\n"
            "    for factor in range(2, n + 1):\n"
            "        product *= factor\n"
            "    return product\n"
            "\n"
            "\n"
            "print(factorial(5))"
        ),
        "javascript": (
            "function factorial(n) {\n"
            "  return n < 2 ? 1 : n * factorial(n - 1);\n"
            "}\n"
            "\n"
            "console.log(factorial(5));"
        ),
        "typescript": (
            "function factorial(n: number): number {\n"
            "  return n < 2 ? 1 : n * factorial(n - 1);\n"
            "}\n"
            "\n"
            "console.log(factorial(5));"
        ),
        "go": (
            "func Factorial(n int) int {\n"
            "\tproduct := 1\n"
            "\tfor i := 2; i <= n; i++ {\n"
            "\t\tproduct *= i\n"
            "\t}\n"
            "\treturn product\n"
            "}"
        ),
        "rust": ("fn factorial(n: u64) -> u64 {\n    (1..=n).product()\n}"),
        "java": ("static long factorial(int n) {\n    return n < 2 ? 1 : n * factorial(n - 1);\n}"),
        "c": ("long factorial(int n) {\n    return n < 2 ? 1 : n * factorial(n - 1);\n}"),
    },
    "prime": {
        "python": (
            "def is_prime(n: int) -> bool:\n"
            "    if n < 2:\n"
            "        return False\n"
            "    return all(n % d for d in range(2, int(n**0.5) + 1))\n"
            "\n"
            "\n"
            "print(is_prime(97))"
        ),
        "javascript": (
            "function isPrime(n) {\n"
            "  if (n < 2) return false;\n"
            "  for (let d = 2; d * d <= n; d++) {\n"
            "    if (n % d === 0) return false;\n"
            "  }\n"
            "  return true;\n"
            "}"
        ),
        "typescript": (
            "function isPrime(n: number): boolean {\n"
            "  if (n < 2) return false;\n"
            "  for (let d = 2; d * d <= n; d++) {\n"
            "    if (n % d === 0) return false;\n"
            "  }\n"
            "  return true;\n"
            "}"
        ),
        "go": (
            "func IsPrime(n int) bool {\n"
            "\tif n < 2 {\n"
            "\t\treturn false\n"
            "\t}\n"
            "\tfor d := 2; d*d <= n; d++ {\n"
            "\t\tif n%d == 0 {\n"
            "\t\t\treturn false\n"
            "\t\t}\n"
            "\t}\n"
            "\treturn true\n"
            "}"
        ),
        "rust": (
            "fn is_prime(n: u64) -> bool {\n"
            "    n > 1 && (2..).take_while(|d| d * d <= n).all(|d| n % d != 0)\n"
            "}"
        ),
        "java": (
            "static boolean isPrime(int n) {\n"
            "    if (n < 2) {\n"
            "        return false;\n"
            "    }\n"
            "    for (int d = 2; d * d <= n; d++) {\n"
            "        if (n % d == 0) {\n"
            "            return false;\n"
            "        }\n"
            "    }\n"
            "    return true;\n"
            "}"
        ),
        "c": (
            "int is_prime(int n) {\n"
            "    if (n < 2) {\n"
            "        return 0;\n"
            "    }\n"
            "    for (int d = 2; d * d <= n; d++) {\n"
            "        if (n % d == 0) {\n"
            "            return 0;\n"
            "        }\n"
            "    }\n"
            "    return 1;\n"
            "}"
        ),
    },
    "sort": {
        "python": (
            "def sorted_values(values: list[int]) -> list[int]:\n"
            "    if len(values) < 2:\n"
            "        return values\n"
            "    pivot, *rest = values\n"
            "    low = [value for value in rest if value < pivot]\n"
            "    high = [value for value in rest if value >= pivot]\n"
            "    return [*sorted_values(low), pivot, *sorted_values(high)]\n"
            "\n"
            "\n"
            "print(sorted_values([3, 1, 2]))"
        ),
        "javascript": (
            "function sorted(values) {\n"
            "  return [...values].sort((a, b) => a - b);\n"
            "}\n"
            "\n"
            "console.log(sorted([3, 1, 2]));"
        ),
        "typescript": (
            "function sorted(values: number[]): number[] {\n"
            "  return [...values].sort((a, b) => a - b);\n"
            "}\n"
            "\n"
            "console.log(sorted([3, 1, 2]));"
        ),
        "go": (
            "func Sorted(values []int) []int {\n"
            "\tcopied := append([]int(nil), values...)\n"
            "\tsort.Ints(copied)\n"
            "\treturn copied\n"
            "}"
        ),
        "rust": (
            "fn sorted(mut values: Vec<i64>) -> Vec<i64> {\n    values.sort();\n    values\n}"
        ),
        "java": (
            "static List<Integer> sorted(List<Integer> values) {\n"
            "    return values.stream().sorted().toList();\n"
            "}"
        ),
        "c": (
            "static int compare(const void *a, const void *b) {\n"
            "    int left = *(const int *)a, right = *(const int *)b;\n"
            "    return (left > right) - (left < right);\n"
            "}\n"
            "\n"
            "void sort_values(int *values, size_t length) {\n"
            "    qsort(values, length, sizeof *values, compare);\n"
            "}"
        ),
        "bash": ('#!/usr/bin/env bash\nset -euo pipefail\n\nsort -n "$1"'),
    },
    "add": {
        "python": ("def add(a: float, b: float) -> float:\n    return a + b\n\n\nprint(add(2, 3))"),
        "javascript": ("function add(a, b) {\n  return a + b;\n}\n\nconsole.log(add(2, 3));"),
        "typescript": (
            "function add(a: number, b: number): number {\n"
            "  return a + b;\n"
            "}\n"
            "\n"
            "console.log(add(2, 3));"
        ),
        "go": ("func Add(a, b float64) float64 {\n\treturn a + b\n}"),
        "rust": ("fn add(a: f64, b: f64) -> f64 {\n    a + b\n}"),
        "java": ("static double add(double a, double b) {\n    return a + b;\n}"),
        "c": ("double add(double a, double b) {\n    return a + b;\n}"),
        "bash": ('#!/usr/bin/env bash\nset -euo pipefail\n\necho "$(($1 + $2))"'),
    },
}
