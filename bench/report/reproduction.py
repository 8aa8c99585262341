"""A published table beside the same systems' figures here."""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from operator import attrgetter

from bench.report.document import (
    MARKDOWN,
    Block,
    Column,
    Heading,
    Items,
    Only,
    Paragraph,
    table,
)
from bench.scoring.published import Agreement, Published, Texts
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

    def count(number_of: Callable[[Texts], int], agreement: Agreement) -> str:
        return "–" if agreement.texts is None else str(number_of(agreement.texts))

    def f1(value: float | None) -> str:
        return number(value, published.digits)

    yield table(
        [
            (Column("", "left"), lambda agreement: "=" if agreement.kept else "x"),
            (Column("row", "left", fold=1), lambda agreement: agreement.row),
            (Column("published F1"), lambda agreement: f1(agreement.published)),
            (Column("F1 here"), lambda agreement: f1(agreement.here)),
            (Column("identical"), partial(count, attrgetter("identical"))),
            (Column("white space"), partial(count, attrgetter("white_space"))),
            (Column("differ"), partial(count, lambda texts: len(texts.differ))),
        ],
        agreements,
        lambda agreement: "" if agreement.kept else "red",
        space=(0, 0),
    )
    yield Items(list(_notes(agreements)), loose=True)
    yield Paragraph(_method(published), "dim")


def _notes(agreements: Sequence[Agreement]) -> Iterator[str]:
    """Yield what does not agree, one line each."""
    for agreement in agreements:
        if agreement.problem:
            yield f"{plain(agreement.row)} could not be run: {plain(agreement.problem)[:300]}"
        elif agreement.texts is not None and agreement.texts.differ:
            ids = agreement.texts.differ
            named = ", ".join(map(plain, ids[:_SHOWN])) + (", …" if len(ids) > _SHOWN else "")
            yield f"{plain(agreement.row)} differs on {len(ids)} pages: {named}"
    if not any(agreement.texts for agreement in agreements):
        yield "No published texts are here to compare with; --outputs names their folder."


def _method(published: Published) -> str:
    """Say what was compared with what."""
    required = ", ".join(map(plain, published.requires))
    more = f" Every environment holds {required}." if required else ""
    return (
        f"Published: {plain(published.source)}, revision {plain(published.revision)[:12]}. F1 is "
        f"compared to {published.digits} digits, texts page by page: identical, the same words "
        f"between other white space, or different.{more} = agrees, x does not."
    )
