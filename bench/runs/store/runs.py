"""A run's folder: manifest, journals while it is under way, Parquet tables once it is finished.

``<run>/manifest.json``, ``journal/<row>.jsonl`` and ``journal/samples.jsonl`` under way;
``cells.parquet``, ``texts.parquet``, ``samples.parquet``, ``scores/``, ``leaderboard.json`` after.
"""

from __future__ import annotations

import contextlib
import dataclasses
import hashlib
import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from bench.model import BenchError, Cell, UsageError
from bench.runs.store import journal, schema
from bench.runs.store import manifest as manifests
from bench.runs.store.cell_index import CellIndex
from bench.runs.store.manifest import Manifest, RowFacts, Status
from bench.util.atomic import reading_from, replacing, safe_name, writing_to
from bench.util.locks import locked

_LOCK = ".lock"
_BATCH = 256
_BATCH_CHARS = 250_000


def text_hash(text: str) -> str:
    """Return the name under which a text is stored; empty for the empty text."""
    return hashlib.sha256(text.encode("utf-8")).hexdigest() if text else ""


def record(cell: Cell, *, carried_from: str = "") -> dict[str, Any]:
    """Return a cell as a journal line holds it, its text included."""
    usage = dataclasses.asdict(cell.usage)
    return {
        "row": cell.row,
        "page": cell.page_id,
        "page_hash": cell.page_hash,
        "repeat": cell.repeat,
        "outcome": cell.outcome.value,
        **usage,
        "text_hash": text_hash(cell.text),
        "text_chars": len(cell.text),
        "diagnostics": cell.diagnostics,
        "network_attempts": cell.network_attempts,
        "carried_from": carried_from,
        "text": cell.text,
    }


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
        return manifests.read(self.path)

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
        """Keep other processes from carrying out this run, and clear what a killed one left.

        The lock is the kernel's and goes with its holder, however that dies. Raises
        ``BenchError`` when another process holds it.
        """
        busy = f"{self.id} is under way in another process; wait for it, or run with --fresh"
        with contextlib.ExitStack() as lock:
            with writing_to(self.path):
                lock.enter_context(locked(self.path / _LOCK, busy=busy))
            for path in self.path.rglob(".*"):
                if path.name != _LOCK:
                    path.unlink(missing_ok=True)
            # Another process may have carried the run on meanwhile.
            self.__dict__.pop("manifest", None)
            yield

    def journal(self, name: str) -> journal.Journal:
        """Open the journal of a row (by its key), or ``samples``, for appending."""
        with writing_to(self.path):
            (self.path / "journal").mkdir(parents=True, exist_ok=True)
        return journal.Journal(self._journal_path(name))

    def journalled(self, name: str) -> Iterator[dict[str, Any]]:
        """Yield what a journal holds."""
        return journal.read(self._journal_path(name))

    def cell_index(self, row: str) -> CellIndex:
        """Return the journal of a row that is done, by page."""
        return CellIndex(self._journal_path(row))

    def _journal_path(self, name: str) -> Path:
        return self.path / "journal" / f"{name}.jsonl"

    # -- finishing --------------------------------------------------------------------------

    def fold(self, manifest: Manifest, pages: Mapping[str, int]) -> None:
        """Turn the journals into Parquet tables, in the order of rows, pages and repeats.

        ``pages`` has each page's place. Killed in the middle, it is simply done again: journals go
        only after the finished manifest stands.
        """
        self._fold_cells(manifest.rows, pages)
        self._fold_texts(manifest.rows)
        with _parquet(self.path / "samples.parquet", schema.SAMPLES) as write:
            for batch in _batches(self.journalled("samples")):
                write(batch)
        self.write_manifest(
            dataclasses.replace(manifest, status=Status.FINISHED, finished=manifests.now())
        )
        with writing_to(self.path):
            shutil.rmtree(self.path / "journal", ignore_errors=True)

    def _fold_cells(self, rows: list[RowFacts], pages: Mapping[str, int]) -> None:
        with _parquet(self.path / "cells.parquet", schema.CELLS) as write:
            for row in rows:
                facts = {"extractor": row.name, "variant": row.variant, "version": row.version}
                cells: dict[tuple[int, int], dict[str, Any]] = {}
                for each in self.journalled(row.key):
                    del each["text"]
                    if each["page"] in pages:
                        cells[pages[each["page"]], each["repeat"]] = {**each, **facts}
                write([cells[place] for place in sorted(cells)])

    def _fold_texts(self, rows: list[RowFacts]) -> None:
        written: set[bytes] = set()

        def fresh() -> Iterator[dict[str, Any]]:
            for row in rows:
                for each in self.journalled(row.key):
                    name = bytes.fromhex(each["text_hash"])
                    if name and name not in written:
                        written.add(name)
                        yield {"text_hash": each["text_hash"], "text": each["text"]}

        with _parquet(self.path / "texts.parquet", schema.TEXTS) as write:
            for batch in _batches(fresh()):
                write(batch)

    # -- reading ----------------------------------------------------------------------------

    def cells(self) -> pd.DataFrame:
        """Return every cell and repeat, columns as ``schema.CELLS``."""
        return self._table("cells.parquet")

    def samples(self) -> pd.DataFrame:
        """Return the sampler's series, columns as ``schema.SAMPLES``."""
        return self._table("samples.parquet")

    def texts(self, hashes: Iterable[str]) -> dict[str, str]:
        """Return the texts with these hashes; the empty hash means the empty text."""
        wanted = set(hashes)
        found = {"": ""} if "" in wanted else {}
        wanted.discard("")
        path = self.path / "texts.parquet"
        if wanted and path.exists():
            for batch in pq.ParquetFile(path).iter_batches(batch_size=_BATCH):
                for item in batch.to_pylist():
                    if item["text_hash"] in wanted:
                        found[item["text_hash"]] = item["text"]
        return found

    def records(self, row: str) -> Iterator[dict[str, Any]]:
        """Yield a row's cells with their texts, from the journal or the tables, whichever holds them."""
        if self._journal_path(row).exists():
            yield from self.journalled(row)
        elif (self.path / "cells.parquet").exists():
            cells = self.cells()
            cells = cells[cells["row"] == row]
            texts = self.texts(cells["text_hash"])
            for cell in cells.drop(columns=["extractor", "variant", "version"]).to_dict("records"):
                clean = {str(name): None if pd.isna(v) else v for name, v in cell.items()}
                yield {**clean, "text": texts[cell["text_hash"]]}

    def _table(self, name: str) -> pd.DataFrame:
        path = self.path / name
        try:
            table = pq.read_table(path)
        except (OSError, pa.ArrowInvalid) as error:
            raise BenchError(
                f"{path} cannot be read ({error}); remove {self.path} and run again"
            ) from error
        schema.check(schema.version_of(table.schema), path)
        return table.to_pandas()

    # -- derived ----------------------------------------------------------------------------

    def scores(self, metric: str, scorer: str) -> pd.DataFrame | None:
        """Return the scores of one metric by this scorer; None if none are kept, or not whole."""
        try:
            table = pq.read_table(self.path / "scores" / f"{metric}.parquet")
        except (OSError, pa.ArrowInvalid):
            return None
        found = (table.schema.metadata or {}).get(schema.SCORER_KEY, b"").decode()
        return table.to_pandas() if found == scorer else None

    def write_scores(
        self, metric: str, table: pd.DataFrame, columns: pa.Schema, scorer: str
    ) -> None:
        """Replace the scores of one metric; ``scorer`` names what computed them."""
        metadata = {**(columns.metadata or {}), schema.SCORER_KEY: scorer.encode()}
        columns = columns.with_metadata(metadata)
        path = self.path / "scores" / f"{metric}.parquet"
        with replacing(path) as temporary:
            pq.write_table(
                pa.Table.from_pandas(table, schema=columns, preserve_index=False), temporary
            )


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
    results: Path, on_damage: Callable[[str], None] = lambda _: None
) -> Iterator[RunFolder]:
    """Yield the runs in a results folder, newest first, each manifest read when its turn comes.

    ``on_damage`` is handed one line for each that cannot be read: what is wrong, and the fix.
    """
    if not results.is_dir():
        return
    with reading_from(results):
        folders = sorted(results.iterdir(), reverse=True)
    for run in map(RunFolder, folders):
        if (run.path / manifests.FILE).is_file():
            try:
                run.manifest  # noqa: B018
            except BenchError as error:
                on_damage(str(error))
            else:
                yield run


