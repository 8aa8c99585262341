"""A run's folder: manifest, journals while it is under way, Parquet tables once it is finished.

``<run>/manifest.json``, ``journal/<row>.jsonl`` and ``journal/samples.jsonl`` under way;
``cells.parquet``, ``texts.parquet``, ``samples.parquet``, ``scores/``, ``leaderboard.json`` after.
"""

from __future__ import annotations

import contextlib
import dataclasses
import re
import shutil
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from bench.model import BenchError, UsageError
from bench.runs.store import journal
from bench.runs.store import manifest as manifests
from bench.runs.store.journal import CellRecord, Journal, Sample
from bench.runs.store.manifest import Manifest, RowFacts, Status
from bench.util import locks, suggest
from bench.util.atomic import reading_from, safe_name, write_text, writing_to

# The tables' module is imported where a table is read or written: pyarrow takes long to import.
if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

LATEST = "latest"
_LISTED = 3
"""Runs that an error lists."""
_LOCK = ".lock"
_TAGS = "tags"
"""The folder of tags beside the runs: a file each, which holds the id of a run."""
_TAG = re.compile(r"\w[\w.-]{0,63}")


class RunFolder:
    """One run on disk."""

    def __init__(self, path: Path) -> None:
        self.path = path

    @property
    def id(self) -> str:
        """The folder's name."""
        return self.path.name

    # -- manifest ---------------------------------------------------------------------------

    @cached_property
    def manifest(self) -> Manifest:
        """What the run was, as it was when first asked for. Raises ``BenchError`` if unreadable."""
        manifest = manifests.read(self.path)
        if manifest is None:
            raise BenchError(f"{self.path} is no run; `bench runs` lists them")
        return manifest

    def write_manifest(self, manifest: Manifest) -> None:
        """Replace the manifest, whole or not at all."""
        manifests.write(self.path, manifest)
        self.manifest = manifest

    @property
    def finished(self) -> bool:
        """Whether every cell is there and folded."""
        return self.manifest.status == Status.FINISHED

    # -- under way --------------------------------------------------------------------------

    @contextlib.contextmanager
    def alone(self) -> Iterator[None]:
        """Keep other processes from carrying out this run.

        The lock is the kernel's and goes with its holder, however that dies. Raises
        ``BenchError`` when another process holds it.
        """
        busy = f"{self.id} is under way in another process; wait for it, or run with --fresh"
        with locks.alone(self.path / _LOCK, busy):
            # Another process may have carried the run on meanwhile.
            self.__dict__.pop("manifest", None)
            yield

    def journal_path(self, name: str) -> Path:
        """Return where the journal of a row (by its key), or ``samples``, is while under way."""
        return self.path / "journal" / f"{name}.jsonl"

    def journal(self, name: str) -> Journal:
        """Open the journal of a row (by its key), or ``samples``, for appending."""
        path = self.journal_path(name)
        with writing_to(self.path):
            path.parent.mkdir(parents=True, exist_ok=True)
        return Journal(path)

    def journalled(
        self, row: str, on_damage: Callable[[], None] = lambda: None
    ) -> Iterator[CellRecord]:
        """Yield the cells in a row's journal; ``on_damage`` is called for each damaged line."""
        lines = journal.read(self.journal_path(row), CellRecord, on_damage)
        return (record for _, record in lines)

    # -- finishing --------------------------------------------------------------------------

    def fold(self, manifest: Manifest, places: Mapping[str, int]) -> None:
        """Turn the journals into Parquet tables, in the order of rows, pages and repeats.

        ``places`` has each page's place. Rows that could not be run are left out: where they have
        some cells, their journals stay. Killed in the middle, it is simply done again: journals go
        only after the finished manifest stands. Raises ``BenchError`` when a row lacks a cell.
        """
        import pyarrow as pa

        from bench.runs.store import tables

        rows = [row for row in manifest.rows if row.available]
        with (
            tables.writing(self.path / "cells.parquet", tables.CELLS) as write_cells,
            tables.writing(self.path / "texts.parquet", tables.TEXTS) as write_texts,
        ):
            written: set[str] = set()
            for row in rows:
                self._fold_row(row, manifest, places, written, write_cells, write_texts)
        samples = (sample for _, sample in journal.read(self.journal_path("samples"), Sample))
        parts = (pa.Table.from_pylist(batch, tables.SAMPLES) for batch in tables.batches(samples))
        tables.write_parts(self.path / "samples.parquet", tables.SAMPLES, parts)
        self.write_manifest(
            dataclasses.replace(
                manifest,
                status=Status.FINISHED if rows else Status.FAILED,
                finished=manifests.now(),
            )
        )
        with writing_to(self.path), contextlib.suppress(FileNotFoundError, OSError):
            for name in ("samples", *(row.key for row in rows)):
                self.journal_path(name).unlink(missing_ok=True)
            self.journal_path("").parent.rmdir()

    def _fold_row(
        self,
        row: RowFacts,
        manifest: Manifest,
        places: Mapping[str, int],
        written: set[str],
        write_cells: Callable[[pa.Table], None],
        write_texts: Callable[[pa.Table], None],
    ) -> None:
        """Write a row's cells in order, and its texts in any; ``written`` are hashes of texts."""
        import pyarrow as pa

        from bench.runs.store import tables

        facts = {
            "extractor": row.facts.name,
            "variant": row.variant,
            "version": row.version,
            "machine": manifest.machine_id,
        }
        parts: list[pa.Table] = []
        keys: list[tuple[int, int]] = []
        records = (record for record in self.journalled(row.key) if record["page"] in places)
        for batch in tables.batches(records):
            cells = [{"flags": "", **record, **facts} for record in batch]
            parts.append(pa.Table.from_pylist(cells, tables.CELLS))
            keys += [(places[record["page"]], record["repeat"]) for record in batch]
            texts = {record["text_hash"]: record for record in batch if record["text"]}
            new = [record for name, record in texts.items() if name not in written]
            if new:  # an empty part would be written too
                write_texts(pa.Table.from_pylist(new, tables.TEXTS))
            written.update(texts)  # in place: |= with keys makes a set of its own
        indices = {key: index for index, key in enumerate(keys)}
        if len(indices) < len(places) * manifest.repeats:
            raise BenchError(
                f"{row.label} has {len(indices)} of {len(places) * manifest.repeats} cells; "
                "the same command runs those that are missing"
            )
        in_order = [indices[key] for key in sorted(indices)]
        for part in tables.in_order(pa.concat_tables(parts), in_order):
            write_cells(part)

    # -- reading ----------------------------------------------------------------------------

    def cells(self, *columns: str, **only: object) -> pd.DataFrame:
        """Return cells: these columns of ``tables.CELLS``, all where none is named.

        ``only`` are columns' values, such as ``repeat=0``, a tuple where several will do; without,
        every cell and repeat.
        """
        from bench.runs.store import tables

        return tables.read(self.path / "cells.parquet", tables.CELLS, columns, **only).to_pandas()

    def samples(self) -> pd.DataFrame:
        """Return the sampler's series, columns as ``tables.SAMPLES``."""
        from bench.runs.store import tables

        return tables.read(self.path / "samples.parquet", tables.SAMPLES).to_pandas()

    @property
    def has_texts(self) -> bool:
        """Whether the texts of a finished run are here: shards may leave them where they ran."""
        return (self.path / "texts.parquet").exists()

    def texts(self, hashes: Iterable[str]) -> dict[str, str]:
        """Return the texts with these hashes, see ``tables.Texts``."""
        from bench.runs.store import tables

        return tables.Texts(self.path).get(hashes)

    def records(self, row: str) -> Iterator[CellRecord]:
        """Yield a row's cells with their texts, from the journal or the tables, whichever holds them."""
        from bench.runs.store import tables

        path = self.path / "cells.parquet"
        if self.journal_path(row).exists():
            yield from self.journalled(row)
        elif path.exists():
            own = tables.read(path, tables.CELLS, row=row)
            cells = own.drop_columns(["extractor", "variant", "version", "machine"]).to_pylist()
            texts = self.texts(cell["text_hash"] for cell in cells)
            for cell in cells:
                cell["text"] = texts[cell["text_hash"]]
                yield cast(CellRecord, cell)

    # -- derived ----------------------------------------------------------------------------

    def scores(self, metric: str, scorer: str, *columns: str) -> pa.Table | None:
        """Return columns of one metric's scores by this scorer; None if none are kept, or not whole."""
        from bench.runs.store import tables

        return tables.read_scores(self.path / "scores" / f"{metric}.parquet", scorer, columns)

    def write_scores(self, metric: str, columns: Mapping[str, Any], scorer: str) -> None:
        """Replace the scores of one metric; ``scorer`` names what computed them."""
        from bench.runs.store import tables

        tables.write_scores(self.path / "scores" / f"{metric}.parquet", columns, scorer)


