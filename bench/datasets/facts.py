"""What is known of each page of a data set: what the data set states, and what its HTML shows.

The share of a page's words that are outside the gold is the page complexity of Bevendorff et al.
(2023), "An Empirical Comparison of Web Content Extraction Algorithms", SIGIR,
https://doi.org/10.1145/3539618.3591920; link density is that of Kohlschütter et al. (2010),
"Boilerplate Detection using Shallow Text Features", WSDM, https://doi.org/10.1145/1718487.1718542.
"""

import hashlib
import json
import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import urlsplit

from bench.datasets import page_text
from bench.datasets.fingerprint import of_each_page
from bench.datasets.page_text import words
from bench.datasets.readers.base import Reader
from bench.metrics.texts import tokens
from bench.model import GoldPage
from bench.util.progress import SILENT, Progress
from bench.worker.decode import decode


@dataclass(frozen=True, slots=True)
class Stated:
    """What a data set says of one page."""

    html_bytes: int
    gold_words: int | None
    """None where the data set has snippets only."""
    page_type: str | None
    language: str | None
    """BCP 47, as the data set writes it."""
    declared_language: str | None
    """What the page declares itself to be in: the primary subtag of the root's ``lang``."""
    site: str | None
    """Host of the page's address, without ``www.``."""
    meta: Mapping[str, str]
    """Scalars only, as text."""
    meta_hash: str
    """Of whatever else the data set says of it, as it says it; empty for nothing."""

    @property
    def scored_language(self) -> str | None:
        """The page's language: as the data set states it, else as the page declares it."""
        return primary(self.language) or self.declared_language


@dataclass(frozen=True, slots=True)
class Measured:
    """What one page's HTML shows. Shares are from 0 to 1, None where there is nothing to share."""

    page_words: int
    outside: float | None
    """Share of the page's words that are not in the gold (as multisets); None without gold text."""
    link_density: float | None
    """Share of the page's words that stand in links."""
    depth: int
    """Elements from the root to the deepest one."""


def primary(language: str | None) -> str | None:
    """Return the primary subtag of a BCP 47 tag in lower case (``en`` of ``en-GB``), None of none."""
    return re.split(r"[-_]", (language or "").strip().lower(), maxsplit=1)[0] or None


def stated(reader: Reader) -> Mapping[str, Stated]:
    """Return what the data set says of each page, by id in order. Raises ``GoldError``."""
    return of_each_page("stated", reader, of_page, Stated)


def measured(reader: Reader, progress: Progress = SILENT) -> Mapping[str, Measured]:
    """Return what each page's HTML shows, by id in order. Raises ``GoldError``."""
    return of_each_page("measured", reader, _measured, Measured, progress)


def of_page(item: GoldPage) -> Stated:
    """Return what a data set says of one page."""
    page, gold = item.page, item.gold.text
    declared = page_text.declared_language(decode(page.html, page.encoding))
    unit = tokens.unit_for(primary(page.language) or declared)
    return Stated(
        html_bytes=len(page.html),
        gold_words=None if gold is None else len(tokens.of(gold, unit)),
        page_type=page.page_type,
        language=page.language,
        declared_language=declared,
        site=_host(page.url),
        meta={
            str(name): value if isinstance(value, str) else json.dumps(value)
            for name, value in page.meta.items()
            if isinstance(value, str | int | float)
        },
        meta_hash=hashlib.sha256(json.dumps(dict(page.meta)).encode()).hexdigest()[:32]
        if page.meta
        else "",
    )


def _host(url: str | None) -> str | None:
    try:
        host = urlsplit(url or "").hostname
    except ValueError:
        return None
    return host.removeprefix("www.") if host else None


def _measured(item: GoldPage) -> Measured:
    page = page_text.parse(decode(item.page.html, item.page.encoding))
    page_words, gold = words(page.text), item.gold.text
    outside = link_density = None
    if page_words:
        # A word that a link cuts in two is two words there.
        link_density = min(1.0, len(words(page.link_text)) / len(page_words))
        if gold is not None:
            outside = 1 - (Counter(page_words) & Counter(words(gold))).total() / len(page_words)
    return Measured(len(page_words), outside, link_density, page.depth)
