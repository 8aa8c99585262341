"""A stored run read back: found, its data set unchanged, its pages with every row's answer."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import chain
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

from bench.datasets import catalogue
from bench.datasets.catalogue import DataSet
from bench.model import BenchError, Gold, Page, UsageError
from bench.runs.store import runs
from bench.runs.store.manifest import RowFacts, Status
from bench.runs.store.runs import RunFolder
from bench.util import suggest
from bench.worker.decode import decode

_LISTED = 8
"""Rows that an error lists."""
_AT_ONCE = 32
"""Pages whose texts are read together: each row's lie side by side on disk."""


def finished(results: Path, word: str | None = None) -> RunFolder:
    """Return the finished run of an id, the beginning of one, or a tag; by default the latest.

    Raises ``UsageError`` where there is none, or it has nothing to show.
    """
    run = runs.find(results, word)
    if run.manifest.status == Status.FAILED:
        row = run.manifest.rows[0]
        raise UsageError(f"nothing could run in {run.id}: {row.label}: {row.problem}")
    if shard := run.manifest.shard:
        raise UsageError(f"run {run.id} is shard {shard} of a plan; fix: bench runs merge")
    if not run.finished:
        raise UsageError(f"run {run.id} is not finished; the command that began it goes on with it")
    return run


def rows_named(run: RunFolder, pattern: str) -> list[RowFacts]:
    """Return the rows of a run (of its manifest) that a word means; none where it means no row.

    A label, as the leaderboard prints it, is its row, also with the version after an @. Else
    ``NAME`` is every variant of that name and ``NAME:VARIANT`` that one; both parts may be globs.
    """
    rows = run.manifest.rows
    if exact := [row for row in rows if pattern in (row.label, f"{row.label}@{row.version}")]:
        return exact

    def matching(names: Sequence[str]) -> list[RowFacts]:
        meant = suggest.matching(pattern, names)
        return [row for row, name in zip(rows, names, strict=True) if name and name in meant]

    if ":" in pattern:
        return matching([f"{row.facts.name}:{row.variant}" for row in rows])
    without_variant = matching(["" if ":" in row.label else row.label for row in rows])
    return without_variant or matching([row.facts.name for row in rows])


def no_row(run: RunFolder, word: str) -> UsageError:
    """Return the error for a word that means no row of a run."""
    labels = [row.label for row in run.manifest.rows]
    more = ", …" if len(labels) > _LISTED else ""
    hint = suggest.hint(word, labels, f"it has {', '.join(labels[:_LISTED])}{more}", most=3)
    return UsageError(f"run {run.id} has no row {word!r}; {hint}")


def data_set(run: RunFolder) -> DataSet:
    """Open the data set of a run.

    Raises ``BenchError`` when its content is not what the run was made on, and what
    ``catalogue.open_gold`` raises.
    """
    facts = run.manifest.gold
    name = facts.name
    now = catalogue.open_gold(catalogue.name_again(name, Path(facts.root)))
    now = now.sampled(facts.sample).without(facts.left_out)
    if now.hashes.fingerprint != facts.fingerprint:
        raise BenchError(
            f"{name} is no longer what run {run.id} was made on (fingerprint "
            f"{now.hashes.fingerprint[:12]}, then {facts.fingerprint[:12]}; the last file to "
            f"change is {now.reader.changed_last()}); get that data set back, or run again"
        )
    return now


class Answer(NamedTuple):
    """One cell: its first repeat."""

    outcome: str
    text: str
    diagnostics: str
    text_hash: str


class PageAnswers(NamedTuple):
    """One page with every row's answer, in the order of ``Pages.rows``."""

    page: Page
    gold: Gold
    source: str
    """The page's HTML, decoded as the harness decodes it."""
    answers: Sequence[Answer]


class Pages:
    """A finished run's pages in order of id; texts are read a few pages at a time.

    It can be sent to another process, which opens the files for itself.
    """

    def __init__(self, run: RunFolder, data_set: DataSet, rows: Sequence[str]) -> None:
        from bench.runs.store.tables import Texts

        self.run = run
        self.data_set = data_set
        self.rows = tuple(rows)
        self._texts = Texts(run.path)

    def __getstate__(self) -> dict[str, Any]:
        """Leave the cells behind, which are read again."""
        return {name: value for name, value in vars(self).items() if name != "_cells"}

    @property
    def ids(self) -> Sequence[str]:
        """Page ids, sorted."""
        return self.data_set.ids

    @cached_property
    def _cells(self) -> dict[str, dict[str, tuple[str, str, str]]]:
        """Outcome, hash and diagnostics by page and row."""
        cells = self.run.cells("page", "row", "outcome", "text_hash", "diagnostics", repeat=0)
        by_page: dict[str, dict[str, tuple[str, str, str]]] = {}
        # Column by column: one by one, Arrow's values take several times as long.
        for page, row, *facts in zip(*(cells[name].tolist() for name in cells), strict=True):
            by_page.setdefault(page, {})[row] = (facts[0], facts[1], facts[2])
        return by_page

    def text_hashes(self, page_id: str) -> set[str]:
        """Return the hashes of the texts of a page."""
        return {self._cells[page_id][row][1] for row in self.rows}

    def text(self, text_hash: str) -> str:
        """Return the text of a hash."""
        return self._texts.get([text_hash])[text_hash]

    def answers(
        self, ids: Sequence[str], known: Mapping[str, Collection[str]] = MappingProxyType({})
    ) -> Iterator[tuple[str, Sequence[Answer]]]:
        """Yield every row's answer for some of the pages, in the order of ``rows``.

        ``known`` are hashes of texts, by page, that are not read: they are empty.
        """
        for start in range(0, len(ids), _AT_ONCE):
            some = ids[start : start + _AT_ONCE]
            wanted = {
                page_id: self.text_hashes(page_id).difference(known.get(page_id, ()))
                for page_id in some
            }
            texts = self._texts.get(chain.from_iterable(wanted.values()))
            for page_id in some:
                cells = map(self._cells[page_id].__getitem__, self.rows)
                yield (
                    page_id,
                    [
                        Answer(outcome, texts[name] if name in wanted[page_id] else "", said, name)
                        for outcome, name, said in cells
                    ],
                )

    def read(self, ids: Sequence[str]) -> Iterator[PageAnswers]:
        """Yield some of the pages. Raises ``GoldError`` for one that cannot be read."""
        for page_id, answers in self.answers(ids):
            item = self.data_set.read(page_id)
            source = decode(item.page.html, item.page.encoding)
            yield PageAnswers(item.page, item.gold, source, answers)
