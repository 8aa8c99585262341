"""Pages and gold texts that occur twice: within a set, and between sets.

Near duplicates share most n-grams of their text. Candidates come from locality-sensitive
hashing: sketches cut into bands, and pages that agree on a whole band (Leskovec, Rajaraman & Ullman
2020, "Mining of Massive Datasets", ch. 3, http://www.mmds.org): 32 bands of 8 find a pair that
shares 80 % with a probability of 99.7 %, one that shares 90 % always (1 − 10⁻⁷).
"""

import hashlib
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, product
from typing import TypeVar

from bench.datasets.facts import primary
from bench.datasets.lint import grams
from bench.datasets.lint.findings import Finding, Severity
from bench.datasets.lint.grams import Sketch
from bench.datasets.lint.page_checks import PageView

ALIKE = 0.8
"""Share of n-grams (Jaccard) from which on two pages are near duplicates."""
FEWEST = 20
"""A page or gold text with fewer distinct n-grams is too short to tell."""
BANDS, ROWS = 32, 8
CROWD = 50
"""In a larger bucket each page is compared with the first only: a site's template, hundreds of times."""
_SHOWN = 5

_Key = TypeVar("_Key", str, bytes)
_T = TypeVar("_T")


@dataclass(frozen=True)
class Trace:
    """What is kept of a page to find it again, and to say how it is: 2.2 kB, however long the page."""

    page_id: str
    language: str
    """As the data set states, else as the page declares."""
    html_bytes: int
    words: int
    gold_words: int
    html: bytes
    """Hash of the bytes."""
    gold: bytes
    """Hash of the gold's words."""
    page_sketch: Sketch | None
    gold_sketch: Sketch | None


_Pair = tuple[Trace, Trace, float]
"""Two pages and the share of n-grams that they have in common."""


def trace(view: PageView) -> Trace:
    """Return what is kept of a page."""
    gold_grams = grams.distinct(view.gold_words)
    gold_words = "\n".join(view.gold_words).encode("utf-8", "replace")
    return Trace(
        page_id=view.page.id,
        language=primary(view.page.language) or view.declared_language or "unknown",
        html_bytes=len(view.page.html),
        words=len(view.words),
        gold_words=len(view.gold_words),
        html=hashlib.sha256(view.page.html).digest()[:16],
        gold=hashlib.sha256(gold_words).digest()[:16],
        page_sketch=grams.sketch(view.grams) if view.grams.size >= FEWEST else None,
        gold_sketch=grams.sketch(gold_grams) if gold_grams.size >= FEWEST else None,
    )


def within(pages: Sequence[Trace]) -> Iterator[Finding]:
    """Find pages, and gold texts, that occur more than once in a set."""
    reported: set[frozenset[str]] = set()
    for same in _grouped((page.html, page) for page in pages).values():
        if len(same) > 1:
            ids = tuple(page.page_id for page in same)
            reported |= {frozenset(pair) for pair in combinations(ids, 2)}
            one_gold = len({page.gold for page in same}) == 1
            gold = "with the same gold" if one_gold else "but other gold"
            detail = f"{' = '.join(ids)}, {gold}; the first is kept"
            yield Finding("duplicate", Severity.ERROR, ids, detail, rejects=ids[1:])
    near = [
        (a, b, share)
        for a, b, share in _pairs(pages, pages)
        if frozenset((a.page_id, b.page_id)) not in reported
    ]
    reported |= {frozenset((a.page_id, b.page_id)) for a, b, _ in near}
    for cluster in _clusters(near):
        ids = tuple(sorted({page.page_id for a, b, _ in cluster for page in (a, b)}))
        shares = _range([share for _, _, share in cluster])
        golds = _range([grams.alike(a.gold_sketch, b.gold_sketch) for a, b, _ in cluster])
        detail = f"{_listed(ids)}: {shares} of {grams.N}-grams in common, {golds} of the gold's"
        yield Finding("near-duplicate", Severity.WARNING, ids, detail)
    with_gold = [page for page in pages if page.gold_sketch is not None]
    for same in _grouped((page.gold, page) for page in with_gold).values():
        ids = tuple(page.page_id for page in same)
        if not all(frozenset(pair) in reported for pair in combinations(ids, 2)):
            yield Finding("same-gold", Severity.WARNING, ids, f"{_listed(ids)}: same gold text")


