"""A figure of many rows on the same pages, kept page by page, and how sure it is.

A figure is the mean of one value per page, or the harmonic mean of two such means: precision and
recall make the F1 of a data set. Where pages do not weigh the same (counts of snippets that are
summed before they are divided) a mean is a ratio of sums. All statistics of this package work on
this one form, through the influence of each page on the figure (the infinitesimal jackknife:
Efron and Tibshirani 1993, ch. 22): the sum of its squares is the figure's variance. Pages of one
site resemble each other, so their influences are added up before they are squared (Liang and Zeger 1986,
Biometrika 73:13-22).

Intervals are Student's, with the skewness of the influences removed by Hall's transformation
(Hall 1992, Journal of the Royal Statistical Society B 54:221-228). docs/statistics.md has the
formulas, and how often such intervals hold the true value.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from statistics import NormalDist

import numpy as np
import numpy.typing as npt

from bench.stats.estimate import ALPHA, Estimate, estimate

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]


_TINY = 1e-6
"""Of a regression on slices: what counts as nothing."""


@dataclass(frozen=True)
class Weights:
    """What pages weigh, so that slices of them have shares that are known."""

    pages: Floats
    """Shape (pages,); 0 leaves a page out."""
    slices: Floats
    """1 where a page is in a slice of known share, shape (pages, slices)."""


@dataclass(frozen=True)
class Figure:
    """What a figure is made of: one array (a mean) or two (F1), each of shape (rows, pages).

    NaN where a page leaves a row's mean. ``scores`` says which row does better on a page, for
    wins, ties and losses; where it is not given, the only part does. ``weights``, where given, are
    the divisors of each part's pages: the mean is then Σ part / Σ weight. ``sites`` numbers the
    site of each page, shape (pages,); without it each page stands for itself.
    """

    parts: tuple[Floats, ...]
    scores: Floats | None = None
    weights: tuple[Floats, ...] | None = None
    sites: Ints | None = None
    known_shares: Floats | None = None
    """The slices of ``Weights`` where pages are weighed."""

    def __post_init__(self) -> None:
        if len(self.parts) not in (1, 2):
            raise ValueError(f"a figure has one or two parts, not {len(self.parts)}")
        if self.scores is None and len(self.parts) > 1:
            raise ValueError("a figure of two parts needs scores of its own for each page")
        arrays = (*self.parts, *(self.weights or ()), self.by_page)
        if {array.shape for array in arrays} != {self.parts[0].shape} or self.by_page.ndim != 2:
            raise ValueError("parts and scores must have the same rows and pages")
        if self.weights is not None and len(self.weights) != len(self.parts):
            raise ValueError("each part needs weights of its own, or none")

    @property
    def by_page(self) -> Floats:
        """Each page's own score, shape (rows, pages); NaN where it has none."""
        return self.parts[0] if self.scores is None else self.scores

    @property
    def rows(self) -> int:
        """How many rows."""
        return int(self.parts[0].shape[0])

    @property
    def pages(self) -> int:
        """How many pages."""
        return int(self.parts[0].shape[1])

    @property
    def units(self) -> int:
        """How many independent pieces of evidence there are: sites where they are known.

        What no row has a page of that counts is none.
        """
        return int(self._sites_that_count[1].size)

    @property
    def counted(self) -> Ints:
        """For each row, the pages that any part counts."""
        return np.asarray(self._counts.sum(axis=1), np.int64)

    @property
    def _counts(self) -> Flags:
        """Whether a page counts for a row, shape (rows, pages)."""
        return np.asarray(np.logical_or.reduce([divisors > 0 for divisors in self.below]))

    @cached_property
    def _sites_that_count(self) -> tuple[Ints, Ints]:
        """The pages that count for any row, site after site, and where each site begins there."""
        pages = np.flatnonzero(self._counts.any(axis=0))
        sites = pages if self.sites is None else self.sites[pages]
        order = np.argsort(sites, kind="stable")
        return pages[order], np.flatnonzero(np.diff(sites[order], prepend=sites[order][:1] - 1))

    def weighed(self, by: Weights) -> "Figure":
        """Return the same figure with pages that do not weigh the same."""
        return replace(
            self,
            parts=tuple(part * by.pages for part in self.parts),
            scores=self.by_page,
            weights=tuple(divisors * by.pages for divisors in self.below),
            known_shares=by.slices,
        )

    @property
    def above(self) -> list[Floats]:
        """What is summed over pages, for each part."""
        return [np.nan_to_num(part) for part in self.parts]

    @property
    def below(self) -> list[Floats]:
        """What that is divided by, summed over the same pages, for each part."""
        given = self.weights or tuple(np.ones_like(part) for part in self.parts)
        return [
            np.where(np.isnan(part), 0.0, weight)
            for part, weight in zip(self.parts, given, strict=True)
        ]

    def on(self, pages: Flags) -> "Figure":
        """Return the same figure on some of the pages."""
        return replace(
            self,
            parts=tuple(part[:, pages] for part in self.parts),
            scores=self.by_page[:, pages],
            weights=self.weights and tuple(weight[:, pages] for weight in self.weights),
            sites=None if self.sites is None else self.sites[pages],
            known_shares=None if self.known_shares is None else self.known_shares[pages],
        )

    def take(self, rows: Sequence[int]) -> "Figure":
        """Return the same figure of some of the rows."""
        at = list(rows)
        weights = self.weights and tuple(weight[at] for weight in self.weights)
        parts = tuple(part[at] for part in self.parts)
        return replace(self, parts=parts, scores=self.by_page[at], weights=weights)

    def values(self, draws: Floats | None = None) -> Floats:
        """Return the figure of each row, shape (rows,), or (resamples, rows) under ``draws``.

        A mean over no page is 0, as on the leaderboard; ``counted`` tells such rows.
        """
        weights = np.ones((1, self.pages)) if draws is None else draws
        sums, sizes = ([weights @ part.T for part in parts] for parts in (self.above, self.below))
        if len(sums) == 1:
            above, below = sums[0], sizes[0]
        else:
            # 2PR/(P+R) with P = x/m and R = y/k is 2xy/(xk + ym): one division instead of three.
            (x, y), (m, k) = sums, sizes
            above, below = 2.0 * x * y, x * k + y * m
        values = np.divide(above, below, out=np.zeros_like(above), where=below != 0)
        return values[0] if draws is None else values

    def influences(self) -> Floats:
        """Return how far each site (or page) moves each row's figure, shape (rows, units).

        A row's influences sum to 0; the sum of their squares estimates its figure's variance.
        """
        means, pulls = [], []
        for above, below in zip(self.above, self.below, strict=True):
            size = np.maximum(below.sum(axis=1, keepdims=True), 1e-300)
            mean = above.sum(axis=1, keepdims=True) / size
            means.append(mean)
            pulls.append(self._unexplained((above - mean * below) / size, below))
        if len(pulls) == 2:
            # Of 2PR/(P+R), the derivative by P is 2R²/(P+R)², and that by R is 2P²/(P+R)².
            precision, recall = means
            total = np.maximum((precision + recall) ** 2, 1e-300)
            pulls = [2 * recall**2 / total * pulls[0] + 2 * precision**2 / total * pulls[1]]
        return self.by_site(pulls[0])

    def _unexplained(self, pulls: Floats, below: Floats) -> Floats:
        """Return pulls less what slices of known shares explain of them.

        What is left of a weighted regression on these slices (Deville and Särndal 1992, Journal of
        the American Statistical Association 87:376-382): the deviations within slices, where these
        are of one dimension. As the regression follows the few pages of a small slice, they are
        divided by √(1 - leverage) (HC2: MacKinnon and White 1985, Journal of Econometrics 29:305-325).
        """
        if self.known_shares is None:
            return pulls
        left = []
        for own, divisors in zip(pulls, below, strict=True):
            root = np.sqrt(divisors)
            design = root[:, None] * self.known_shares
            values = np.divide(own, root, out=np.zeros_like(own), where=root > 0)
            basis, sizes, _ = np.linalg.svd(design, full_matrices=False)
            basis = basis[:, sizes > _TINY]
            free = np.maximum(1 - (basis**2).sum(axis=1), _TINY)
            left.append(root * (values - basis @ (basis.T @ values)) / np.sqrt(free))
        return np.stack(left) if left else pulls

    def by_site(self, values: Floats) -> Floats:
        """Return the sums of values over the pages of each site: (…, pages) to (…, units).

        Pages that count for no row are left out.
        """
        pages, starts = self._sites_that_count
        values = values[..., pages]
        if self.sites is None or not pages.size:
            return values
        return np.asarray(np.add.reduceat(values, starts, axis=-1), np.float64)


