"""Page views: for each page its gold and every extraction side by side, its source and its preview."""

import hashlib
import html
import math
import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from markupsafe import Markup

from bench.metrics.texts.tokens import unit_for
from bench.model import GoldPage
from bench.report import html as html_document
from bench.report.document import Block, Cell, Heading, Items, Terms
from bench.report.site import diff_html, page_memory, page_preview, page_source
from bench.report.site.evidence import page_name
from bench.report.site.page_memory import VIEW, Columns, Memory, PageFile, PageParts
from bench.report.site.rendering import render, web_address
from bench.report.text_diff import Diff, Lexicon, Words
from bench.scoring import agreement
from bench.scoring.agreement import WORDS, Gathered, PageOverlap, Shingles
from bench.scoring.stored_run import Answer, Pages
from bench.stats.figure import Floats
from bench.util.display import cut, plain, without_paths
from bench.worker.decode import decode

_TITLE = re.compile(r"<title(?:\s[^>]{0,500})?>", re.I)
_LONGEST, _LONGEST_TITLE = 2000, 100
_PREVIEW, _SOURCE = "-preview.html", "-source.html"


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
    earlier: Sequence[Path] = ()
    """Folders of the runs of an earlier site, which know what is the same again."""

    def key(self, page_id: str) -> str | None:
        """Return what a page's memory goes by; None where it is not worth one."""
        data_set = self.pages.data_set
        stated, hashes = data_set.stated[page_id], data_set.hashes.pages[page_id]
        if not self.written or stated.gold_words is None or unit_for(stated.language) != "word":
            return None
        return page_memory.key(page_id, asdict(hashes), asdict(stated), self.head["title"])


class Entry(NamedTuple):
    """What a page view shows of rows that returned the same."""

    rows: Sequence[RowName]
    competes: bool
    score: float | None
    outcome: str
    diagnostics: str
    columns: Columns


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
    keys = {page_id: views.key(page_id) for page_id in ids[start:end]}
    memories = {
        page_id: page_memory.load(
            views.earlier, page_name(page_id), key, views.pages.text_hashes(page_id)
        )
        if key
        else Memory()
        for page_id, key in keys.items()
    }
    known = {page_id: memory.said for page_id, memory in memories.items()}
    for at, (page_id, answers) in enumerate(views.pages.answers(ids[start:end], known), start):
        name, memory, key = page_name(page_id), memories[page_id], keys[page_id]
        if memory.page:
            page = memory.page
        else:
            item = views.pages.data_set.read(page_id)
            source = decode(item.page.html, item.page.encoding)
            page = _parts(item, source)
        texts = _Texts(page, answers, memory, views.pages.text)
        titles[page_id] = page.title, page.where
        gathered.add(texts.overlap(competing))
        if not views.written:
            continue
        context = {
            **views.head,
            "heading": page.title or page.where or plain(page_id) or "(no id)",
            "file": name,
            "before": page_name(ids[at - 1]) if at else "",
            "after": page_name(ids[at + 1]) if at + 1 < len(ids) else "",
            "number": at + 1,
            "of": len(ids),
        }
        entries = _entries(texts, views.rows, views.scores[:, at])
        contents = {VIEW: render("page.html", {**context, "page": page, "entries": entries})}
        if not memory.files:
            contents |= _of_source(source, item.page.language, context)
        files = {
            end: PageFile.written(views.folder / f"{name}{end}", contents[end])
            if end in contents
            else memory.files[end].taken_to(views.folder / f"{name}{end}")
            for end in (VIEW, _PREVIEW, _SOURCE)
        }
        now = texts.memory([entry.columns for entry in entries], files)
        if key and now:
            page_memory.save(views.folder.parent, name, key, now)
    return Written(gathered, titles)


def _parts(item: GoldPage, source: str) -> PageParts:
    """Return what a view shows of a page whatever the rows."""
    page, gold = item.page, item.gold
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
    return PageParts(
        title=_title(source),
        where=_where(page.url),
        unit=unit_for(page.language),
        gold_text=gold.text,
        facts=html_document.render([Terms("", facts)]),
        snippets=html_document.render(snippets),
        gold=None if gold.text is None else diff_html.shortened(gold.text),
        gold_words=len((gold.text or "").split()),
    )


