"""Applies a specification to a page: one walk over its tree, in time linear in its size.

Text inside a translated tag goes to that tag's section, the sections of equal name concatenated;
text outside all translated tags is dropped with its tags; an unknown tag inside one is dropped and
its text kept; an ignored tag stays as it is.

Decided here. A translated tag within another has its text to itself, and the outer section goes on
after it. ``closed="no"`` is a tag that the page does not close (``<br>``, ``<hr>``, the ``<p>`` of
its time): its section is its content and then what follows it, up to the next such tag beside it
or the end of the element around it. Tags are translated once; a section's name is never looked up
as a tag. Scripts and styles are no text unless a rule names their tag. What HTML shows as a block
begins a new line.
"""

from __future__ import annotations

import re
from datetime import date
from typing import Any, List, Mapping
from urllib.parse import urljoin, urlsplit

from bench.methods.webreader.document import Document, Mark, Piece, Section
from bench.methods.webreader.rules import TagRule
from bench.methods.webreader.specification import Specification, UrlRule

Pieces = List[Piece]

SILENT = frozenset(("script", "style", "template"))
BLOCKS = frozenset(
    [
        "address",
        "article",
        "aside",
        "blockquote",
        "body",
        "br",
        "caption",
        "center",
        "dd",
        "details",
        "dialog",
        "dir",
        "div",
        "dl",
        "dt",
        "fieldset",
        "figcaption",
        "figure",
        "footer",
        "form",
        "h1",
        "h2",
        "h3",
        "h4",
        "h5",
        "h6",
        "header",
        "hr",
        "legend",
        "li",
        "main",
        "menu",
        "nav",
        "ol",
        "option",
        "p",
        "pre",
        "section",
        "summary",
        "table",
        "tbody",
        "td",
        "tfoot",
        "th",
        "thead",
        "title",
        "tr",
        "ul",
    ]
)
_LINKS = frozenset(("a", "area", "base"))
_BREAK = "\n"
_SPACE = re.compile(r"\s+")
_UNSAFE = re.compile(r"[^\w.\-]+")
_XML_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_.\-]*")


def read_page(
    specification: Specification, html: str, url: str, day: date | None = None
) -> Document | None:
    """Return the document that a page becomes, None where no rule is for its address.

    ``day`` is when the page was read (see ``macros``).
    """
    found = specification.find(url, day)
    if found is None:
        return None
    rule, values = found
    walk = _Walk(rule)
    root = _parsed(html) if rule.process_content or rule.process_links else None
    if root is not None:
        walk.over(root)
    if rule.process_content:
        for append in rule.rules.appends:
            walk.section(append.section).extend((_BREAK, append.text.fill(values), _BREAK))
    sections = (Section(name, tuple(pieces)) for name, pieces in walk.sections.items())
    return Document(
        url=url,
        site=rule.site,
        link=rule.link,
        sections=tuple(section for section in sections if section.marked),
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


class _Walk:
    def __init__(self, rule: UrlRule) -> None:
        self.sections: dict[str, Pieces] = {}
        self.hrefs: list[str] = []
        self.base = ""
        self._rule, self._rules = rule, rule.rules
        self._here: Pieces | None = None
        """Where text goes; None where it is dropped."""
        self._open: list[tuple[Pieces | None, TagRule | None]] = []
        """For each open element: where text went around it, and its rule."""
        self._verbatim = 0

    def over(self, root: Any) -> None:
        from lxml import etree

        for event, element in etree.iterwalk(root, events=("start", "end", "comment", "pi")):
            if event == "start":
                self._start(element.tag, element)
                self._text(element.text)
            else:
                if event == "end":
                    self._end(element.tag)
                self._text(element.tail)

    def section(self, name: str) -> Pieces:
        return self.sections.setdefault(name, [])

    def _start(self, tag: str, element: Any) -> None:
        if self._rule.process_links and tag in _LINKS:
            self._note_link(tag, element.get("href"))
        self._break(tag)
        around, rule = self._here, None
        attributes: Mapping[str, str] = {}
        if self._rule.process_content and tag in self._rules.by_tag:
            attributes = element.attrib
            for get in self._rules.gets(tag, attributes):
                value = attributes.get(get.attr_get or "", "")
                self.section(get.section or "").extend((_BREAK, _SPACE.sub(" ", value), _BREAK))
            rule = self._rules.content(tag, attributes)
        if rule is None:
            if tag in SILENT:
                self._here = None
        elif rule.section is None:
            if around is not None:
                around.append(Mark(tag, _kept(attributes)))
        else:
            self._here = self.section(rule.section)
            self._here.append(_BREAK)
        self._open.append((around, rule))
        self._verbatim += tag == "pre"

    def _end(self, tag: str) -> None:
        self._verbatim -= tag == "pre"
        around, rule = self._open.pop()
        if rule is not None and rule.section is not None:
            own = self.section(rule.section)
            own.append(_BREAK)
            # The section of a tag that is not closed takes over until the element around it ends.
            around = around if rule.closed else own
        elif rule is not None and around is not None:
            around.append(Mark(tag, None))
        self._here = around
        self._break(tag)

    def _break(self, tag: str) -> None:
        if self._here is not None and tag in BLOCKS:
            self._here.append(_BREAK)

    def _text(self, text: str | None) -> None:
        if text and self._here is not None:
            self._here.append(text if self._verbatim else _SPACE.sub(" ", text))

    def _note_link(self, tag: str, href: str | None) -> None:
        if href and tag == "base":
            self.base = self.base or href
        elif href:
            self.hrefs.append(href)


def _in_file_names(values: Mapping[str, str]) -> dict[str, str]:
    """An address is no path: what is no part of a file's name becomes an underscore."""
    return {name: _UNSAFE.sub("_", value) for name, value in values.items()}


def _kept(attributes: Mapping[str, str]) -> tuple[tuple[str, str], ...]:
    # HTML has no namespace attribute, and some are an error in XML.
    return tuple((k, v) for k, v in attributes.items() if _XML_NAME.fullmatch(k) and k != "xmlns")


def _next(
    specification: Specification, rule: UrlRule, walk: _Walk, url: str, day: date | None
) -> tuple[str, ...]:
    """The addresses on a page that rules of its site are for, each once."""
    found: dict[str, None] = {}
    for href in dict.fromkeys(walk.hrefs):
        address = _absolute(href, walk.base, url)
        match = specification.find(address, day) if address else None
        if match is not None and match[0].site == rule.site and address != url:
            found[address] = None
    return tuple(found)


def _absolute(href: str, base: str, url: str) -> str:
    try:
        address = urljoin(urljoin(url, base), href.strip()).partition("#")[0]
        return address if urlsplit(address).scheme in ("http", "https", "file") else ""
    except ValueError:  # not an address, as in <a href="http://[">
        return ""
