"""Reads a specification: XML validated by ``schema.xsd``, then the rules that each URL inherits.

No document type is accepted, so that there are no entities to expand and nothing to fetch. An
error names the file, the line and what is wrong.

Decided here. A ``site`` or ``link`` may narrow its pages by a ``url`` that must occur in their
address too. ``process_links`` ("no" unless given), ``process_content`` ("yes") and ``target`` are
inherited like a ``format``. Two rules of one ``format`` for the same tag and attributes are an
error. Levels are places in the file, and nothing refers to anything else: inheritance cannot loop.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from functools import lru_cache
from pathlib import Path
from typing import Any, Mapping, NoReturn
from xml.parsers import expat

from bench.methods.webreader import macros
from bench.methods.webreader.macros import MacroError, Template
from bench.methods.webreader.rules import Append, Format, Rules, TagRule

_HERE = Path(__file__).resolve().parent
LARGEST_BYTES = 10 << 20
"""A specification beyond this is refused."""


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
    """One ``URL`` of a specification with all that it inherits."""

    site: str
    link: str
    line: int
    patterns: tuple[Template, ...]
    """Of site, link and URL: all must occur in an address."""
    rules: Rules
    process_links: bool
    process_content: bool
    target: Target | None

    def match(self, address: str, day: date | None) -> Mapping[str, str] | None:
        """Return the macros' values if the rule is for this address, None if it is not."""
        values: dict[str, str] | None = macros.of_date(day)
        for pattern in self.patterns:
            values = pattern.find(address, values or {})
            if values is None:
                return None
        return values


@dataclass(frozen=True)
class Index:
    """A page whose links lead to a site's pages."""

    site: str
    address: Template


@dataclass(frozen=True)
class Specification:
    """The rules of a file, in its order."""

    source: str
    urls: tuple[UrlRule, ...]
    indexes: tuple[Index, ...] = ()
    """Of the sites that state one (``URL``) and have its links processed."""

    @property
    def sites(self) -> tuple[str, ...]:
        """Names of the sites, each once."""
        return tuple(dict.fromkeys(url.site for url in self.urls))

    def find(
        self, address: str, day: date | None = None
    ) -> tuple[UrlRule, Mapping[str, str]] | None:
        """Return the first rule for an address with the macros' values, None if there is none.

        ``day`` is when the page was read; without it date macros stand for any date.
        """
        for url in self.urls:
            values = url.match(address, day)
            if values is not None:
                return url, {**values, macros.URL: address}
        return None


def shipped(name: str) -> Path:
    """Return the path of a specification that comes with bench (``starter``)."""
    return _HERE / "specifications" / (name + ".xml")


def read_file(path: Path) -> Specification:
    """Read a specification; raises ``SpecificationError``, or ``OSError`` where there is no file."""
    return read(path.read_bytes(), path.name)


def read(data: bytes, source: str = "specification") -> Specification:
    """Read a specification from its bytes; raises ``SpecificationError``."""
    from lxml import etree

    if len(data) > LARGEST_BYTES:
        raise SpecificationError(source, 1, f"it has {len(data)} bytes; {LARGEST_BYTES} may be")
    _refuse_document_type(data, source)
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
    if not schema.validate(root):
        first = schema.error_log[0]
        raise SpecificationError(source, first.line, first.message)
    reader = _Reader(source)
    return Specification(source, tuple(reader.urls(root)), tuple(reader.indexes(root)))


@lru_cache(maxsize=1)
def _schema() -> Any:
    from lxml import etree

    return etree.XMLSchema(etree.parse(str(_HERE / "schema.xsd")))


class _RootReached(Exception):
    pass


