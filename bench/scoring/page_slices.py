"""Slices of a data set: for each dimension, one label per page.

``page_type``, ``language``, ``length`` (words of gold, in four bins of about the same size),
``complexity`` (per cent of the page's words outside the gold), ``link_density`` (per cent of its
words in links), ``depth`` (of the tree of elements), and whatever else the data set says of its
pages in a few words.
"""

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property

from bench.datasets import facts
from bench.datasets.catalogue import DataSet
from bench.datasets.facts import Measured, Stated
from bench.model import UsageError
from bench.stats import slices
from bench.util import suggest
from bench.util.progress import SILENT, Progress

PERCENT_EDGES = (25, 50, 75)
LINK_EDGES = (10, 25, 50)
DEPTH_EDGES = (10, 15, 20, 30)
FEW = 20
"""Metadata with more values than this (titles, authors, dates) cut pages too finely."""

_OWN = ("page_type", "language", "length", "complexity", "link_density", "depth")

Labels = Sequence[str | None]


class Dimensions(Mapping[str, Labels]):
    """Labels by dimension, each found when it is asked for; pages in order of ``data_set.ids``.

    A dimension is there where the pages are known to differ in it, or could: one without any label
    is left out. ``progress`` hears of it where every page has to be parsed, which is remembered.
    """

    def __init__(self, data_set: DataSet, progress: Progress = SILENT) -> None:
        self._data_set = data_set
        self._progress = progress
        self._known: dict[str, Labels] = {}

    def __getitem__(self, name: str) -> Labels:
        if name not in self._known:
            self._known[name] = self._find(name)
        return self._known[name]

    def __iter__(self) -> Iterator[str]:
        return iter(
            [name for name in self._names if any(label is not None for label in self[name])]
        )

    def __len__(self) -> int:
        return len(list(iter(self)))

    def __contains__(self, name: object) -> bool:
        return name in self._names and any(label is not None for label in self[str(name)])

    @property
    def _names(self) -> list[str]:
        return [*_OWN, *(name for name in self._meta if name not in _OWN)]

    def _find(self, name: str) -> Labels:
        if name not in self._names:
            raise KeyError(name)
        values: Sequence[int | None]
        edges: Sequence[int]
        match name:
            case "page_type":
                return [page.page_type for page in self.stated]
            case "language":
                return self.languages
            case "length":
                values = [page.gold_words for page in self.stated]
                edges = slices.length_edges([words for words in values if words is not None])
            case "complexity":
                values, edges = [_percent(page.outside) for page in self.measured], PERCENT_EDGES
            case "link_density":
                values, edges = [_percent(page.link_density) for page in self.measured], LINK_EDGES
            case "depth":
                values, edges = [page.depth for page in self.measured], DEPTH_EDGES
            case _:
                return [page.meta.get(name) for page in self.stated]
        return _binned(values, edges)

    @cached_property
    def stated(self) -> Sequence[Stated]:
        """What the data set says of each page."""
        return list(self._data_set.stated.values())

    @cached_property
    def measured(self) -> Sequence[Measured]:
        """What each page's HTML shows."""
        return list(facts.measured(self._data_set.reader, self._progress).values())

    @cached_property
    def languages(self) -> Labels:
        """Primary subtag as the data set states it; where it does not, as the page declares it."""
        return [page.scored_language for page in self.stated]

    @cached_property
    def _meta(self) -> list[str]:
        """Names of metadata with few values, in order of the alphabet."""
        values: dict[str, set[str]] = {}
        for page in self.stated:
            for name, value in page.meta.items():
                values.setdefault(name, set()).add(value)
        return sorted(name for name, own in values.items() if len(own) <= FEW)


def of(data_set: DataSet, dimension: str, progress: Progress = SILENT) -> Labels:
    """Return each page's label in one dimension, in order of ``data_set.ids``; None is unknown.

    Raises ``UsageError`` for a dimension that the data set has not.
    """
    known = Dimensions(data_set, progress)
    if dimension not in known:
        hint = suggest.hint(dimension, known)
        raise UsageError(f"{data_set.name} has no slices by {dimension!r}; {hint}")
    return known[dimension]


def _percent(share: float | None) -> int | None:
    return None if share is None else int(share * 100)


def _binned(values: Sequence[int | None], edges: Sequence[int]) -> Labels:
    there = [value for value in values if value is not None]
    labels = iter(slices.length_labels(there, edges))
    return [None if value is None else next(labels) for value in values]
