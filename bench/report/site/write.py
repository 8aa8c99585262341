"""Writes the site: the start page at the top, everything else in a folder beside it."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from bench.model import BenchError
from bench.report.site import contexts, page_views
from bench.report.site.contexts import Context
from bench.report.site.evidence import Evidence
from bench.report.site.page_views import RowName, Views
from bench.report.site.rendering import render
from bench.scoring.agreement import Gathered
from bench.util import pool
from bench.util.atomic import unfinished, write_text, writing_to
from bench.util.display import plain
from bench.util.progress import SILENT, Progress

START = "index.html"
FOLDER = "site"
_MARK = ".made-by-bench"
_PAGES: Mapping[str, Callable[[Evidence], Context]] = {
    "cost": contexts.cost,
    "slices": contexts.slices,
    "pages": contexts.pages,
    "method": contexts.method,
}
"""A run's own pages; page views and those of extractors are in folders beside them."""
_FEW = 64
"""With fewer pages, starting a process takes longer than it saves."""
_AT_ONCE = 32


def write(every: Sequence[Evidence], output: Path, progress: Progress = SILENT) -> Path:
    """Write the site of some runs into a folder and return its start page.

    An earlier site there is replaced once the new one is whole. Raises ``BenchError`` when the folder
    cannot be written, or holds a ``site`` that is not ours.
    """
    place = output / FOLDER
    if place.exists() and not (place / _MARK).is_file():
        raise BenchError(
            f"{place} is there and was not made by bench; move it away, or choose another --output"
        )
    with writing_to(output):
        output.mkdir(parents=True, exist_ok=True)
        with unfinished(place) as new:
            (new / _MARK).write_text("`bench report` replaces this folder.\n", "utf-8")
            shutil.copytree(Path(__file__).with_name("static"), new / "static")
            progress.start("writing pages", sum(len(evidence.pages.ids) for evidence in every))
            for evidence in every:
                _write_run(evidence, new / evidence.folder, progress)
            new.chmod(0o755)
            if place.exists():
                shutil.rmtree(place)
            new.rename(place)
    head = {"home": START, "top": f"{FOLDER}/"}
    write_text(output / START, render("index.html", {**head, **contexts.start(every)}))
    return output / START


def _write_run(evidence: Evidence, folder: Path, progress: Progress) -> None:
    """Write everything about a run."""
    for name in ("extractors", "pages"):
        (folder / name).mkdir(parents=True)

    def page(name: str, template: str, context: Context) -> None:
        head = _head(evidence, name.count("/"))
        text = render(f"{template}.html", {"here": template, **head, **context})
        (folder / f"{name}.html").write_text(text, "utf-8")

    views = Views(
        evidence.pages,
        [RowName(row.label, row.file, row.competes) for row in evidence.rows],
        evidence.page_scores(evidence.rows),
        folder / "pages",
        {"here": "page", **_head(evidence, 1)},
    )
    count = len(evidence.pages.ids)
    parts = [(at, min(at + _AT_ONCE, count)) for at in range(0, count, _AT_ONCE)]
    # Page views are most of a site, and independent of each other and of everything else.
    with pool.begun(page_views.write, views, parts, alone=count < _FEW) as overlaps:
        for name, context in _PAGES.items():
            page(name, name, context(evidence))
        samples = evidence.run.samples()
        by_row = dict(iter(samples.groupby("row", sort=False)))
        for row in evidence.rows:
            own = by_row.get(row.key, samples.iloc[:0])
            page(f"extractors/{row.file}", "extractor", contexts.extractor(evidence, row, own))
        gathered = Gathered(len(evidence.competitors))
        for (start, end), overlap in zip(parts, overlaps, strict=True):
            gathered.join(overlap)
            progress.advance(end - start)
    page("agreement", "agreement", contexts.agreement(evidence, gathered))


def _head(evidence: Evidence, depth: int) -> dict[str, Any]:
    """Return what every page of a run shows around what it is about, so many folders down."""
    up = "../" * (depth + 1)
    return {
        "run": evidence.run.id,
        "data_set": evidence.data_set,
        "title": plain(str(evidence.board.gold["title"])),
        "home": f"{up}../{START}",
        "top": up,
        "run_top": "../" * depth,
    }
