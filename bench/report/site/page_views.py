"""Page views: for each page its gold and every extraction side by side, its source and its preview."""

import html
import math
import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from bench.metrics.texts.tokens import unit_for
from bench.report import html as html_document
from bench.report.document import Block, Cell, Heading, Items, Terms
from bench.report.site import diff_html, page_preview, page_source
from bench.report.site.diff_html import Sides
from bench.report.site.evidence import page_name
from bench.report.site.rendering import render, web_address
from bench.report.text_diff import Diff, Lexicon, Words
from bench.scoring import agreement
from bench.scoring.agreement import Gathered, PageOverlap
from bench.scoring.stored_run import PageAnswers, Pages
from bench.stats.figure import Floats
from bench.util.display import cut, plain, without_paths

_TITLE = re.compile(r"<title(?:\s[^>]{0,500})?>", re.I)
_LONGEST, _LONGEST_TITLE = 2000, 100


@dataclass(frozen=True)
class RowName:
    """What a page view says of a row."""

    label: str
    file: str
    competes: bool


@dataclass(frozen=True)
class Views:
    """Everything that writing a run's page views takes; it can be sent to another process."""

    pages: Pages
    rows: Sequence[RowName]
    """In the order of ``pages.rows``."""
    scores: Floats
    """Shape (rows, pages)."""
    folder: Path
    head: Mapping[str, Any]
    """What every page of the run shows in its head."""
    written: bool
    """Whether views are written; without, pages are read for overlaps and titles alone."""


class Written(NamedTuple):
    """What writing some pages yields beside their files."""

    overlap: Gathered
    titles: dict[str, tuple[str, str]]
    """Title and address of each page, by id; empty for what it has not."""


def write(views: Views, part: tuple[int, int]) -> Written:
    """Write the views of the pages from one place to another."""
    start, end = part
    competing = [at for at, row in enumerate(views.rows) if row.competes]
    gathered = Gathered(len(competing))
    titles = {}
    ids = views.pages.ids
    for at, answers in enumerate(views.pages.read(ids[start:end]), start):
        name = page_name(answers.page.id)
        texts = _Texts(answers)
        title, where = _title(answers.source), _where(answers.page.url)
        titles[answers.page.id] = title, where
        gathered.add(texts.overlap(competing))
        if not views.written:
            continue
        context = {
            **views.head,
            "id": plain(answers.page.id),
            "heading": title or where or plain(answers.page.id) or "(no id)",
            "file": name,
            "before": page_name(ids[at - 1]) if at else "",
            "after": page_name(ids[at + 1]) if at + 1 < len(ids) else "",
            "number": at + 1,
            "of": len(ids),
        }
        whole = {
            **context,
            **_context(answers),
            "groups": _groups(texts, views.rows, views.scores[:, at]),
        }
        source = {**context, "source": page_source.readable(answers.source)}
        for suffix, content in {
            "": render("page.html", whole),
            "-preview": page_preview.harmless(answers.source, answers.page.language),
            "-source": render("source.html", source),
        }.items():
            (views.folder / f"{name}{suffix}.html").write_text(content, "utf-8")
    return Written(gathered, titles)


def _title(source: str) -> str:
    """Return what a page's HTML calls it, on one line; nothing where it does not."""
    start = _TITLE.search(source)
    end = source.find("<", start.end()) if start else -1
    if not start or end < 0:
        return ""
    with suppress(ValueError):  # a number of more digits than Python turns into an int
        return cut(plain(html.unescape(source[start.end() : end][:_LONGEST])), _LONGEST_TITLE)
    return ""


def _where(url: str | None) -> str:
    """Return host and path of an address."""
    try:
        parts = urlsplit(url or "")
    except ValueError:
        return ""
    return cut(
        plain(f"{parts.netloc.removeprefix('www.')}{parts.path}".rstrip("/")), _LONGEST_TITLE
    )


class _Texts:
    """The texts of a page, each different one cut into words once: for marks and for overlaps."""

    def __init__(self, answers: PageAnswers) -> None:
        self.answers = answers
        gold, lexicon = answers.gold.text, Lexicon()
        self._gold = None if gold is None else Words(gold, lexicon)
        different = () if gold is None else {answer.text for answer in answers.answers}
        self._words = {text: Words(text, lexicon) for text in different}

    def said(self, text: str) -> str | bytes:
        """Return what a text says: its words whatever stands between them, as far as they are known."""
        return self._words[text].numbers.tobytes() if self._words else text

    def sides(self, text: str) -> Sides:
        """Return a text beside its gold; alone where there is none."""
        if self._gold is None:
            return Sides(diff_html.shortened(""), diff_html.shortened(text), 0, 0)
        return diff_html.sides(Diff(self._gold, self._words[text]))

    def overlap(self, rows: Sequence[int]) -> PageOverlap:
        """Return how the texts of some rows overlap."""
        texts = [self.answers.answers[row].text for row in rows]
        unit = unit_for(self.answers.page.language)
        if self._gold is None or unit != "word":
            return agreement.of_page(self.answers.gold.text, texts, unit=unit)
        by_said = {self._words[text].tokens.tobytes(): self._words[text].tokens for text in texts}
        places = {said: at for at, said in enumerate(by_said)}
        return agreement.of_tokens(
            self._gold.tokens,
            list(by_said.values()),
            [places[self._words[text].tokens.tobytes()] for text in texts],
        )


def _context(answers: PageAnswers) -> dict[str, Any]:
    page, gold = answers.page, answers.gold
    stated = [("language", page.language), ("page type", page.page_type), *page.meta.items()]
    url = plain(page.url or "")
    facts = [("id", plain(page.id)), ("address", Cell(cut(url, 200), href=web_address(url)))]
    facts += [(plain(str(name)), plain(_words(value))[:300]) for name, value in stated]
    snippets: list[Block] = []
    for title, texts in (
        ("Must be there", gold.with_snippets), ("Must not be there", gold.without_snippets),
    ):  # fmt: skip
        if texts:
            snippets += [Heading(title, 3), Items([cut(text, 600) for text in texts])]
    return {
        "facts": html_document.render([Terms("", facts)]),
        "snippets": html_document.render(snippets),
        "gold": None if gold.text is None else diff_html.shortened(gold.text),
        "gold_words": len((gold.text or "").split()),
    }


def _groups(texts: _Texts, rows: Sequence[RowName], scores: Floats) -> list[dict[str, Any]]:
    """Return the answers, best first; rows that say the very same words are one entry.

    They have one score, too: a metric of characters may score texts of the same words differently.
    """
    known = [None if math.isnan(score) else float(score) for score in scores]
    places_by_answer: dict[tuple[Any, ...], list[int]] = {}
    answers = texts.answers.answers
    for at, answer in enumerate(answers):
        said = (answer.outcome, answer.diagnostics, texts.said(answer.text), known[at])
        places_by_answer.setdefault(said, []).append(at)
    groups = [
        {
            "rows": [rows[at] for at in places],
            "competes": any(rows[at].competes for at in places),
            "score": known[places[0]],
            "outcome": answers[places[0]].outcome,
            "diagnostics": without_paths(answers[places[0]].diagnostics or ""),
            "sides": texts.sides(answers[places[0]].text),
        }
        for places in places_by_answer.values()
    ]
    return sorted(groups, key=lambda group: (not group["competes"], -(group["score"] or 0.0)))


def _words(value: Any) -> str:
    """Return what a data set says of a page, a list as words with commas between."""
    if isinstance(value, list | tuple):
        return ", ".join(map(_words, value))
    return "" if value is None else str(value)
