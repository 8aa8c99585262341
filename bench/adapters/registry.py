"""Finds extractors: adapter files by their place, others' by entry point, ``bench.toml``, or a path.

Nothing is registered by hand and no extractor's library is imported: an adapter file names its
library in ``requires`` and imports it only in ``load``, inside a worker.
"""

from __future__ import annotations

import fnmatch
import hashlib
import importlib.util
import json
import re
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from importlib import metadata
from pathlib import Path
from types import ModuleType
from typing import Any

from packaging.requirements import InvalidRequirement, Requirement
from packaging.specifiers import SpecifierSet

import bench
from bench.adapters.environments.spec import Spec
from bench.adapters.programs import config
from bench.extractor import ACCEPTS, KINDS, TEXTS, TEXTS_AND_GOLD, Extractor
from bench.model import BenchError, GoldPage, UsageError
from bench.util import paths, suggest
from bench.worker.filters import catalogue as filters
from bench.worker.program import CommandExtractor

ENTRY_POINTS = "bench.extractors"
SUFFIXES = (".py", ".R")
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
    members: tuple[str, ...] = ()
    """For an ensemble: words for the rows whose texts it is handed."""
    version: str | None = None
    """Of the program wrapped, from its installed package; None where it is not installed."""
    source_hash: str = ""
    problem: str = ""
    """Why it cannot run here; empty when it can."""
    remedy: str = ""
    """What to type to mend that."""
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

    def load_request(self, settings: Mapping[str, Any]) -> dict[str, Any]:
        """Return what a worker is told to load for a variant with these settings."""
        return {"adapter": str(self.path), "name": self.name, "settings": dict(settings)}

    @property
    def needs_gold(self) -> bool:
        """Whether it is handed the gold, which nobody has who wants the text of a page."""
        return self.accepts in ("gold", TEXTS_AND_GOLD)

    @property
    def available(self) -> bool:
        """Whether its requirements are met (it may still fail to load)."""
        return not self.problem


@dataclass(frozen=True)
class Row:
    """An extractor with the settings of one variant: what a leaderboard ranks."""

    adapter: Adapter
    variant: str
    """The variant's name, each filter with a plus after it, then what is pinned:
    ``precision+clean@1.12.2``."""
    members: tuple[Row, ...] = ()
    """For an ensemble: the rows whose texts it is handed, in its order."""

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
        return self.adapter.variants[_base(self.variant)]

    def handed(self, item: GoldPage, texts: Mapping[str, str] | None = None) -> bytes:
        """Return the bytes that the worker is handed for a page: its HTML, or for a ceiling its gold.

        For an ensemble they are its members' ``texts``, by label, as JSON.
        """
        if self.members:
            return _handed_texts(self, item, texts or {})
        if self.adapter.accepts == "gold":
            gold = item.gold
            text = "\n".join(gold.with_snippets) if gold.text is None else gold.text
            return text.encode("utf-8")
        return item.page.html

    @property
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
            facts.append(filters.source_hash())
        if self.adapter.environment:
            facts.append(self.adapter.environment)
        facts += [each.key for each in self.members]
        return hashlib.sha256(json.dumps(facts).encode()).hexdigest()[:20]


def _handed_texts(row: Row, item: GoldPage, texts: Mapping[str, str]) -> bytes:
    facts: dict[str, Any] = {"texts": {m.label: texts.get(m.label, "") for m in row.members}}
    if row.adapter.accepts == TEXTS_AND_GOLD:
        facts["gold"] = {
            "text": item.gold.text,
            "with_snippets": item.gold.with_snippets,
            "without_snippets": item.gold.without_snippets,
            "language": item.page.language,
        }
    return json.dumps(facts).encode()


def label(name: str, variant: str) -> str:
    """Return ``name`` for the variant called default, ``name:variant`` for the others."""
    base = _base(variant)
    return (name if base == "default" else f"{name}:{base}") + variant.removeprefix(base)


def _base(variant: str) -> str:
    """Return the name of a variant without filters and pin."""
    return variant.partition("@")[0].partition("+")[0]


