"""Documents as Markdown: strangers' strings are escaped, so that no markup of theirs is left."""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from types import MappingProxyType

from bench.report.document import (
    Block,
    Code,
    Details,
    Figure,
    Heading,
    Items,
    Paragraph,
    Table,
    Terms,
    shown,
)
from bench.util.display import plain

_SPECIAL = re.compile(r"([\\`*_\[\]<>|#!~&])")
_SPECIAL_IN_NUMBERS = re.compile(r"([\\`*_<>|#!~&])")
"""Brackets around an interval make no link."""
_NO_IMAGES: Mapping[str, str] = MappingProxyType({})


def escape(text: str) -> str:
    """Return a text that Markdown shows as it is, with no markup and no HTML in it."""
    return _SPECIAL.sub(r"\\\1", plain(text))


def render(
    blocks: Iterable[Block],
    images: Mapping[str, str] = _NO_IMAGES,
    *,
    narrow: Collection[str] = (),
) -> str:
    """Return a document; ``images`` names the file of each figure, those without are left out.

    ``narrow`` are the parts of tables written without spaces: ``rule``, and empty titles, ``head``.
    """
    return "\n\n".join(_parts(blocks, images, narrow)) + "\n"


def _parts(
    blocks: Iterable[Block], images: Mapping[str, str], narrow: Collection[str]
) -> Iterator[str]:
    for block in shown(blocks, "markdown"):
        match block:
            case Heading(text, level):
                yield f"{'#' * level} {escape(text)}"
            case Paragraph(text) if text:
                yield escape(text)
            case Items(texts, loose=loose) if texts:
                yield ("\n\n" if loose else "\n").join(f"- {escape(text)}" for text in texts)
            case Terms(title, pairs, strong):
                mark = "**" if strong else ""
                lines = [f"- {mark}{escape(word)}{mark}: {escape(text)}" for word, text in pairs]
                yield "\n".join([*([title, ""] if title else []), *lines])
            case Code(text, language):
                yield f"```{language}\n{text}\n```"
            case Table():
                yield _table(block, narrow)
            case Figure(key, caption) if key in images:
                yield f"![{escape(caption)}]({images[key]})"
            case Details(summary, inner):
                yield f"<details><summary>{escape(summary)}</summary>"
                yield from _parts(inner, images, narrow)
                yield "</details>"


def _table(table: Table, narrow: Collection[str]) -> str:
    columns, rows = table.columns_of("markdown")
    titles = [column.title if column.title == "#" else escape(column.title) for column in columns]
    if "head" in narrow:
        head = "".join(f"| {title} " if title else "| " for title in titles) + "|"
    else:
        head = _line(titles)
    rule = [":--" if column.align == "left" else "--:" for column in columns]
    lines = [head, f"|{'|'.join(rule)}|" if "rule" in narrow else _line(rule)]
    for cells in rows:
        texts = [
            (_SPECIAL if column.align == "left" else _SPECIAL_IN_NUMBERS).sub(r"\\\1", plain(cell))
            for column, cell in zip(columns, cells, strict=True)
        ]
        lines.append(_line([text or table.blank for text in texts]))
    return "\n".join(lines)


def _line(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"
