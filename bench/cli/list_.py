"""``bench list``: every extractor, what it is, and how to get what is missing."""

from collections.abc import Mapping, Sequence
from typing import Any

import click
from rich.cells import cell_len, set_cell_size
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from bench.adapters import answers, entries, registry, released
from bench.adapters.adapter import Adapter
from bench.adapters.released import Released
from bench.cli import options, printing, progress
from bench.util.display import grouped, of_any_name, plain
from bench.worker.filters import catalogue as filters

_BRIEF = ("extractor", "version", "language", "")
_BRIEF_WIDEST = (20, 10, 10)
_MISSING = "·"
"""Stands after the name of an extractor that cannot run here."""
_TITLES = ("extractor", "version", "language", "licence", "last release")
_WIDEST = (24, 14, 12, 20, 12)
"""Columns that a stranger's names take at most; what is longer goes on below."""
_BETWEEN = 2


def _forget(context: click.Context, _option: click.Parameter, fresh: bool) -> bool:
    if fresh and not context.resilient_parsing:
        answers.forget()
    return fresh


@click.command(
    epilog="Examples: bench list · bench list --long · bench list --available · "
    "bench list 'boiler*' · bench list --json · bench list --adapter my_extractor.py · "
    "bench list --fresh"
)
@click.argument("names", nargs=-1, metavar="[NAME]...")
@click.option(
    "--fresh",
    is_flag=True,
    is_eager=True,  # before --adapter, which describes adapters
    callback=_forget,
    help="Ask programs for their versions again, and package indexes for last releases.",
)
@click.option(
    "--snapshot",
    is_flag=True,
    hidden=True,
    help="With --fresh: write the last releases that ship with the project.",
)
@click.option("--available", is_flag=True, help="Only those that can run here.")
@click.option("--long", is_flag=True, help="Licence, last release, parser and variants of all.")
@options.adapter
@options.as_json
def command(
    names: tuple[str, ...], fresh: bool, snapshot: bool, available: bool, long: bool, as_json: bool
) -> None:
    """List the extractors, one line each; with NAME or --long also licence, release, parser, variants.

    NAME may be a glob; without one all are listed. Adapters that do not ship with the project say
    where they come from: a package, bench.toml, or --adapter. Last releases are known from the
    package indexes, as of the day that is shown; no index is asked without --fresh.
    """
    adapters = list(
        {row.adapter.name: row.adapter for row in registry.rows(names or ["*"])}.values()
    )
    if fresh:
        _ask(adapters, snapshot=snapshot)
    releases = released.every()
    last = {adapter.name: released.known(adapter, releases) for adapter in adapters}
    if available:
        adapters = [adapter for adapter in adapters if adapter.available]
    if as_json:
        printing.print_json([_facts(adapter, last[adapter.name]) for adapter in adapters])
    elif names or fresh or long:
        _print(adapters, last)
    else:
        _print_briefly(adapters)


def _ask(adapters: Sequence[Adapter], *, snapshot: bool) -> None:
    """Ask the indexes and note the answers; say what was not answered, in one line."""
    # Takes longer to import than most verbs do anything.
    from bench.adapters import indexes

    answers, failed = indexes.ask(adapters, progress.bar())
    if snapshot:
        ours = [adapter.name for adapter in registry.adapters().values() if not adapter.origin]
        shipped = {name: release for name, release in answers.items() if name in ours}
        released.note(released.shipped(), shipped, ours)
    elif answers:
        released.note(released.noted(), answers)
    if failed:
        first = next(iter(failed))
        more = f" and {len(failed) - 1} more" * (len(failed) > 1)
        printing.tell(f"--fresh: no answer for {first.partition(':')[2]}{more}: {failed[first]}")


def _print_briefly(adapters: Sequence[Adapter]) -> None:
    """Print a line for each extractor, then how to get those that cannot run here."""
    console = printing.console()
    rows = [_BRIEF, *map(_brief_cells, adapters)]
    widths = _widths(rows, _BRIEF_WIDEST)
    room = console.width - sum(widths) - _BETWEEN * len(widths)
    for at, row in enumerate(rows):
        style = "dim" if not at or not adapters[at - 1].available else ""
        sized = zip(row[:-1], widths, strict=True)
        padded = [set_cell_size(_shorter(cell, width), width) for cell, width in sized]
        line = (" " * _BETWEEN).join([*padded, _shorter(row[-1], room)])
        console.print(Text(line.rstrip(), style=style), no_wrap=True)
    console.print()
    if missing := [adapter for adapter in adapters if not adapter.available]:
        console.print(Text(f"{_MISSING} {len(missing)} cannot run here yet; fix:"))
        remedies = (
            (of_any_name(plain(adapter.remedy), adapter.name), adapter.name) for adapter in missing
        )
        for remedy, names in grouped(remedies).items():
            console.print(Padding(Text(remedy), (0, 0, 0, 2), expand=False))
            console.print(Padding(Text(", ".join(names), style="dim"), (0, 0, 0, 4), expand=False))
    console.print(Text("bench list NAME shows licence, last release and variants.", style="dim"))


