"""What the tool that WebMainBench was annotated with left in its pages, and taking it out.

The gold could be read off a page that has it. Found in the published samples of the data set and
in ``html_cleaner.py`` and ``main_html.py`` of its repository:

- ``cc-select="true"`` and the class ``mark-selected`` on what belongs to the gold, and an empty
  ``style`` that the tool's highlighting left behind (49 in 50 of those are on selected elements);
- ``data-anno-uid`` on every element, the class ``cc-unloaded`` on some;
- ``marked-text``, ``marked-tail`` and ``marked-inline`` elements around text;
- the tool's style sheet, and ``user-select: none`` on the body.
"""

from __future__ import annotations

import re

_VALUE = r"""(?:"[^"]*"|'[^']*'|[^\s"'>]+)"""
_SHEET = re.compile(r"<style\b[^>]*\bid=[\"']?cc-extraStyle\b[^>]*>.*?</style\s*>\n?", re.I | re.S)
_ELEMENT = re.compile(r"</?marked-(?:text|tail|inline)\b[^>]*>", re.I)
_ATTRIBUTE = re.compile(
    rf"\s+(?:cc-select|data-anno-uid)(?:\s*=\s*{_VALUE})?(?=[\s/>])"
    r"|\s+style\s*=\s*(?:\"\"|'')(?=[\s/>])",
    re.I,
)
_BODY = re.compile(r"(<body\b[^>]*?)\s+style=\"user-select: none;\"", re.I)
_CLASS = re.compile(
    r"\s+class\s*=\s*(?:"
    r"(?P<quote>[\"'])(?P<quoted>[^\"'<>]*?\b(?:mark-selected|cc-unloaded)\b[^\"'<>]*?)(?P=quote)"
    r"|(?P<bare>mark-selected|cc-unloaded)(?=[\s/>]))",
    re.I,
)
_NAMES = frozenset({"mark-selected", "cc-unloaded"})
_NAME = re.compile(r"(?:^|(?<=\s))(?:mark-selected|cc-unloaded)(?:\s+|$)")


def strip(html: str) -> str:
    """Return a page without the marks; everything else stays as it is, character by character."""
    html = _SHEET.sub("", html)
    html = _ELEMENT.sub("", html)
    html = _ATTRIBUTE.sub("", html)
    html = _BODY.sub(r"\1", html)
    return _CLASS.sub(_without, html)


def _without(found: re.Match[str]) -> str:
    if not found["quoted"] or set(found["quoted"].split()) <= _NAMES:
        return ""
    kept = _NAME.sub("", found["quoted"])
    if kept == found["quoted"]:
        return found[0]
    return found[0].replace(found["quoted"], kept.rstrip())
