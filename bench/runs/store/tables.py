"""The Parquet tables of a run: their columns, and how they are written and read.

Version 1 is the first. When a column changes, the number goes up, ``read`` learns the step from the
version before, and a frozen example of the old version becomes a test.
"""

import contextlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import chain, repeat
from pathlib import Path
from typing import Any, TypeVar

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from bench.model import BenchError
from bench.runs.store.journal import text_hash
from bench.util.atomic import replacing

VERSION = 3
Record = TypeVar("Record", bound=Mapping[str, Any])
_VERSION_KEY = b"bench.schema"
_SCORER_KEY = b"bench.scorer"
_BATCH = 256
_BATCH_CHARS = 250_000
_ROWS_AT_ONCE = 100_000
"""Of cells: their diagnostics, 16 KiB at most each, fit into one array of strings."""
_GROUPS_AT_ONCE = 16
"""Row groups of texts that are read together."""


def _schema(**columns: pa.DataType) -> pa.Schema:
    fields = [pa.field(name, kind) for name, kind in columns.items()]
    return pa.schema(fields, metadata={_VERSION_KEY: str(VERSION).encode()})


CELLS = _schema(
    row=pa.string(),
    extractor=pa.string(),
    variant=pa.string(),
    version=pa.string(),
    page=pa.string(),
    page_hash=pa.string(),
    repeat=pa.int32(),
    outcome=pa.string(),
    wall_s=pa.float64(),
    cpu_s=pa.float64(),
    rss_peak_bytes=pa.int64(),
    rss_idle_bytes=pa.int64(),
    decode_s=pa.float64(),
    handover_s=pa.float64(),
    text_hash=pa.string(),
    text_chars=pa.int64(),
    diagnostics=pa.string(),
    network_attempts=pa.int32(),
    carried_from=pa.string(),
    flags=pa.string(),
    machine=pa.string(),
)
"""One row per cell and repeat; ``carried_from`` names the run that measured it, if not this one;
``machine`` is the id of where, empty in what older schemas wrote: the manifest has it."""

_COLUMNS_SINCE = {2: "flags", 3: "machine"}
"""Which column of cells came with which version."""

TEXTS = _schema(text_hash=pa.string(), text=pa.large_string())
"""Extracted texts by SHA-256; the empty text is not stored."""

SAMPLES = _schema(
    row=pa.string(),
    at_s=pa.float64(),
    rss_bytes=pa.int64(),
    cpu_s=pa.float64(),
    processes=pa.int32(),
    late_s=pa.float64(),
)
"""The sampler's series of each worker's process tree."""


@contextlib.contextmanager
def writing(path: Path, schema: pa.Schema) -> Iterator[Callable[[pa.Table], None]]:
    """Give what writes one part after the other of a table, which is there whole or not at all."""
    # No two texts are the same, and nobody looks for one by its order.
    few_values = schema != TEXTS
    with (
        replacing(path) as temporary,
        pq.ParquetWriter(
            temporary, schema, compression="zstd", write_page_checksum=True,
            use_dictionary=few_values, write_statistics=few_values,
        ) as file,
    ):  # fmt: skip
        yield lambda part: file.write_table(part.cast(schema))


def write_parts(path: Path, schema: pa.Schema, parts: Iterable[pa.Table]) -> None:
    """Write a table that comes in parts, whole or not at all."""
    with writing(path, schema) as write_part:
        for part in parts:
            write_part(part)


def batches(rows: Iterable[Record]) -> Iterator[Sequence[Record]]:
    """Yield rows that come one by one in batches, small in number and in characters of text."""
    batch: list[Record] = []
    chars = 0
    for row in rows:
        batch.append(row)
        chars += len(row.get("text", ""))
        if len(batch) == _BATCH or chars >= _BATCH_CHARS:
            yield batch
            batch, chars = [], 0
    yield batch


def in_order(table: pa.Table, indices: Sequence[int]) -> Iterator[pa.Table]:
    """Yield a table's rows in the order of these indices, in parts.

    One array of strings holds 2 GiB, what an extractor says of millions of pages may be more.
    """
    fields = [
        field.with_type(pa.large_string()) if pa.types.is_string(field.type) else field
        for field in table.schema
    ]
    table = table.cast(pa.schema(fields)).combine_chunks()
    for start in range(0, len(indices), _ROWS_AT_ONCE):
        yield table.take(indices[start : start + _ROWS_AT_ONCE])


def in_parts(path: Path) -> Iterator[pa.Table]:
    """Yield the parts of which a table was written. Raises ``BenchError`` for a damaged one."""
    with reading(path), pq.ParquetFile(path, page_checksum_verification=True) as file:
        for part in range(file.num_row_groups):
            yield file.read_row_group(part)


