"""``bench list``: every extractor, with variants, version, and how to mend what is missing."""

from __future__ import annotations

from typing import Any

import click
from rich import box
from rich.table import Table
from rich.text import Text

from bench import registry
from bench.cli import options
from bench.programs import versions
from bench.registry import Adapter
from bench.report.text import plain


@click.command(
    epilog="Examples: bench list · bench list --json · bench list 'boiler*' · "
    "bench list --adapter my_extractor.py"
)
@click.argument("names", nargs=-1, metavar="[NAME]...")
@click.option(
    "--fresh",
    is_flag=True,
    is_eager=True,  # before --adapter, which describes adapters
    expose_value=False,
    callback=lambda _context, _option, fresh: versions.forget() if fresh else None,
    help="Ask programs for their versions again, also those that look the same.",
)
@options.adapter
@options.as_json
def command(names: tuple[str, ...], as_json: bool) -> None:
    """List the extractors, with variants, versions and what is missing.

    NAME may be a glob; without one all are listed. Adapters that do not ship with the project say
    where they come from: a package, bench.toml, or --adapter.
    """
    wanted = {row.adapter.name for row in registry.rows(names)} if names else None
    found = [a for a in registry.adapters().values() if wanted is None or a.name in wanted]
    if as_json:
        options.print_json([_facts(adapter) for adapter in found])
        return
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for title in ("extractor", "version", "variants", "how it works"):
        table.add_column(title, overflow="fold", ratio=2 if title == "how it works" else None)
    for adapter in found:
        table.add_row(*_cells(adapter), style="" if adapter.available else "dim")
    options.console().print(table)


def _cells(adapter: Adapter) -> tuple[Text, Text, Text, Text]:
    version = adapter.version or ("–" if adapter.available else "not here")
    if adapter.available:
        about = Text(plain(adapter.description))
    else:
        about = Text(f"{plain(adapter.problem)}; to mend: {plain(adapter.remedy)}", style="yellow")
    if adapter.origin:
        about.append(f" [{_place(adapter)}]", style="dim")
    name = Text(adapter.name, style="bold" if adapter.kind == "extractor" else "")
    if adapter.kind == "control":
        name.append(" (control)", style="dim")
    return name, Text(plain(version)), Text(", ".join(adapter.variants)), about


def _place(adapter: Adapter) -> str:
    """Where an adapter comes from, and its file where that says more."""
    if adapter.origin in (registry.CHOSEN, adapter.path.name):
        return plain(f"from {options.short(adapter.path)}")
    return plain(f"from {adapter.origin}")


def _facts(adapter: Adapter) -> dict[str, Any]:
    return {
        "name": adapter.name,
        "kind": adapter.kind,
        "language": adapter.language,
        "version": adapter.version,
        "variants": {name: dict(settings) for name, settings in adapter.variants.items()},
        "available": adapter.available,
        "problem": adapter.problem,
        "remedy": adapter.remedy,
        "description": adapter.description,
        "accepts": adapter.accepts,
        "requires": list(adapter.requires),
        "licence": adapter.licence,
        "homepage": adapter.homepage,
        "settings_source": adapter.settings_source,
        "path": str(adapter.path),
        "origin": adapter.origin,
    }