def groups(pages: Sequence[Trace]) -> Iterator[tuple[tuple[str, ...], float]]:
    """Yield pages that are alike, the same ones among them: their ids, and the least share."""
    for cluster in _clusters(list(_pairs(pages, pages))):
        ids = {page.page_id for a, b, _ in cluster for page in (a, b)}
        yield tuple(sorted(ids)), min(share for _, _, share in cluster)


def between(pages: Sequence[Trace], other_name: str, others: Sequence[Trace]) -> Iterator[Finding]:
    """Find a set's pages that another set has too."""
    by_html = _grouped((other.html, other) for other in others)
    matches = {
        page.page_id: [(other.page_id, "same bytes") for other in by_html.get(page.html, [])]
        for page in pages
    }
    for a, b, share in _pairs(pages, others):
        if a.html != b.html:
            matches[a.page_id].append((b.page_id, f"{share:.0%} of {grams.N}-grams in common"))
    for page_id, same in matches.items():
        if same:
            listed = "; ".join(
                f"{other_name}/{other}: {likeness}" for other, likeness in same[:_SHOWN]
            )
            more = f", and {len(same) - _SHOWN} more" if len(same) > _SHOWN else ""
            yield Finding(
                "overlap",
                Severity.WARNING,
                (page_id,),
                listed + more,
                others=tuple(f"{other_name}/{other}" for other, _ in same),
            )


def _pairs(ours: Sequence[Trace], theirs: Sequence[Trace]) -> Iterator[_Pair]:
    """Yield each pair of near-duplicate pages once, with their overlap; one set may be both."""
    seen: set[tuple[str, str]] = set()
    for band in range(BANDS):
        buckets = _buckets(theirs, band)
        for key, left in _buckets(ours, band).items():
            right = buckets.get(key, [])
            pairs: Iterable[tuple[Trace, Trace]]
            if ours is not theirs:
                pairs = product(left, right if len(right) <= CROWD else right[:1])
            elif len(left) <= CROWD:
                pairs = combinations(left, 2)
            else:
                pairs = product(left[:1], left[1:])
            for a, b in pairs:
                if (a.page_id, b.page_id) not in seen:
                    seen.add((a.page_id, b.page_id))
                    share = grams.alike(a.page_sketch, b.page_sketch)
                    if share >= ALIKE:
                        yield a, b, share


def _buckets(pages: Sequence[Trace], band: int) -> Mapping[bytes, Sequence[Trace]]:
    rows = slice(band * ROWS, (band + 1) * ROWS)
    return _grouped(
        (page.page_sketch[rows].tobytes(), page) for page in pages if page.page_sketch is not None
    )


def _grouped(keyed: Iterable[tuple[_Key, _T]]) -> dict[_Key, list[_T]]:
    groups: defaultdict[_Key, list[_T]] = defaultdict(list)
    for key, item in keyed:
        groups[key].append(item)
    return groups


def _clusters(pairs: Sequence[_Pair]) -> Iterator[Sequence[_Pair]]:
    """Yield the pairs of pages that hang together, in order of the first page's id."""
    from scipy.cluster.hierarchy import DisjointSet

    connected = DisjointSet(page.page_id for pair in pairs for page in pair[:2])
    for a, b, _ in pairs:
        connected.merge(a.page_id, b.page_id)
    clusters = _grouped((min(connected.subset(pair[0].page_id)), pair) for pair in pairs)
    for first in sorted(clusters):
        yield clusters[first]


def _range(shares: Sequence[float]) -> str:
    low, high = f"{min(shares):.0%}", f"{max(shares):.0%}"
    return low if low == high else f"{low} to {high}"


def _listed(ids: Sequence[str]) -> str:
    more = f" … ({len(ids)} pages)" if len(ids) > _SHOWN else ""
    return ", ".join(ids[:_SHOWN]) + more
