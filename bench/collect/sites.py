"""Sites of a specification: their indexes, which links are followed, which documents are new."""

from collections.abc import Callable, Iterable, Iterator
from datetime import date
from pathlib import Path

from bench.collect import addresses
from bench.collect.run import collection_lock
from bench.collect.settings import WARC, Follow, Settings
from bench.collect.urls import NAME, Link, UrlTable
from bench.datasets.readers.warc import WarcReader
from bench.methods.webreader import macros, reading
from bench.methods.webreader.document import Document
from bench.methods.webreader.specification import Specification, UrlRule
from bench.model import UsageError
from bench.util import atomic
from bench.worker.decode import decode

Files = Callable[[list[Document]], Iterable[tuple[str, str, list[Document]]]]
"""For documents the files that they go to: name, all that is to be in it, and documents."""
_DEPTH = 2
"""Pages of an index that another index leads to."""


def indexes(specification: Specification, day: date) -> list[Link]:
    """Return the index pages of a day.

    Raises ``UsageError`` where no site has one, its address is not valid, or documents no target.
    """
    values = macros.of_date(day)
    links = []
    for number, rule in enumerate(specification.rules):
        if rule.is_index:
            url = addresses.canonical(rule.patterns[0].fill(values))
            if url is None:
                raise UsageError(
                    f"{specification.source}: the URL of site {rule.site} is not a web address"
                )
            links.append(Link(url, 0, kind=_kind(rule), rule=number))
        elif rule.process_content and rule.target is None:
            raise UsageError(
                f"{specification.source}, line {rule.line}: documents have no <target>; add one to "
                f"site {rule.site}"
            )
    if not links:
        raise UsageError(
            f'{specification.source}: no site has an index; write <site URL="https://…" '
            'process_links="true">'
        )
    return links


def settings(specification: Specification, day: date, manners: dict[str, object]) -> Settings:
    """Return what to collect: the links of indexes that a rule of their site is for.

    A link is for the first rule whose pattern occurs in it as it is written: what the index's own
    address has in it would occur in all of them.
    """
    values = macros.of_date(day)
    follow = []
    for number, rule in enumerate(specification.rules):
        if not rule.is_index:
            *around, pattern = (part.fill(values) for part in rule.patterns)
            follow.append(Follow(rule.site, number, _kind(rule), pattern, tuple(around)))
    leads = (rule.site if rule.process_links else None for rule in specification.rules)
    fields = {"depth": _DEPTH, "follow": tuple(follow), "leads": tuple(leads), **manners}
    return Settings(source="sites", **fields)  # type: ignore[arg-type]


def _kind(rule: UrlRule) -> str:
    return "page" if rule.process_content else "index"


def write_new(
    folder: Path, out: Path, specification: Specification, day: date, files: Files
) -> int:
    """Write the documents of the pages in ``out`` that have none yet, and return how many.

    ``files`` are those in ``folder``. One that a killed run had written is not written again.
    """
    if not (out / NAME).is_file():
        return 0
    with collection_lock(out), UrlTable(out, make=True) as urls:
        urls.end_writing(folder)
        documents = list(_documents(out, urls.unwritten(), specification, day))
        for name, text, written in files(documents):
            with urls.writing(name, text.encode(), [document.url for document in written]):
                atomic.write_text(folder / name, text)
    return len(documents)


def _documents(
    out: Path, pages: Iterable[tuple[str, int]], specification: Specification, day: date
) -> Iterator[Document]:
    latest: dict[str, str] = {}
    for url, number in pages:
        if not latest:
            reader = WarcReader(out / WARC)
            # A page that was fetched again has a number behind its id.
            for page_id in sorted(reader.ids, key=lambda page_id: (len(page_id), page_id)):
                latest[page_id.partition("-")[0]] = page_id
        page = reader.read(latest[addresses.page_id(url)]).page
        # The link chose the rule, whatever the address that it led to looks like.
        values = {**macros.of_date(day), macros.URL: url}
        html = decode(page.html, page.encoding)
        yield reading.read_by(specification, specification.rules[number], values, html, day)