def _of_source(source: str, language: str | None, context: Mapping[str, Any]) -> dict[str, str]:
    """Return a page's preview and its source by the end of their files' names."""
    readable = page_source.readable(source)
    return {
        _PREVIEW: page_preview.harmless(source, language),
        _SOURCE: render("source.html", {**context, "source": readable}),
    }


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
    """The texts of a page, each new one cut into words once: for marks and for overlaps."""

    def __init__(
        self,
        page: PageParts,
        answers: Sequence[Answer],
        memory: Memory,
        read: Callable[[str], str],
    ) -> None:
        self.answers = answers
        self._page = page
        self._read = read
        self._lexicon = Lexicon(memory.words)
        texts = {answer.text_hash: answer.text for answer in answers}
        new = {name: text for name, text in texts.items() if name not in memory.said}
        gold, *cut = self._lexicon.cut([page.gold_text or "", *new.values()])
        self._gold = None if page.gold_text is None else gold
        self._cut = dict(zip(new, cut, strict=True))
        self.said = {**memory.said, **{name: _said(words) for name, words in self._cut.items()}}
        """Hash of each text's words, by its own."""
        self._columns = {columns.text_hash: columns for columns in memory.columns}
        shingles = memory.shingles
        if len(self._lexicon.words) >= WORDS:
            # With so many words, n-grams are other integers than those that are known.
            shingles = Shingles.none()
            cut = [*self._lexicon.cut([*map(read, memory.said)]), *cut]
        known = len(shingles.there) > 0
        self._shingles = shingles.with_texts(
            [words.tokens for words in (cut if known else [gold, *cut])]
        )

    def columns(self, text_hash: str) -> Columns:
        """Return what a view shows of a text."""
        if text_hash not in self._columns:
            words = self._cut.get(text_hash)
            if words is None:  # what was known of a text, but not shown, was not read
                [words] = self._lexicon.cut([self._read(text_hash)])
            self._columns[text_hash] = _columns(self._gold, words, text_hash)
        return self._columns[text_hash]

    def overlap(self, rows: Sequence[int]) -> PageOverlap:
        """Return how the texts of some rows overlap."""
        if self._page.gold_text is None or self._page.unit != "word":
            texts = [self.answers[row].text for row in rows]
            return agreement.of_page(self._page.gold_text, texts, unit=self._page.unit)
        places = {name: place for place, name in enumerate(self.said, 1)}
        return agreement.of_shingles(
            self._shingles, [places[self.answers[row].text_hash] for row in rows]
        )

    def memory(self, shown: Sequence[Columns], files: Mapping[str, PageFile]) -> Memory | None:
        """Return what is to be known of the page; None where it has too many words."""
        words = self._lexicon.words
        if len(words) >= WORDS - 1:
            return None
        return Memory(self._page, words, self.said, self._shingles, shown, files)


def _said(words: Words) -> str:
    return hashlib.sha256(str(words.numbers).encode("utf-8", "surrogatepass")).hexdigest()


def _columns(gold: Words | None, words: Words, text_hash: str) -> Columns:
    """Return a text beside its gold; alone where there is none."""
    if gold is None:
        return Columns(text_hash, 0, 0, _column("Extraction", diff_html.shortened(words.whole)))
    sides = diff_html.sides(Diff(gold, words))
    html = _column("Gold", sides.gold) + _column("Extraction", sides.text)
    return Columns(text_hash, sides.missing, sides.surplus, html)


def _column(title: str, text: Markup) -> Markup:
    # Not by Markup's own format, which takes ten times as long.
    body = f'<div class="text" dir="auto">{text or "(nothing)"}</div>'
    return Markup(f"<section><h3>{title}</h3>{body}</section>")  # noqa: S704 (of escaped parts)


def _entries(texts: _Texts, rows: Sequence[RowName], scores: Floats) -> list[Entry]:
    """Return the answers, best first; rows that say the very same words are one entry.

    They have one score, too: a metric of characters may score texts of the same words differently.
    """
    known = [None if math.isnan(score) else float(score) for score in scores]
    places_by_answer: dict[tuple[Any, ...], list[int]] = {}
    for at, answer in enumerate(texts.answers):
        words = texts.said[answer.text_hash]
        said = (answer.outcome, answer.diagnostics, words, known[at])
        places_by_answer.setdefault(said, []).append(at)
    entries = [
        Entry(
            rows=[rows[at] for at in places],
            competes=any(rows[at].competes for at in places),
            score=score,
            outcome=outcome,
            diagnostics=without_paths(diagnostics or ""),
            columns=texts.columns(texts.answers[places[0]].text_hash),
        )
        for (outcome, diagnostics, _, score), places in places_by_answer.items()
    ]
    return sorted(entries, key=lambda entry: (not entry.competes, -(entry.score or 0.0)))


def _words(value: Any) -> str:
    """Return what a data set says of a page, a list as words with commas between."""
    if isinstance(value, list | tuple):
        return ", ".join(map(_words, value))
    return "" if value is None else str(value)
