"""The verdict of a leaderboard: computed from its figures, a sentence for each question."""

from __future__ import annotations

from dataclasses import replace

from bench.report import verdict
from bench.scoring.leaderboard import Leaderboard
from bench.stats.estimate import Estimate, SampleSize, Standing
from bench.stats.slices import Slice
from tests.unit.test_charts import board, line


def ranked(*best: bool) -> Leaderboard:
    """Return rows a, b, c …, the first dearest: whether each is among the best."""
    rows = [
        replace(
            line("abcdef"[at], 0.9 - at / 100, 8.0 / (at + 1), at + 1),
            standing=Standing(own, 0 if own else 1, ()),
            place=at + 1,
        )
        for at, own in enumerate(best)
    ]
    return board(*rows, line("gold", 1.0, 0.1, None))


def test_one_that_beats_all_is_said_to() -> None:
    (who,) = verdict.of(ranked(True, False, False), 0.05)
    assert who == (
        "a is significantly better than each of the other 2 (F1 90.0, 95 % interval 88.0–92.0, "
        "20 pages)."
    )


def test_who_is_not_different_and_the_cheapest_of_them() -> None:
    who, cheapest, close = verdict.of(ranked(True, True, False, True), 0.05)
    assert who.startswith(
        "a has the highest F1 (90.0, 95 % interval 88.0–92.0, 20 pages); b and d are"
    )
    # 2 ms of CPU time are 2e-3 * 1e6 / 3600 core-hours a million.
    assert cheapest.startswith(
        "The cheapest of the best is d: 2.00 ms of CPU time per page, 0.03 per"
    )
    assert close == "d is within 1 point of a; more labelled pages would not help."
    assert verdict.of(ranked(True, True))[1].endswith("is b: 4.00 ms of CPU time per page.")


def test_how_many_more_pages_would_decide() -> None:
    some = ranked(True, True)
    standing = Standing(True, 0, (), SampleSize(1_027, 300, 2_345))
    some = replace(some, lines=[some.lines[0], replace(some.lines[1], standing=standing)])
    *_, more = verdict.of(some)
    assert more == (
        "About 1,000 more labelled pages (280 to 2,300) would tell a from b, or show less than 1 point "
        "between them."
    )


def test_under_20_labelled_pages_that_is_said_first() -> None:
    few = ranked(True, True)
    figures = {"f1": Estimate(0.9, None, None, None, 12)}
    few = replace(few, lines=[replace(own, figures=figures) for own in few.lines])
    first, who, _ = verdict.of(few)
    assert first == "Too few labelled pages to compare rows: at least 8 more are needed."
    assert "a has the highest F1 (90.0, only 12 pages)" in who


def test_types_on_which_another_is_best() -> None:
    some = ranked(True, False)
    slices = [(Slice(name, n, ()), some.lines[at]) for name, n, at in
              (("news", 9, 0), ("forum", 6, 1), ("product", 1, 1))]  # fmt: skip
    *_, by_type = verdict.of(some, 0.05, slices)
    assert by_type.endswith("b on forum (6) and product (1).")


def test_little_is_said_of_little() -> None:
    assert verdict.of(board(line("gold", 1.0, 1, None)), 0.05) == []
    (alone,) = verdict.of(ranked(True), 0.05)
    assert alone.startswith("a ran alone")


def test_of_many_some_are_counted() -> None:
    who, *_ = verdict.of(ranked(*[True] * 6), 0.05)
    assert "b, c, d, e and 1 more are not significantly different." in who