def own_version() -> str:
    """Return the version of bench itself."""
    return metadata.version(paths.DISTRIBUTION)


_chosen: tuple[Path, ...] = ()
"""Adapter files and folders that the user named, see ``use``."""


def use(chosen: Sequence[Path]) -> list[str]:
    """Add adapters from files and folders that the user named; they win over others of their name.

    Returns a line for each adapter that is put aside so. Raises ``UsageError`` for a path that
    holds no adapter, or when two of these files claim one name.
    """
    global _chosen  # noqa: PLW0603
    before, _chosen = _chosen, tuple(path.absolute() for path in chosen)
    adapters.cache_clear()
    try:
        found = adapters()
    except BenchError:
        _chosen = before
        adapters.cache_clear()
        raise
    return [
        f"{name}: {found[name].path} in place of {origin or 'the one that ships'}"
        for name, origin in sorted(_put_aside.items())
    ]


CHOSEN = "--adapter"
"""Origin of adapters that the user named."""

_put_aside: dict[str, str] = {}
"""Adapters that one named by the user stands in for: name and origin."""


@cache
def adapters() -> Mapping[str, Adapter]:
    """Return every adapter found, by name, ensembles and then controls last.

    Raises ``BenchError`` when two files claim one name, and for a wrong ``bench.toml``. A file
    that does not import is listed as unavailable under its own name, with the reason.
    """
    chosen = _by_name(_of_paths(_chosen), UsageError)
    standing = list(_standing())
    _put_aside.clear()
    _put_aside.update({a.name: a.origin for a in standing if a.name in chosen})
    found = {**_by_name((a for a in standing if a.name not in chosen), BenchError), **chosen}
    found = {name: _with_members(adapter, found) for name, adapter in found.items()}
    last = ("ensemble", "control")

    def place(item: tuple[str, Adapter]) -> tuple[int, str]:
        name, adapter = item
        return last.index(adapter.kind) + 1 if adapter.kind in last else 0, name

    return dict(sorted(found.items(), key=place))


def _by_name(every: Iterable[Adapter], error: type[BenchError]) -> dict[str, Adapter]:
    found: dict[str, Adapter] = {}
    for adapter in every:
        if adapter.name in found:
            raise error(
                f"two adapters are called {adapter.name!r}: {found[adapter.name].path} and "
                f"{adapter.path}; rename one"
            )
        found[adapter.name] = adapter
    return found


def _standing() -> Iterator[Adapter]:
    """Every adapter that is there without being named by the user."""
    # Imported here because they describe their finds with Adapter.
    from bench.adapters.programs import finder as programs
    from bench.adapters.r import finder as r

    own = sorted(paths.bundled("extractors").glob("[!_]*.py"))
    for path in own:
        yield from _read(path)
    for path, origin in sorted(set(_foreign_files())):
        yield from _from(origin, _read(path))
    yield from _from(config.FILE, programs.configured(Path.cwd()))
    yield from r.adapters()


def _of_paths(chosen: Sequence[Path]) -> Iterator[Adapter]:
    from bench.adapters.r import finder as r

    for path in dict.fromkeys(file for each in chosen for file in _adapter_files(each)):
        found = r.adapters([path]) if path.suffix == ".R" else _read(path)
        yield from _from(CHOSEN, found)


def _adapter_files(path: Path) -> list[Path]:
    """Return the adapter files at a path. Raises ``UsageError`` where there is none."""
    if path.is_dir():
        files = sorted(f for suffix in SUFFIXES for f in path.glob(f"[!_.]*{suffix}"))
        if not files:
            raise UsageError(f"--adapter: {path} has no .py or .R file; `bench new` writes one")
        return files
    if not path.is_file():
        raise UsageError(f"--adapter: {path} is not there; `bench new` writes an adapter")
    if path.suffix not in SUFFIXES:
        raise UsageError(f"--adapter: {path} is no .py or .R file; programs go into {config.FILE}")
    return [path]


def _from(origin: str, found: Iterable[Adapter]) -> Iterator[Adapter]:
    return (replace(adapter, origin=origin) for adapter in found)


