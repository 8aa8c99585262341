"""``bench webreader``: specifications of sites, checked and applied to pages."""

from collections.abc import Iterator
from datetime import date
from functools import partial
from pathlib import Path, PurePosixPath
from typing import Any

import click

from bench.cli import collect as collecting
from bench.cli import options, printing
from bench.methods.webreader import output, reading, specification
from bench.methods.webreader.document import Document
from bench.methods.webreader.specification import Specification, SpecificationError
from bench.model import BenchError, UsageError
from bench.util import atomic
from bench.util.display import grouped, plain
from bench.util.numbers import counted
from bench.worker.decode import decode

_file = click.Path(exists=True, dir_okay=False, path_type=Path)


def _day_of(_: click.Context, __: click.Parameter, value: str | None) -> date | None:
    """Read a day: today unless given, None for ``any``."""
    if value is None:
        return date.today()
    if value == "any":
        return None
    try:
        return date.fromisoformat(value)
    except ValueError:
        raise UsageError(f"--date: {value!r} is no day; write 2001-09-09, or any") from None


_day = click.option(
    "--date",
    "day",
    callback=_day_of,
    show_default="today",
    metavar="YYYY-MM-DD",
    help="Day on which the pages were read, for $YYYY$, $MM$ and $DD$; `any` lets them stand for any.",
)


@click.group(
    epilog="Examples: bench webreader check sites.xml · "
    "bench webreader apply sites.xml page.html --url https://example.org/news/1"
)
def command() -> None:
    """Check specifications of sites, and apply them to pages.

    A specification says in XML which tags of a site's pages open which section of a normalised
    document; the extractor of this name runs by one. `collect` alone fetches pages.
    """


@command.command(epilog="Example: bench webreader check sites.xml --url https://example.org/news/1")
@click.argument("spec", type=_file)
@click.option("--url", "urls", multiple=True, help="Say which rule is for this address.")
@_day
@options.as_json
def check(spec: Path, urls: tuple[str, ...], day: date | None, as_json: bool) -> None:
    """Check a specification: the first error with its line, or what is in it.

    Exit status 1 when it has an error, or an address given with --url has no rule.
    """
    read = _read(spec)
    matches = {url: read.find(url, day) for url in urls}
    rules = {
        url: {"site": match[0].site, "link": match[0].link, "line": match[0].line}
        if match
        else None
        for url, match in matches.items()
    }
    if as_json:
        printing.print_json(
            {"spec": str(spec), "sites": list(read.sites), "urls": len(read.urls), "rules": rules}
        )
    else:
        click.echo(
            f"{printing.short(spec)}: {len(read.sites)} sites, {len(read.urls)} URLs, no error"
        )
        for url, rule in rules.items():
            click.echo(plain(f"{url}: {_place(rule) if rule else 'no rule'}"))
    if None in rules.values():
        raise click.exceptions.Exit(1)


@command.command(
    epilog="Examples: bench webreader apply sites.xml 09N0001.html --date 2001-09-09 · "
    "bench webreader apply sites.xml page.html --url https://example.org/news/1 --format xml"
)
@click.argument("spec", type=_file)
@click.argument("pages", nargs=-1, required=True, type=_file, metavar="PAGE...")
@click.option(
    "--url",
    "urls",
    multiple=True,
    help="Address of a page, given once for each page in their order; without it, the file's own.",
)
@_day
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "xml"]),
    default="text",
    show_default=True,
    help="Normalised text with .SECTION headings, or XML.",
)
@click.option(
    "--out",
    type=click.Path(file_okay=False, path_type=Path),
    metavar="FOLDER",
    help="Write each document to the <target> of its rule, below this folder.",
)
@options.as_json
def apply(
    spec: Path,
    pages: tuple[Path, ...],
    urls: tuple[str, ...],
    day: date | None,
    form: str,
    out: Path | None,
    as_json: bool,
) -> None:
    """Apply a specification to pages: one normalised document for each that has a rule.

    Exit status 1 when no page has one.
    """
    if urls and len(urls) != len(pages):
        raise UsageError(
            f"--url is given {len(urls)} times for {len(pages)} pages; give each its own"
        )
    read = _read(spec)
    addresses = urls or tuple(page.absolute().as_uri() for page in pages)
    read_pages = [
        reading.read_page(read, decode(page.read_bytes()), address, day)
        for page, address in zip(pages, addresses, strict=True)
    ]
    for page, address, document in zip(pages, addresses, read_pages, strict=True):
        if document is None:
            printing.tell(f"{printing.short(page)}: no rule for {address}")
    documents = [document for document in read_pages if document is not None]
    if out is not None:
        for name, content, _ in _files(out, documents, form):
            atomic.write_text(out / name, content)
    if as_json:
        facts = zip(pages, addresses, read_pages, strict=True)
        printing.print_json([_facts(*page) for page in facts])
    elif out is None and documents:
        click.echo(_printed(documents, form), nl=False)
    if not documents:
        raise click.exceptions.Exit(1)


