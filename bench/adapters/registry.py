"""Which extractors there are: names are known at once, an extractor is described when it is named."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path

from bench.adapters import chain, entries
from bench.adapters.adapter import Adapter, Row, linked
from bench.adapters.entries import Entry
from bench.adapters.environments import assign
from bench.model import BenchError, UsageError
from bench.util import suggest
from bench.worker.filters import catalogue as filters

_LAST = ("ensemble", "control")

_chosen: tuple[Path, ...] = ()
"""Adapter files and folders that the user named, see ``use``."""


def use(chosen: Sequence[Path]) -> list[str]:
    """Add adapters from files and folders that the user named; they win over others of their name.

    Returns a line for each adapter that is put aside so. Raises ``UsageError`` for a path that
    holds no adapter, or when two of these files claim one name.
    """
    global _chosen  # noqa: PLW0603
    before, _chosen = _chosen, tuple(path.absolute() for path in chosen)
    forget()
    try:
        by_name = _entries()
    except BenchError:
        _chosen = before
        raise
    return [
        f"{entry.name}: {by_name[entry.name].path} in place of {entry.origin or 'the one that ships'}"
        for entry in sorted(entries.standing(), key=lambda entry: entry.name)
        if by_name[entry.name].origin == entries.CHOSEN
    ]


def chosen() -> tuple[Path, ...]:
    """Return the files and folders that ``use`` was given last."""
    return _chosen


def forget() -> None:
    """Look for adapters again."""
    _entries.cache_clear()
    adapter.cache_clear()


def adapters() -> Mapping[str, Adapter]:
    """Return every extractor, described, by name, ensembles and then controls last.

    Raises ``BenchError`` when two files claim one name, and for a wrong ``bench.toml``. A file that
    cannot be read is listed as unavailable, with the reason.
    """
    return {described.name: described for described in _in_order(_entries())}


@cache
def adapter(name: str) -> Adapter:
    """Return an extractor that there is, described; in its own environment where that is built."""
    return assign.as_built(_entries()[name].describe())


def _in_order(names: Iterable[str]) -> list[Adapter]:
    def place(described: Adapter) -> tuple[int, str]:
        kind = described.facts.kind
        return _LAST.index(kind) + 1 if kind in _LAST else 0, described.name

    return sorted(map(adapter, names), key=place)


@cache
def _entries() -> Mapping[str, Entry]:
    """Return every extractor that there is, by name, undescribed. Raises as ``adapters`` does."""
    files = dict.fromkeys(_chosen)
    named = _by_name((entry for path in files for entry in entries.at(path)), UsageError)
    others = (entry for entry in entries.standing() if entry.name not in named)
    return {**_by_name(others, BenchError), **named}


def _by_name(every: Iterable[Entry], error: type[BenchError]) -> dict[str, Entry]:
    by_name: dict[str, Entry] = {}
    for entry in every:
        other = by_name.setdefault(entry.name, entry)
        if other.path != entry.path:
            raise error(
                f"two adapters are called {entry.name!r}: {other.path} and {entry.path}; rename one"
            )
    return by_name


# -- rows -----------------------------------------------------------------------------------------


def rows(patterns: Iterable[str]) -> list[Row]:
    """Return the rows that patterns name, each once, in the order of ``adapters``.

    ``NAME`` is the first variant, ``NAME:VARIANT`` that one, and both parts may be globs
    (``boiler*``, ``trafilatura:*``); ``+FILTER`` after either sends the text through filters,
    ``@VERSION`` at the end pins the version (see ``bench.adapters.environments.pins``).
    ``A>B`` is a chain of such words (see ``bench.adapters.chain``), after all others.
    Raises ``UsageError`` with a suggestion for a word that matches nothing.
    """
    words = list(patterns)
    chains = {row.label: row for row in map(_chain, words) if row}
    alone = [_linked(row) for row in _rows(word for word in words if chain.MARK not in word)]
    return [*alone, *chains.values()]


def all_rows() -> list[Row]:
    """Return every variant of every extractor, available or not."""
    return [_linked(Row(a, variant)) for a in adapters().values() for variant in a.facts.variants]


def _rows(patterns: Iterable[str]) -> list[Row]:
    """Return the rows that patterns name, ensembles without their members."""
    chains: dict[tuple[str, str], set[str]] = {}
    for pattern in patterns:
        if not pattern.isprintable():  # a line end would be an option of what installs it
            raise UsageError(f"{pattern!r} has control characters; leave them out")
        unpinned, at, pin = pattern.partition("@")
        extractor, plus, rest = unpinned.partition("+")
        if at and not pin:
            raise UsageError(
                f"{pattern}: the version after the @ is missing; @latest is the newest"
            )
        _refuse_unknown_filters(rest.split("+") if plus else [])
        for name, variant in _matching(extractor):
            chains.setdefault((name, variant), set()).add(plus + rest + at + pin)
    return [
        Row(described, variant + chain, filters_hash=filters.source_hash() if "+" in chain else "")
        for described in _in_order({name for name, _ in chains})
        for variant in described.facts.variants
        for chain in sorted(chains.get((described.name, variant), ()))
    ]


def _chain(word: str) -> Row | None:
    """Return the row of a chain; None for another word."""
    if chain.MARK not in word:
        return None
    patterns, least_words = chain.parts(word)
    members = []
    for pattern in patterns:
        matching = _rows([pattern])
        if len(matching) > 1:
            labels = ", ".join(row.label for row in matching)
            raise UsageError(f"{word}: {pattern} means {labels}; name one")
        members += matching
    return chain.row(word, members, least_words)


def _linked(row: Row) -> Row:
    """Return an ensemble's row with its members, or with what is wrong with them."""
    patterns = row.adapter.facts.members
    if not patterns or not row.adapter.available:
        return row
    members: dict[str, Row] = {}
    try:
        for member in (member for pattern in patterns for member in _rows([pattern])):
            if member.adapter.facts.members:
                raise UsageError(f"{member.label} is an ensemble itself")
            if member.adapter.facts.handed_gold:
                raise UsageError(f"{member.label} is handed the gold, which no extractor has")
            members[member.label] = member
    except UsageError as error:
        remedy = f"fix members in {row.adapter.path}"
        return replace(
            row, adapter=replace(row.adapter, problem=f"its members: {error}", remedy=remedy)
        )
    return linked(row, members.values())


def _matching(pattern: str) -> list[tuple[str, str]]:
    """Return names and variants that a pattern without filters and version means."""
    name, _, variant = pattern.partition(":")
    names = suggest.matching(name, _entries())
    if not names:
        raise UsageError(f"no extractor is called {name!r}; {_hint(name, _entries())}")
    variants = {extractor: list(adapter(extractor).facts.variants) for extractor in names}
    pairs = [
        (extractor, chosen)
        for extractor, own in variants.items()
        for chosen in (suggest.matching(variant, own) if variant else own[:1])
    ]
    if not pairs:
        known = [known_variant for own in variants.values() for known_variant in own]
        hint = _hint(variant, known)
        raise UsageError(f"{name} has no variant {variant!r}; {hint}; it has {', '.join(known)}")
    return pairs


def _refuse_unknown_filters(chain: list[str]) -> None:
    for name in chain:
        if name not in filters.FILTERS:
            known = ", ".join(filters.FILTERS)
            raise UsageError(f"no filter is called {name!r}; there are {known}")


def _hint(word: str, known: Iterable[str]) -> str:
    return suggest.hint(word, known, "`bench list` shows what there is", most=3)
