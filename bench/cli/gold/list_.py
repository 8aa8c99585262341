"""``bench gold list``: which data sets there are, and which of them are here."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import click

from bench.cli import options, printing
from bench.datasets import catalogue
from bench.datasets.card import Card
from bench.report.document import Block, Column, Paragraph, listing
from bench.util.display import plain


@click.command("list")
@options.output
def command(output: options.Output) -> None:
    """List the data sets that bench knows, and which of them are on this machine."""
    data_sets = [_facts(card, root) for card, root in catalogue.all_cards().values()]
    output.show(data_sets, _document)
    if output.as_json:
        return
    for facts in data_sets:
        if not facts["installed"] and facts["get"].endswith("FILE_OR_DIR"):
            line = f"{facts['name']}: get it from {facts['source']}, then {facts['get']}"
            click.echo(plain(line))  # whole, to be copied
    console = printing.console()
    console.print("folder:PATH is a folder of your own: ID.html (or ID.html.gz) beside ID.txt.")
    console.print("warc:PATH is a WARC file, or a folder of them, without gold.")


def _document(data_sets: Sequence[dict[str, Any]]) -> Iterator[Block]:
    yield listing(
        [
            (Column("data set", "left"), lambda facts: facts["name"]),
            (Column("pages", fold=1), lambda facts: str(facts["pages"])),
            (Column("here", "left", fold=1), lambda facts: "yes" if facts["installed"] else "no"),
            # What it covers is told where the data set is got and shown.
            (Column("licence", "left", fold=1), lambda facts: facts["licence"].partition(" (")[0]),
            (Column("what", "left", fold=1), lambda facts: facts["title"]),
        ],
        data_sets,
    )
    if any(not facts["installed"] for facts in data_sets):
        yield Paragraph(
            "What is not here: bench gold fetch NAME downloads it, and says first how much it is; "
            "with --from FILE_OR_DIR it takes a copy that you have."
        )


def _facts(card: Card, root: Path) -> dict[str, Any]:
    installed = root.is_dir()
    return {
        "name": card.name,
        "title": card.title,
        "description": card.description,
        "pages": card.pages,
        "languages": list(card.languages),
        "licence": card.licence,
        "citation": card.citation,
        "source": card.source,
        "revision": card.revision,
        "fingerprint": card.fingerprint,
        "installed": installed,
        "download_bytes": sum(file.size_bytes for file in card.files) or None,
        "get": None if installed else _how_to_get(card),
        "path": str(root),
    }


def _how_to_get(card: Card) -> str:
    """Return the command that installs a data set."""
    return f"bench gold fetch {card.name}" if card.files or card.part_of else card.remedy