@command.command(epilog="Example: bench webreader collect sites.xml --date 2026-11-21 --out diario")
@click.argument("spec", type=_file)
@click.option(
    "--out",
    type=click.Path(file_okay=False, path_type=Path),
    required=True,
    metavar="FOLDER",
    help="Where documents go, and the pages that they are made of; only what is new is fetched.",
)
@_day
@collecting.delay
@collecting.contact
@click.option("--own-site", is_flag=True, help="The sites are yours: no delay.")
@options.quiet
def collect(
    spec: Path,
    out: Path,
    day: date | None,
    delay_s: float | None,
    contact: str | None,
    own_site: bool,
    quiet: bool,
) -> None:
    """Fetch the index pages of sites and the pages that they lead to, and write their documents.

    A site says where its index is (URL="…/$YYYY$$MM$$DD$/" process_links="true"); a link of it is
    followed if a pattern occurs in it as it is written.
    """
    from bench.collect import sites

    if day is None:
        raise UsageError("--date: an index page is of one day; write 2026-11-21")
    read = _read(spec)
    indexes = sites.indexes(read, day)
    urls = [index.url for index in indexes]
    how = collecting.manners(urls, urls, own_site=own_site, delay_s=delay_s, contact=contact)
    settings = sites.settings(read, day, how)
    pages = out / "pages"
    files = partial(_files, out, form="text")
    # What a run that was killed has fetched comes first: an index may be another page by now.
    new = sites.write_new(out, pages, read, day, files)
    collecting.collect(pages, settings, (), quiet=quiet, indexes=indexes)
    new += sites.write_new(out, pages, read, day, files)
    printing.tell(f"{counted(new, 'new document')}")


def _read(spec: Path) -> Specification:
    try:
        return specification.read_file(spec)
    except SpecificationError as error:
        raise BenchError(str(error)) from None
    except ImportError as error:
        raise BenchError(f"{error.name} is not installed: pip install lxml") from None


def _place(rule: dict[str, Any]) -> str:
    link = f", link {rule['link']}" if rule["link"] else ""
    return f"site {rule['site']}{link}, line {rule['line']}"


def _printed(documents: list[Document], form: str) -> str:
    return output.xml(documents) if form == "xml" else "".join(map(output.text, documents))


def _files(
    folder: Path, documents: list[Document], form: str
) -> Iterator[tuple[str, str, list[Document]]]:
    """Give for each target below a folder its name, its content, and the documents that it is of.

    A document that is not appended takes the place of all before it.
    """
    for name, of in grouped((_inside(document), document) for document in documents).items():
        replacing = [number for number, document in enumerate(of) if not document.append]
        kept = of[replacing[-1] :] if replacing else of
        path = folder / name
        before = "" if replacing or not path.is_file() else path.read_text(encoding="utf-8")
        if before and form == "xml":
            raise UsageError(f"{path} is there: XML cannot be appended to; choose another --out")
        yield name, before + _printed(kept, form), of
        where = "added to" if before else "in"
        printing.tell(f"{counted(len(kept), 'document')} {where} {printing.short(path)}")


def _inside(document: Document) -> str:
    """Return the name of a document's target, which is below a folder whatever it says."""
    if document.target is None:
        raise BenchError(f"--out: the rule for {document.url} has no <target>; add one to its site")
    path = PurePosixPath(document.target.lstrip("/"))
    if ".." in path.parts or not path.name or "\0" in document.target:
        raise BenchError(f"--out: <target> {document.target!r} is no path below the folder")
    return str(path)


def _facts(page: Path, address: str, document: Document | None) -> dict[str, Any]:
    facts: dict[str, Any] = {"page": str(page), "url": address, "matched": document is not None}
    if document is not None:
        facts |= {
            "site": document.site,
            "link": document.link,
            "sections": [{"name": s.name, "text": s.marked} for s in document.sections],
            "main_text": document.main_text,
            "links": list(document.links),
            "target": document.target,
        }
    return facts
