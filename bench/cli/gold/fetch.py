"""``bench gold fetch``: bring a data set to this machine."""

from pathlib import Path
from typing import Any

import click

from bench.cli import options, printing, progress
from bench.datasets.catalogue import DataSet
from bench.util.display import plain

FROM: dict[str, Any] = {
    "type": click.Path(path_type=Path),
    "metavar": "FILE_OR_DIR",
    "help": "A copy that you have: a folder in the set's own layout, an archive, or its one file.",
}
replace = click.option(
    "--replace", is_flag=True, help="Take the place of a copy that is there already."
)


@click.command(
    epilog="Examples: bench gold fetch aeb · bench gold fetch wcxb --from wcxb.zip",
)
@click.argument("name")
@click.option("--from", "source", **FROM)
@replace
@options.as_json
def command(name: str, source: Path | None, replace: bool, as_json: bool) -> None:
    """Download a data set as published, check it and install it.

    Says first how much will be downloaded, whose it is and how to cite it. A download that breaks
    off goes on where it was when the command is given again. What is not the content that the card
    pins is refused, and nothing of it is kept.
    """
    from bench.datasets.fetch import install

    if source is not None:
        take_copy(name, source, replace=replace, published=True, as_json=as_json)
        return
    fetched = install.fetch(name, replace=replace, progress=progress.bar(of_bytes=True))
    _tell(fetched.data_set, as_json=as_json, already=fetched.already)


def take_copy(name: str, source: Path, *, replace: bool, published: bool, as_json: bool) -> DataSet:
    """Install a copy that the user has, and say whose it is."""
    from bench.datasets.fetch import install

    data_set = install.add(name, source, replace=replace, published=published)
    for line in data_set.card.introduction:
        click.echo(plain(line), err=True)
    _tell(data_set, as_json=as_json)
    return data_set


def _tell(data_set: DataSet, *, as_json: bool, already: bool = False) -> None:
    """Say where a data set is, and whether it is what was published."""
    facts = data_set.facts
    root = data_set.reader.root
    if as_json:
        card = data_set.card
        more = {"citation": card.citation, "source": card.source, "revision": card.revision}
        printing.print_json({**facts, **more, "path": str(root), "already": already})
        return
    pinned = {True: "as published", False: "not as published", None: "not pinned by a card"}
    click.echo(f"{data_set.name}: {len(data_set)} pages in {root}, {pinned[data_set.as_published]}")
