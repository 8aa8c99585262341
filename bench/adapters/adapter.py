"""An adapter, described: what is known of an extractor without loading it, and the rows it makes."""

import codecs
import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

from bench.adapters.spec import Spec
from bench.extractor import TEXTS_AND_GOLD
from bench.model import ExtractorFacts, GoldPage, base_variant
from bench.util import paths
from bench.worker.decode import decode

Decode = Literal["", "harness", "library"]


@dataclass(frozen=True)
class LoadRequest:
    """What a worker is told to load."""

    adapter: str
    """The Python file that it imports."""
    name: str
    """Of the ``Extractor`` in that file."""
    attributes: Mapping[str, Any] = field(default_factory=dict)
    """What is set on the extractor before it is loaded: all that is known of it beside its class."""
    settings: Mapping[str, Any] = field(default_factory=dict)
    """Keywords for ``load``."""


@dataclass(frozen=True)
class Adapter:
    """What is known of an extractor without loading it."""

    facts: ExtractorFacts
    path: Path
    """The file that states the facts."""
    load: LoadRequest = LoadRequest("", "")
    version: str | None = None
    """Of the program wrapped, from its installed package; None where it is not installed."""
    package: str = ""
    """The package wrapped: ``python:lxml``, ``npm:jsdom``, ``r:rvest``; empty where none is."""
    source_hash: str = ""
    problem: str = ""
    """Why it cannot run here; empty when it can."""
    remedy: str = ""
    """How to fix that."""
    origin: str = ""
    """Where an adapter that does not ship with the project comes from; empty for those that do."""
    spec: Spec | None = None
    """What an environment of its own must hold; None for what needs none, or none of ours."""
    interpreter: Path | None = None
    """The Python of its environment; None for the one that runs bench."""
    environment: str = ""
    """Key of its environment, which its texts depend on; empty for the main one."""
    packages: tuple[str, ...] = ()
    """``name==version`` of everything in its environment."""

    @property
    def name(self) -> str:
        """What users type."""
        return self.facts.name

    @property
    def available(self) -> bool:
        """Whether its requirements are met (it may still fail to load)."""
        return not self.problem


def unreadable(name: str, path: Path, reason: str) -> Adapter:
    """Return the adapter that stands for a file that cannot be read: unavailable, with the reason."""
    return Adapter(
        ExtractorFacts(name, language="R" if path.suffix == ".R" else "Python"),
        path,
        problem=f"{path.name} cannot be read: {' '.join(reason.split())}",
        remedy=f"fix {path}",
    )


@dataclass(frozen=True)
class Row:
    """An extractor with the settings of one variant: what a leaderboard ranks."""

    adapter: Adapter
    variant: str
    """The variant's name, each filter with a plus after it, then what is pinned:
    ``precision+clean@1.12.2``."""
    members: "tuple[Row, ...]" = ()
    """For an ensemble: the rows whose texts it is handed, in its order."""
    filters_hash: str = ""
    """Hash of the filters' source, which the texts of a row with filters depend on."""
    decode: Decode = ""
    """Who decodes pages: the ``harness`` for all, the ``library`` where its documentation has it do
    so; empty for what the adapter accepts."""

    @property
    def filters(self) -> tuple[str, ...]:
        """Names of the filters that the text goes through, in their order."""
        return tuple(self.variant.partition("@")[0].split("+")[1:])

    @property
    def pin(self) -> str:
        """The version that was asked for, as it was written; empty for whatever is there."""
        return self.variant.partition("@")[2]

    @property
    def label(self) -> str:
        """What users type and tables show: ``name``, or ``name:variant``, with its filters."""
        return label(self.adapter.name, self.variant)

    @property
    def settings(self) -> Mapping[str, Any]:
        """Keywords for ``load``."""
        return self.adapter.facts.variants[base_variant(self.variant)]

    @property
    def load_request(self) -> LoadRequest:
        """What its worker is told to load."""
        load = replace(self.adapter.load, settings=self.settings)
        if self.decode == "library" and self.adapter.facts.takes_bytes:
            return replace(load, attributes={**load.attributes, "accepts": "bytes"})
        return load

    def decoded_by(self, who: Decode) -> "Row":
        """Return the row, its members as well, with who decodes its pages."""
        return replace(self, decode=who, members=tuple(m.decoded_by(who) for m in self.members))

    def handed(self, item: GoldPage, texts: Mapping[str, str] | None = None) -> bytes:
        """Return the bytes that the worker is handed for a page: its HTML, or for a ceiling its gold.

        For an ensemble they are its members' ``texts``, by label, as JSON.
        """
        if self.members:
            return self._handed_texts(item, texts or {})
        if self.adapter.facts.accepts == "gold":
            gold = item.gold
            text = "\n".join(gold.with_snippets) if gold.text is None else gold.text
            return text.encode("utf-8")
        if self.decode == "harness" and self.adapter.facts.accepts == "bytes":
            # A byte order mark goes before whatever charset the page declares.
            return codecs.BOM_UTF8 + decode(item.page.html, item.page.encoding).encode()
        return item.page.html

    def _handed_texts(self, item: GoldPage, texts: Mapping[str, str]) -> bytes:
        facts: dict[str, Any] = {"texts": {m.label: texts.get(m.label, "") for m in self.members}}
        if self.adapter.facts.accepts == TEXTS_AND_GOLD:
            facts["gold"] = {
                "text": item.gold.text,
                "with_snippets": item.gold.with_snippets,
                "without_snippets": item.gold.without_snippets,
                "language": item.page.language,
            }
        return json.dumps(facts).encode()

    @cached_property
    def key(self) -> str:
        """Hash of name, variant, version, settings and source: all that texts depend on but the page.

        An ensemble's texts depend on its members as well.
        """
        facts = [
            self.adapter.name,
            self.variant,
            self.adapter.version,
            json.dumps(dict(self.settings), sort_keys=True, default=str),
            self.adapter.source_hash,
        ]
        if self.filters:
            facts.append(self.filters_hash)
        if self.adapter.environment:
            facts.append(self.adapter.environment)
        if self.decode:
            facts.append(f"decoded by the {self.decode}")
        facts += [member.key for member in self.members]
        return hashlib.sha256(json.dumps(facts).encode()).hexdigest()[:20]


def label(name: str, variant: str) -> str:
    """Return ``name`` for the variant called default, ``name:variant`` for the others."""
    base = base_variant(variant)
    return (name if base == "default" else f"{name}:{base}") + variant.removeprefix(base)


def with_members(rows: Sequence[Row]) -> list[Row]:
    """Return rows and, after them, the members of ensembles that are not among them."""
    labels = {row.label for row in rows}
    members = {m.label: m for row in rows for m in row.members if m.label not in labels}
    return [*rows, *members.values()]


def linked(row: Row, members: Iterable[Row]) -> Row:
    """Return an ensemble's row with these members; it can run where all of them can."""
    members = tuple(members)
    problem, remedy = lacking(members)
    return replace(
        row, adapter=replace(row.adapter, problem=problem, remedy=remedy), members=members
    )


def lacking(members: Iterable[Row]) -> tuple[str, str]:
    """Return the problem and the remedy of an ensemble that lacks a member; empty for none."""
    for member in members:
        if not member.adapter.available:
            problem = f"its member {member.label} is not available: {member.adapter.problem}"
            return problem, member.adapter.remedy
    return "", ""


def own_version() -> str:
    """Return the version of bench itself."""
    from importlib import metadata

    return metadata.version(paths.DISTRIBUTION)
