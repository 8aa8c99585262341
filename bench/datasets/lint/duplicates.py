"""Pages and gold texts that occur twice: within a set, and between sets.

Pages are alike when they share most n-grams of their text. Candidates come from locality-sensitive
hashing: sketches cut into bands, and pages that agree on a whole band (Leskovec, Rajaraman & Ullman
2020, "Mining of Massive Datasets", ch. 3, http://www.mmds.org): 32 bands of 8 find a pair that
shares 80 % with a probability of 99.7 %, one that shares 90 % always (1 − 10⁻⁷).
"""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

from bench.datasets.lint import grams
from bench.datasets.lint.findings import Finding, Severity
from bench.datasets.lint.grams import Sketch
from bench.datasets.lint.page import PageView

ALIKE = 0.8
"""Share of n-grams (Jaccard) from which on two pages are near duplicates."""
FEWEST = 20
"""A page or gold text with fewer distinct n-grams is too short to tell."""
BANDS, ROWS = 32, 8
CROWD = 50
"""In a larger bucket each page is held against the first only: a site's template, hundreds of times."""
DUPLICATE = "duplicate"
NEAR = "near-duplicate"
SAME_GOLD = "same-gold"
OVERLAP = "overlap"
_SHOWN = 5


@dataclass(frozen=True)
class Trace:
    """What is kept of a page to find it again: 2.2 kB, however long the page."""

    page_id: str
    html: bytes
    """Hash of the bytes."""
    gold: bytes
    """Hash of the gold's words."""
    page_sketch: Sketch | None
    gold_sketch: Sketch | None


def trace(view: PageView) -> Trace:
    """Return what is kept of a page."""
    own = grams.distinct(view.gold_words)
    long = own.size >= FEWEST
    return Trace(
        page_id=view.page.id,
        html=hashlib.sha256(view.page.html).digest()[:16],
        gold=_digest(view.gold_words),
        page_sketch=grams.sketch(view.grams) if view.grams.size >= FEWEST else None,
        gold_sketch=grams.sketch(own) if long else None,
    )


def _digest(words: Sequence[str]) -> bytes:
    return hashlib.sha256("\n".join(words).encode("utf-8", "replace")).digest()[:16]


def within(pages: Sequence[Trace]) -> Iterator[Finding]:
    """Find pages, and gold texts, that occur more than once in a set."""
    known: set[frozenset[str]] = set()
    for same in _grouped((each.html, each) for each in pages):
        ids = tuple(each.page_id for each in same)
        known |= {frozenset(pair) for pair in combinations(ids, 2)}
        gold = "with the same gold" if len({each.gold for each in same}) == 1 else "but other gold"
        detail = f"{' = '.join(ids)}, {gold}; the first is kept"
        yield Finding(DUPLICATE, Severity.ERROR, ids, detail, rejects=ids[1:])
    near = [
        (a, b, share)
        for a, b, share in _pairs(pages, pages)
        if frozenset((a.page_id, b.page_id)) not in known
    ]
    known |= {frozenset((a.page_id, b.page_id)) for a, b, _ in near}
    for ids, shares, golds in _clusters(near):
        detail = f"{_listed(ids)}: {_range(shares)} of {grams.N}-grams in common, {_range(golds)} "
        yield Finding(NEAR, Severity.WARNING, ids, f"{detail}of the gold's")
    for same in _grouped((each.gold, each) for each in pages if each.gold_sketch is not None):
        ids = tuple(each.page_id for each in same)
        if not all(frozenset(pair) in known for pair in combinations(ids, 2)):
            yield Finding(SAME_GOLD, Severity.WARNING, ids, f"{_listed(ids)}: same gold text")


