"""Marked texts on a terminal: what is missing and what is surplus, with colours where there are any."""

from __future__ import annotations

import click
from rich.console import Console
from rich.text import Text

from bench.report import text_diff
from bench.report.text_diff import LEFT_OUT, MISSING, SAME, SURPLUS
from bench.util.display import plain

_CONTEXT = 12
"""Words that stay at either end of a long stretch that is the same."""
_STYLES = {SAME: "", MISSING: "red", SURPLUS: "green", LEFT_OUT: "dim"}
_MARKS = {SAME: ("", ""), MISSING: ("[-", "-]"), SURPLUS: ("{+", "+}"), LEFT_OUT: ("[… ", " …]")}


def show(console: Console, gold: str, extraction: str, *, full: bool) -> None:
    """Print an extraction marked: with colours on a terminal, with marks everywhere.

    Unless ``full``, long stretches that are the same are left out.
    """
    shown = Text()
    for span in text_diff.spans(gold, extraction, None if full else _CONTEXT):
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
