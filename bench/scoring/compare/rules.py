"""What a check goes by: when a change is a regression, and how extractors are run for it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from bench.adapters import registry
from bench.adapters.adapter import Row
from bench.datasets.catalogue import DataSet
from bench.model import Limits
from bench.runs.plan import Plan
from bench.runs.store.runs import RunFolder


@dataclass(frozen=True)
class Rules:
    """When a change is a regression; kept in the file, so that everyone checks by the same."""

    epsilon: float = 0.005
    """A loss of the main figure beyond this is one, whatever a test says: pages are the same."""
    least: float = 0.001
    """A loss that is significant counts beyond this."""
    small_epsilon: float = 0.02
    """A loss beyond this, on a slice of too few pages for a test, is a warning."""
    page_loss: float = 0.25
    """A page that loses more is a regression by itself."""
    few_pages: int = 3
    """So many pages that each lose more than ``few_loss`` are one."""
    few_loss: float = 0.1
    cost_tolerance: float = 0.25
    """CPU time relative to the control may grow by this share."""
    by: tuple[str, ...] = ("page_type", "language", "length")
    """Dimensions whose slices are checked."""


@dataclass(frozen=True)
class Measuring:
    """How extractors are run for a check."""

    prepare: Callable[[Sequence[Row]], list[Row]]
    """Gives rows the environments that they need."""
    execute: Callable[[Plan], RunFolder]
    """Carries out a plan from nothing: a library under work changes without its version doing so."""
    limits: Limits
    repeats: int = 3
    """Of each page, in turns with the control, where costs are measured."""
    control: str | None = "everything"
    """Label of the row that costs are measured by; None where they are not."""

    def run(self, rows: Sequence[Row], data_set: DataSet) -> RunFolder:
        """Run rows over a data set, with the control where costs are measured."""
        wanted, repeats = list(rows), 1
        if self.control is not None:
            repeats = self.repeats
            if self.control not in {row.label for row in wanted}:
                wanted += registry.rows([self.control])
        return self.execute(Plan(self.prepare(wanted), data_set, repeats, limits=self.limits))
