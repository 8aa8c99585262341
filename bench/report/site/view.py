"""Page views: for each page its gold and every extraction side by side, its source and its look."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench.metrics.texts.tokens import unit_for
from bench.report.marked import Words
from bench.report.site import look, marks, source
from bench.report.site.evidence import page_name
from bench.report.site.extractor import shortened
from bench.report.site.marks import GoldMarks, Sides
from bench.report.site.rendering import render
from bench.scoring import agreement
from bench.scoring.agreement import Gathered, PageOverlap
from bench.scoring.scores import Floats
from bench.scoring.stored_run import PageAnswers, Pages
from bench.util.display import plain


@dataclass(frozen=True)
class RowName:
    """What a page view says of a row."""

    label: str
    file: str
    competes: bool


@dataclass(frozen=True)
class Job:
    """Everything that writing a run's page views takes; it can be sent to another process."""

    pages: Pages
    rows: Sequence[RowName]
    """In the order of ``pages.rows``."""
    scores: Floats
    """Shape (rows, pages)."""
    folder: Path
    """Of the run, in the site; page views are in ``pages`` below it."""
    facts: Mapping[str, Any]
    """What every page of the run shows in its head."""

    def write(self, start: int, end: int) -> Gathered:
        """Write the views of some pages and return how their texts overlap."""
        competing = [at for at, row in enumerate(self.rows) if row.competes]
        gathered = Gathered(len(competing))
        folder = self.folder / "pages"
        folder.mkdir(parents=True, exist_ok=True)
        ids = self.pages.ids
        for at, found in enumerate(self.pages.read(ids[start:end]), start):
            name = page_name(found.page.id)
            before, after = at - 1, at + 1
            marked = _Marked(found)
            facts = {
                **self.facts,
                **_facts(found, marked, self.rows, self.scores[:, at]),
                "before": page_name(ids[before]) if before >= 0 else "",
                "after": page_name(ids[after]) if after < len(ids) else "",
                "file": name,
                "number": at + 1,
                "of": len(ids),
            }
            (folder / f"{name}.html").write_text(render("page.html", facts), "utf-8")
            (folder / f"{name}-look.html").write_text(
                look.harmless(found.source, found.page.language), "utf-8"
            )
            (folder / f"{name}-source.html").write_text(
                render("source.html", {**facts, "source": source.readable(found.source)}), "utf-8"
            )
            gathered.add(marked.overlap(competing))
        return gathered


class _Marked:
    """The texts of a page, each different one cut into words once: for its marks and its overlaps."""

    def __init__(self, found: PageAnswers) -> None:
        self._found = found
        gold = found.gold.text
        self._gold = None if gold is None else GoldMarks(gold)
        self._words: dict[str, Words] = {}
        if self._gold is not None:
            different = dict.fromkeys(answer.text for answer in found.answers)
            self._words = {text: self._gold.words(text) for text in different}

    def said(self, text: str) -> str | bytes:
        """Return what a text says: its words whatever stands between them, as far as they are known."""
        return self._words[text].numbers.tobytes() if self._words else text

    def sides(self, text: str) -> Sides:
        """Return a text beside its gold; alone where there is none."""
        if self._gold is None:
            return Sides(marks.shortened(""), marks.shortened(text), 0, 0)
        return self._gold.sides(self._words[text])

    def overlap(self, rows: Sequence[int]) -> PageOverlap:
        """Return how the texts of some rows overlap."""
        texts = [self._found.answers[row].text for row in rows]
        unit = unit_for(self._found.page.language)
        if self._gold is None or unit != "word":
            return agreement.of_page(self._found.gold.text, texts, unit=unit)
        different = {self._words[text].tokens.tobytes(): text for text in texts}
        places = {said: at for at, said in enumerate(different)}
        return agreement.of_tokens(
            self._gold.gold.tokens,
            [self._words[text].tokens for text in different.values()],
            [places[self._words[text].tokens.tobytes()] for text in texts],
        )


def _facts(
    found: PageAnswers, marked: _Marked, rows: Sequence[RowName], scores: Floats
) -> dict[str, Any]:
    page, gold = found.page, found.gold
    shown = [
        ("language", page.language),
        ("page type", page.page_type),
        *((str(name), _said(value)) for name, value in page.meta.items()),
    ]
    return {
        "id": plain(page.id),
        "url": plain(page.url or ""),
        "stated": [(plain(name), plain(value)[:300]) for name, value in shown if value],
        "gold": None if gold.text is None else marks.shortened(gold.text),
        "gold_words": len((gold.text or "").split()),
        "wanted": gold.with_snippets,
        "unwanted": gold.without_snippets,
        "groups": _groups(found, marked, rows, scores),
    }


def _groups(
    found: PageAnswers, marked: _Marked, rows: Sequence[RowName], scores: Floats
) -> list[dict[str, Any]]:
    """Return the answers, best first; rows that say the very same words are one entry.

    They have one score, too: a metric that counts characters tells texts of the same words apart.
    """
    known = [None if math.isnan(score) else float(score) for score in scores]
    same: dict[tuple[Any, ...], list[int]] = {}
    for at, answer in enumerate(found.answers):
        said = (answer.outcome, answer.diagnostics, marked.said(answer.text), known[at])
        same.setdefault(said, []).append(at)
    groups = []
    for places in same.values():
        answer = found.answers[places[0]]
        groups.append(
            {
                "rows": [rows[at] for at in places],
                "id": rows[places[0]].file,
                "competes": any(rows[at].competes for at in places),
                "score": known[places[0]],
                "outcome": answer.outcome,
                "diagnostics": shortened(answer.diagnostics or ""),
                "sides": marked.sides(answer.text),
            }
        )
    return sorted(groups, key=lambda each: (not each["competes"], -(each["score"] or 0.0)))


def _said(value: Any) -> str:
    """Return what a data set says of a page, a list as words with commas between."""
    if isinstance(value, list | tuple):
        return ", ".join(_said(each) for each in value)
    return "" if value is None else str(value)