def find(results: Path, run_id: str | None) -> RunFolder:
    """Return the run with this id (or unambiguous beginning of it); the latest finished for None.

    Raises ``UsageError`` when there is none.
    """
    if run_id is None:
        for run in all_runs(results):
            if run.finished:
                return run
        raise UsageError(f"no finished run in {results}; `bench run --all` makes one")
    matches = [run for run in all_runs(results) if run.id.startswith(run_id)]
    matches = [run for run in matches if run.id == run_id] or matches
    if len(matches) == 1:
        return matches[0]
    reason = "several runs begin" if matches else "no run begins"
    raise UsageError(f"{reason} with {run_id!r} in {results}; `bench runs` lists them")


@contextlib.contextmanager
def _parquet(path: Path, columns: pa.Schema) -> Iterator[Callable[[list[dict[str, Any]]], None]]:
    with (
        replacing(path) as temporary,
        pq.ParquetWriter(temporary, columns, compression="zstd") as writer,
    ):

        def write(rows: list[dict[str, Any]]) -> None:
            if rows:
                writer.write_table(pa.Table.from_pylist(rows, schema=columns))

        yield write


def _batches(records: Iterator[dict[str, Any]]) -> Iterator[list[dict[str, Any]]]:
    """Yield records in batches that are small in number and in text, so that memory stays flat."""
    batch: list[dict[str, Any]] = []
    chars = 0
    for each in records:
        batch.append(each)
        chars += len(each.get("text", ""))
        if len(batch) == _BATCH or chars >= _BATCH_CHARS:
            yield batch
            batch, chars = [], 0
    yield batch
