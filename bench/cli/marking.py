"""Marked texts on a terminal: what is missing and what is surplus, with colours where there are any."""

from __future__ import annotations

from collections.abc import Sequence

import click
from rich.console import Console
from rich.text import Text

from bench.report.alignment import MISSING, SAME, SURPLUS
from bench.report.marked import LEFT_OUT, Span
from bench.util.display import plain

_STYLES = {SAME: "", MISSING: "red", SURPLUS: "green", LEFT_OUT: "dim"}
_MARKS = {SAME: ("", ""), MISSING: ("[-", "-]"), SURPLUS: ("{+", "+}"), LEFT_OUT: ("[… ", " …]")}


def show(console: Console, spans: Sequence[Span]) -> None:
    """Print marked spans: with colours on a terminal, with marks everywhere."""
    shown = Text()
    for span in spans:
        before, after = _MARKS[span.kind]
        text = clean(span.text)
        # The mark closes right after the last word, not after the line that follows it.
        body = text.rstrip() if before else text
        shown.append(f"{before}{body}{after}{text[len(body) :]}", style=_STYLES[span.kind])
    if console.is_terminal and not console.no_color:
        console.print(shown, soft_wrap=True)
    else:
        click.echo(shown.plain.rstrip("\n"))


def clean(text: str) -> str:
    """Return a text without control characters and direction marks, its lines kept."""
    return "\n".join(plain(f"|{line}|")[1:-1] for line in text.split("\n"))
