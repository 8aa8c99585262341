"""What is known of each page of a data set: what the data set states, and what its HTML shows.

Both take a look at every page, so they are remembered in the user's data directory, as the hashes
of ``fingerprint`` are, and taken anew when a file has changed.
"""

from __future__ import annotations

import contextlib
import json
import re
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from typing import Any, TypeVar

from bench.datasets import complexity, fingerprint, html_text
from bench.datasets.complexity import Complexity
from bench.datasets.readers.base import Reader
from bench.datasets.readers.kept import KeptReader
from bench.datasets.words import words
from bench.model import GoldPage
from bench.util import paths
from bench.util.progress import SILENT, Progress
from bench.worker.decode import decode

_FORMAT = 1


@dataclass(frozen=True)
class Stated:
    """What a data set says of one page."""

    html_bytes: int
    gold_words: int | None
    """None where the data set has snippets only."""
    page_type: str | None
    language: str | None
    """BCP 47, as the data set writes it."""
    meta: Mapping[str, str]
    """Scalars only, as text."""


@dataclass(frozen=True)
class Measured:
    """What one page's HTML shows."""

    complexity: Complexity
    language: str | None
    """What the page declares itself to be in: the primary subtag of the root's ``lang``."""


_T = TypeVar("_T", Stated, Measured)


def primary(language: str | None) -> str | None:
    """Return the primary subtag of a BCP 47 tag in lower case (``en`` of ``en-GB``), None of none."""
    return re.split(r"[-_]", (language or "").strip().lower(), maxsplit=1)[0] or None


def stated(reader: Reader, progress: Progress = SILENT) -> Mapping[str, Stated]:
    """Return what the data set says of each page, by id in order. Raises ``GoldError``."""
    return _remembered("stated", reader, _stated, lambda each: Stated(**each), progress)


def measured(reader: Reader, progress: Progress = SILENT) -> Mapping[str, Measured]:
    """Return what each page's HTML shows, by id in order. Raises ``GoldError``."""

    def load(each: dict[str, Any]) -> Measured:
        return Measured(Complexity(**each["complexity"]), each["language"])

    return _remembered("measured", reader, _measured, load, progress)


def _stated(item: GoldPage) -> Stated:
    page, gold = item.page, item.gold.text
    return Stated(
        html_bytes=len(page.html),
        gold_words=None if gold is None else len(words(gold)),
        page_type=page.page_type,
        language=page.language,
        meta={
            str(name): _text(value)
            for name, value in page.meta.items()
            if isinstance(value, str | int | float)
        },
    )


def _text(value: str | float) -> str:
    """Return a scalar as JSON writes it, a text as it is."""
    return value if isinstance(value, str) else json.dumps(value)


def _measured(item: GoldPage) -> Measured:
    page = html_text.parse(decode(item.page.html, item.page.encoding))
    return Measured(complexity.of_page(page, item.gold.text), page.language)


def _remembered(
    kind: str,
    reader: Reader,
    look: Callable[[GoldPage], _T],
    load: Callable[[dict[str, Any]], _T],
    progress: Progress,
) -> Mapping[str, _T]:
    if isinstance(reader, KeptReader):
        whole = _remembered(kind, reader.inner, look, load, progress)
        return {page_id: whole[page_id] for page_id in reader.ids}
    memory = paths.home() / "cache" / "facts" / f"{fingerprint.state(reader)}-{kind}.json"
    with contextlib.suppress(OSError, ValueError, LookupError, TypeError, AttributeError):
        kept = json.loads(memory.read_text(encoding="utf-8"))
        if kept["format"] == _FORMAT and list(kept["pages"]) == list(reader.ids):
            return {page_id: load(each) for page_id, each in kept["pages"].items()}
    found = {}
    progress.start("reading pages", len(reader.ids))
    for page_id in reader.ids:
        found[page_id] = look(reader.read(page_id))
        progress.advance()
    with contextlib.suppress(OSError):
        memory.parent.mkdir(parents=True, exist_ok=True)
        pages = {page_id: asdict(each) for page_id, each in found.items()}
        memory.write_text(json.dumps({"format": _FORMAT, "pages": pages}), encoding="utf-8")
    return found
