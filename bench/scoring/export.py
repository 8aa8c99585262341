"""A run's texts as files that other benchmarks read: the forms of ``predictions``, written.

Every page of the run is in every file. A failed cell is the empty text, as in AEB's own outputs:
none of the forms has a word for failures. Of several repeats the first counts, as in scoring.
"""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from operator import attrgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bench.model import BenchError, Outcome, UsageError
from bench.runs.store.manifest import RowFacts
from bench.runs.store.runs import RunFolder
from bench.scoring import stored_run
from bench.scoring.predictions import BODIES, Form
from bench.util import atomic

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class Exported:
    """One file: what a row returned for every page."""

    path: Path
    label: str
    version: str | None
    pages: int
    empty: int
    """Pages without text, failed ones among them."""
    failed: int


def chosen(run: RunFolder, patterns: Sequence[str]) -> list[RowFacts]:
    """Return the rows of a run (of its manifest) that patterns name; all that have cells for none.

    What a word means says ``stored_run.rows_named``. Raises ``UsageError`` for a word that
    matches no row, or only rows that could not run.
    """
    rows = run.manifest.rows
    if not patterns:
        return [row for row in rows if row.available]
    keys: set[str] = set()
    for pattern in patterns:
        meant = stored_run.rows_named(run, pattern)
        if not meant:
            raise stored_run.no_row(run, pattern)
        there = [row for row in meant if row.available]
        if not there:
            raise UsageError(f"{meant[0].label} did not run in {run.id}: {meant[0].problem}")
        keys.update(row.key for row in there)
    return [row for row in rows if row.key in keys]


def write(
    run: RunFolder,
    rows: Sequence[RowFacts],
    form: Form,
    folder: Path,
    *,
    force: bool = False,
) -> list[Exported]:
    """Write one file per row, each whole or not at all; return what was written.

    A file that stands already with the same content is left. Raises ``UsageError`` before
    anything is written when one with other content does, unless ``force``; ``BenchError`` when
    the folder cannot be written.
    """
    cells = run.cells("row", "page", "outcome", "text_hash", repeat=0)
    by_row = dict(iter(cells.groupby("row", sort=False)))
    rows = [row for row in rows if row.key in by_row]
    suffix = ".jsonl" if form == "sigir" else ".json"
    files = {row.key: folder / (name + suffix) for name, row in _named(rows)}

    def content(row: RowFacts) -> bytes:
        content = texts(run, by_row[row.key])
        return written(form, files[row.key].stem, row.version, content).encode("utf-8")

    same = set()
    for row in rows:
        path = files[row.key]
        if path.exists() or path.is_symlink():
            if path.is_file() and path.read_bytes() == content(row):
                same.add(path)
            elif not force or not path.is_file():
                raise UsageError(
                    f"{path} is there and holds something else; give another --output, or "
                    "--force to replace it"
                )
    _make(folder)
    exported = []
    for row in rows:
        path, own = files[row.key], by_row[row.key]
        if path not in same:
            with atomic.replacing(path) as temporary:
                temporary.write_bytes(content(row))
        outcomes = Counter(map(Outcome, own["outcome"]))
        exported.append(
            Exported(
                path=path,
                label=row.label,
                version=row.version,
                pages=len(own),
                empty=len(own) - outcomes[Outcome.OK],
                failed=sum(count for outcome, count in outcomes.items() if outcome.failed),
            )
        )
    return exported


def written(form: Form, name: str, version: str | None, texts: Mapping[str, str]) -> str:
    """Return the content of a file: a system's name, version if the form has it, texts by page."""
    if form == "sigir":
        return "".join(
            json.dumps(
                {"page_id": page, "plaintext": texts[page], "model": name}, ensure_ascii=False
            )
            + "\n"
            for page in sorted(texts)
        )
    content: dict[str, Any] = dict(texts)
    if body := BODIES.get(form):
        content = {page: {body: text} for page, text in texts.items()}
    if form == "aeb":
        content = {"output": content}
        if version is not None:
            content["version"] = version
    return json.dumps(content, ensure_ascii=False, indent=4) + "\n"


def _named(rows: Iterable[RowFacts]) -> list[tuple[str, RowFacts]]:
    """Give each row a file name of its own: its label, with more of it where that is not enough."""
    named = [(atomic.safe_name(row.label), row) for row in rows]
    for more in (attrgetter("version"), attrgetter("key")):
        # Two names that differ in case alone are one file on some systems.
        often = Counter(name.casefold() for name, _ in named)
        named = [
            (atomic.safe_name(f"{name}-{more(row)}"), row)
            if often[name.casefold()] > 1 and more(row)
            else (name, row)
            for name, row in named
        ]
    return named


def texts(run: RunFolder, cells: pd.DataFrame) -> dict[str, str]:
    """Return the text of each of a row's cells, by page.

    Raises ``BenchError`` where the run lacks one.
    """
    known = run.texts(cells["text_hash"])
    return {
        str(page): known[name] for page, name in zip(cells["page"], cells["text_hash"], strict=True)
    }


def texts_of(run: RunFolder, label: str) -> dict[str, str]:
    """Return what a row, by its label, returned for each page; of several repeats the first."""
    keys = {row.label: row.key for row in run.manifest.rows}
    return texts(run, run.cells("page", "text_hash", row=keys[label], repeat=0))


def _make(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise BenchError(
            f"{folder} cannot be made ({error.strerror or error}); choose another --output"
        ) from error
    if not os.access(folder, os.W_OK):
        raise BenchError(
            f"{folder} cannot be written; make it writable, or choose another --output"
        )