def read(
    path: Path,
    schema: pa.Schema | None = None,
    columns: Sequence[str] = (),
    **only: object,
) -> pa.Table:
    """Read a table of this schema: the columns named, or all; where columns have values, or all.

    Of a tuple any value will do.

    Raises ``BenchError`` naming the file when it is missing, damaged or of a newer bench.
    """
    with reading(path):
        there = pq.read_schema(path)
        version = int((there.metadata or {}).get(_VERSION_KEY, b"1"))
        if version > VERSION:
            raise BenchError(
                f"{path} was written by a newer bench (schema {version}); update bench"
            )
        new = [
            name for since, name in _COLUMNS_SINCE.items() if schema is CELLS and version < since
        ]
        upgraded = pa.schema([*there, *(pa.field(name, pa.string()) for name in new)])
        if schema is not None and not upgraded.equals(schema):
            raise ValueError("its columns are others")
        wanted = list(columns) or upgraded.names
        kept = [name for name in wanted if name not in new]
        filters: Any = [
            (name, "in" if isinstance(value, tuple) else "==", value)
            for name, value in only.items()
        ] or None
        table = pq.read_table(path, columns=kept, filters=filters, page_checksum_verification=True)
        for name in new:
            table = table.append_column(name, pa.repeat(pa.scalar("", pa.string()), len(table)))
    return table.select(wanted)


@contextlib.contextmanager
def reading(path: Path) -> Iterator[None]:
    """Turn whatever reading a damaged table raises into one line."""
    try:
        yield
    except (OSError, ValueError, KeyError, pa.ArrowException) as error:
        reason = str(error).partition("\n")[0]
        raise BenchError(
            f"{path} cannot be read ({reason}); remove {path.parent} and run again"
        ) from error


def write_scores(path: Path, columns: Mapping[str, Any], scorer: str) -> None:
    """Write a metric's scores: a row for each cell, by row, page and outcome, numbers in the rest."""
    kinds: dict[str, pa.DataType] = dict.fromkeys(columns, pa.float64())
    kinds.update(row=pa.string(), page=pa.string(), outcome=pa.string())
    schema = _schema(**kinds)
    schema = schema.with_metadata({**schema.metadata, _SCORER_KEY: scorer.encode()})
    with replacing(path) as temporary:
        pq.write_table(pa.table(columns, schema=schema), temporary)


def read_scores(path: Path, scorer: str, columns: Sequence[str]) -> pa.Table | None:
    """Return columns of a metric's scores by this scorer; None where none are kept, or not whole."""
    try:
        table = read(path, None, columns)
    except BenchError:
        return None
    return table if table.schema.metadata.get(_SCORER_KEY) == scorer.encode() else None


def merge_scores(parts: Sequence[Path], whole: Path, rows: Iterable[str]) -> None:
    """Write the scores of shards as those of their whole, where one scorer computed them all.

    Those of one row at a time are held.
    """
    with reading(whole):
        schemas = [pq.read_schema(path) for path in parts if path.exists()]
    if len(schemas) == len(parts) and all(schemas[0].equals(own, True) for own in schemas):
        by_row = (pa.concat_tables(read(path, row=row) for path in parts) for row in rows)
        write_parts(whole, schemas[0], (table.sort_by("page") for table in by_row))


def no_texts(run: str) -> str:
    """Return the line that says why a run has no texts, and the fix."""
    return (
        f"{run} has no texts: it ran on a cluster, where they stayed; fix: bench run … --cluster … "
        "--keep-texts"
    )


class Texts:
    """The texts of a finished run, by hash; the empty hash is the empty text.

    Only those parts of the file are read that hold what is wanted.
    """

    def __init__(self, run: Path) -> None:
        self._path = run / "texts.parquet"

    def __getstate__(self) -> dict[str, object]:
        """Leave the open file behind: another process opens it for itself."""
        return {"_path": self._path}

    @cached_property
    def _file(self) -> pq.ParquetFile:
        return pq.ParquetFile(self._path, page_checksum_verification=True)

    @cached_property
    def _groups(self) -> dict[str, int]:
        """The row group of each hash."""
        about = self._file.metadata
        sizes = (about.row_group(group).num_rows for group in range(about.num_row_groups))
        groups = chain.from_iterable(repeat(group, size) for group, size in enumerate(sizes))
        return dict(zip(_strings(self._file.read(["text_hash"]), "text_hash"), groups, strict=True))

    def get(self, hashes: Iterable[str]) -> dict[str, str]:
        """Return the texts with these hashes, by hash.

        Raises ``BenchError`` naming the file when it is damaged, lacks one of them, or holds
        another text than was stored.
        """
        wanted = set(hashes) - {""}
        texts = {"": ""}
        if wanted and not self._path.exists():
            raise BenchError(no_texts(self._path.parent.name))
        with reading(self._path):
            missing = wanted - self._groups.keys()
            if missing:
                raise ValueError(f"it lacks {len(missing)} texts")
            groups = sorted({self._groups[name] for name in wanted})
            for at in range(0, len(groups), _GROUPS_AT_ONCE):
                some = groups[at : at + _GROUPS_AT_ONCE]
                table = self._file.read_row_groups(some, use_threads=False)
                table = table.filter(pc.is_in(table["text_hash"], pa.array(wanted, pa.string())))
                names = _strings(table, "text_hash")
                texts.update(zip(names, _strings(table, "text"), strict=True))
            if any(text_hash(text) != name for name, text in texts.items()):
                raise ValueError("texts in it are not those that were stored")
        return texts


def _strings(table: pa.Table, column: str) -> list[str]:
    return [str(value) for value in table[column].to_pylist()]