def rows(patterns: Iterable[str]) -> list[Row]:
    """Return the rows that patterns name, each once, in the order of ``adapters``.

    ``NAME`` is the first variant, ``NAME:VARIANT`` that one, and both parts may be globs
    (``boiler*``, ``trafilatura:*``); ``+FILTER`` after either sends the text through filters,
    ``@VERSION`` at the end pins the version (see ``bench.adapters.environments.pins``).
    Raises ``UsageError`` with a suggestion for a word that matches nothing.
    """
    return [_linked(row) for row in _rows(patterns, adapters())]


def _rows(patterns: Iterable[str], known: Mapping[str, Adapter]) -> list[Row]:
    wanted: dict[tuple[str, str], set[str]] = {}
    for pattern in patterns:
        unpinned, at, pin = pattern.partition("@")
        extractor, plus, rest = unpinned.partition("+")
        if at and not pin:
            raise UsageError(
                f"{pattern}: the version after the @ is missing; @latest is the newest"
            )
        _refuse_unknown_filters(rest.split("+") if plus else [])
        for found in _matching(extractor, known):
            wanted.setdefault(found, set()).add(plus + rest + at + pin)
    return [
        Row(adapter, variant + chain)
        for adapter in known.values()
        for variant in adapter.variants
        for chain in sorted(wanted.get((adapter.name, variant), ()))
    ]


def all_rows() -> list[Row]:
    """Return every variant of every extractor, available or not."""
    return [_linked(Row(a, variant)) for a in adapters().values() for variant in a.variants]


def with_members(rows: Sequence[Row]) -> list[Row]:
    """Return rows and, after them, the members of ensembles that are not among them."""
    there = {row.label for row in rows}
    more = {each.label: each for row in rows for each in row.members if each.label not in there}
    return [*rows, *more.values()]


def linked(row: Row, members: Iterable[Row]) -> Row:
    """Return an ensemble's row with these members; it can run where all of them can."""
    members = tuple(members)
    problem, remedy = _lacking(members)
    return replace(
        row, adapter=replace(row.adapter, problem=problem, remedy=remedy), members=members
    )


def _linked(row: Row) -> Row:
    """Return a row with its members; none where these are what is wrong with it."""
    try:
        members = _members(row.adapter, adapters())
    except UsageError:
        return row
    return replace(row, members=members)


def _with_members(adapter: Adapter, known: Mapping[str, Adapter]) -> Adapter:
    """Return an adapter with what is wrong with its members, if anything is."""
    try:
        problem, remedy = _lacking(_members(adapter, known))
    except UsageError as error:
        problem, remedy = f"its members: {error}", f"mend members in {adapter.path}"
    return replace(adapter, problem=problem, remedy=remedy) if problem else adapter


def _lacking(members: Iterable[Row]) -> tuple[str, str]:
    """Return the problem and the remedy of an ensemble that lacks a member; empty for none."""
    for each in members:
        if not each.adapter.available:
            problem = f"its member {each.label} is not available: {each.adapter.problem}"
            return problem, each.adapter.remedy
    return "", ""


def _members(adapter: Adapter, known: Mapping[str, Adapter]) -> tuple[Row, ...]:
    """Return an ensemble's members, each once, in its order. Raises ``UsageError`` for a wrong one."""
    found: dict[str, Row] = {}
    for row in (row for pattern in adapter.members for row in _rows([pattern], known)):
        if row.adapter.members:
            raise UsageError(f"{row.label} is an ensemble itself")
        if row.adapter.needs_gold:
            raise UsageError(f"{row.label} is handed the gold, which no extractor has")
        found[row.label] = row
    return tuple(found.values())


def _matching(pattern: str, known: Mapping[str, Adapter]) -> set[tuple[str, str]]:
    name, _, variant = pattern.partition(":")
    names = fnmatch.filter(known, name)
    if not names:
        raise UsageError(f"no extractor is called {name!r}; {_hint(name, known)}")
    found: set[tuple[str, str]] = set()
    for each in names:
        variants = list(known[each].variants)
        chosen = fnmatch.filter(variants, variant) if variant else variants[:1]
        found.update((each, v) for v in chosen)
    if not found:
        there = [v for n in names for v in known[n].variants]
        hint = _hint(variant, there)
        raise UsageError(f"{name} has no variant {variant!r}; {hint}; it has {', '.join(there)}")
    return found


