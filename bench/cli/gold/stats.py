"""``bench gold stats``: what data sets are like, in figures and charts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import click

from bench.cli import options, printing, progress
from bench.cli.gold.lint import opened
from bench.report import terminal
from bench.report.document import Block, Column, Paragraph, listing
from bench.util.atomic import safe_name, write_json
from bench.util.display import plain

if TYPE_CHECKING:
    from bench.scoring.gold_stats import GoldStats, Summary

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
            terminal.show(_document(stats), printing.console())
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


def _document(stats: GoldStats) -> Iterator[Block]:
    from bench.scoring.gold_stats import QUANTITIES

    def number(summary: Summary, figure: str, name: str) -> str:
        value = getattr(summary, figure)
        return "–" if value is None else f"{value:,.{QUANTITIES[name].digits}f}"

    def quantity(name: str) -> str:
        return f"{QUANTITIES[name].title}, {QUANTITIES[name].unit or 'share'}"

    empty = f", {stats.empty_gold} with empty gold" if stats.empty_gold else ""
    yield Paragraph(f"{stats.name}: {stats.pages:,} pages{empty}")
    yield Paragraph(f"{stats.words:,} words of text, {stats.gold_words:,} of gold")
    yield Paragraph(f"page types: {_listed(stats.page_types)}")
    yield Paragraph(f"languages: {_listed(stats.languages)}")
    yield listing(
        [
            (Column("", "left", fold=1), quantity),
            *(
                (
                    Column(figure, fold=1),
                    lambda name, figure=figure: number(stats.summaries[name], figure, name),
                )
                for figure in _SHOWN
            ),
        ],
        QUANTITIES,
    )
    if stats.by_page_type:
        yield Paragraph("Median page of each type:")
        yield listing(
            [
                (Column("page type", "left", fold=1), lambda kind: kind),
                (Column("pages", fold=1), lambda kind: f"{stats.page_types[kind]:,}"),
                *(
                    (
                        Column(title, fold=1),
                        lambda kind, name=name: number(
                            stats.by_page_type[kind][name], "median", name
                        ),
                    )
                    for name, title in _SHORT.items()
                ),
            ],
            stats.by_page_type,
        )


def _listed(counts: Mapping[str, int]) -> str:
    pairs = list(counts.items())
    shown = ", ".join(f"{plain(label)} {pages:,}" for label, pages in pairs[:_LABELS])
    return shown + (f", {len(pairs) - _LABELS} others" if len(pairs) > _LABELS else "")