def _refuse_document_type(data: bytes, source: str) -> None:
    """Stop at a ``<!DOCTYPE``, before an entity in it is so much as declared."""
    parser = expat.ParserCreate()

    def refuse(*_: object) -> NoReturn:
        raise SpecificationError(
            source,
            parser.CurrentLineNumber,
            "a document type (<!DOCTYPE) is not accepted; leave it out",
        )

    def stop(*_: object) -> NoReturn:
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

    def urls(self, root: Any) -> list[UrlRule]:
        found = []
        formats = self._formats((), root)
        for site in root.iterchildren("site"):
            base = self._based(site, site.get("url"), None)
            for link in site.iterchildren("link"):
                inner = self._based(link, link.get("url"), base)
                shared = self._formats(self._formats(formats, site), link)
                for url in link.iterchildren("URL"):
                    pattern = self._based(url, url.get("pattern"), inner or base)
                    levels = (url, link, site)
                    found.append(
                        UrlRule(
                            site=site.get("name"),
                            link=link.get("name") or "",
                            line=url.sourceline,
                            patterns=tuple(p for p in (base, inner, pattern) if p is not None),
                            rules=Rules(self._formats(shared, url)),
                            process_links=_answer(levels, "process_links", "no"),
                            process_content=_answer(levels, "process_content", "yes"),
                            target=self._target(levels),
                        )
                    )
        return found

    def indexes(self, root: Any) -> list[Index]:
        return [
            Index(site.get("name"), self._template(site, site.get("URL").strip()))
            for site in root.iterchildren("site")
            if site.get("URL") and _answer((site,), "process_links", "no")
        ]

    def _formats(self, outer: tuple[Format, ...], element: Any) -> tuple[Format, ...]:
        """The formats that hold for a level, the outermost first."""
        own = element.find("format")
        return outer if own is None else (*outer, self._format(own, len(outer)))

    def _format(self, element: Any, level: int) -> Format:
        tags: dict[tuple[str | None, ...], TagRule] = {}
        appends: dict[str, Append] = {}
        for child in element:
            if child.tag == "append":
                name, text = child[0].text.strip(), self._template(child[1], child[1].text or "")
                self._refuse_second(child, name, appends)
                appends[name] = Append(name, text, child.sourceline)
            else:
                rule = self._tag_rule(child)
                self._refuse_second(child, rule.key, tags)
                tags[rule.key] = rule
        return Format(tuple(tags.values()), tuple(appends.values()))

    def _tag_rule(self, element: Any) -> TagRule:
        if element.tag == "ignore":
            return TagRule(element.text.strip().lower(), element.sourceline)
        tag_in, tag_out = element
        value = tag_in.get("attr_value")
        if value is not None and not tag_in.get("attr_name"):
            raise SpecificationError(
                self._source,
                tag_in.sourceline,
                "attr_value needs an attr_name: the attribute it is of",
            )
        return TagRule(
            tag=tag_in.text.strip().lower(),
            line=element.sourceline,
            section=tag_out.text.strip(),
            closed=tag_in.get("closed", "yes") == "yes",
            attr_name=_lower(tag_in.get("attr_name")),
            attr_value=None if value is None else " ".join(value.split()),
            attr_get=_lower(tag_in.get("attr_get")),
        )

    def _refuse_second(self, element: Any, key: Any, known: Mapping[Any, Any]) -> None:
        if key in known:
            what = key if isinstance(key, str) else known[key].tag
            raise SpecificationError(
                self._source,
                element.sourceline,
                f"{what} has a rule already at line {known[key].line} of the same format",
            )

    def _based(self, element: Any, text: str | None, base: Template | None) -> Template | None:
        if text is None:
            return None
        read = self._template(element, text.strip())
        try:
            return read.based_on(base)
        except MacroError as error:
            raise SpecificationError(self._source, element.sourceline, str(error)) from None

    def _template(self, element: Any, text: str) -> Template:
        try:
            return macros.template(" ".join(text.split()))
        except MacroError as error:
            raise SpecificationError(self._source, element.sourceline, str(error)) from None

    def _target(self, levels: tuple[Any, ...]) -> Target | None:
        for level in levels:
            element = level.find("target")
            if element is not None:
                return Target(
                    self._template(element, element.text), element.get("append", "no") == "yes"
                )
        return None


def _answer(levels: tuple[Any, ...], name: str, default: str) -> bool:
    """A yes or no of the most local level that gives it."""
    given = [level.get(name) for level in levels if level.get(name) is not None]
    return (given[0] if given else default).strip() == "yes"


def _lower(text: str | None) -> str | None:
    return None if text is None else text.strip().lower()