def _brief_cells(adapter: Adapter) -> tuple[str, ...]:
    kind = "" if adapter.facts.kind == "extractor" else f"({adapter.facts.kind}) "
    version = plain(adapter.version or "").partition(" (")[0] or "–"
    name = adapter.name if adapter.available else f"{adapter.name} {_MISSING}"
    return (name, version, adapter.facts.language, plain(kind + adapter.facts.description))


def _shorter(text: str, width: int) -> str:
    """Return a text that a column holds, with an ellipsis where it is cut."""
    return text if cell_len(text) <= width else f"{set_cell_size(text, width - 1).rstrip()}…"


def _print(adapters: Sequence[Adapter], last: Mapping[str, Released | None]) -> None:
    console = printing.console()
    rows = [_cells(adapter, last[adapter.name]) for adapter in adapters]
    widths = _shrunk(_widths([_TITLES, *rows], _WIDEST), console.width)
    console.print(_line([Text(title, style="dim") for title in _TITLES], widths))
    for adapter, row in zip(adapters, rows, strict=True):
        console.print(_line(row, widths))
        console.print(Padding(_about(adapter), (0, 0, 0, _BETWEEN), expand=False))
    console.print()
    releases = [release for release in last.values() if release is not None]
    days = released.as_of(releases)
    legend = [
        f"Last releases as of {days}; bench list --fresh asks again." if days else "",
        "≥: the R package installed here; later ones may be out."
        if any(release.asked is None and release.date for release in releases)
        else "",
    ]
    if any(legend):
        console.print(Text(" ".join(filter(None, legend)), style="dim"))
    chains = ", ".join(f"+{name}" for name in filters.FILTERS)
    console.print(Text(f"Filters of texts, after any name: {chains}; see docs/methods.md", "dim"))


def _widths(rows: Sequence[Sequence[str | Text]], widest: Sequence[int]) -> list[int]:
    columns = zip(*rows, strict=True)
    return [
        min(most, max(cell_len(str(cell)) for cell in column))
        for most, column in zip(widest, columns, strict=False)
    ]


def _shrunk(widths: list[int], room: int) -> list[int]:
    while sum(widths) + _BETWEEN * (len(widths) - 1) > room and max(widths) > 1:
        widths[widths.index(max(widths))] -= 1
    return widths


def _line(cells: Sequence[Text], widths: Sequence[int]) -> Table:
    line = Table.grid(padding=(0, _BETWEEN, 0, 0))
    for width in widths[:-1]:
        line.add_column(width=width, overflow="fold")
    line.add_column()
    line.add_row(*cells)
    return line


def _cells(adapter: Adapter, last: Released | None) -> list[Text]:
    missing = "–" if adapter.available else "not here"
    # What is in brackets are versions of other things, see _about.
    version = plain(adapter.version or "").partition(" (")[0] or missing
    name = Text(adapter.name, style="bold" if adapter.facts.kind == "extractor" else "")
    facts = (
        version,
        adapter.facts.language,
        adapter.facts.licence or "–",
        last.month if last else "–",
    )
    style = "" if adapter.available else "dim"
    return [name, *(Text(plain(fact), style=style) for fact in facts)]


def _about(adapter: Adapter) -> Text:
    """Return what stands below an extractor's line."""
    about = Text(plain(adapter.facts.description))
    if not adapter.available:
        about = Text(f"{plain(adapter.problem)}; fix: {plain(adapter.remedy)}", style="yellow")
    facts = adapter.facts
    parsers = dict.fromkeys(map(facts.parser_of, facts.variants))
    _, _, others = plain(adapter.version or "").partition(" (")
    # Its file says more of where an adapter comes from than that somebody chose it.
    by_file = adapter.origin in (entries.CHOSEN, adapter.path.name)
    parts = [
        "" if facts.kind == "extractor" else facts.kind,
        f"variants: {', '.join(facts.variants)}" if list(facts.variants) != ["default"] else "",
        f"parser: {', '.join(parsers)}" if any(parsers) else "",
        f"with {others.removesuffix(')')}" if others else "",
        "in an environment of its own" if adapter.environment else "",
        f"from {printing.short(adapter.path) if by_file else adapter.origin}"
        if adapter.origin
        else "",
    ]
    if any(parts):
        about.append(f" [{plain('; '.join(filter(None, parts)))}]", style="dim")
    return about


def _facts(adapter: Adapter, last: Released | None) -> dict[str, Any]:
    return {
        **adapter.facts.shown(),
        "version": adapter.version,
        "released": last and {"version": last.version, "date": last.date, "package": last.package},
        "as_of": last and last.asked,
        "available": adapter.available,
        "environment": adapter.environment,
        "problem": adapter.problem,
        "remedy": adapter.remedy,
        "path": str(adapter.path),
        "origin": adapter.origin,
    }
