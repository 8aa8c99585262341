"""Slices of a data set: for each dimension, one label per page.

``page_type``, ``language``, ``length`` (words of gold, in four bins of about the same size),
``complexity`` (per cent of the page's words outside the gold), ``link_density`` (per cent of its
words in links), ``depth`` (of the tree of elements), and whatever else the data set says of its
pages in a few words.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
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

Labels = Sequence[str | None]


class Dimensions(Mapping[str, Labels]):
    """Labels by dimension, each found when it is asked for; pages in order of ``data_set.ids``.

    A dimension is there where the pages are known to differ in it, or could: one without any label
    is left out.
    """

    def __init__(self, data_set: DataSet, progress: Progress = SILENT) -> None:
        self._reader = data_set.reader
        self._ids = data_set.ids
        self._progress = progress
        self._known: dict[str, Labels] = {}

    def __getitem__(self, name: str) -> Labels:
        if name not in self._known:
            self._known[name] = self._find(name)
        return self._known[name]

    def __iter__(self) -> Iterator[str]:
        return iter([name for name in self._names if any(each is not None for each in self[name])])

    def __len__(self) -> int:
        return len(list(iter(self)))

    def __contains__(self, name: object) -> bool:
        return name in self._names and any(each is not None for each in self[str(name)])

    @property
    def _names(self) -> list[str]:
        return [*_FINDERS, *(name for name in self._meta if name not in _FINDERS)]

    def _find(self, name: str) -> Labels:
        if name in _FINDERS:
            return _FINDERS[name](self)
        if name in self._meta:
            return [each.meta.get(name) for each in self.stated]
        raise KeyError(name)

    @cached_property
    def stated(self) -> Sequence[Stated]:
        """What the data set says of each page."""
        return list(facts.stated(self._reader).values())

    @cached_property
    def measured(self) -> Sequence[Measured]:
        """What each page's HTML shows."""
        return list(facts.measured(self._reader, self._progress).values())

    @cached_property
    def languages(self) -> Labels:
        """Primary subtag as the data set states it; where it does not, as the page declares it."""
        own = [facts.primary(each.language) for each in self.stated]
        if all(own):
            return own
        return [a or b.language for a, b in zip(own, self.measured, strict=True)]

    @cached_property
    def _meta(self) -> list[str]:
        """Names of metadata with few values, in order of the alphabet."""
        values: dict[str, set[str]] = {}
        for each in self.stated:
            for name, value in each.meta.items():
                values.setdefault(name, set()).add(value)
        return sorted(name for name, own in values.items() if len(own) <= FEW)


def dimensions(data_set: DataSet, progress: Progress = SILENT) -> Dimensions:
    """Return a data set's labels by dimension: a mapping that finds a dimension when it is asked.

    ``progress`` hears of it where every page has to be parsed, which is remembered.
    """
    return Dimensions(data_set, progress)


def of(data_set: DataSet, dimension: str, progress: Progress = SILENT) -> Labels:
    """Return each page's label in one dimension, in order of ``data_set.ids``; None is unknown.

    Raises ``UsageError`` for a dimension that the data set has not.
    """
    known = dimensions(data_set, progress)
    if dimension not in known:
        hint = suggest.hint(dimension, known)
        raise UsageError(f"{data_set.name} has no slices by {dimension!r}; {hint}")
    return known[dimension]


def _page_type(known: Dimensions) -> Labels:
    return [each.page_type for each in known.stated]


def _language(known: Dimensions) -> Labels:
    return known.languages


def _length(known: Dimensions) -> Labels:
    lengths = [each.gold_words for each in known.stated]
    there = [each for each in lengths if each is not None]
    return _binned(lengths, slices.length_edges(there))


def _complexity(known: Dimensions) -> Labels:
    return _binned([_percent(each.outside) for each in known.measured], PERCENT_EDGES)


def _link_density(known: Dimensions) -> Labels:
    return _binned([_percent(each.link_density) for each in known.measured], LINK_EDGES)


def _depth(known: Dimensions) -> Labels:
    return _binned([each.depth for each in known.measured], DEPTH_EDGES)


def _percent(share: float | None) -> int | None:
    return None if share is None else int(share * 100)


def _binned(values: Sequence[int | None], edges: Sequence[int]) -> Labels:
    there = [each for each in values if each is not None]
    labels = iter(slices.length_labels(there, edges))
    return [None if each is None else next(labels) for each in values]


_FINDERS: Mapping[str, Callable[[Dimensions], Labels]] = {
    "page_type": _page_type,
    "language": _language,
    "length": _length,
    "complexity": _complexity,
    "link_density": _link_density,
    "depth": _depth,
}
