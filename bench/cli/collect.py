"""``bench collect``: pages from the web, politely, as WARC."""

import ipaddress
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from importlib import metadata
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import click

from bench.cli import options, printing, progress
from bench.collect import addresses, run
from bench.collect.run import Collected
from bench.collect.settings import POLITE_DELAY_S, TOKEN, TYPES, Settings
from bench.model import UsageError
from bench.report import terminal
from bench.report.document import Block, Column, Items, Paragraph, listing
from bench.util import paths
from bench.util.numbers import counted, duration, megabytes

_DEPTH = 3
_SHAPES_SHOWN = 10
_MOST_JOBS = 1_000
_DEEP = 1_000_000
_PUBLIC = ipaddress.ip_address("1.1.1.1")
_folder = click.Path(file_okay=False, path_type=Path)


class _Verb(click.Group):
    """Collects, unless the first word is another command's name."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        first = args[0] if args else "--help"
        known = first in self.commands or first in ctx.help_option_names
        return super().parse_args(ctx, args if known else ["pages", *args])

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command:
        return super().get_command(ctx, cmd_name) or self.commands["pages"]

    def format_help(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        pages = self.commands["pages"]
        pages.format_usage(ctx, formatter)
        pages.format_help_text(ctx, formatter)
        pages.format_options(ctx, formatter)
        self.format_commands(ctx, formatter)
        pages.format_epilog(ctx, formatter)


@click.group(cls=_Verb)
def command() -> None:
    """Collect pages from the web, politely, as WARC."""


def _types_of(_: click.Context, __: click.Parameter, value: str) -> tuple[str, ...]:
    names = tuple(name.strip() for name in value.split(","))
    if unknown := [name for name in names if name not in TYPES]:
        raise UsageError(f"--types: {unknown[0]!r} is not one of {', '.join(TYPES)}")
    return names


out = click.option(
    "--out",
    type=_folder,
    metavar="FOLDER",
    help="Where pages go; one that is there is gone on with.",
)
jobs = click.option(
    "--jobs",
    type=click.IntRange(1, _MOST_JOBS),
    default=Settings.jobs,
    show_default=True,
    metavar="N",
    help="Requests at once, over all hosts; one for each host unless the site is your own.",
)
delay = click.option(
    "--delay",
    "delay_s",
    type=click.FloatRange(0),
    metavar="SECONDS",
    help="Time between two requests to one host.  [default: 1, or 0 for a site of your own]",
)
contact = click.option(
    "--contact",
    envvar="BENCH_CONTACT",
    metavar="ADDRESS",
    help="Your e-mail or web address, for the User-Agent; or set BENCH_CONTACT.",
)
own_site = click.option(
    "--own-site", is_flag=True, help="The site is yours: many requests at once, without delay."
)


@command.command(
    hidden=True,
    epilog="Examples: bench collect https://example.org/ --depth 2 --max-pages 500 --out my-pages · "
    "bench collect --urls urls.txt --out my-pages · bench collect --sitemap "
    "https://example.org/sitemap.xml --sample 200 --seed 1 --out my-pages",
)
@click.argument("roots", nargs=-1, metavar="[URL]...")
@click.option(
    "--urls",
    "listed",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Collect the pages of a list, one address a line.",
)
@click.option("--sitemap", metavar="URL", help="Collect the pages that a sitemap lists.")
@out
@click.option(
    "--depth",
    type=click.IntRange(0),
    metavar="N",
    help=f"Links from the root.  [default: {_DEPTH} from a URL, else 0]",
)
@click.option("--max-pages", type=click.IntRange(1), metavar="N", help="Stop after N pages.")
@click.option(
    "--sample",
    type=click.IntRange(1),
    metavar="N",
    help="Collect N pages, drawn evenly over the patterns of their paths.",
)
@click.option("--seed", type=int, default=0, show_default=True, help="Seed of the sample.")
@click.option("--subdomains", is_flag=True, help="Follow links to subdomains too.")
@click.option(
    "--types",
    default="html",
    show_default=True,
    callback=_types_of,
    metavar="NAME[,NAME]",
    help=f"Types of content to keep: {', '.join(TYPES)}.",
)
@click.option(
    "--as",
    "store",
    type=click.Choice(["warc", "folder"]),
    default="warc",
    show_default=True,
    help="One WARC file, or a file for each page.",
)
@jobs
@delay
@contact
@own_site
@click.option("--allow-private", is_flag=True, help="Go to private addresses too.")
@click.option(
    "--timeout",
    "timeout_s",
    type=click.FloatRange(0.1),
    default=Settings.timeout_s,
    show_default=True,
    metavar="SECONDS",
    help="Time that one page may take.",
)
@click.option(
    "--max-size",
    "max_mib",
    type=click.IntRange(1, 1024),
    default=Settings.max_bytes >> 20,
    show_default=True,
    metavar="MIB",
    help="Size that one page may have, unpacked.",
)
@click.option(
    "--per-pattern",
    type=click.IntRange(1),
    default=Settings.per_pattern,
    show_default=True,
    metavar="N",
    help="Addresses that differ in numbers or queries only.",
)
@click.option(
    "--per-folder",
    type=click.IntRange(1),
    default=Settings.per_folder,
    show_default=True,
    metavar="N",
    help="Addresses in one folder.",
)
@click.option("--dry-run", is_flag=True, help="Fetch robots.txt and sitemaps alone; keep nothing.")
@options.quiet
def pages(
    roots: tuple[str, ...],
    listed: Path | None,
    sitemap: str | None,
    out: Path | None,
    depth: int | None,
    max_pages: int | None,
    sample: int | None,
    seed: int,
    own_site: bool,
    delay_s: float | None,
    contact: str | None,
    max_mib: int,
    dry_run: bool,
    quiet: bool,
    **given: Any,
) -> None:
    """Collect pages from the web, politely, as WARC.

    A URL is the root of a domain, whose links are followed. What is fetched obeys robots.txt, one
    request a second for each host. A collection that was interrupted goes on with the same command.
    """
    if bool(roots) + (listed is not None) + (sitemap is not None) != 1:
        raise UsageError("give one or more URLs, or --urls FILE, or --sitemap URL")
    if out is None and not dry_run:
        raise UsageError("--out is missing: the folder that pages go to")
    if sample and max_pages:
        raise UsageError("--sample says how many pages; leave out --max-pages")
    typed = [*roots, *([sitemap] if sitemap else [])]
    wanted = _lines(listed) if listed else typed
    canonical = [_address(address) for address in typed]
    settings = Settings(
        source="list" if listed else "sitemap" if sitemap else "domain",
        roots=tuple(canonical),
        depth=depth if depth is not None else _DEPTH if roots else 0,
        seed=seed if sample else None,
        max_pages=sample or max_pages,
        max_bytes=max_mib << 20,
        dry_run=dry_run,
        **manners(wanted, typed, own_site=own_site, delay_s=delay_s, contact=contact),
        **given,
    )
    collected = collect(out or Path(), settings, wanted, quiet=quiet)
    terminal.show(_summary(collected, settings), printing.console())
    if not collected.counts.states.get("done") and not dry_run:
        raise click.exceptions.Exit(1)


@command.command(
    epilog="Examples: bench collect status my-pages · bench collect status my-pages --json"
)
@click.argument("out", type=_folder)
@options.output
def status(out: Path, output: options.Output) -> None:
    """Say what a collection has so far, and why addresses are no pages."""
    collected = run.status(out)
    output.show(collected, _summary, {"out": out, **asdict(collected.counts)})


def _numbers_of(_: click.Context, __: click.Parameter, value: str) -> list[int]:
    numbers = [int(word) if word.strip().isdigit() else 0 for word in value.split(",")]
    if min(numbers) < 1 or max(numbers) > _MOST_JOBS:
        raise UsageError(f"--jobs: {value!r} is no list of numbers from 1 to {_MOST_JOBS}: 10,200")
    return numbers


@command.command(epilog="Example: bench collect speed http://127.0.0.1:8000/ --jobs 10,200")
@click.argument("root", metavar="URL")
@click.option(
    "--jobs",
    default="10,200",
    show_default=True,
    callback=_numbers_of,
    metavar="N,N",
    help="Requests at once, one collection for each number.",
)
@click.option("--max-pages", type=click.IntRange(1), metavar="N", help="Stop after N pages.")
@out
@own_site
@options.output
@options.quiet
def speed(
    root: str,
    jobs: list[int],
    max_pages: int | None,
    out: Path | None,
    own_site: bool,
    output: options.Output,
    quiet: bool,
) -> None:
    """Measure what requests at once gain, on loopback or a site of your own.

    The same pages are collected with each number and not kept. With --out the samples are written as
    they come to speed.csv (t, bytes, in_flight, done), and drawn.
    """
    from bench.collect import speed as speeds

    site = _address(root)
    how = manners([site], [root], own_site=own_site, delay_s=None, contact=None)
    if not how["own_site"]:
        raise UsageError(
            f"{site} is measured with many requests at once; add --own-site if it is yours"
        )
    settings = Settings(
        source="domain", roots=(site,), depth=_DEEP, max_pages=max_pages, per_pattern=_DEEP, **how
    )
    with progress.CollectProgress(quiet=quiet) as shown:
        measured = speeds.measure(settings, jobs, out, on_report=shown.report)
    if out is not None:
        from bench.report.charts import collecting

        collecting.write_collecting(measured, site, out)
    keys = ("jobs", "pages", "seconds", "bytes_per_second")
    runs = [{key: getattr(one, key) for key in keys} for one in measured]
    ratio = runs[-1]["bytes_per_second"] / runs[0]["bytes_per_second"]
    output.show({"url": site, "runs": runs, "ratio": ratio}, _speeds)


def _speeds(facts: dict[str, Any]) -> Iterator[Block]:
    runs = facts["runs"]
    yield listing(
        [
            (Column("jobs", fold=1), lambda run: str(run["jobs"])),
            (Column("pages", fold=1), lambda run: str(run["pages"])),
            (Column("seconds", fold=1), lambda run: duration(run["seconds"])),
            (Column("pages/s", fold=1), lambda run: duration(run["pages"] / run["seconds"])),
            (Column("kB/s", fold=1), lambda run: duration(run["bytes_per_second"] / 1e3)),
        ],
        runs,
    )
    yield Paragraph(
        f"{runs[-1]['jobs']} at once receive {facts['ratio']:.1f} times the bytes per second of "
        f"{runs[0]['jobs']}"
    )


def collect(
    out: Path, settings: Settings, wanted: Sequence[str], *, quiet: bool, **more: Any
) -> Collected:
    """Collect with progress; say how to go on where it is interrupted."""
    try:
        with progress.CollectProgress(quiet=quiet) as shown:
            return run.collect(out, settings, wanted, on_report=shown.report, **more)
    except KeyboardInterrupt:
        printing.tell("stopped; the same command goes on")
        raise


def manners(
    wanted: Sequence[str],
    typed: Sequence[str],
    *,
    own_site: bool,
    delay_s: float | None,
    contact: str | None,
) -> dict[str, Any]:
    """Return the settings that say how polite to be.

    On loopback, and on a site of one's own, there is no need to. Hosts that were ``typed`` may be
    private, those of a list on a site of one's own too. Raises ``UsageError`` for a delay that is
    not polite.
    """
    named = wanted if own_site else typed
    urls = filter(None, map(addresses.canonical, named))
    private = {addresses.host(url) for url in urls if not _ip(url).is_global}
    own_site = own_site or (bool(typed) and all(_ip(url).is_loopback for url in typed))
    if delay_s is not None and delay_s < POLITE_DELAY_S and not own_site:
        raise UsageError(
            "--delay: less than a second is for your own site; add --own-site if it is"
        )
    if not own_site and contact is None:
        printing.tell("nobody can reach you: add --contact you@example.org for the User-Agent")
    agent = f"{TOKEN}/{metadata.version(paths.DISTRIBUTION)}"
    if contact is not None:
        if not contact.isascii() or not contact.isprintable():
            raise UsageError(f"--contact: {contact!r} is not plain ASCII, as headers must be")
        agent += f" (+{contact})"
    return {
        "own_site": own_site,
        "delay_s": delay_s if delay_s is not None else 0.0 if own_site else POLITE_DELAY_S,
        "private": tuple(sorted(private)),
        "agent": agent,
    }


def _lines(path: Path) -> list[str]:
    text = path.read_text(encoding="utf-8", errors="replace")
    lines = [line.strip() for line in text.splitlines()]
    addresses_ = [line for line in lines if line and not line.startswith("#")]
    if not addresses_:
        raise UsageError(f"--urls: {path} lists no address; write one a line")
    return addresses_


def _address(given: str) -> str:
    url = addresses.canonical(given)
    if url is None:
        raise UsageError(f"{given!r} is no web address; write https://example.org/")
    return url


def _ip(url: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address:
    """Return the address that a URL names; of a name that is not looked up, a public one."""
    host = urlsplit(url).hostname or ""
    try:
        return ipaddress.ip_address("127.0.0.1" if host == "localhost" else host)
    except ValueError:
        return _PUBLIC


def _summary(collected: Collected, settings: Settings | None = None) -> Iterator[Block]:
    counts = collected.counts
    done = counts.states.get("done", 0)
    yield Paragraph(f"{counted(done, 'page')}, {megabytes(counts.bytes)}")
    for state in ("skipped", "failed"):
        if reasons := counts.reasons.get(state):
            why = ", ".join(f"{count} {reason}" for reason, count in reasons.items())
            yield Paragraph(f"{counts.states[state]} {state}: {why}")
    if queued := counts.states.get("queued"):
        yield Paragraph(f"{queued} queued")
    if counts.needs_javascript:
        pages = counted(counts.needs_javascript, "page")
        yield Paragraph(f"{pages} show next to nothing without JavaScript")
    if settings and settings.seed is not None:
        shapes = collected.templates
        yield Paragraph(
            f"{counted(done, 'page')} drawn in turn from {counted(len(shapes), 'path pattern')} "
            f"(seed {settings.seed}), by chance within each:"
        )
        lines = [f"{shape}: {drawn} of {there}" for shape, drawn, there in shapes]
        more = [f"… and {len(lines) - _SHAPES_SHOWN} more"] if len(lines) > _SHAPES_SHOWN else []
        yield Items([*lines[:_SHAPES_SHOWN], *more], bullet="  ")
    if settings and done and not settings.dry_run:
        yield Paragraph(f"read them with: --gold {settings.store}:{printing.short(collected.out)}")
