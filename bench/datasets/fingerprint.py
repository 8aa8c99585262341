"""What a data set's content is, as a hash: pages and gold, whatever the files are called.

SHA-256 over one line per page in order of id: id, hash of the HTML (unpacked), hash of the gold.
What is found by looking at every page is remembered until one of the data set's files changes.
"""

import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TypeVar

from bench.datasets.readers.base import DAMAGE, Reader, unreadable
from bench.model import GoldPage
from bench.util.progress import SILENT, Progress
from bench.util.remembered import remembered

_FORMAT = 3
_Facts = TypeVar("_Facts")


@dataclass(frozen=True, slots=True)
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
    gold = [item.gold.text, item.gold.with_snippets, item.gold.without_snippets]
    return PageHash(
        page.hexdigest()[:32], hashlib.sha256(json.dumps(gold).encode()).hexdigest()[:32]
    )


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


def of_each_page(
    kind: str,
    reader: Reader,
    look: Callable[[GoldPage], _Facts],
    facts_class: type[_Facts],
    progress: Progress = SILENT,
    *,
    afresh: bool = False,
) -> Mapping[str, _Facts]:
    """Return what ``look`` makes of each page, by id in order.

    ``facts_class`` is its dataclass, whose fields JSON can hold. ``afresh`` reads every page even
    where no file seems to have changed. Raises ``GoldError`` for a page that cannot be read.
    """
    import msgspec  # not at the top: help needs none of it

    def find() -> dict[str, _Facts]:
        facts_by_page = {}
        progress.start("reading pages", len(reader.ids))
        for page_id in reader.ids:
            facts_by_page[page_id] = look(reader.read(page_id))
            progress.advance()
        return facts_by_page

    if reader.whole is not None:
        facts = of_each_page(kind, reader.whole, look, facts_class, progress, afresh=afresh)
    else:
        facts = remembered(
            kind,
            state(reader),
            find,
            dump=msgspec.json.encode,
            load=msgspec.json.Decoder(dict[str, facts_class]).decode,  # type: ignore[valid-type]
            afresh=afresh,
        )
    return {page_id: facts[page_id] for page_id in reader.ids}


def state(reader: Reader) -> str:
    """Hash over the ids and what the file system says of the files, without reading them.

    Raises ``GoldError`` for a file that is gone.
    """
    digest = hashlib.sha256(f"{_FORMAT} {type(reader).__name__} {reader.root}".encode())
    digest.update(json.dumps(list(reader.ids)).encode())
    for path in reader.paths():
        try:
            stat = path.stat()
        except DAMAGE as error:
            raise unreadable(path, error) from error
        # The time of change as well: whoever edits a file can put back that of modification.
        digest.update(f"{path}\t{stat.st_size} {stat.st_mtime_ns} {stat.st_ctime_ns}\n".encode())
    return digest.hexdigest()
