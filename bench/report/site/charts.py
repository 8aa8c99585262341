"""The charts of a site: what ``bench.report.charts`` draws, as parts of pages."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import astuple
from pathlib import Path

import matplotlib
from markupsafe import Markup

from bench.report.charts import style, svg
from bench.report.charts.style import Sheet
from bench.report.document import Figure
from bench.report.site import page_memory

Drawn = tuple[list[Figure], dict[str, Markup]]
"""Figures, and what each shows, by key."""
_NO_LINKS: Mapping[str, str] = {}


def drawn(
    charts: Mapping[str, Callable[[], Sheet | None]],
    texts: list[str],
    links: Mapping[str, str] = _NO_LINKS,
) -> Drawn:
    """Return a figure for each chart that there is, and what it shows, both by key.

    ``texts`` are the names in them; ``links`` are addresses by label. A chart whose key ends in
    ``-phone`` is shown in place of its namesake where there is little room.
    """
    figures: list[Figure] = []
    images: dict[str, Markup] = {}
    with style.house_style(texts):
        for key, draw in charts.items():
            sheet = draw()
            if sheet is None:
                continue
            image = Markup(svg.inline(sheet, key, links))  # noqa: S704 (escaped by ElementTree)
            if key.endswith("-phone"):
                wide = key.removesuffix("-phone")
                images[wide] = Markup(
                    '<div class="wide">{}</div><div class="narrow">{}</div>'
                ).format(images[wide], image)
            else:
                images[key] = image
                figures.append(Figure(key, sheet.heading, notes=sheet.notes))
    return figures, images


def kept(
    folder: Path,
    earlier: Sequence[Path],
    name: str,
    facts: Sequence[object],
    draw: Callable[[], Drawn],
) -> Drawn:
    """Return what is drawn of some facts, and keep it under a name; an earlier site may know it."""
    key = page_memory.key(matplotlib.__version__, *facts)
    about = next((about for _, about, _ in page_memory.read(earlier, name, key)), None)
    if about is None:
        figures, images = draw()
        about = {"key": key, "figures": [astuple(figure) for figure in figures], "images": images}
    page_memory.write(folder, name, about)
    return (
        [Figure(*figure) for figure in about["figures"]],
        {own: Markup(image) for own, image in about["images"].items()},  # noqa: S704 (as drawn)
    )
