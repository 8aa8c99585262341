r"""How a page looks, as far as it can be shown without letting it do anything.

Written anew from a list of harmless elements, every attribute dropped: what is left has no script,
style, image, form, frame or address, so that nothing can run and no request can be made. Three more
walls stand around it: a policy that forbids everything, a sandbox without permissions, and the
policy of the page that shows it.

Tokens are found as in ``bench.datasets.page_text``: one regular expression in which every alternative
ends at its mark or at the end of the page, so that time grows with the length alone.
"""

from __future__ import annotations

import hashlib
import html
import re
from base64 import b64encode

from bench.report.site.rendering import visible

_STYLE = (
    ":root{color-scheme:light dark}"
    "body{font:15px/1.5 sans-serif;margin:1rem;max-width:60rem;overflow-wrap:anywhere}"
    "table{border-collapse:collapse}td,th{border:1px solid;padding:.1em .4em}"
    "i.picture{opacity:.7}"
)
_DIGEST = b64encode(hashlib.sha256(_STYLE.encode()).digest()).decode()
_LANGUAGE = "@language@"
_HEAD = (
    f'<!DOCTYPE html>\n<html lang="{_LANGUAGE}"><head><meta charset="utf-8">'
    '<meta http-equiv="Content-Security-Policy" '
    f"content=\"default-src 'none'; style-src 'sha256-{_DIGEST}'\">"
    '<meta name="viewport" content="width=device-width">'
    f"<title>A page's look</title><style>{_STYLE}</style></head><body>\n"
)
_LONGEST = 2_000_000
"""Characters of a page that are looked at."""

_TAG = re.compile(
    r"""
    <(?: !--(?:-?>|.*?(?:--!?>|\Z))             # a comment
       | (?P<end>/?)(?P<name>[a-zA-Z][^\s/>]*+)
         (?P<rest>(?:[^>=]++|=\s*+(?:"[^"]*+(?:"|\Z)|'[^']*+(?:'|\Z)|))*+)(?:>|\Z)
       | (?:[!?]|/(?=[^a-zA-Z]))[^>]*+(?:>|\Z)  # a declaration, or what the standard takes for one
    )""",
    re.S | re.X,
)
_UNSEEN = ("script", "style", "iframe", "noembed", "noframes", "title", "template", "svg", "math",
           "object", "textarea", "xmp", "plaintext", "select", "canvas", "audio",
           "video")  # fmt: skip
_UNSEEN_END = {
    name: re.compile(rf"</{name}(?=[\s/>])[^>]*+>", re.I) for name in _UNSEEN if name != "plaintext"
}
_KEPT = {
    "abbr", "address", "article", "aside", "b", "bdi", "bdo", "big", "blockquote", "br", "caption",
    "center", "cite", "code", "dd", "del", "dfn", "div", "dl", "dt", "em", "figcaption", "figure",
    "footer", "h1", "h2", "h3", "h4", "h5", "h6", "header", "hr", "i", "ins", "kbd", "li", "main",
    "mark", "nav", "ol", "p", "pre", "q", "s", "samp", "section", "small", "span", "strong", "sub",
    "sup", "table", "tbody", "td", "tfoot", "th", "thead", "tr", "tt", "u", "ul", "var",
}  # fmt: skip
_VOID = {"br", "hr"}
_HIDDEN = re.compile(r"(?:^|\s)hidden(?=[\s=/]|$)|style\s*=\s*[\"'][^\"']*display\s*:\s*none", re.I)
_ALT = re.compile(r"\balt\s*=\s*(?:\"([^\"]*)\"|'([^']*)')", re.I)


def harmless(source: str, language: str | None = None) -> str:
    """Return a page's look as a whole HTML file of its own."""
    # Once for all: there are hundreds of thousands of pieces in a large site.
    body = visible("".join(_pieces(source)))
    return f"{_HEAD.replace(_LANGUAGE, _tag(language))}{body}\n</body></html>\n"


def _tag(language: str | None) -> str:
    found = re.match(r"[A-Za-z]{2,3}(?:-[A-Za-z0-9]{2,8})*$", language or "")
    return found[0] if found else ""


def _pieces(source: str) -> list[str]:
    cut = len(source) > _LONGEST
    source = source[:_LONGEST]
    made: list[str] = []
    open_: list[str] = []
    at = 0
    while found := _TAG.search(source, at):
        made.append(_text(source[at : found.start()]))
        at = found.end()
        name = (found["name"] or "").lower()
        if name in _UNSEEN and not found["end"]:
            end = _UNSEEN_END[name].search(source, at) if name in _UNSEEN_END else None
            # What is never closed would swallow the page: for a browser it does.
            at = end.end() if end else len(source)
        elif name == "img" and not found["end"]:
            made.append(_picture(found["rest"] or ""))
        elif name in _VOID:
            made.append(f"<{name}>")
        elif name not in _KEPT:
            continue
        elif not found["end"]:
            hides = " hidden" if _HIDDEN.search(found["rest"] or "") else ""
            made.append(f"<{name}{hides}>")
            open_.append(name)
        elif name in open_[-20:]:
            while (last := open_.pop()) != name:
                made.append(f"</{last}>")
            made.append(f"</{name}>")
    made.append(_text(source[at:]))
    made.extend(f"</{name}>" for name in reversed(open_))
    if cut:
        made.append(f"<p>[Only the first {_LONGEST:,} characters of the page are shown.]</p>")
    return made


def _text(raw: str) -> str:
    return html.escape(_unescaped(raw), quote=False)


def _unescaped(raw: str) -> str:
    try:
        return html.unescape(raw) if "&" in raw else raw
    except ValueError:
        # A number of more digits than Python turns into an int.
        return raw


def _picture(rest: str) -> str:
    alt = _ALT.search(rest)
    words = _text((alt[1] or alt[2] or "") if alt else "").strip()
    return f'<i class="picture">[picture: {words}]</i>' if words else ""
