"""Reads a specification: XML validated by ``schema.xsd``, then the rules that each URL inherits.

Two dialects are read into the same rules, element by element: the paper's (figure 1) and ours, which
says the same in attributes.

=============================== ======================================================
figure 1                        ours
=============================== ======================================================
``true``, ``false``             ``yes``, ``no``
``<URL>pa00</URL>``             ``<URL pattern="pa00"/>``
``<tag_out>.TITULO</tag_out>``  ``<tag_out>TITULO</tag_out>``
``<append>.S Text</append>``    ``<append><tag_out>S</tag_out><text>Text</text></append>``
``<target><path/><file/>``      ``<target>file</target>``
=============================== ======================================================

A document type may name an external one, which is never fetched; one with declarations of its own
is refused, and so is every entity but XML's five. An error names the file, the line and what is wrong.

Decided here, because the paper prints no DTD. A ``site`` or ``link`` may narrow its pages by a
``url`` that must occur in their address too. ``process_links`` ("no" unless given),
``process_content`` ("yes") and ``target`` are inherited like a ``format``; but those of a site that
has a ``URL`` are about that page alone, its index, which is no document unless it says so. Two rules
of one ``format`` for the same tag and attributes are an error. Levels are places in the file, and
nothing refers to anything else: inheritance cannot loop.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from functools import lru_cache
from pathlib import Path
from typing import Any, Mapping, Sequence
from xml.parsers import expat

from bench.methods.webreader import macros
from bench.methods.webreader.macros import MacroError, Template
from bench.methods.webreader.rules import Append, Format, Rules, TagRule

_FOLDER = Path(__file__).resolve().parent
LARGEST_BYTES = 10 << 20
"""A specification beyond this is refused."""
LONGEST_TEXT = 2_000
"""Characters of a pattern, an address, a text to append or a file's name."""
_YES = ("yes", "true")


class SpecificationError(Exception):
    """A specification that cannot be used: file, line and reason in one line."""

    def __init__(self, source: str, line: int, reason: str) -> None:
        super().__init__(f"{source}, line {line}: {' '.join(reason.split())}")
        self.source, self.line, self.reason = source, line, reason


@dataclass(frozen=True)
class Target:
    """The file that documents go to."""

    name: Template
    append: bool
    """Added to the end of the file, instead of taking its place."""


@dataclass(frozen=True)
class UrlRule:
    """One ``URL`` of a specification, or the index of a site, with all that it inherits."""

    site: str
    link: str
    line: int
    patterns: tuple[Template, ...]
    """Of site, link and URL: all must occur in an address. An index has its address alone."""
    rules: Rules
    process_links: bool
    process_content: bool
    target: Target | None
    is_index: bool = False

    def match(self, address: str, day: date | None) -> Mapping[str, str] | None:
        """Return the macros' values if the rule is for this address, None if it is not."""
        values: dict[str, str] | None = macros.of_date(day)
        for pattern in self.patterns:
            values = pattern.find(address, values or {}, whole=self.is_index)
            if values is None:
                return None
        return values


@dataclass(frozen=True)
class Specification:
    """The rules of a file: those of indexes first, then those of URLs, each in the file's order."""

    source: str
    rules: tuple[UrlRule, ...]

    @property
    def urls(self) -> tuple[UrlRule, ...]:
        """The rules of URLs."""
        return tuple(rule for rule in self.rules if not rule.is_index)

    @property
    def sites(self) -> tuple[str, ...]:
        """Names of the sites, each once."""
        return tuple(dict.fromkeys(rule.site for rule in self.rules))

    def find(
        self, address: str, day: date | None = None
    ) -> tuple[UrlRule, Mapping[str, str]] | None:
        """Return the first rule for an address with the macros' values, None if there is none.

        ``day`` is when the page was read; without it date macros stand for any date.
        """
        for rule in self.rules:
            values = rule.match(address, day)
            if values is not None:
                return rule, {**values, macros.URL: address}
        return None


def shipped(name: str) -> Path:
    """Return the path of a specification that comes with bench (``starter``)."""
    return _FOLDER / "specifications" / (name + ".xml")


def read_file(path: Path) -> Specification:
    """Read a specification; raises ``SpecificationError``, or ``OSError`` where there is no file."""
    return read(path.read_bytes(), path.name)


