"""An extraction compared with its gold, on a terminal and as JSON: what is missing, what is surplus."""

from typing import Any

import click
from rich.console import Console
from rich.text import Text

from bench.util.display import plain

_CONTEXT = 12
"""Words that stay at either end of a long stretch that is the same."""

_MARKS = {
    "same": ("", "", ""),
    "missing": ("red", "[-", "-]"),
    "surplus": ("green", "{+", "+}"),
    "left out": ("dim", "[… ", " …]"),
}
"""Style, and marks before and after, by the kind of a span."""


def show(console: Console, gold: str, extraction: str, *, full: bool) -> None:
    """Print an extraction marked: with colours on a terminal, with marks everywhere.

    Unless ``full``, long stretches that are the same are left out.
    """
    from bench.report import text_diff

    shown = Text()
    for span in text_diff.spans(gold, extraction, None if full else _CONTEXT):
        style, before, after = _MARKS[span.kind]
        text = clean(span.text)
        # The mark closes right after the last word, not after the line that follows it.
        body = text.rstrip() if before else text
        shown.append(f"{before}{body}{after}{text[len(body) :]}", style=style)
    if console.is_terminal and not console.no_color:
        console.print(shown, soft_wrap=True)
    else:
        click.echo(shown.plain.rstrip("\n"))


def to_json(gold: str | None, extraction: str | None) -> list[dict[str, Any]]:
    """Return the spans of an extraction; none where there is no gold, or no answer."""
    from bench.report import text_diff

    if gold is None or extraction is None:
        return []
    return [{"kind": span.kind, "text": span.text} for span in text_diff.spans(gold, extraction)]


def clean(text: str) -> str:
    """Return a text without control characters and direction marks, its lines kept."""
    return "\n".join(plain(f"|{line}|")[1:-1] for line in text.split("\n"))