def create(results: Path, name: str) -> RunFolder:
    """Make the folder of a new run; its id is the time and the data set's name."""
    stamp = datetime.now(UTC).strftime("%Y%m%dT%H%M%S")
    with writing_to(results):
        for attempt in range(1000):
            path = results / (f"{stamp}-{safe_name(name)}" + (f"-{attempt + 1}" if attempt else ""))
            with contextlib.suppress(FileExistsError):
                path.mkdir(parents=True)
                return RunFolder(path)
    raise BenchError(f"{results} already holds a thousand runs of this second")


def all_runs(
    results: Path,
    on_damage: Callable[[str], None] = lambda _: None,
    *,
    words: Collection[str] = (),
) -> Iterator[RunFolder]:
    """Yield the runs in a results folder, newest first, each manifest read when its turn comes.

    With ``words`` only those that have one of them in their manifests. ``on_damage`` is handed one
    line for each that cannot be read: what is wrong, and the fix.
    """
    if not results.is_dir():
        return
    with reading_from(results):
        folders = sorted(results.iterdir(), reverse=True)
    for run in map(RunFolder, folders):
        try:
            manifest = manifests.read(run.path, words)
        except BenchError as error:
            on_damage(str(error))
            continue
        if manifest is not None:
            run.manifest = manifest
            yield run


