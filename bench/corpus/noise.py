"""Which extractor leaves a cleaner corpus: how many of its words are glued, mojibake or markup.

Each page is its own witness; noise is only what the page itself does not say. A word is glued that
the page has not, and that is some of the page's words in a row run together: the ends of
blocks were lost (Cadavid Rengifo, Gómez Perdomo 2009, table II: ``internoregresa``). Mojibake is
what has U+FFFD in it, or reads as UTF-8 that was decoded as windows-1252. Markup is a tag or a
character reference. Words of mojibake and of markup are counted as such and not as glued.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from bench.corpus import words
from bench.datasets import page_text
from bench.datasets.catalogue import DataSet
from bench.runs.store.runs import RunFolder
from bench.scoring import metric_catalogue, scores
from bench.scoring.stored_run import Pages
from bench.stats import bootstrap, rank_correlation
from bench.stats.figure import Figure, Floats

KINDS = ("glued", "mojibake", "markup")
_MARKUP = re.compile(
    r"</?[a-zA-Z][^<>]{0,200}>|&(?:[a-zA-Z]{2,31}|#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6});"
)
_NOT_ASCII = re.compile(r"[^\x00-\x7f]+")
_LONGEST = 200
"""Letters of a word that is looked into."""
_FEWEST = 3
"""Extractors, from which on orders can be compared."""


class PageWords:
    """What a page says: its words, and which follow each other."""

    def __init__(self, html: str) -> None:
        self.text = words.normal(page_text.parse(html).text)
        in_order = words.words(self.text)
        self.distinct = set(in_order)
        self._pairs = {*pairwise(in_order), *(("", word) for word in self.distinct)}

    def has_run_together(self, word: str) -> bool:
        """Whether a word is none of the page's, but several of them in a row."""
        if word in self.distinct or len(word) > _LONGEST:
            return False
        # The page's words that each beginning of the word can end with.
        last = {0: {""}}
        for start in range(len(word)):
            for end in range(start + 1, len(word) + 1 if start in last else 0):
                part = word[start:end]
                if part in self.distinct and any(
                    (before, part) in self._pairs for before in last[start]
                ):
                    last.setdefault(end, set()).add(part)
        return len(word) in last


def noise(text: str, page: PageWords) -> dict[str, list[str]]:
    """Return the words of an extracted text that are noise, by kind, and ``all`` its words."""
    text = words.normal(text)
    by_kind: dict[str, list[str]] = {"all": words.words(text), **{kind: [] for kind in KINDS}}

    def without(match: re.Match[str]) -> str:
        if match[0] in page.text:
            return match[0]
        by_kind["markup"] += words.words(match[0])
        return " "

    rest = _MARKUP.sub(without, text)
    for chunk in rest.split():
        if not chunk.isascii() and is_mojibake(chunk) and chunk not in page.text:
            by_kind["mojibake"] += words.words(chunk)
        else:
            by_kind["glued"] += (w for w in words.words(chunk) if page.has_run_together(w))
    return by_kind


def is_mojibake(chunk: str) -> bool:
    """Whether characters of a text are no text: U+FFFD, or UTF-8 that was read as windows-1252."""
    if "\ufffd" in chunk:
        return True
    return any(_reads_as_utf8(match[0]) for match in _NOT_ASCII.finditer(chunk))


def _reads_as_utf8(run: str) -> bool:
    try:
        return len(run.encode("cp1252").decode("utf-8")) < len(run)
    except UnicodeError:
        return False


@dataclass(frozen=True)
class Line:
    """One extractor: what share of its words is noise, of all (tokens) and of distinct ones (types)."""

    label: str
    words: int
    distinct_words: int
    tokens: Mapping[str, float]
    types: Mapping[str, float]
    noise: float
    """Share of all words that are noise of any kind."""
    f1: float | None
    """The figure that ranks on the data set, where it has gold: F1 of the main text."""


@dataclass(frozen=True)
class Compared:
    """Extractors on the same pages, the least noise first."""

    gold: str
    pages: int
    lines: Sequence[Line]
    spearman: float | None
    """Rank correlation of noise and F1 over the extractors; None where it cannot be told."""
    lo: float | None
    hi: float | None

    def to_json(self) -> dict[str, Any]:
        """Return it as JSON has it."""
        return asdict(self)


def compare(run: RunFolder, data_set: DataSet) -> Compared:
    """Return how much noise each row of a finished run leaves.

    The interval is by bootstrap over pages: the same pages for noise and F1.
    """
    rows = [row for row in run.manifest.rows if row.available]
    counts = np.zeros((len(rows), len(data_set), 2))
    tokens = [dict.fromkeys(("all", *KINDS), 0) for _ in rows]
    types: list[dict[str, set[str]]] = [{kind: set() for kind in ("all", *KINDS)} for _ in rows]
    pages = Pages(run, data_set, [row.key for row in rows])
    for at, item in enumerate(pages.read(data_set.ids)):
        page = PageWords(item.source)
        for row, answer in enumerate(item.answers):
            by_kind = noise(answer.text, page)
            for kind, kind_words in by_kind.items():
                tokens[row][kind] += len(kind_words)
                types[row][kind].update(kind_words)
            counts[row, at] = len(by_kind["all"]), sum(len(by_kind[kind]) for kind in KINDS)
    f1 = None
    if data_set.reader.has_gold:
        (scored,) = scores.of_run(run, data_set, metric_catalogue.for_data_set(data_set, ())[:1])
        f1 = scored.main.take([scored.place(row.key) for row in rows])
    lines = [
        Line(
            row.label,
            tokens[at]["all"],
            len(types[at]["all"]),
            {kind: _share(tokens[at][kind], tokens[at]["all"]) for kind in KINDS},
            {kind: _share(len(types[at][kind]), len(types[at]["all"])) for kind in KINDS},
            _share(sum(tokens[at][kind] for kind in KINDS), tokens[at]["all"]),
            None if f1 is None else float(f1.values()[at]),
        )
        for at, row in enumerate(rows)
    ]
    correlation = _correlation(counts, f1) if f1 and len(rows) >= _FEWEST else (None, None, None)
    in_order = sorted(lines, key=lambda line: (line.noise, line.label))
    return Compared(data_set.name, len(data_set), in_order, *correlation)


def _share(part: int, whole: int) -> float:
    return part / whole if whole else 0.0


def _correlation(counts: Floats, f1: Figure) -> tuple[float | None, float | None, float | None]:
    """Return Spearman's correlation over rows, and its interval; ``counts`` of words and of noise.

    Counts have the shape (rows, pages, 2).
    """

    def correlation(weights: Floats) -> Floats:
        of_words, of_noise = (weights @ counts[:, :, which].T for which in (0, 1))
        return rank_correlation.of_rows(of_noise / np.maximum(of_words, 1.0), f1.values(weights))

    (value,) = correlation(np.ones((1, f1.pages)))
    drawn = correlation(bootstrap.weights(f1.pages))
    known = drawn[~np.isnan(drawn)]
    if np.isnan(value) or not known.size:
        return None, None, None
    return float(value), *bootstrap.interval(known)
