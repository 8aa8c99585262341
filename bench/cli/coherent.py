"""``bench coherent``: every coherent text of a page."""

from pathlib import Path
from typing import Any

import click

from bench.cli import options, printing
from bench.model import UsageError
from bench.util.display import plain
from bench.worker.decode import decode


@click.command(
    epilog="Examples: bench coherent page.html · bench coherent page.html --method links --json · "
    "bench coherent page.html --dictionary /usr/share/dict/words"
)
@click.argument(
    "pages",
    nargs=-1,
    required=True,
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    metavar="PAGE...",
)
@click.option(
    "--method",
    type=click.Choice(["energy", "links"]),
    default="energy",
    show_default=True,
    help="Cut a page by the energy of its nodes, or by the position of its links.",
)
@click.option(
    "--dictionary",
    type=click.Path(exists=True, path_type=Path),
    metavar="PATH",
    help="Measure energy in words that are in this word list, .dic file of hunspell, or corpus.",
)
@options.as_json
def command(pages: tuple[Path, ...], method: str, dictionary: Path | None, as_json: bool) -> None:
    """Give every coherent text of pages, with its energy and where it stands (Dorosz 2008).

    No text holds another, and together they hold all text of the page.
    """
    from bench.methods.dorosz import energy, links
    from bench.methods.dorosz import tree as trees

    if dictionary and method == "links":
        raise UsageError("--dictionary measures energy; leave out --method links")
    measure: energy.Measure = energy.words
    if dictionary:
        from bench.corpus import dictionaries

        measure = energy.words_in(dictionaries.read(dictionary))
    texts: list[dict[str, Any]] = []
    for page in pages:
        tree = trees.parse(decode(page.read_bytes()))
        path = trees.paths(tree)
        energies = (
            links.ranked(tree, links.LARGE)
            if method == "links"
            else energy.ranked(tree, measure, energy.PROSE, energy.P)
        )
        texts += (
            {"page": str(page), "text": text, "energy": value, "path": path(node)}
            for node, value in energies.items()
            if (text := tree.read(node))
        )
    if as_json:
        printing.print_json(texts)
        return
    for coherent in texts:
        click.echo(
            plain(f"{coherent['page']} {coherent['path']} {coherent['energy']:.4g}"), err=True
        )
        lines = map(plain, coherent["text"].split("\n"))
        click.echo("\n".join(lines) + "\n")