def _refuse_unknown_filters(chain: list[str]) -> None:
    for name in chain:
        if name not in filters.names():
            known = ", ".join(filters.names())
            raise UsageError(f"no filter is called {name!r}; there are {known}")


def _hint(word: str, known: Iterable[str]) -> str:
    return suggest.hint(word, known, "`bench list` shows what there is", most=3)


def _foreign_files() -> Iterator[tuple[Path, str]]:
    """The modules that other packages name; one that cannot be found yields a file that is not."""
    for point in metadata.entry_points(group=ENTRY_POINTS):
        try:
            spec = importlib.util.find_spec(point.module)
        except (Exception, SystemExit):  # its parent package runs, and may do anything
            spec = None
        package = f"package {point.dist.name} {point.dist.version}" if point.dist else "a package"
        yield Path(spec.origin if spec and spec.origin else f"{point.name}.py"), package


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
    _check_members(cls)
    if not cls.variants:
        raise ValueError("variants is empty; a single one is {'default': {}}")
    problem, remedy = _unmet(cls)
    spec = _spec(cls)
    if problem and spec:
        remedy = f"bench env build {cls.name}"
    text = cls.__doc__ or sys.modules[cls.__module__].__doc__ or ""
    adapter = Adapter(
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
        members=cls.members,
        version=_version(cls),
        source_hash=hashlib.sha256(source + _own_source(cls)).hexdigest()[:20],
        problem=problem,
        remedy=remedy,
        spec=spec,
    )
    if problem or not issubclass(cls, CommandExtractor):
        return adapter
    from bench.adapters.programs import finder as programs

    return programs.ProgramAdapter(**{**vars(adapter), **programs.of_class(path, source, cls)})


def _check_members(cls: type[Extractor]) -> None:
    """Raise ``ValueError`` where a class is an ensemble by one of its facts and none by another."""
    takes_texts = cls.accepts in (TEXTS, TEXTS_AND_GOLD)
    if takes_texts != (cls.kind == "ensemble"):
        raise ValueError(f"kind {cls.kind!r} does not go with accepts {cls.accepts!r}")
    if not isinstance(cls.members, tuple) or not all(isinstance(m, str) for m in cls.members):
        raise ValueError("members is no tuple of names; a single one is ('name',)")
    if takes_texts != bool(cls.members):
        raise ValueError("an ensemble, and nothing else, names its members")


def _spec(cls: type[Extractor]) -> Spec | None:
    """Return what an environment for this adapter must hold; None where it wraps no package."""
    if not cls.requires or cls.kind == "control" or cls.method:
        return None
    return Spec(
        tuple(cls.requires),
        cls.python,
        tuple(cls.overrides),
        tuple(cls.build_requires),
        tuple(sorted(cls.build_environ.items())),
    )


def _version(cls: type[Extractor]) -> str | None:
    """Return the version of the package wrapped; what is worked out in bench goes with bench."""
    if cls.kind in ("control", "ensemble") or cls.method:
        return own_version()
    try:
        return metadata.version(Requirement(cls.requires[0]).name) if cls.requires else None
    except metadata.PackageNotFoundError:
        return None


def _own_source(cls: type[Extractor]) -> bytes:
    """Return the source of what an adapter has in bench; nothing for one that wraps a program."""
    if cls.members:
        return _source(Path(bench.__path__[0]) / "methods" / "ensembles")
    if not cls.method:
        return b""
    package = Path(bench.__path__[0]) / "methods" / cls.method
    if not package.is_dir():
        raise LookupError(f"bench.methods has no package {cls.method!r}")
    return _source(package)


def _source(package: Path) -> bytes:
    files = sorted(each for each in package.rglob("*") if each.is_file() and each.suffix != ".pyc")
    return b"".join(file.read_bytes() for file in files)


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
