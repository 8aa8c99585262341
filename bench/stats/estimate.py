"""What statistics say: a figure, a difference, how many pages decide it, where a row stands.

Plain values, which are read and written without the libraries that compute them.
"""

from dataclasses import dataclass
from statistics import NormalDist

LEVEL = 0.95
"""Of every interval."""
ALPHA = 1.0 - LEVEL
MIN_PAGES = 20
"""With fewer pages (or sites, where pages are taken by site) there is no interval and no test."""
FEW_PAGES = 60
"""With fewer, intervals hold the true value less often than they say."""
POWER = 0.8
"""With which a difference is said to be detectable."""
MARGIN = 0.01
"""A difference that does not matter, as a share: rows that are surely closer are equivalent."""


@dataclass(frozen=True)
class Estimate:
    """A figure of one row with its standard error and 95 % interval.

    None where there is too little data: no page that counts, or too few for an interval.
    """

    value: float | None
    se: float | None
    lo: float | None
    hi: float | None
    pages: int
    """Pages that count."""

    @property
    def shown(self) -> float:
        """The value for sorting and drawing: nothing known counts as 0."""
        return 0.0 if self.value is None else self.value

    @property
    def margin(self) -> float | None:
        """Half the interval."""
        return None if self.lo is None or self.hi is None else (self.hi - self.lo) / 2


def estimate(pages: int, units: int, value: float, se: float, lo: float, hi: float) -> Estimate:
    """Return a figure with its uncertainty, as far as this many pages and sites carry it."""
    if min(pages, units) < MIN_PAGES:
        return Estimate(value if pages else None, None, None, None, pages)
    return Estimate(value, se, lo, hi, pages)


@dataclass(frozen=True)
class Difference:
    """The first row's figure less the second's. None where there is too little data to say."""

    pages: int
    """Pages that count for both rows: the smaller of the two numbers."""
    value: float | None
    se: float | None
    lo: float | None
    hi: float | None
    p: float | None
    """Of this comparison alone."""
    p_holm: float | None
    """Corrected for all comparisons that were made together."""
    effect: float | None
    """Difference in standard deviations of one page's difference: Cohen's d_z (Cohen 1988)."""
    wins: int
    """Pages on which the first row does better."""
    ties: int
    losses: int

    @property
    def counts(self) -> str:
        """Pages won, tied and lost, as reports write them."""
        return f"{self.wins}/{self.ties}/{self.losses}"

    def significant(self, alpha: float = ALPHA) -> bool:
        """Whether the rows differ, at this chance of a false alarm among all comparisons."""
        return self.p_holm is not None and self.p_holm < alpha

    def detectable(self, comparisons: int = 1) -> float | None:
        """Return the true difference that so many pages show four times in five.

        By the normal approximation, for the first step of Holm's correction over so many
        comparisons: (z₁₋α/₂ + z_power) standard errors.
        """
        return None if self.se is None else detectable(self.se, comparisons)


def detectable(se: float, comparisons: int = 1) -> float:
    """Return the difference that is found four times in five, from its standard error."""
    normal = NormalDist()
    return (normal.inv_cdf(1 - ALPHA / comparisons / 2) + normal.inv_cdf(POWER)) * se


@dataclass(frozen=True)
class SampleSize:
    """Labelled pages in all, those at hand among them, with the 95 % interval."""

    pages: int
    lo: int
    hi: int


@dataclass(frozen=True)
class Standing:
    """Where a row stands among the others."""

    best: bool
    """Whether it is not distinguishable from the row of the highest figure."""
    beaten_by: int
    """How many rows are significantly better."""
    letters: tuple[str, ...]
    separated_by: SampleSize | None = None
    """Labelled pages that would tell it from the best; None for the best itself and what differs
    from it, where the difference does not matter, and where pages are too few to say."""

    @property
    def rank(self) -> int:
        """1 for rows that none beats; one more than the rows that beat it."""
        return self.beaten_by + 1

    @property
    def text(self) -> str:
        """The letters as they are shown: ``bc``, or ``z aa`` where any has two characters."""
        return ("" if all(len(own) == 1 for own in self.letters) else " ").join(self.letters)
