"""Which component turns content of a type into text: HTML an extractor, other types ``media``."""

import importlib
import pkgutil
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

from bench.adapters import facts, literals, python, registry
from bench.adapters.adapter import Row
from bench.corpus import media
from bench.corpus.media.base import Media
from bench.model import UsageError
from bench.worker.filters import catalogue

HTML = ("text/html", "application/xhtml+xml")
_HTML_SUFFIXES = (".html", ".htm", ".xhtml")


@dataclass(frozen=True)
class Component:
    """What turns content of some types into text."""

    row: Row
    mime: Sequence[str] = HTML
    suffixes: Sequence[str] = ()
    several: bool = False
    """Whether its text is several documents, see ``base.PART``."""


@cache
def by_label() -> Mapping[str, Component]:
    """Return the components in ``media``, by name; one with variants has one for each."""
    return {
        component.row.label: component
        for module in pkgutil.iter_modules(media.__path__)
        for component in _declared_in(f"{media.__name__}.{module.name}")
    }


@cache
def types() -> Collection[str]:
    """Return the content types that there is a component for, HTML among them."""
    return {
        *HTML,
        *(mime for component in by_label().values() for mime in component.mime),
    }


@cache
def by_suffix() -> Mapping[str, str]:
    """Return the content type of files by how their names end."""
    mime_by_suffix = {
        end: component.mime[0] for component in by_label().values() for end in component.suffixes
    }
    return {**dict.fromkeys(_HTML_SUFFIXES, HTML[0]), **mime_by_suffix}


def for_html(word: str, filters: Sequence[str]) -> Component:
    """Return what is to extract HTML: a component in ``media`` that takes it, or an extractor.

    Raises ``UsageError`` for a word that means none, or several, and for an unknown filter.
    """
    for label, component in by_label().items():
        if HTML[0] in component.mime and word in (label, component.row.adapter.name):
            return filtered(component, filters)
    name, at, pin = word.partition("@")
    rows = registry.rows(["+".join([name, *filters]) + at + pin])
    if len(rows) > 1:
        raise UsageError(f"--extractor {word} means {len(rows)} rows; give one")
    return Component(rows[0])


def for_types(html: Component) -> Mapping[str, Component]:
    """Return the component for each content type: for HTML the one given, with its filters for all."""
    chain = html.row.filters
    others = (component for component in by_label().values() if HTML[0] not in component.mime)
    by_type = {mime: filtered(other, chain) for other in others for mime in other.mime}
    return {**by_type, **dict.fromkeys(html.mime, html)}


def filtered(component: Component, filters: Sequence[str]) -> Component:
    """Return a component whose texts go through filters. Raises ``UsageError`` for an unknown one."""
    if unknown := [name for name in filters if name not in catalogue.FILTERS]:
        known = ", ".join(catalogue.FILTERS)
        raise UsageError(f"no filter is called {unknown[0]!r}; there are {known}")
    if not filters:
        return component
    variant = "+".join([component.row.variant, *filters])
    row = replace(component.row, variant=variant, filters_hash=catalogue.source_hash())
    return replace(component, row=row)


def _declared_in(module: str) -> list[Component]:
    file = importlib.import_module(module)
    kinds = [
        kind
        for kind in vars(file).values()
        if isinstance(kind, type) and issubclass(kind, Media) and kind.mime
    ]
    return [
        Component(row, kind.mime, kind.suffixes, kind.several)
        for kind in kinds
        for row in _rows(kind, Path(str(file.__file__)))
    ]


def _rows(kind: type[Media], path: Path) -> list[Row]:
    stated = {name: getattr(kind, name) for name in facts.types() if hasattr(kind, name)}
    stated["description"] = literals.first_line(kind.__doc__ or "")
    declared = facts.make(stated)
    adapter = python.describe(
        python.Source(path, path.read_bytes(), {declared.name: declared}), declared.name
    )
    if adapter.problem:
        adapter = replace(adapter, remedy="pip install 'extractor-bench[corpus]'")
    return [Row(replace(adapter, spec=None), variant) for variant in declared.variants]
