"""Applies a specification to a page: one walk over its tree, in time linear in its size.

Text inside a translated tag goes to that tag's section, the sections of equal name run together;
text outside all translated tags is dropped with its tags; an unknown tag inside one is dropped and
its text kept; an ignored tag stays as the page spells it (section 4, table 1).

A tree knows where elements end but not how their tags were spelt, nor which were there at all: so a
comment that is put beside each ignored tag before parsing says which it is.

Decided here. A translated tag within another has its text to itself, and the outer section goes on
after it. ``runs_on`` is ours: the section goes on with what follows the tag, up to the next such tag
beside it or the end of the element around it. Tags are translated once; a section's name is never
looked up as a tag. Scripts and styles are no text unless a rule names their tag. What HTML shows as a
block, and does not stay as a tag, ends a line: words of two blocks are not one.
"""

from __future__ import annotations

import re
from datetime import date
from typing import Any, Container, List, Mapping, NamedTuple
from urllib.parse import urljoin, urlsplit

from bench.methods.webreader import macros
from bench.methods.webreader.document import LINE_END, Document, Mark, Piece, Section
from bench.methods.webreader.rules import TagRule
from bench.methods.webreader.specification import Specification, UrlRule

Pieces = List[Piece]

SILENT = frozenset(("script", "style", "template"))
BLOCKS = frozenset({
    "address", "article", "aside", "blockquote", "body", "br", "caption", "center", "dd",
    "details", "dialog", "dir", "div", "dl", "dt", "fieldset", "figcaption", "figure", "footer",
    "form", "h1", "h2", "h3", "h4", "h5", "h6", "header", "hr", "legend", "li", "main", "menu",
    "nav", "ol", "option", "p", "pre", "section", "summary", "table", "tbody", "td", "tfoot",
    "th", "thead", "title", "tr", "ul",
})  # fmt: skip
_LINKS = frozenset(("a", "area", "base"))
_SPACE = re.compile(r"\s+")
_REST_OF_TAG = r"""(?:[^>=]+|=\s*"[^"]*(?:"|\Z)|=\s*'[^']*(?:'|\Z)|=)*"""
_TOKENS = re.compile(
    r"<!--.*?(?:-->|\Z)|<[!?][^>]*|<(?P<raw>script|style|textarea|title|xmp|iframe|noembed|noframes)\b"
    + _REST_OF_TAG
    + r".*?(?:</(?P=raw)|\Z)|<(?P<end>/?)(?P<name>[a-z][^\s/>]*)"
    + _REST_OF_TAG
    + r"(?P<closed>>?)",
    re.DOTALL | re.IGNORECASE,
)
"""Comments, declarations, elements without tags in them, tags. Each alternative goes on to the end of
the page where its own is missing, so that nothing is looked at twice."""
_UNSAFE = re.compile(r"[^\w.\-]+")


def read_page(
    specification: Specification, html: str, url: str, day: date | None = None
) -> Document | None:
    """Return the document that a page becomes, None where no rule is for its address.

    ``day`` is when the page was read (see ``macros``).
    """
    match = specification.find(url, day)
    return None if match is None else read_by(specification, *match, html, day)


def read_by(
    specification: Specification,
    rule: UrlRule,
    values: Mapping[str, str],
    html: str,
    day: date | None = None,
) -> Document:
    """Return the document that a page becomes by a rule.

    ``values`` are those of the macros, the page's address among them.
    """
    url = values[macros.URL]
    walk = _Walk(rule)
    if rule.process_content:
        for append in rule.rules.appends:
            walk.section(append.section).extend((append.text.fill(values), LINE_END))
    if rule.process_content or rule.process_links:
        walk.over(html)
    return Document(
        url=url,
        site=rule.site,
        link=rule.link,
        sections=tuple(Section(name, tuple(pieces)) for name, pieces in walk.sections.items()),
        links=_next(specification, rule, walk, url, day),
        target=rule.target.name.fill(_in_file_names(values)) if rule.target else None,
        append=bool(rule.target and rule.target.append),
    )


def _parsed(html: str) -> Any:
    """The page's root element, None for a page without any."""
    from lxml import etree

    # Bytes, because lxml refuses a str that declares an encoding.
    parser = etree.HTMLParser(encoding="utf-8", huge_tree=True, no_network=True)
    try:
        return etree.fromstring(html.encode("utf-8", "replace"), parser)
    except etree.XMLSyntaxError:
        return None


def _numbered(html: str, names: Container[str]) -> tuple[str, dict[str, tuple[str, str]]]:
    """Return the page with a comment after each start tag, and before each end tag, of these names.

    The comment is the tag's key among those returned: name, with a slash at an end, and spelling.
    The page's own comments are left out.
    """
    parts: list[str] = []
    tags: dict[str, tuple[str, str]] = {}
    at = 0
    for token in _TOKENS.finditer(html):
        name = (token.group("name") or "").lower()
        if token.group().startswith("<!--"):
            parts.append(html[at : token.start()])
            at = token.end()
        elif name in names and token.group("closed"):
            place = token.start() if token.group("end") else token.end()
            parts += (html[at:place], f"<!--{len(tags)}-->")
            tags[str(len(tags))] = (token.group("end") + name, token.group())
            at = place
    return "".join((*parts, html[at:])), tags


