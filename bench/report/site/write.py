"""Writes the site: the start page at the top, everything else in a folder beside it."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from bench.model import BenchError
from bench.report.site import agreement, cost, extractor, leaderboard, method, parallel, slices
from bench.report.site.evidence import Evidence, page_name
from bench.report.site.rendering import render, static
from bench.report.site.slices import Cut
from bench.report.site.view import Job, RowName
from bench.util.atomic import write_text, writing_to
from bench.util.display import plain
from bench.util.progress import SILENT, Progress

START = "index.html"
FOLDER = "site"
_MARK = ".made-by-bench"


def write(found: Sequence[Evidence], output: Path, progress: Progress = SILENT) -> Path:
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
        new = Path(tempfile.mkdtemp(prefix=f".{FOLDER}.", dir=output))
        try:
            start = _write(found, new, progress)
            new.chmod(0o755)
            if place.exists():
                shutil.rmtree(place)
            new.rename(place)
        finally:
            shutil.rmtree(new, ignore_errors=True)
    write_text(output / START, start)
    return output / START


def _write(found: Sequence[Evidence], folder: Path, progress: Progress) -> str:
    """Write everything below the start page, and return that."""
    (folder / _MARK).write_text("`bench report` replaces this folder.\n", "utf-8")
    shutil.copytree(static(), folder / "static")
    boards = []
    progress.start("writing pages", sum(len(evidence.pages.ids) for evidence in found))
    for evidence in found:
        cuts = _write_run(evidence, folder / evidence.folder, progress)
        boards.append(leaderboard.facts(evidence, cuts))
    facts = {
        "here": "leaderboard",
        "home": START,
        "top": f"{FOLDER}/",
        "boards": boards,
        "data_sets": list(dict.fromkeys(each["evidence"].data_set for each in boards)),
        "licences": sorted({name for each in boards for name in each["licences"]}),
        "languages": sorted({name for each in boards for name in each["languages"]}),
    }
    return render("index.html", facts)


def _write_run(evidence: Evidence, folder: Path, progress: Progress) -> Sequence[Cut]:
    """Write everything about a run, and return its slices."""
    (folder / "extractors").mkdir(parents=True)
    common: dict[str, Any] = {
        "run": evidence.run.id,
        "data_set": evidence.data_set,
        "title": plain(str(evidence.board.gold["title"])),
        "smoke": bool(evidence.board.gold["smoke"]),
    }
    upper = {**common, "home": f"../../{START}", "top": "../", "run_top": ""}
    lower = {**common, "home": f"../../../{START}", "top": "../../", "run_top": "../"}

    def page(name: str, template: str, facts: dict[str, Any], head: dict[str, Any]) -> None:
        (folder / f"{name}.html").write_text(render(template, {**head, **facts}), "utf-8")

    with parallel.begun(_views(evidence, folder, lower)) as finish:
        cuts = slices.cuts(evidence, evidence.dimensions)
        page("cost", "cost.html", {"here": "cost", **cost.facts(evidence)}, upper)
        page("slices", "slices.html", {"here": "slices", **slices.facts(evidence, cuts)}, upper)
        page("pages", "pages.html", {"here": "pages", **_pages(evidence, cuts)}, upper)
        page("method", "method.html", {"here": "method", **method.facts(evidence)}, upper)
        samples = evidence.run.samples()
        by_row = dict(iter(samples.groupby("row", sort=False)))
        for place, row in enumerate(evidence.rows):
            own = by_row.get(row.key, samples.iloc[:0])
            facts = {"here": "extractor", **extractor.facts(evidence, row, place, own)}
            page(f"extractors/{row.file}", "extractor.html", facts, lower)
        facts = {"here": "agreement", **agreement.facts(evidence, finish(progress))}
    page("agreement", "agreement.html", facts, upper)
    return cuts


def _views(evidence: Evidence, folder: Path, head: dict[str, Any]) -> Job:
    return Job(
        evidence.pages,
        [RowName(row.label, row.file, row.competes) for row in evidence.rows],
        evidence.page_scores,
        folder,
        {"here": "page", "main": evidence.board.metric.main, **head},
    )


def _pages(evidence: Evidence, cuts: Sequence[Cut]) -> dict[str, Any]:
    """Return what the list of pages shows."""
    dimensions = evidence.dimensions
    kinds, languages = dimensions["page_type"], dimensions["language"]
    at = [place for place, row in enumerate(evidence.rows) if row.competes]
    scores = evidence.page_scores[at]
    pages = []
    for place, page_id in enumerate(evidence.pages.ids):
        own = scores[:, place]
        known = own[own == own]  # noqa: PLR0124 (NaN is no score)
        best = known.max() if known.size else None
        first = next((row for row, each in zip(at, own, strict=True) if each == best), None)
        pages.append(
            {
                "id": plain(page_id),
                "file": page_name(page_id),
                "kind": plain(kinds[place] or ""),
                "language": plain(languages[place] or ""),
                "words": dimensions.stated[place].gold_words,
                "mean": float(known.mean()) if known.size else None,
                "best": None if best is None else float(best),
                "row": evidence.rows[first] if first is not None else None,
            }
        )
    return {
        "pages": pages,
        "kinds": sorted({each["kind"] for each in pages if each["kind"]}),
        "tongues": sorted({each["language"] for each in pages if each["language"]}),
        "cuts": cuts,
    }
