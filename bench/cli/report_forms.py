"""What ``bench report`` writes other than the site: exports, and the chapter of the thesis."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource

from bench.api import Run
from bench.cli import options
from bench.model import UsageError
from bench.report import export


@dataclass(frozen=True)
class Asked:
    """What the user asked for in place of the site."""

    forms: Sequence[str]
    thesis: bool
    printed: Path | None

    def write(self, found: Sequence[Run], output: Path) -> bool:
        """Write it and name the files; False where it is the site that is wanted."""
        if not self.forms and not self.thesis:
            return False
        context = click.get_current_context()
        if context.get_parameter_source("output") is ParameterSource.DEFAULT:
            output = output / ("thesis" if self.thesis else "export")
        for run in found:
            folder = output if len(found) == 1 else output / run.id
            if self.thesis:
                # Imported here, because drawing takes a second to import.
                from bench.report.thesis import write as chapter

                files = chapter.write(run.board, folder, self.printed)
            else:
                files = export.write(
                    self.forms, run.folder, run.board, run.keys, run.scored, folder
                )
            for path in files:
                click.echo(options.short(path))
        return True


def asked(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options that ask for other forms than the site; the verb gets them as ``asked``."""

    @functools.wraps(command)
    def told(*, forms: tuple[str, ...], style: str, printed: Path | None, **others: Any) -> Any:
        return command(asked=_asked(_forms(forms), style == "thesis", printed), **others)

    return _export(_style(_printed(told)))


_export = click.option(
    "--export",
    "forms",
    multiple=True,
    metavar="FORM[,FORM]",
    help=f"Files in place of the site: {', '.join(export.TABLES)} for tables, "
    f"{', '.join(export.FIGURES)} for charts.",
)
_style = click.option(
    "--style",
    type=click.Choice(("site", "thesis")),
    default="site",
    show_default=True,
    help="thesis: tables and charts package by package and question by question, as Markdown and "
    "LaTeX.",
)
_printed = click.option(
    "--printed",
    type=click.Path(path_type=Path, dir_okay=False, exists=True),
    metavar="FILE",
    help="With --style thesis: printed figures (CSV) to stand beside ours.",
)


def _asked(forms: Sequence[str], thesis: bool, printed: Path | None) -> Asked:
    if forms and thesis:
        raise UsageError("--export and --style thesis are two reports; ask for one at a time")
    if printed is not None and not thesis:
        raise UsageError("--printed belongs to --style thesis")
    return Asked(forms, thesis, printed)


def _forms(words: Sequence[str]) -> list[str]:
    names = [name.strip().lower() for word in words for name in word.split(",") if name.strip()]
    for name in names:
        if name not in export.FORMS:
            raise UsageError(f"--export {name}: no such form; there are {', '.join(export.FORMS)}")
    return list(dict.fromkeys(names))