def estimates(figure: Figure) -> list[Estimate]:
    """Return each row's figure with its standard error and interval, which stays within 0 to 1."""
    influences = figure.influences()
    errors = standard_errors(influences)
    below, above = skewed_limits(influences)
    values, counted = figure.values(), figure.counted
    return [
        estimate(
            int(counted[row]),
            figure.units,
            float(values[row]),
            float(errors[row]),
            max(0.0, float(values[row] - below[row])),
            min(1.0, float(values[row] + above[row])),
        )
        for row in range(figure.rows)
    ]


def median_with_interval(values: Floats) -> tuple[float, float, float]:
    """Return the median of values and its 95 % interval by order statistics (the sign test)."""
    ordered, size = np.sort(values), len(values)
    reach = NormalDist().inv_cdf(1 - ALPHA / 2) * size**0.5 / 2
    lo, hi = max(0, int(size / 2 - reach)), min(size - 1, int(size / 2 + reach))
    return float(np.median(ordered)), float(ordered[lo]), float(ordered[hi])


def standard_errors(influences: Floats) -> Floats:
    """Return the standard error of each row from its influences, shape (rows,)."""
    units = influences.shape[-1]
    return np.asarray(np.sqrt((influences**2).sum(axis=-1) * (units / max(1, units - 1))))


def skewed_limits(influences: Floats) -> tuple[Floats, Floats]:
    """Return how far below and above each row's figure its interval reaches, shape (rows,) each.

    With T the figure's error in standard errors and a = γ/√n, γ the skewness of n influences,
    g(T) = T + a T²/3 + a² T³/27 + a/6 is nearly Student's (Hall 1992); g is monotone, so that its
    inverse at the quantiles of Student's distribution gives the limits of T.
    """
    from scipy.special import stdtrit  # not at the top: scipy takes its time

    units = influences.shape[-1]
    squares = np.maximum((influences**2).sum(axis=-1), 1e-100)
    a = (influences**3).sum(axis=-1) / squares**1.5
    flat = np.abs(a) < 1e-6
    safe = np.where(flat, 1.0, a)
    quantile = float(stdtrit(max(1, units - 1), 1 - ALPHA / 2))
    errors = standard_errors(influences)

    def error(at: float) -> Floats:
        bent = 3 * (np.cbrt(1 + safe * (at - safe / 6)) - 1) / safe
        return np.asarray(np.where(flat, at, bent) * errors, np.float64)

    return error(quantile), -error(-quantile)
