"""A published table beside the same systems' figures here."""

from collections.abc import Iterator, Sequence

from bench.report.document import (
    MARKDOWN,
    Block,
    Column,
    Heading,
    Items,
    Only,
    Paragraph,
    Row,
    Table,
)
from bench.scoring.published import Agreement, Published
from bench.util.display import plain
from bench.util.numbers import number

_SHOWN = 3
NARROW = ("rule",)
"""How its Markdown is written."""


def document(
    published: Published, agreements: Sequence[Agreement], heading: str = ""
) -> Iterator[Block]:
    """Yield the comparison; the heading is for files."""
    yield Only(MARKDOWN, [Heading(heading)])
    titles = ("published F1", "F1 here", "identical", "white space", "differ")
    yield Table(
        [Column("", "left"), Column("row", "left", fold=1), *map(Column, titles)],
        [
            Row(_cells(published, agreement), "" if agreement.kept else "red")
            for agreement in agreements
        ],
        space=(0, 0),
    )
    yield Items(_notes(agreements), loose=True)
    yield Paragraph(_method(published), "dim")


def _notes(agreements: Sequence[Agreement]) -> list[str]:
    """Return what does not agree, one line each."""
    notes = []
    for agreement in agreements:
        if agreement.problem:
            notes.append(
                f"{plain(agreement.row)} could not be run: {plain(agreement.problem)[:300]}"
            )
        elif agreement.texts is not None and agreement.texts.differ:
            ids = agreement.texts.differ
            more = ", …" if len(ids) > _SHOWN else ""
            notes.append(
                f"{plain(agreement.row)} differs on {len(ids)} pages: "
                f"{', '.join(map(plain, ids[:_SHOWN]))}{more}"
            )
    if not any(agreement.texts for agreement in agreements):
        notes.append("No published texts are here to compare with; --outputs names their folder.")
    return notes


def _method(published: Published) -> str:
    """Say what was compared with what."""
    required = ", ".join(map(plain, published.requires))
    more = f" Every environment holds {required}." if required else ""
    return (
        f"Published: {plain(published.source)}, revision {plain(published.revision)[:12]}. F1 is "
        f"compared to {published.digits} digits, texts page by page: identical, the same words "
        f"between other white space, or different.{more} = agrees, x does not."
    )


def _cells(published: Published, agreement: Agreement) -> list[str]:
    counts = ["–"] * 3
    if agreement.texts is not None:
        texts = agreement.texts
        counts = [str(texts.identical), str(texts.white_space), str(len(texts.differ))]
    figures = [number(value, published.digits) for value in (agreement.published, agreement.here)]
    return ["=" if agreement.kept else "x", plain(agreement.row), *figures, *counts]
