"""What a metric is: one class that declares it, counts a page and makes figures of the counts.

docs/adding-a-metric.md has an example. Heavy libraries are imported where they compute, so that
metrics can be listed without them.
"""

from __future__ import annotations

import copy
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, ClassVar, Literal, Self

from bench.model import Gold, UsageError

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from bench.stats.figure import Figure

    Floats = npt.NDArray[np.float64]
    Flags = npt.NDArray[np.bool_]

Counts = Sequence[float]
"""Of one text: a number for each of the metric's columns."""


class Metric(ABC):
    """One metric. Every figure goes from 0 to 1; more is better."""

    name: str
    """What users type: lower-case letters, digits and hyphens."""
    title: str
    """What it is, in a few words."""
    citation: str
    """Whose it is, with an address or where it was printed."""
    figures: tuple[str, ...] = ("precision", "recall", "f1")
    """What it shows of a data set, in this order."""
    main: str = "f1"
    """The figure that ranks."""
    columns: tuple[str, ...] = figures
    """What is kept of each page; by default its figures."""
    needs: Literal["text", "snippets"] = "text"
    """What gold must have: full text, or snippets."""
    version: str = "1"
    """Goes up whenever a column comes out differently: older scores are not used."""

    stem: ClassVar[str] = ""
    """For a metric of n-grams: ``STEM-N`` is the metric of length N, made as ``cls(N)``."""
    lengths: ClassVar[Sequence[int]] = ()
    """For a metric of n-grams: the lengths that are listed."""
    n: int | None = None
    """Length of n-grams, for metrics that have one."""

    normalise: str = ""
    """Unicode form in which gold and texts are compared: see ``bench.metrics.texts.unicode``."""

    source: str = ""
    """The file that it was loaded from, for one that ``--metric`` names by its file."""
    digest: str = ""
    """Of that file's content."""

    def __init__(self, n: int | None = None) -> None:
        """Make the metric; ``n`` is given where it has ``lengths``."""
        self.n = n

    def __init_subclass__(cls) -> None:
        if "figures" in vars(cls) and "columns" not in vars(cls):
            cls.columns = cls.figures

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Metric):
            return NotImplemented
        return (self.name, self.scorer) == (other.name, other.scorer)

    def __hash__(self) -> int:
        return hash((self.name, self.scorer))

    @property
    def scorer(self) -> str:
        """What kept scores are known by: version, content of its file, Unicode form."""
        return "+".join(filter(None, (self.version, self.digest, self.normalise)))

    def ranked_by(self, figure: str) -> Self:
        """Return the metric with another of its figures as the one that ranks."""
        if figure not in self.figures:
            known = ", ".join(self.figures)
            raise UsageError(f"the metric {self.name} has no figure {figure!r}; it has {known}")
        metric = copy.copy(self)
        metric.main = figure
        return metric

    def normalised(self, form: str) -> Self:
        """Return the metric over texts and gold in one Unicode form; it has a name of its own."""
        metric = copy.copy(self)
        metric.normalise = form
        metric.name = f"{self.name}+{form}"
        return metric

    @property
    def family(self) -> str:
        """What the leaderboard's JSON calls metrics that differ in length alone."""
        return self.name

    def applies(self, gold: Gold) -> bool:
        """Whether a page's gold has what the metric needs."""
        if self.needs == "snippets":
            return bool(gold.with_snippets or gold.without_snippets)
        return gold.text is not None

    @abstractmethod
    def count(self, gold: Gold, language: str | None, texts: Sequence[str]) -> Iterable[Counts]:
        """Count each of a page's texts, in their order; ``language`` is the page's.

        Called for pages that it ``applies`` to.
        """

    def fold(self, columns: Mapping[str, Floats], failed: Flags) -> dict[str, Figure]:
        """Return each figure from the columns of many rows: arrays of shape (rows, pages).

        NaN stands where the page has no such gold, and leaves the mean. By default each figure is
        the mean of the column of its name, in which a ``failed`` cell counts 0.
        """
        import numpy as np

        from bench.stats.figure import Figure

        counted = {name: columns[name] for name in self.figures}
        return {
            name: Figure((np.where(failed & ~np.isnan(values), 0.0, values),))
            for name, values in counted.items()
        }


def precision_recall_f1(overlap: float, extracted: int, gold: int) -> tuple[float, float, float]:
    """Return overlap / extracted, overlap / gold and their harmonic mean; 0 without overlap."""
    if not overlap:
        return 0.0, 0.0, 0.0
    precision, recall = overlap / extracted, overlap / gold
    return precision, recall, 2 * precision * recall / (precision + recall)
