"""Turns a wish for a comparison into the two things that are compared; source layer."""

from __future__ import annotations

import re

_SPACED = re.compile(
    r"\b(?:between|compare|zwischen|vergleiche|entre|compara|comparez|сравни|сравните|между)\s+"
    r"(?:the\s|die\s|der\s|das\s|den\s|le\s|la\s|el\s)?(?P<a>[^\n.,;:?!]{2,40}?)\s+"
    r"(?:and|with|to|vs\.?|versus|und|mit|et|avec|y|con|и|с)\s+"
    r"(?:the\s|die\s|der\s|das\s|den\s|le\s|la\s|el\s)?(?P<b>[^\n.,;:?!]{2,40}?)"
    r"(?=\s*(?:[.,;:?!\n(]|$)|\s(?:in|for|as|with|when|using|als|für|bei|en|pour|como|para|в|для)\s)"
    r"|\b(?P<c>[\w+#.-]{2,24})\s+(?:vs\.?|versus|oder|or)\s+(?P<d>[\w+#-]{2,24})",
    re.IGNORECASE,
)
_HAN = re.compile(
    r"(?:比较|比較|对比|對比)(?:一下)?\s*(?P<a>[^，。、的\n]{1,12}?)[和与與跟](?P<b>[^，。、的\n]{1,12}?)"
    r"(?=[，。、的？\n]|$)|(?P<c>[^，。、\s]{1,12}?)[和与與跟と](?P<d>[^，。、\s]{1,12}?)(?:的|の|を)"
    r"(?:区别|區別|差别|差別|不同|違い|比較)"
)


def compared(text: str) -> tuple[str, str] | None:
    """Return two things that a text wants to see compared."""
    for pattern in (_SPACED, _HAN):
        match = pattern.search(text[:1_000])
        if match is not None:
            groups = match.groupdict()
            first, second = groups["a"] or groups["c"], groups["b"] or groups["d"]
            if first and second:
                return first.strip(" \"'*`"), second.strip(" \"'*`")
    return None