def read(data: bytes, source: str = "specification") -> Specification:
    """Read a specification from its bytes; raises ``SpecificationError``."""
    from lxml import etree

    if len(data) > LARGEST_BYTES:
        raise SpecificationError(source, 1, f"it has {len(data)} bytes; {LARGEST_BYTES} may be")
    _refuse_declarations(data, source)
    parser = etree.XMLParser(
        resolve_entities=False,
        no_network=True,
        load_dtd=False,
        remove_comments=True,
        remove_pis=True,
    )
    try:
        root = etree.fromstring(data, parser)
    except etree.XMLSyntaxError as error:
        raise SpecificationError(source, error.lineno or 1, error.msg or "is no XML") from None
    schema = _schema()
    # The parser's log has entities that an external document type might declare.
    if parser.error_log or not schema.validate(root):
        first = (parser.error_log or schema.error_log)[0]
        raise SpecificationError(source, first.line, first.message)
    return Specification(source, tuple(_Reader(source).rules(root)))


@lru_cache(maxsize=1)
def _schema() -> Any:
    from lxml import etree

    return etree.XMLSchema(etree.parse(str(_FOLDER / "schema.xsd")))


class _RootReached(Exception):
    pass


def _refuse_declarations(data: bytes, source: str) -> None:
    """Stop at a document type with declarations, before an entity in it is so much as declared."""
    parser = expat.ParserCreate()

    def refuse(_name: str, _system: str | None, _public: str | None, declares: bool) -> None:
        if declares:
            raise SpecificationError(
                source,
                parser.CurrentLineNumber,
                "a document type with declarations of its own ([…]) is not accepted; leave them out",
            )

    def stop(*_: object) -> None:
        raise _RootReached

    parser.StartDoctypeDeclHandler = refuse
    parser.StartElementHandler = stop
    try:
        parser.Parse(data, True)
    except _RootReached:
        pass
    except expat.ExpatError as error:
        raise SpecificationError(source, error.lineno, str(error)) from None
    except (LookupError, ValueError) as error:  # of an encoding that there is not
        raise SpecificationError(source, 1, str(error)) from None