class _Open(NamedTuple):
    """An element that has begun and not ended."""

    tag: str
    rule: TagRule | None
    around: Pieces | None
    """Where text went before it."""


class _Walk:
    def __init__(self, rule: UrlRule) -> None:
        self.sections: dict[str, Pieces] = {}
        self.hrefs: list[str] = []
        self.base = ""
        self._rule, self._rules = rule, rule.rules
        self._output: Pieces | None = None
        """Where text goes; None where it is dropped."""
        self._open: list[_Open] = []
        self._latest: _Open | None = None
        """The element that began last."""
        self._verbatim = 0

    def over(self, html: str) -> None:
        from lxml import etree

        by_tag = self._rules.by_tag
        ignored = [tag for tag in by_tag if any(rule.section is None for rule in by_tag[tag])]
        html, tags = _numbered(html, ignored) if ignored else (html, {})
        root = _parsed(html)
        if root is None:
            return
        for event, element in etree.iterwalk(root, events=("start", "end", "comment", "pi")):
            if event == "start":
                self._start(element.tag, element)
                self._text(element.text)
                continue
            if event == "end":
                self._end(element.tag)
            elif event == "comment" and element.text in tags:
                self._keep(*tags[element.text])
            self._text(element.tail)

    def section(self, name: str) -> Pieces:
        return self.sections.setdefault(name, [])

    def _start(self, tag: str, element: Any) -> None:
        if self._rule.process_links and tag in _LINKS:
            self._note_link(tag, element.get("href"))
        around, rule = self._output, None
        if self._rule.process_content and tag in self._rules.by_tag:
            for get in self._rules.gets(tag, element.attrib):
                value = _SPACE.sub(" ", element.get(get.attr_get, ""))
                self.section(get.section or "").extend((LINE_END, value, LINE_END))
            rule = self._rules.content(tag, element.attrib)
        self._latest = _Open(tag, rule, around)
        self._open.append(self._latest)
        self._break(tag, rule)
        if rule is not None and rule.section is not None:
            self._output = self.section(rule.section)
            self._break(tag, rule)
        elif rule is None and tag in SILENT:
            self._output = None
        self._verbatim += tag == "pre"

    def _end(self, tag: str) -> None:
        self._verbatim -= tag == "pre"
        _, rule, around = self._open.pop()
        if rule is not None and rule.section is not None:
            self._output = self.section(rule.section)
            self._break(tag, rule)
            if rule.runs_on:  # until the element around it ends
                return
        self._output = around
        self._break(tag, rule)

    def _keep(self, tag: str, spelt: str) -> None:
        """Keep a tag as it is spelt, if it is ignored."""
        name = tag.lstrip("/")
        element = self._latest if name == tag else self._open[-1]
        if element is not None and element.tag == name:
            rule = element.rule
        else:  # the end of nothing
            rule = self._rules.content(name, {})
        if self._output is not None and rule is not None and rule.section is None:
            self._output.append(Mark(spelt, name in BLOCKS))

    def _break(self, tag: str, rule: TagRule | None) -> None:
        stays = rule is not None and rule.section is None
        if self._output and self._output[-1] is not LINE_END and tag in BLOCKS and not stays:
            self._output.append(LINE_END)

    def _text(self, text: str | None) -> None:
        if text and self._output is not None:
            lines = text.split("\n") if self._verbatim else [text]
            for number, line in enumerate(lines):
                self._output += (LINE_END, line) if number else (line,)

    def _note_link(self, tag: str, href: str | None) -> None:
        if href and tag == "base":
            self.base = self.base or href
        elif href:
            self.hrefs.append(href)


def _in_file_names(values: Mapping[str, str]) -> dict[str, str]:
    """An address is no path: what is no part of a file's name becomes an underscore."""
    return {name: _UNSAFE.sub("_", value) for name, value in values.items()}


def _next(
    specification: Specification, rule: UrlRule, walk: _Walk, url: str, day: date | None
) -> tuple[str, ...]:
    """The addresses on a page that rules of its site are for, each once."""
    links: dict[str, None] = {}
    for href in dict.fromkeys(walk.hrefs):
        address = _absolute(href, walk.base, url)
        match = specification.find(address, day) if address else None
        if match is not None and match[0].site == rule.site and address != url:
            links[address] = None
    return tuple(links)


def _absolute(href: str, base: str, url: str) -> str:
    try:
        address = urljoin(urljoin(url, base), href.strip()).partition("#")[0]
        return address if urlsplit(address).scheme in ("http", "https", "file") else ""
    except ValueError:  # not an address, as in <a href="http://[">
        return ""
