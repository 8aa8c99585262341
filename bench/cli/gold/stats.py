"""``bench gold stats``: what data sets are like, in figures and charts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click
from rich.console import Console, JustifyMethod
from rich.text import Text

from bench.cli import options, printing, progress
from bench.cli.gold.lint import opened
from bench.util.atomic import safe_name, write_json
from bench.util.display import plain

if TYPE_CHECKING:
    from bench.scoring.gold_stats import GoldStats

_SHOWN = ("min", "p5", "p25", "median", "p75", "p95", "max")
_SHORT = {
    "gold_words": "gold words", "outside": "outside gold", "link_density": "in links",
    "depth": "depth",
}  # fmt: skip
_LABELS = 8


@click.command(
    "stats",
    epilog="Examples: bench gold stats wcxb · bench gold stats aeb wcxb --output charts · "
    "bench gold stats folder:my-pages --json",
)
@click.argument("names", nargs=-1, required=True, metavar="NAME...")
@click.option(
    "--output",
    type=click.Path(path_type=Path, file_okay=False),
    metavar="DIR",
    help="Write charts and stats.json for each data set into DIR/NAME.",
)
@options.as_json
@options.quiet
def command(names: tuple[str, ...], output: Path | None, as_json: bool, quiet: bool) -> None:
    """Show what data sets are like: kinds, lengths and complexity of pages.

    Words are counted in the text of the whole page and in the gold. A page is the harder, the more
    of its text is outside the gold or in links, and the deeper its tree. `bench` slices figures by
    the same measures.
    """
    from bench.scoring import gold_stats

    bar = progress.bar(quiet=quiet)
    all_stats = [gold_stats.of_data_set(data_set, bar) for data_set in opened(names)]
    if as_json:
        printing.print_json({"data_sets": [stats.to_json() for stats in all_stats]})
    else:
        for stats in all_stats:
            _tell(stats, printing.console())
    if output is not None:
        for stats in all_stats:
            files = _written(stats, output / safe_name(stats.name))
            click.echo(f"{len(files)} files in {printing.short(files[0].parent)}", err=as_json)


def _written(stats: GoldStats, folder: Path) -> list[Path]:
    # Imported here, because drawing takes a second to import and is often not needed.
    from bench.report.charts import gold

    path = folder / "stats.json"
    write_json(path, stats.to_json())
    return [path, *gold.write_gold_charts(stats, folder)]


def _tell(stats: GoldStats, console: Console) -> None:
    from bench.scoring.gold_stats import QUANTITIES

    empty = f", {stats.empty_gold} with empty gold" if stats.empty_gold else ""
    console.print(Text(f"{plain(stats.name)}: {stats.pages:,} pages{empty}"))
    console.print(Text(f"{stats.words:,} words of text, {stats.gold_words:,} of gold"))
    console.print(Text(f"page types: {_listed(stats.page_types)}"))
    console.print(Text(f"languages: {_listed(stats.languages)}"))
    lines = [
        [
            f"{quantity.title}, {quantity.unit or 'share'}",
            *(
                _number(getattr(stats.summaries[name], figure), quantity.digits)
                for figure in _SHOWN
            ),
        ]
        for name, quantity in QUANTITIES.items()
    ]
    _print_table(console, "", _SHOWN, lines)
    if stats.by_page_type:
        console.print("Median page of each type:")
        lines = [
            [
                kind,
                f"{stats.page_types[kind]:,}",
                *(_number(summaries[n].median, QUANTITIES[n].digits) for n in _SHORT),
            ]
            for kind, summaries in stats.by_page_type.items()
        ]
        _print_table(console, "page type", ("pages", *_SHORT.values()), lines)


def _print_table(
    console: Console, first: str, titles: Sequence[str], lines: Iterable[list[str]]
) -> None:
    columns: dict[str, JustifyMethod] = {first: "left", **dict.fromkeys(titles, "right")}
    console.print(printing.grid(columns, lines))


def _number(value: float | None, digits: int) -> str:
    return "–" if value is None else f"{value:,.{digits}f}"


def _listed(counts: Mapping[str, int]) -> str:
    pairs = list(counts.items())
    shown = ", ".join(f"{plain(label)} {pages:,}" for label, pages in pairs[:_LABELS])
    return shown + (f", {len(pairs) - _LABELS} others" if len(pairs) > _LABELS else "")
