"""Regressions that say the same are one cause."""

from bench.scoring.compare import causes
from bench.scoring.compare.changes import PageChange, RegionChange
from bench.scoring.compare.regressions import Kind, Regression
from bench.stats.estimate import Difference


def _difference(value: float) -> Difference:
    return Difference(
        pages=1, value=value, se=0.0, lo=value, hi=value, p=0.01, p_holm=0.01, effect=0.0,
        wins=0, ties=0, losses=1,
    )  # fmt: skip


def regression(kind: Kind, where: str, pages: str, size: int, loss: float = 0.1) -> Regression:
    """One of pages that are letters."""
    lost = tuple(PageChange(page, 1.0, 1.0 - loss, "ok", "ok") for page in pages)
    change = RegionChange(where, size, 1.0, 1.0 - loss, len(pages), _difference(-loss))
    return Regression("row", kind, where, lost, change)


def test_a_loss_on_all_pages_accounts_for_every_slice() -> None:
    everywhere = regression(Kind.QUALITY, "all pages", "abcdef", 6)
    slices = [regression(Kind.SLICE, f"length {at}", "abcdef"[:at], 6) for at in range(1, 7)]
    emptied = regression(Kind.EMPTY, "1 page", "a", 1)
    (quality, empty) = causes.of_row([everywhere, *slices, emptied])
    assert quality.regression is everywhere
    assert [each.where for each in quality.folded] == [f"length {at}" for at in range(6, 0, -1)]
    assert (empty.regression, empty.folded) == (emptied, ())


def test_slices_that_share_their_pages_are_one_cause_the_narrowest() -> None:
    article = regression(Kind.SLICE, "page_type article", "abc", 4)
    english = regression(Kind.SLICE, "language en", "abc", 9)
    short = regression(Kind.SLICE, "length short", "ab", 2)
    forum = regression(Kind.SLICE, "page_type forum", "xy", 3)
    first, second = causes.of_row([english, article, short, forum])
    assert first.regression is article
    assert {each.where for each in first.folded} == {"language en", "length short"}
    assert (second.regression, second.folded) == (forum, ())


def test_no_regression_no_cause() -> None:
    assert causes.of_row([]) == []
