"""What the tool that WebMainBench was annotated with left in its pages, and taking it out.

The gold could be read off a page that has it. Found in the published samples of the data set and
in ``html_cleaner.py`` and ``main_html.py`` of its repository:

- ``cc-select="true"`` and the class ``mark-selected`` on what belongs to the gold, and an empty
  ``style`` that the tool's highlighting left behind (49 in 50 of those are on selected elements);
- ``data-anno-uid`` on every element, the class ``cc-unloaded`` on some;
- ``marked-text``, ``marked-tail`` and ``marked-inline`` elements around text;
- the tool's style sheet, and ``user-select: none`` on the body.

Time grows with the length of the page alone, whatever is repeated in it: a tag is gone through once
from its beginning to its end, and a blank from its first character only.
"""

import re

_VALUE = r"""(?:"[^"]*"|'[^']*'|[^\s"'>]+)"""
_STYLE = re.compile(r"<style\b([^>]*+)>", re.I)
_SHEET = re.compile(r"\bid=[\"']?cc-extraStyle\b")
_STYLE_END = re.compile(r"</style\s*+>\n?", re.I)
_ELEMENT = re.compile(r"</?marked-(?:text|tail|inline)\b[^>]*+>", re.I)
_ATTRIBUTE = re.compile(
    rf"(?<!\s)\s++(?:(?:cc-select|data-anno-uid)(?:\s*=\s*{_VALUE})?"
    r"|style\s*=\s*(?:\"\"|''))(?=[\s/>])",
    re.I,
)
_BODY = re.compile(r"<body\b[^>]*+", re.I)
_BODY_STYLE = re.compile(r"(?<!\s)\s++style=\"user-select: none;\"", re.I)
_WORD = r"\b(?:mark-selected|cc-unloaded)\b"
_CLASS = re.compile(
    rf"(?<!\s)\s++class\s*+=\s*+(?:(?P<quote>[\"'])"
    rf"(?P<names>(?:(?!{_WORD})[^\"'<>])*+{_WORD}[^\"'<>]*+)(?P=quote)"
    r"|(?:mark-selected|cc-unloaded)(?=[\s/>]))",
    re.I,
)
_NAMES = frozenset({"mark-selected", "cc-unloaded"})
_NAME = re.compile(r"(?:^|(?<=\s))(?:mark-selected|cc-unloaded)(?:\s+|$)")


def strip(html: str) -> str:
    """Return a page without the marks; everything else stays as it is, character by character."""
    # No tag ends behind the last >, so that none is looked for there (a line's end may follow).
    end = html.rfind(">") + 2
    html = _ELEMENT.sub("", _without_sheets(html[:end])) + html[end:]
    html = _ATTRIBUTE.sub("", html)
    html = _BODY.sub(lambda body: _BODY_STYLE.sub("", body[0]), html)
    return _CLASS.sub(_without_names, html)


def _without_sheets(html: str) -> str:
    pieces = []
    kept = position = 0
    while style := _STYLE.search(html, position):
        position = style.end()
        if _SHEET.search(style[1]):
            close = _STYLE_END.search(html, position)
            if close is None:
                break
            pieces.append(html[kept : style.start()])
            kept = position = close.end()
    return "".join(pieces) + html[kept:]


def _without_names(attribute: re.Match[str]) -> str:
    names = attribute["names"]
    if names is None or set(names.split()) <= _NAMES:
        return ""
    return attribute[0].replace(names, _NAME.sub("", names).rstrip())
