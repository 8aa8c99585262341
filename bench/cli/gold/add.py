"""``bench gold add``: take a copy of a data set as it is."""

from pathlib import Path

import click

from bench.cli import options, printing
from bench.cli.gold.fetch import FROM, replace, take_copy


@click.command(epilog="Example: bench gold add aeb --from article-extraction-benchmark/")
@click.argument("name")
@click.option("--from", "source", required=True, **FROM)
@replace
@options.as_json
def command(name: str, source: Path, replace: bool, as_json: bool) -> None:
    """Take a copy of a data set as it is, even if it is not what was published.

    As `bench gold fetch NAME --from …`, but other content is taken too, with a warning, and runs on
    it say so.
    """
    data_set = take_copy(name, source, replace=replace, published=False, as_json=as_json)
    if data_set.as_published is False:
        printing.tell(f"this is not the published content; `bench gold verify {name}` says more")
