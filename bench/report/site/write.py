"""Writes the site: the start page at the top, everything else in a folder beside it."""

from __future__ import annotations

import gc
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bench.model import BenchError
from bench.report import html
from bench.report.site import page_memory, page_views
from bench.report.site.evidence import Evidence
from bench.report.site.page_views import RowName, Views
from bench.report.site.rendering import render
from bench.scoring.agreement import Gathered
from bench.util import pool
from bench.util.atomic import unfinished, write_text, writing_to
from bench.util.display import plain
from bench.util.progress import SILENT, Progress

if TYPE_CHECKING:
    from bench.report.site.run_pages import SitePage

START = "index.html"
FOLDER = "site"
_MARK = ".made-by-bench"
_FEW = 64
"""With fewer pages, starting a process takes longer than it saves."""
_AT_ONCE = 32


def write(
    runs: Sequence[Evidence], output: Path, price: float, progress: Progress = SILENT
) -> Path:
    """Write the site of some runs into a folder and return its start page.

    ``price`` is that of a core-hour.

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
        with unfinished(place) as folder:
            new = folder / "new"
            new.mkdir()
            (new / _MARK).write_text("`bench report` replaces this folder.\n", "utf-8")
            shutil.copytree(Path(__file__).with_name("static"), new / "static")
            progress.start("writing pages", sum(len(evidence.pages.ids) for evidence in runs))
            earlier = sorted(path.parent for path in place.glob(f"*/{page_memory.FOLDER}"))
            boards = [
                _write_run(evidence, at, new, earlier, price, progress)
                for at, evidence in enumerate(runs)
            ]
            if place.exists():
                place.rename(folder / "old")
            new.rename(place)
    from bench.report.site import start

    head = {"home": START, "top": f"{FOLDER}/"}
    context = start.context(runs, boards, price)
    write_text(output / START, render("index.html", {**head, **context}))
    return output / START


def _write_run(
    evidence: Evidence,
    at: int,
    site: Path,
    earlier: Sequence[Path],
    price: float,
    progress: Progress,
) -> dict[str, Any]:
    """Write everything about the run at this place, and return what the start page shows of it.

    ``earlier`` are the folders of the runs of an earlier site.
    """
    folder = site / evidence.folder
    for name in ("extractors", "pages"):
        (folder / name).mkdir(parents=True)

    def page(name: str, sheet: SitePage) -> None:
        document = html.render(sheet.blocks, sheet.images)
        own = {"here": name, "sheet": sheet, "document": document}
        text = render("run_page.html", {**_head(evidence, name.count("/")), **own})
        (folder / f"{name}.html").write_text(text, "utf-8")

    views = Views(
        evidence.pages,
        [RowName(row.label, row.file, row.competes) for row in evidence.rows],
        evidence.page_scores(evidence.rows),
        folder / "pages",
        {"here": "page", **_head(evidence, 1)},
        evidence.with_texts,
        earlier,
    )
    count = len(evidence.pages.ids) if evidence.run.has_texts else 0
    parts = [(at, min(at + _AT_ONCE, count)) for at in range(0, count, _AT_ONCE)]
    # Page views are most of a site, and independent of each other and of everything else.
    with pool.begun(page_views.write, views, parts, alone=count < _FEW) as written:
        # What draws takes long to import: other processes have begun by now.
        from bench.report.site import run_pages, start

        gc.freeze()  # all that stays until the end is not looked through for each few charts
        board = start.board(evidence, at, price)
        page("cost", run_pages.cost(evidence, price))
        page("slices", run_pages.slices(evidence))
        page("method", run_pages.method(evidence))
        samples = evidence.run.samples()
        by_row = dict(iter(samples.groupby("row", sort=False)))
        drawn = {
            row.key: run_pages.charts_of(
                evidence, row, by_row.get(row.key, samples.iloc[:0]), folder, earlier
            )
            for row in evidence.rows
        }
        gathered = Gathered(len(evidence.competitors))
        for (first, end), own in zip(parts, written, strict=True):
            gathered.join(own.overlap)
            evidence.titles.update(own.titles)
            progress.advance(end - first)
    page("pages", run_pages.pages(evidence))
    page("agreement", run_pages.agreement(evidence, gathered if count else None))
    for row in evidence.rows:
        page(f"extractors/{row.file}", run_pages.extractor(evidence, row, drawn[row.key]))
    return board


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