class _Reader:
    """Goes down the levels of a specification that keeps to the schema."""

    def __init__(self, source: str) -> None:
        self._source = source

    def rules(self, root: Any) -> list[UrlRule]:
        """Return the rules of indexes, then those of URLs."""
        indexes, urls = [], []
        shared = self._formats((), root)
        for site in root.iterchildren("site"):
            formats = self._formats(shared, site)
            base = self._filter(site, None)
            if site.get("URL"):
                # An address has no white space: what is there comes from a broken line.
                address = self._pattern(site, "".join(site.get("URL").split()), None)
                indexes.append(self._rule((root, site), (address,), formats))
            elif site.find("link") is None:
                raise self._error(site, "a site has a link, or a URL: the address of its index")
            for link in site.iterchildren("link"):
                inner = self._filter(link, base)
                narrowing = tuple(dict.fromkeys(filter(None, (base, inner))))
                of_link = self._formats(formats, link)
                for url in link.iterchildren("URL"):
                    pattern = self._pattern(url, _text_of(url, "pattern"), inner)
                    levels = (root, site, link, url)
                    formats_of_url = self._formats(of_link, url)
                    urls.append(self._rule(levels, (*narrowing, pattern), formats_of_url))
        return indexes + urls

    def _rule(
        self, levels: tuple[Any, ...], patterns: tuple[Template, ...], formats: tuple[Format, ...]
    ) -> UrlRule:
        """Make the rule of the last of these levels."""
        _, site, *below = levels
        # What a site with an index says of processing is about its index.
        processing = below if below and site.get("URL") else (site, *below)
        return UrlRule(
            site=site.get("name"),
            link=(below[0].get("name") or "") if below else "",
            line=levels[-1].sourceline,
            patterns=patterns,
            rules=Rules(formats),
            process_links=_answer(processing, "process_links", "no"),
            process_content=_answer(processing, "process_content", "yes" if below else "no"),
            target=self._target(levels),
            is_index=not below,
        )

    def _only(self, element: Any, name: str) -> Any:
        """Return the child of a name, None without one."""
        children = element.findall(name)
        if len(children) > 1:
            raise self._error(children[1], f"a second {name} of the same level; make the two one")
        return children[0] if children else None

    def _formats(self, outer: tuple[Format, ...], element: Any) -> tuple[Format, ...]:
        """The formats that hold for a level, the outermost first."""
        format_ = self._only(element, "format")
        return outer if format_ is None else (*outer, self._format(format_))

    def _format(self, element: Any) -> Format:
        tags: dict[tuple[str | None, ...], TagRule] = {}
        appends = []
        for child in element:
            if child.tag == "append":
                appends.append(self._append(child))
                continue
            rule = self._tag_rule(child)
            if rule.key in tags:
                line = tags[rule.key].line
                raise self._error(
                    child, f"{rule.tag} has a rule already at line {line} of the same format"
                )
            tags[rule.key] = rule
        return Format(tuple(tags.values()), tuple(appends))

    def _append(self, element: Any) -> Append:
        text = _text_of(element, "text")
        name = element.findtext("tag_out")
        if name is None:
            name, _, text = text.partition(" ")
        return Append(self._section(element, name), self._template(element, text))

    def _tag_rule(self, element: Any) -> TagRule:
        if element.tag == "ignore":
            return TagRule(element.text.strip().lower(), element.sourceline)
        tag_in = element.find("tag_in")
        name, value, get = (tag_in.get(f"attr_{part}") for part in ("name", "value", "get"))
        if value is not None and not name:
            raise self._error(tag_in, "attr_value needs an attr_name: the attribute it is of")
        if get is None and not _answer([tag_in], "closed", "yes"):
            raise self._error(
                tag_in,
                "a tag that is not closed has no content: take an attribute's value (attr_get), "
                'or let the section go on with what follows (runs_on="true" in place of closed)',
            )
        return TagRule(
            tag=tag_in.text.strip().lower(),
            line=element.sourceline,
            section=self._section(element, element.findtext("tag_out")),
            runs_on=_answer([tag_in], "runs_on", "no"),
            attr_name=_lower(name),
            attr_value=None if value is None else " ".join(value.split()),
            attr_get=_lower(get),
        )

    def _section(self, element: Any, text: str) -> str:
        """Return the name of a section, less the dot that it may begin with."""
        from lxml import etree

        name = text.strip()
        name = name[name.startswith(".") :]
        try:
            etree.QName(None, name)  # as XML wants its elements' names
        except ValueError:
            raise self._error(element, f"{text.strip()!r} is no name of a section") from None
        return name

    def _filter(self, element: Any, base: Template | None) -> Template | None:
        """Return what must occur in the addresses of a level's pages, beside their patterns."""
        url = element.get("url")
        return base if url is None else self._pattern(element, url, base)

    def _pattern(self, element: Any, text: str, base: Template | None) -> Template:
        """Return what occurs in addresses; ``$URL$`` stands for ``base``."""
        if len(text.split()) != 1:
            raise self._error(element, f"{text!r} is no pattern: what occurs in the addresses")
        try:
            return self._template(element, text).based_on(base)
        except MacroError as error:
            raise self._error(element, str(error)) from None

    def _template(self, element: Any, text: str) -> Template:
        text = " ".join(text.split())
        if len(text) > LONGEST_TEXT:
            raise self._error(element, f"it has {len(text)} characters; {LONGEST_TEXT} may be")
        try:
            return macros.template(text)
        except MacroError as error:
            raise self._error(element, str(error)) from None

    def _target(self, levels: tuple[Any, ...]) -> Target | None:
        root = levels[0]
        targets = [self._only(level, "target") for level in levels]
        innermost = ([root] + [target for target in targets if target is not None])[-1]
        path = innermost.findtext("path") or root.findtext("path", "")
        file = _text_of(innermost, "file") or root.findtext("file", "")
        if not file:
            return None
        name = f"{path.strip()}/{file.strip()}" if path else file
        return Target(self._template(innermost, name), _answer([innermost], "append", "no"))

    def _error(self, element: Any, reason: str) -> SpecificationError:
        return SpecificationError(self._source, element.sourceline, reason)


def _text_of(element: Any, name: str) -> str:
    """Return what an element says: in an attribute or child of this name, or as its own text."""
    text = element.get(name) or element.findtext(name) or "".join(element.xpath("text()"))
    return " ".join(text.split())


def _answer(levels: Sequence[Any], name: str, default: str) -> bool:
    """A yes or no of the most local level that gives it."""
    answers = [level.get(name) for level in levels if level.get(name) is not None]
    return (answers[-1] if answers else default).strip() in _YES


def _lower(text: str | None) -> str | None:
    return None if text is None else text.strip().lower()
