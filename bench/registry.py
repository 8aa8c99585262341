"""Finds extractors: adapter files by their place, third parties' by entry point.

Nothing is registered by hand and no extractor's library is imported: an adapter file names its
library in ``requires`` and imports it only in ``load``, inside a worker.
"""

from __future__ import annotations

import difflib
import fnmatch
import hashlib
import importlib.util
import json
import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib import metadata
from pathlib import Path
from types import ModuleType
from typing import Any

from packaging.requirements import InvalidRequirement, Requirement
from packaging.specifiers import SpecifierSet

import bench
from bench import paths
from bench.extractor import ACCEPTS, KINDS, Extractor
from bench.model import BenchError, GoldPage, UsageError

ENTRY_POINTS = "bench.extractors"
_NAME = re.compile(r"[a-z0-9][a-z0-9_]*")


@dataclass(frozen=True)
class Adapter:
    """What is known of an extractor without loading it."""

    name: str
    path: Path
    """The adapter file."""
    description: str
    requires: tuple[str, ...] = ()
    accepts: str = "str"
    kind: str = "extractor"
    language: str = "Python"
    homepage: str = ""
    settings_source: str = ""
    licence: str = ""
    variants: Mapping[str, Mapping[str, Any]] = field(default_factory=lambda: {"default": {}})
    version: str | None = None
    """Of the program wrapped, from its installed package; None where it is not installed."""
    source_hash: str = ""
    problem: str = ""
    """Why it cannot run here; empty when it can."""
    remedy: str = ""
    """What to type to mend that."""

    def load_request(self, settings: Mapping[str, Any]) -> dict[str, Any]:
        """Return what a worker is told to load for a variant with these settings."""
        return {"adapter": str(self.path), "name": self.name, "settings": dict(settings)}

    @property
    def available(self) -> bool:
        """Whether its requirements are met (it may still fail to load)."""
        return not self.problem


@dataclass(frozen=True)
class Row:
    """An extractor with the settings of one variant: what a leaderboard ranks."""

    adapter: Adapter
    variant: str

    @property
    def label(self) -> str:
        """What users type and tables show: ``name``, or ``name:variant``."""
        return label(self.adapter.name, self.variant)

    @property
    def settings(self) -> Mapping[str, Any]:
        """Keywords for ``load``."""
        return self.adapter.variants[self.variant]

    def handed(self, item: GoldPage) -> bytes:
        """Return the bytes that the worker is handed for a page: its HTML, or for a ceiling its gold."""
        if self.adapter.accepts == "gold":
            return (item.gold.text or "").encode("utf-8")
        return item.page.html

    @property
    def key(self) -> str:
        """Hash of name, variant, version, settings and source: all that texts depend on but the page."""
        facts = [
            self.adapter.name,
            self.variant,
            self.adapter.version,
            json.dumps(dict(self.settings), sort_keys=True, default=str),
            self.adapter.source_hash,
        ]
        return hashlib.sha256(json.dumps(facts).encode()).hexdigest()[:20]


def label(name: str, variant: str) -> str:
    """Return ``name`` for the variant called default, ``name:variant`` for the others."""
    return name if variant == "default" else f"{name}:{variant}"


def own_version() -> str:
    """Return the version of bench itself."""
    return metadata.version(bench.__name__)


@cache
def adapters() -> Mapping[str, Adapter]:
    """Return every adapter found, by name, controls last.

    Raises ``BenchError`` when two files claim one name. A file that does not import is listed as
    unavailable under its own name, with the reason.
    """
    # Imported here because it describes its finds with Adapter.
    from bench.r import adapters as r

    found: dict[str, Adapter] = {}
    for adapter in [*(each for path in _files() for each in _read(path)), *r.adapters()]:
        if adapter.name in found:
            raise BenchError(
                f"two adapters are called {adapter.name!r}: {found[adapter.name].path} and "
                f"{adapter.path}; rename one"
            )
        found[adapter.name] = adapter
    return dict(sorted(found.items(), key=lambda item: (item[1].kind == "control", item[0])))


def rows(patterns: Iterable[str]) -> list[Row]:
    """Return the rows that patterns name, each once, in the order of ``adapters``.

    ``NAME`` is the first variant, ``NAME:VARIANT`` that one, and both parts may be globs
    (``boiler*``, ``trafilatura:*``). Raises ``UsageError`` with a suggestion for a word that
    matches nothing.
    """
    wanted: set[tuple[str, str]] = set()
    for pattern in patterns:
        wanted.update(_matching(pattern))
    return [row for row in all_rows() if (row.adapter.name, row.variant) in wanted]


def all_rows() -> list[Row]:
    """Return every variant of every extractor, available or not."""
    return [Row(a, variant) for a in adapters().values() for variant in a.variants]