def between(pages: Sequence[Trace], other_name: str, others: Sequence[Trace]) -> Iterator[Finding]:
    """Find a set's pages that another set has too."""
    by_html = defaultdict(list)
    for each in others:
        by_html[each.html].append(each.page_id)
    found: dict[str, list[tuple[str, str]]] = defaultdict(list)
    for each in pages:
        found[each.page_id] += [(i, "same bytes") for i in by_html.get(each.html, [])]
    for a, b, share in _pairs(pages, others):
        if a.html != b.html:
            found[a.page_id].append((b.page_id, f"{share:.0%} of {grams.N}-grams in common"))
    for page_id, matches in found.items():
        if matches:
            listed = [f"{other_name}/{i}: {how}" for i, how in matches[:_SHOWN]]
            more = f", and {len(matches) - _SHOWN} more" if len(matches) > _SHOWN else ""
            yield Finding(
                OVERLAP,
                Severity.WARNING,
                (page_id,),
                f"{'; '.join(listed)}{more}",
                others=tuple(f"{other_name}/{i}" for i, _ in matches),
            )


def _pairs(ours: Sequence[Trace], theirs: Sequence[Trace]) -> Iterator[tuple[Trace, Trace, float]]:
    """Yield each pair of pages that are alike once, and how alike; within one set if both are it."""
    own = ours is theirs
    seen: set[tuple[str, str]] = set()
    for band in range(BANDS):
        buckets: defaultdict[bytes, tuple[list[Trace], list[Trace]]]
        buckets = defaultdict(lambda: ([], []))
        for side, traces in ((0, ours), (1, () if own else theirs)):
            for each in traces:
                if each.page_sketch is not None:
                    key = each.page_sketch[band * ROWS : (band + 1) * ROWS].tobytes()
                    buckets[key][side].append(each)
        for left, right in buckets.values():
            for a, b in _crossed(left, left if own else right, own=own):
                if (a.page_id, b.page_id) in seen:
                    continue
                seen.add((a.page_id, b.page_id))
                share = _alike(a.page_sketch, b.page_sketch)
                if share >= ALIKE:
                    yield a, b, share


def _crossed(
    left: Sequence[Trace], right: Sequence[Trace], *, own: bool
) -> Iterable[tuple[Trace, Trace]]:
    if own:
        return combinations(left, 2) if len(left) <= CROWD else ((left[0], b) for b in left[1:])
    if len(right) > CROWD:
        right = right[:1]
    return ((a, b) for a in left for b in right)


def _alike(a: Sketch | None, b: Sketch | None) -> float:
    return 0.0 if a is None or b is None else grams.alike(a, b)


def _grouped(keyed: Iterable[tuple[bytes, Trace]]) -> Iterator[list[Trace]]:
    groups: defaultdict[bytes, list[Trace]] = defaultdict(list)
    for key, each in keyed:
        groups[key].append(each)
    return (group for group in groups.values() if len(group) > 1)


def _clusters(
    pairs: Sequence[tuple[Trace, Trace, float]],
) -> Iterator[tuple[tuple[str, ...], list[float], list[float]]]:
    """Yield pages that hang together by pairs: their ids, and how alike the pairs' pages and gold."""
    leader: dict[str, str] = {}

    def lead(page_id: str) -> str:
        while (above := leader.setdefault(page_id, page_id)) != page_id:
            leader[page_id] = leader.setdefault(above, above)
            page_id = above
        return page_id

    for a, b, _ in pairs:
        first, second = sorted((lead(a.page_id), lead(b.page_id)))
        leader[second] = first
    members: defaultdict[str, set[str]] = defaultdict(set)
    shares: defaultdict[str, list[float]] = defaultdict(list)
    golds: defaultdict[str, list[float]] = defaultdict(list)
    for a, b, share in pairs:
        at = lead(a.page_id)
        members[at] |= {a.page_id, b.page_id}
        shares[at].append(share)
        golds[at].append(_alike(a.gold_sketch, b.gold_sketch))
    for at in sorted(members):
        yield tuple(sorted(members[at])), shares[at], golds[at]


def _range(shares: Sequence[float]) -> str:
    low, high = f"{min(shares):.0%}", f"{max(shares):.0%}"
    return low if low == high else f"{low} to {high}"


def _listed(ids: Sequence[str]) -> str:
    more = f" … ({len(ids)} pages)" if len(ids) > _SHOWN else ""
    return ", ".join(ids[:_SHOWN]) + more
