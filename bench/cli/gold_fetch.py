"""``bench gold fetch``, and ``bench gold add``: bring a data set to this machine."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from bench.cli import options, progress
from bench.datasets.card import Card
from bench.datasets.catalogue import DataSet
from bench.datasets.fetch import install
from bench.util.display import plain

_FROM: dict[str, Any] = {
    "type": click.Path(path_type=Path),
    "metavar": "FILE_OR_DIR",
    "help": "A copy that you have: a folder in the set's own layout, an archive, or its one file.",
}
_replace = click.option(
    "--replace", is_flag=True, help="Take the place of a copy that is there already."
)


def how(card: Card) -> str:
    """Return the command that gets a data set."""
    if card.files or card.part_of:
        return f"bench gold fetch {card.name}"
    return install.remedy(card)


@click.command(
    epilog="Examples: bench gold fetch aeb · bench gold fetch wcxb --from wcxb.zip",
)
@click.argument("name")
@click.option("--from", "source", **_FROM)
@_replace
@options.as_json
def fetch(name: str, source: Path | None, replace: bool, as_json: bool) -> None:
    """Download a data set as published, check it and install it.

    Says first how much will be downloaded, whose it is and how to cite it. A download that breaks
    off goes on where it was when the command is given again. What is not the content that the card
    pins is refused, and nothing of it is kept.
    """
    if source is not None:
        data_set = install.add(name, source, replace=replace, published=True)
        _introduce(data_set.card)
        _tell(data_set, "installed", as_json)
        return
    fetched = install.fetch(name, replace=replace, progress=progress.bar(of_bytes=True))
    _tell(fetched.data_set, "already here" if fetched.already else "installed", as_json)


@click.command(epilog="Example: bench gold add aeb --from article-extraction-benchmark/")
@click.argument("name")
@click.option("--from", "source", required=True, **_FROM)
@_replace
@options.as_json
def add(name: str, source: Path, replace: bool, as_json: bool) -> None:
    """Take a copy of a data set as it is, even if it is not what was published.

    As `bench gold fetch NAME --from …`, but other content is taken too, with a warning, and runs on
    it say so.
    """
    data_set = install.add(name, source, replace=replace)
    _introduce(data_set.card)
    _tell(data_set, "installed", as_json)
    if data_set.as_published is False:
        options.tell(f"this is not the published content; `bench gold verify {name}` says more")


def _introduce(card: Card) -> None:
    for line in install.introduction(card):
        click.echo(plain(line), err=True)


def _tell(data_set: DataSet, done: str, as_json: bool) -> None:
    facts = data_set.facts
    root = data_set.reader.root
    if as_json:
        card = data_set.card
        more = {"citation": card.citation, "source": card.source, "revision": card.revision}
        options.print_json({**facts, **more, "path": str(root), "already": done != "installed"})
        return
    pinned = {True: "as published", False: "not as published", None: "not pinned by a card"}
    click.echo(f"{data_set.name}: {len(data_set)} pages in {root}, {pinned[data_set.as_published]}")
