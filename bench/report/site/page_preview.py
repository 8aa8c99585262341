r"""A page's preview: what it shows, as far as it can be shown without letting it do anything.

Made from a list of harmless elements, every attribute dropped: what is left has no script,
style, image, form, frame or address, so that nothing can run and no request can be made. Three more
walls stand around it: a policy that forbids everything, a sandbox without permissions, and the
policy of the page that shows it.

Tokens are those of ``bench.datasets.page_text``, so that time and memory grow with the length alone. A
sanitizer that builds a tree (nh3 was tried) follows the HTML Standard in opening formatting elements
again inside each block: 20,000 times ``<font size=1><p>`` take all memory there is.
"""

import hashlib
import html
import re
from base64 import b64encode
from collections.abc import Iterator
from contextlib import suppress

from bench.datasets.page_text import MARKUP
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
    f"<title>Page preview</title><style>{_STYLE}</style></head><body>\n"
)
_LONGEST = 2_000_000
"""Characters of a page that are looked at."""

_UNSEEN = ("script", "style", "iframe", "noembed", "noframes", "title", "template", "svg", "math",
           "object", "textarea", "xmp", "plaintext", "select", "canvas", "audio",
           "video")  # fmt: skip
_UNSEEN_END = {
    name: re.compile(rf"</{name}(?=[\s/>])[^>]*+(?:>|\Z)", re.I)
    for name in _UNSEEN
    if name != "plaintext"
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
    """Return a page's preview as a whole HTML file of its own."""
    tag = re.match(r"[A-Za-z]{2,3}(?:-[A-Za-z0-9]{2,8})*$", language or "")
    # Once for all: there are hundreds of thousands of pieces in a large site.
    body = visible("".join(_pieces(source[:_LONGEST])))
    if len(source) > _LONGEST:
        body += f"<p>[Only the first {_LONGEST:,} characters of the page are shown.]</p>"
    return f"{_HEAD.replace(_LANGUAGE, tag[0] if tag else '')}{body}\n</body></html>\n"


def _pieces(source: str) -> Iterator[str]:
    open_: list[str] = []
    at = 0
    while tag := MARKUP.search(source, at):
        if tag.start() > at:
            yield _text(source[at : tag.start()])
        at = tag.end()
        name, ends, rest = tag.group("name", "end", "rest")
        name = (name or "").lower()
        if name in _KEPT:
            if name in _VOID:
                yield f"<{name}>"
            elif not ends:
                yield f"<{name} hidden>" if rest and _HIDDEN.search(rest) else f"<{name}>"
                open_.append(name)
            elif name in open_[-20:]:
                while (last := open_.pop()) != name:
                    yield f"</{last}>"
                yield f"</{name}>"
        elif name in _UNSEEN and not ends:
            end = _UNSEEN_END[name].search(source, at) if name in _UNSEEN_END else None
            # What is never closed would swallow the page: for a browser it does.
            at = end.end() if end else len(source)
        elif name == "img" and not ends:
            yield _picture(rest)
    yield _text(source[at:])
    yield from (f"</{name}>" for name in reversed(open_))


def _text(raw: str) -> str:
    if "&" in raw:
        with suppress(ValueError):  # a number of more digits than Python turns into an int
            raw = html.unescape(raw)
    return html.escape(raw, quote=False)


def _picture(rest: str) -> str:
    alt = _ALT.search(rest)
    words = _text(alt[1] or alt[2] or "").strip() if alt else ""
    return f'<i class="picture">[picture: {words}]</i>' if words else ""
