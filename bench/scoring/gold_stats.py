"""What a data set is like: how many pages of which kind, how long, how hard."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from bench.datasets.catalogue import DataSet
from bench.scoring import page_slices
from bench.util.progress import SILENT, Progress

UNKNOWN = "unknown"
_QUANTILES = (0.0, 0.05, 0.25, 0.5, 0.75, 0.95, 1.0)


@dataclass(frozen=True)
class Quantity:
    """Something that is measured on every page."""

    title: str
    unit: str
    """Empty for a share from 0 to 1."""
    digits: int
    """Behind the point, where it is shown."""


QUANTITIES: Mapping[str, Quantity] = {
    "html_kib": Quantity("HTML", "KiB", 1),
    "page_words": Quantity("text of the page", "words", 0),
    "gold_words": Quantity("gold", "words", 0),
    "outside": Quantity("text outside the gold", "", 3),
    "link_density": Quantity("text in links", "", 3),
    "depth": Quantity("depth of the tree", "elements", 0),
}


@dataclass(frozen=True)
class Summary:
    """How a quantity is distributed over the pages that have it; None where none has."""

    pages: int
    mean: float | None
    min: float | None
    p5: float | None
    p25: float | None
    median: float | None
    p75: float | None
    p95: float | None
    max: float | None


@dataclass(frozen=True)
class GoldStats:
    """A data set in figures."""

    name: str
    title: str
    smoke: bool
    pages: int
    empty_gold: int
    """Pages whose gold text has no word."""
    words: int
    """Of the text of all pages."""
    gold_words: int
    """Of all gold texts."""
    page_types: Mapping[str, int]
    """Pages by type, most first."""
    languages: Mapping[str, int]
    """Pages by language, as stated, else as declared; most first."""
    summaries: Mapping[str, Summary]
    by_page_type: Mapping[str, Mapping[str, Summary]]
    """Summaries of each page type's pages, where there is more than one type."""
    values: Mapping[str, Sequence[float | None]]
    """Each quantity on every page, in order of ids: what charts are drawn from."""

    def to_json(self) -> dict[str, Any]:
        """Return the form for machines, without the single pages."""
        shown = asdict(self)
        del shown["values"]
        return shown


def of_data_set(data_set: DataSet, progress: Progress = SILENT) -> GoldStats:
    """Return the figures of a data set.

    Raises ``GoldError`` for a page that cannot be read.
    """
    known = page_slices.Dimensions(data_set, progress)
    stated, measured = known.stated, known.measured
    values: dict[str, Sequence[float | None]] = {
        "html_kib": [page.html_bytes / 1024 for page in stated],
        "page_words": [page.page_words for page in measured],
        "gold_words": [page.gold_words for page in stated],
        "outside": [page.outside for page in measured],
        "link_density": [page.link_density for page in measured],
        "depth": [page.depth for page in measured],
    }
    types = [page.page_type or UNKNOWN for page in stated]
    kinds = _counted(types)
    return GoldStats(
        name=data_set.name,
        title=data_set.card.title,
        smoke=data_set.card.smoke,
        pages=len(data_set),
        empty_gold=sum(page.gold_words == 0 for page in stated),
        words=sum(page.page_words for page in measured),
        gold_words=sum(page.gold_words or 0 for page in stated),
        page_types=kinds,
        languages=_counted([language or UNKNOWN for language in known.languages]),
        summaries={name: summary(own) for name, own in values.items()},
        by_page_type={
            kind: {
                name: summary([v for v, t in zip(own, types, strict=True) if t == kind])
                for name, own in values.items()
            }
            for kind in (kinds if len(kinds) > 1 else ())
        },
        values=values,
    )


def summary(values: Sequence[float | None]) -> Summary:
    """Return how values are distributed; None values are left out."""
    there = [value for value in values if value is not None]
    if not there:
        return Summary(0, *[None] * (1 + len(_QUANTILES)))
    quantiles = [float(value) for value in np.quantile(there, _QUANTILES)]
    return Summary(len(there), float(np.mean(there)), *quantiles)


def _counted(labels: Sequence[str]) -> dict[str, int]:
    return dict(sorted(Counter(labels).items(), key=lambda item: (-item[1], item[0])))
