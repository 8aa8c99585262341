"""What a data set's content is, as a hash: pages and gold, whatever the files are called.

SHA-256 over one line per page in order of id: id, hash of the HTML (unpacked), hash of the gold.
"""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass

from bench.datasets.by_page import of_each_page
from bench.datasets.readers.base import Reader
from bench.model import Gold, GoldPage


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


def of_reader(reader: Reader, *, afresh: bool = False) -> Hashes:
    """Return the hashes of all pages; those of an unchanged data set are remembered.

    ``afresh`` reads every page in any case. Raises ``GoldError`` naming the first file that cannot
    be read.
    """
    pages = of_each_page("fingerprints", reader, of_page, PageHash, afresh=afresh)
    digest = hashlib.sha256()
    for page_id in sorted(pages):
        digest.update(f"{page_id}\t{pages[page_id].page}\t{pages[page_id].gold}\n".encode())
    return Hashes(digest.hexdigest(), pages)


def _gold_hash(gold: Gold) -> str:
    facts = [gold.text, list(gold.with_snippets), list(gold.without_snippets)]
    return hashlib.sha256(json.dumps(facts, ensure_ascii=True).encode()).hexdigest()[:32]
