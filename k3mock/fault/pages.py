"""Turns a status into the page that proxies write for it; faults layer."""

from __future__ import annotations


def nginx(title: str) -> str:
    """Return the short page that nginx writes by itself, lines ended as it ends them."""
    lines = (
        "<html>",
        f"<head><title>{title}</title></head>",
        "<body>",
        f"<center><h1>{title}</h1></center>",
        "<hr><center>nginx</center>",
        "</body>",
        "</html>",
        "",
    )
    return "\r\n".join(lines)


def cloudflare(code: int, title: str, why: str) -> str:
    """Return a page in the manner of a content delivery network, in words of our own."""
    return (
        "<!DOCTYPE html>\n"
        f'<html lang="en-US">\n<head><title>{code}: {title}</title></head>\n'
        '<body>\n<div id="cf-wrapper">\n'
        f"<h1>{title} <span>Error code {code}</span></h1>\n<p>{why}</p>\n"
        "</div>\n</body>\n</html>\n"
    )