def _matching(pattern: str) -> set[tuple[str, str]]:
    name, _, variant = pattern.partition(":")
    names = fnmatch.filter(adapters(), name)
    if not names:
        raise UsageError(f"no extractor is called {name!r}{_did_you_mean(name, adapters())}")
    found: set[tuple[str, str]] = set()
    for each in names:
        variants = list(adapters()[each].variants)
        chosen = fnmatch.filter(variants, variant) if variant else variants[:1]
        found.update((each, v) for v in chosen)
    if not found:
        known = [v for n in names for v in adapters()[n].variants]
        hint = _did_you_mean(variant, known)
        raise UsageError(f"{name} has no variant {variant!r}{hint}; it has {', '.join(known)}")
    return found


def _did_you_mean(word: str, known: Iterable[str]) -> str:
    close = difflib.get_close_matches(word, list(known), n=3, cutoff=0.5)
    return (
        f"; did you mean {' or '.join(close)}?" if close else "; `bench list` shows what there is"
    )


def _files() -> list[Path]:
    own = sorted(paths.bundled("extractors").glob("[!_]*.py"))
    return [*own, *sorted(set(_foreign_files()))]


def _foreign_files() -> Iterator[Path]:
    """The modules that other packages name; one that cannot be found yields a file that is not."""
    for point in metadata.entry_points(group=ENTRY_POINTS):
        try:
            spec = importlib.util.find_spec(point.module)
        except (Exception, SystemExit):  # its parent package runs, and may do anything
            spec = None
        yield Path(spec.origin if spec and spec.origin else f"{point.name}.py")


def _read(path: Path) -> list[Adapter]:
    """Return the adapters that a file defines, or one unavailable adapter that says why not."""
    try:
        source = path.read_bytes()
        classes = _classes(_import(path))
        if not classes:
            raise LookupError("it defines no subclass of bench.extractor.Extractor")
        return [_describe(path, source, cls) for cls in classes]
    except (Exception, SystemExit) as error:  # whatever a stranger's file raises
        reason = f"{type(error).__name__}: {' '.join(str(error).split())}"
        return [
            Adapter(
                name=path.stem,
                path=path,
                description="",
                problem=f"{path.name} cannot be read: {reason}",
                remedy=f"mend {path}",
            )
        ]


def _import(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(f"bench_adapters.{path.stem}", path)
    if spec is None or spec.loader is None:
        raise ImportError(f"{path} is no Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def _classes(module: ModuleType) -> list[type[Extractor]]:
    return [
        thing
        for thing in vars(module).values()
        if isinstance(thing, type)
        and issubclass(thing, Extractor)
        and thing.__module__ == module.__name__
        and thing.name
    ]


def _describe(path: Path, source: bytes, cls: type[Extractor]) -> Adapter:
    if not _NAME.fullmatch(cls.name):
        raise ValueError(f"name {cls.name!r} is not lowercase letters, digits and underscores")
    if cls.accepts not in ACCEPTS:
        raise ValueError(f"accepts {cls.accepts!r} is none of {', '.join(ACCEPTS)}")
    if cls.kind not in KINDS:
        raise ValueError(f"kind {cls.kind!r} is none of {', '.join(KINDS)}")
    if not cls.variants:
        raise ValueError("variants is empty; a single one is {'default': {}}")
    problem, remedy = _unmet(cls)
    text = cls.__doc__ or sys.modules[cls.__module__].__doc__ or ""
    return Adapter(
        name=cls.name,
        path=path,
        description=text.strip().split("\n")[0],
        requires=cls.requires,
        accepts=cls.accepts,
        kind=cls.kind,
        homepage=cls.homepage,
        settings_source=cls.settings_source,
        licence=cls.licence,
        variants={name: dict(settings) for name, settings in cls.variants.items()},
        version=_version(cls),
        source_hash=hashlib.sha256(source).hexdigest()[:20],
        problem=problem,
        remedy=remedy,
    )


def _version(cls: type[Extractor]) -> str | None:
    """Return the version of the package that an adapter wraps; controls go with bench itself."""
    if cls.kind == "control":
        return own_version()
    try:
        return metadata.version(Requirement(cls.requires[0]).name) if cls.requires else None
    except metadata.PackageNotFoundError:
        return None


def _unmet(cls: type[Extractor]) -> tuple[str, str]:
    here = ".".join(map(str, sys.version_info[:3]))
    if cls.python and here not in SpecifierSet(cls.python):
        return f"needs Python {cls.python}, this is {here}", f"run bench under Python {cls.python}"
    missing: list[str] = []
    for text in cls.requires:
        try:
            requirement = Requirement(text)
        except InvalidRequirement as error:
            raise ValueError(f"requires has {text!r}: {error}") from error
        try:
            version = metadata.version(requirement.name)
        except metadata.PackageNotFoundError:
            missing.append(text)
            continue
        if not requirement.specifier.contains(version, prereleases=True):
            missing.append(text)
    if not missing:
        return "", ""
    quoted = " ".join(f"'{text}'" for text in missing)
    return f"not installed: {', '.join(missing)}", f"pip install {quoted}"
