"""Sites of a specification: which links of their indexes are followed, which documents are new."""

import contextlib
from collections.abc import Iterator
from dataclasses import replace
from datetime import date
from pathlib import Path

from bench.collect import addresses, stores
from bench.collect.settings import Follow
from bench.collect.urls import UrlTable
from bench.datasets.readers.warc import WarcReader
from bench.methods.webreader import macros, reading
from bench.methods.webreader.document import Document
from bench.methods.webreader.specification import Specification
from bench.model import UsageError
from bench.worker.decode import decode


def followed(specification: Specification, day: date) -> tuple[list[str], tuple[Follow, ...]]:
    """Return the addresses of a day's index pages, and which of their links are followed.

    A link is for the first rule of its site whose pattern occurs in it as it is written: what the
    index's own address has in it would occur in all links. Raises ``UsageError`` where no site has
    an index, or its address is not valid.
    """
    values = macros.of_date(day)
    follow = []
    for index in specification.indexes:
        url = addresses.canonical(index.address.fill(values))
        if url is None:
            raise UsageError(f"{specification.source}: the index of {index.site} is no web address")
        for number, rule in enumerate(specification.urls):
            if rule.site == index.site and rule.process_content:
                *around, pattern = (part.fill(values) for part in rule.patterns)
                follow.append(Follow(url, number, pattern, tuple(around)))
    if not follow:
        raise UsageError(
            f'{specification.source}: no site has an index; write <site URL="https://…" '
            'process_links="yes">'
        )
    return list(dict.fromkeys(each.index for each in follow)), tuple(follow)


@contextlib.contextmanager
def documents(out: Path, specification: Specification, day: date) -> Iterator[list[Document]]:
    """Give the documents of the pages that have none yet; they have one if the block succeeds."""
    with contextlib.closing(UrlTable(out)) as urls:
        pages = urls.unwritten()
        yield list(_documents(out, pages, specification, day))
        urls.note_written(url_id for url_id, _, _ in pages)


def _documents(
    out: Path, pages: list[tuple[int, str, int]], specification: Specification, day: date
) -> Iterator[Document]:
    reader = None
    for _, url, number in pages:
        reader = reader or WarcReader(out / stores.WARC)
        page = reader.read(stores.page_id(url)).page
        # The link chose the rule, whatever the address that it led to looks like.
        rule = replace(specification.urls[number], patterns=())
        only = replace(specification, urls=(rule,))
        document = reading.read_page(only, decode(page.html, page.encoding), url, day)
        if document is not None:
            yield document