def latest(results: Path, fits: Callable[[RunFolder], bool] = lambda _: True) -> RunFolder | None:
    """Return the newest finished run that fits; what ``bench run`` made goes before other verbs'.

    Shards are none: they wait to be merged. Raises ``BenchError`` for a newer one that is damaged.
    """
    of_others = None
    for run in all_runs(results, _refuse):
        if run.finished and not run.manifest.shard and fits(run):
            if run.manifest.verb == manifests.RUN:
                return run
            of_others = of_others or run
    return of_others


def _refuse(problem: str) -> None:
    raise BenchError(problem)


def named(results: Path, word: str) -> list[RunFolder]:
    """Return the runs that a word means: an id or a tag one, the beginning of ids any number."""
    run_id = tags(results).get(word, word)
    matches = [run for run in all_runs(results) if run.id.startswith(run_id)]
    return [run for run in matches if run.id == run_id] or matches


def find(results: Path, word: str | None) -> RunFolder:
    """Return the run that a word means (see ``named``); the latest for None or ``latest``.

    Raises ``UsageError`` when there is none, ``BenchError`` when its manifest is damaged.
    """
    if word in (None, LATEST):
        if (run := latest(results)) is not None:
            return run
        raise UsageError(
            f"no finished run in {results}; `bench run trafilatura readability` makes one"
        )
    matches = named(results, str(word))
    if len(matches) == 1:
        return matches[0]
    if matches:
        listed = ", ".join(run.id for run in matches[:_LISTED]) + ", …" * (len(matches) > _LISTED)
        raise UsageError(f"several runs begin with {word!r} ({listed}); give more of the id")
    manifests.read(results / str(word))
    raise UsageError(f"no run begins with {word!r} in {results}; `bench runs` lists them")


# -- tags -----------------------------------------------------------------------------------------


def tags(results: Path) -> dict[str, str]:
    """Return the id of the run that each tag names."""
    files = sorted(results.glob(f"{_TAGS}/[!.]*"))
    with reading_from(results / _TAGS):
        return {path.name: path.read_text(encoding="utf-8").strip() for path in files}


def tag(results: Path, name: str, run: RunFolder) -> None:
    """Give a run a name, which it takes from another run. Raises ``UsageError`` for no such name."""
    if not _TAG.fullmatch(name) or name == LATEST:
        raise UsageError(
            f"{name!r} cannot be a tag; take letters, digits, -, _ and dots, as in main or pr-12"
        )
    write_text(results / _TAGS / name, f"{run.id}\n")


def untag(results: Path, name: str) -> None:
    """Take a name away. Raises ``UsageError`` when no run has it."""
    if name not in (known := tags(results)):
        raise UsageError(
            f"no run is tagged {name!r}; {suggest.hint(name, known, 'there is no tag')}"
        )
    (results / _TAGS / name).unlink()


def remove(run: RunFolder) -> None:
    """Remove a run and its tags. Raises ``BenchError`` while another process carries it out."""
    results = run.path.parent
    with run.alone(), writing_to(results):
        for name, run_id in tags(results).items():
            if run_id == run.id:
                untag(results, name)
        shutil.rmtree(run.path)
