"""``bench gold list``: which data sets there are, and which of them are here."""

from pathlib import Path
from typing import Any

import click
from rich.console import JustifyMethod

from bench.cli import options, printing
from bench.datasets import catalogue
from bench.datasets.card import Card
from bench.util.display import plain

_COLUMNS: dict[str, JustifyMethod] = {
    "data set": "left", "pages": "right", "here": "left", "licence": "left", "what": "left",
}  # fmt: skip


@click.command("list")
@options.as_json
def command(as_json: bool) -> None:
    """List the data sets that bench knows, and which of them are on this machine."""
    data_sets = [_facts(card, root) for card, root in catalogue.all_cards().values()]
    if as_json:
        printing.print_json(data_sets)
        return
    console = printing.console()
    console.print(printing.grid(_COLUMNS, map(_line, data_sets), whole=["data set"]))
    if any(not data_set["installed"] for data_set in data_sets):
        console.print(
            "What is not here: bench gold fetch NAME downloads it, and says first how much it is; "
            "with --from FILE_OR_DIR it takes a copy that you have.",
            markup=False,
        )
    for data_set in data_sets:
        if not data_set["installed"] and data_set["get"].endswith("FILE_OR_DIR"):
            line = f"{data_set['name']}: get it from {data_set['source']}, then {data_set['get']}"
            console.print(plain(line), markup=False, soft_wrap=True)
    console.print("folder:PATH is a folder of your own: ID.html (or ID.html.gz) beside ID.txt.")
    console.print("warc:PATH is a WARC file, or a folder of them, without gold.")


def _line(facts: dict[str, Any]) -> tuple[str, ...]:
    here = "yes" if facts["installed"] else "no"
    # What it covers is told where the data set is got and shown.
    licence = facts["licence"].partition(" (")[0]
    return (facts["name"], str(facts["pages"]), here, licence, facts["title"])


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
