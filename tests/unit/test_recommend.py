"""Which row to take, from where rows stand and what they cost."""

from __future__ import annotations

from dataclasses import dataclass

from bench.scoring import recommend
from bench.scoring.recommend import Reason, Recommendation
from bench.stats.estimate import SampleSize, Standing

SIZE = SampleSize(300, 120, 2_000)


@dataclass(frozen=True)
class Row:
    label: str
    standing: Standing | None
    cpu_ms: float | None = None
    unreliable: bool = False


def best(label: str, cpu_ms: float | None = None, size: SampleSize | None = SIZE) -> Row:
    return Row(label, Standing(True, 0, (), size), cpu_ms)


WORSE = Row("worse", Standing(False, 1, ()), 0.1)
CONTROL = Row("gold", None, 0.1)


def of(*rows: Row, labelled: int = 100) -> Recommendation:
    advice = recommend.of(rows, labelled)
    assert advice is not None
    return advice


def test_the_cheapest_of_the_best_is_the_rival() -> None:
    advice = of(best("a", 9), best("b", 5, None), best("c", 2), WORSE, CONTROL)
    assert advice == Recommendation(("a", "b", "c"), "c", "c", 200, (20, 1_900), Reason.UNDECIDED)
    assert advice.to_json()["reason"] == "undecided"


def test_where_the_best_is_the_cheapest_the_next_is_the_rival() -> None:
    assert of(best("a", 1), best("b", 5), best("c", 2)).rival == "b"
    assert of(best("a"), best("b")).cheapest is None


def test_there_are_never_fewer_pages_than_there_are() -> None:
    advice = of(best("a"), best("b"), labelled=400)
    assert (advice.pages_needed, advice.interval) == (0, (0, 1_600))


def test_rows_that_are_close_need_none() -> None:
    advice = of(best("a", 2), best("b", 1, None))
    assert (advice.reason, advice.pages_needed, advice.cheapest) == (Reason.CLOSE, None, "b")


def test_one_that_beats_all_and_one_that_is_alone() -> None:
    assert of(best("a", 1), WORSE).reason is Reason.BEST
    assert of(best("a", 1), CONTROL).reason is Reason.ALONE


def test_of_few_pages_that_is_said_alone() -> None:
    advice = of(best("a", 1), best("b", 2), labelled=19)
    assert (advice.reason, advice.pages_needed, advice.rival) == (Reason.FEW_PAGES, None, None)


def test_a_row_that_fails_often_is_not_cheap() -> None:
    failing = Row("b", Standing(True, 0, ()), 0.1, unreliable=True)
    assert of(best("a", 5), failing).cheapest == "a"


def test_nothing_competes() -> None:
    assert recommend.of([CONTROL], 100) is None
