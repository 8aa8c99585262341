"""What a data set's content is, as a hash: pages and gold, whatever the files are called.

SHA-256 over one line per page in order of id: id, hash of the HTML (unpacked), hash of the gold.
Hashing reads every page, so the hashes of an unchanged folder are remembered in the user's data
directory (keyed by names, sizes and times of the files).
"""

from __future__ import annotations

import contextlib
import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from bench.datasets.readers.base import Reader
from bench.model import Gold, GoldPage
from bench.util import paths

_FORMAT = 1


@dataclass(frozen=True)
class PageHash:
    """Hashes of one page."""

    page: str
    """Of the HTML, the URL and the stated charset: all that an extractor is handed."""
    gold: str


@dataclass(frozen=True)
class Hashes:
    """Hashes of a whole data set."""

    fingerprint: str
    pages: Mapping[str, PageHash]


def of_page(item: GoldPage) -> PageHash:
    """Return the hashes of one page."""
    handed = json.dumps([item.page.url, item.page.encoding]).encode()
    page = hashlib.sha256(hashlib.sha256(item.page.html).digest() + handed)
    return PageHash(page.hexdigest()[:32], _gold_hash(item.gold))


def of_reader(reader: Reader, *, remembered: bool = True) -> Hashes:
    """Return the hashes of all pages; ``remembered`` ones will do if no file seems to have changed.

    Raises ``GoldError`` naming the first file that cannot be read.
    """
    memory = paths.home() / "cache" / "fingerprints" / f"{state(reader)}.json"
    with contextlib.suppress(OSError, ValueError, LookupError, TypeError, AttributeError):
        if not remembered:
            raise LookupError
        kept = json.loads(memory.read_text(encoding="utf-8"))
        return Hashes(kept["fingerprint"], {k: PageHash(*v) for k, v in kept["pages"].items()})
    pages = {page_id: of_page(reader.read(page_id)) for page_id in reader.ids}
    hashes = Hashes(_combine(pages), pages)
    with contextlib.suppress(OSError):
        memory.parent.mkdir(parents=True, exist_ok=True)
        kept = {"fingerprint": hashes.fingerprint}
        kept["pages"] = {k: [v.page, v.gold] for k, v in pages.items()}
        memory.write_text(json.dumps(kept), encoding="utf-8")
    return hashes


def _combine(pages: Mapping[str, PageHash]) -> str:
    digest = hashlib.sha256()
    for page_id in sorted(pages):
        each = pages[page_id]
        digest.update(f"{page_id}\t{each.page}\t{each.gold}\n".encode())
    return digest.hexdigest()


def _gold_hash(gold: Gold) -> str:
    facts = [gold.text, list(gold.with_snippets), list(gold.without_snippets)]
    return hashlib.sha256(json.dumps(facts, ensure_ascii=True).encode()).hexdigest()[:32]


def state(reader: Reader) -> str:
    """Hash over the ids and what the file system says of the files, without reading them."""
    digest = hashlib.sha256(f"{_FORMAT} {type(reader).__name__} {reader.root}".encode())
    digest.update(json.dumps(list(reader.ids)).encode())
    for name in reader.files():
        stat = _stat(reader.root / name)
        digest.update(f"{name}\t{stat}\n".encode())
    return digest.hexdigest()


def _stat(path: Path) -> str:
    stat = path.stat()
    return f"{stat.st_size} {stat.st_mtime_ns}"
