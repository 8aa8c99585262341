"""``bench compare``: the difference of two runs, two rows, or other people's outputs."""

from pathlib import Path

import click

from bench.cli import options, printing, progress
from bench.util.atomic import write_text


@click.command(
    epilog="Examples: bench compare trafilatura readability · bench compare 20260101 20260201 · "
    "bench compare 20260101/trafilatura 20260201/trafilatura:precision --pages 20 · "
    "bench compare main pr-12 --html changes.html · "
    "bench compare --gold aeb output/trafilatura.json output/readability.json --markdown"
)
@click.argument("first", metavar="A")
@click.argument("second", metavar="B")
@options.gold
@options.scoring
@click.option(
    "--by",
    multiple=True,
    metavar="DIMENSION",
    help="Slices to look at, may be given again.  [default: page_type, language, length]",
)
@click.option("--all-rows", is_flag=True, help="Show rows that do not differ as well.")
@options.pages_shown
@click.option(
    "--html",
    "html_path",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="Write a page with A's texts beside B's and the gold, for a pull request.",
)
@options.results
@options.output_or_markdown
def command(
    first: str,
    second: str,
    gold_name: str,
    scoring: options.ScoreOptions,
    by: tuple[str, ...],
    all_rows: bool,
    pages_shown: int,
    html_path: Path | None,
    results: Path,
    output: options.Output,
) -> None:
    """Compare B with A: better, worse or no significant difference, and on which pages.

    A and B are runs (an id, the beginning of one, or a tag; rows with the same label are
    compared), rows (labels as the leaderboard prints them, of the newest run that has both, or
    RUN/LABEL), or files and folders of predictions on --gold. Only pages that both have count.
    """
    from bench.report import comparison as report
    from bench.scoring.compare import arguments, comparison

    one, other = arguments.find((first, second), results)
    compared = comparison.compare(one, other, gold_name, scoring.metrics, by, progress.bar())
    if html_path is not None:
        from bench.report import changes_page

        rows = [
            changes_page.ChangedRow(
                pair, one.texts(pair.before.label), other.texts(pair.after.label)
            )
            for pair in compared.pairs
        ]
        data_set = comparison.data_set_of((one, other), gold_name)
        write_text(
            html_path,
            changes_page.page(compared.first, compared.second, data_set, compared.metric, rows),
        )
        printing.tell(f"wrote {printing.short(html_path)}")
    output.show(compared, report.document, pages=pages_shown, all_rows=all_rows)
