"""What a row cost: from cells and starts to the figures that a leaderboard shows."""

from __future__ import annotations

import dataclasses
import json
import math
import statistics
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench.runs.store.manifest import RowFacts
from bench.scoring import cost, leaderboard
from bench.scoring.cost import Cost
from bench.scoring.leaderboard import Line
from tests import manifests

MIB = 1 << 20
MEMORY = 8 << 30
START = {"start_s": 0.5, "import_s": 0.25, "load_s": 0.125, "warm_up_s": 0.0625}
PHASES = ["start-up", "import", "load", "warm-up", "hand-over", "decode", "extract", "untracked"]

seconds = st.floats(1e-6, 100.0)


def row(**facts: Any) -> RowFacts:
    """What a manifest says of a row."""
    return manifests.row(
        "key", **{"starts": [manifests.start(**START, rss_bytes=30 * MIB)], **facts}
    )


def cells(
    walls: Sequence[Sequence[float]],
    *,
    cpu: float = 1.0,
    peaks: Sequence[int | None] = (),
    idles: Sequence[int | None] = (),
    outcomes: Sequence[str] = (),
    carried: str = "",
) -> pd.DataFrame:
    """Cells of pages from the wall time of each repeat of each; CPU time is a share of that."""
    lines = [
        {
            "page": f"page-{page}",
            "repeat": repeat,
            "wall_s": wall_s,
            "cpu_s": wall_s * cpu,
            "outcome": outcomes[page] if outcomes else "ok",
            "rss_peak_bytes": peaks[page] if peaks else 40 * MIB,
            "rss_idle_bytes": idles[page] if idles else 30 * MIB,
            "decode_s": 0.001,
            "handover_s": 0.002,
            "carried_from": carried,
        }
        for page, repeats in enumerate(walls)
        for repeat, wall_s in enumerate(repeats)
    ]
    return pd.DataFrame(lines)


def of(walls: Sequence[Sequence[float]], **more: Any) -> Cost:
    return cost.of_row(cells(walls, **more), row(), MEMORY)


def leak(sizes: Sequence[float | None]) -> tuple[float, float, float] | None:
    growth = cost.leak([math.nan if size is None else size for size in sizes])
    return growth and (growth.slope, growth.lo, growth.hi)


# -- time ------------------------------------------------------------------------------------


def test_every_figure_of_a_known_row() -> None:
    found = of([[0.1], [0.2], [0.6]], cpu=2.0, peaks=[40 * MIB, 90 * MIB, 50 * MIB])
    assert found.wall_s == pytest.approx(0.9)
    assert found.cpu_s == pytest.approx(1.8)
    assert found.ms_per_page == pytest.approx(200)
    assert found.ms_per_page_p95 == pytest.approx(560)
    assert found.rss_peak_bytes == 90 * MIB
    assert found.rss_above_idle_bytes == 60 * MIB
    assert found.ram_percent == pytest.approx(90 * MIB / MEMORY * 100)
    # Over 100 on several cores, as in Márquez Mínguez (2022).
    assert found.cpu_percent == pytest.approx(200)
    assert found.pages_per_s_per_core == pytest.approx(3 / 1.8)
    assert found.start_s == pytest.approx(sum(START.values()))
    assert found.spread_percent is None
    assert found.leak is None


@given(st.lists(st.lists(seconds, min_size=3, max_size=3), min_size=1, max_size=20))
def test_a_page_takes_the_median_of_its_repeats(walls: list[list[float]]) -> None:
    medians = [statistics.median(each) for each in walls]
    found = of(walls)
    assert found.wall_s == pytest.approx(sum(medians))
    assert found.ms_per_page == pytest.approx(statistics.median(medians) * 1000)
    assert found.ms_per_page <= found.ms_per_page_p95 * (1 + 1e-12)
    assert found.ms_per_page_p95 <= max(medians) * 1000 * (1 + 1e-12)


@given(
    st.lists(st.lists(seconds, min_size=3, max_size=3), min_size=2, max_size=10),
    st.randoms(use_true_random=False),
)
def test_the_order_of_cells_changes_no_time(walls: list[list[float]], random: Any) -> None:
    table = cells(walls)
    order = list(range(len(table)))
    random.shuffle(order)
    one, other = (cost.of_row(each, row(), MEMORY) for each in (table, table.iloc[order]))
    for name in ("wall_s", "cpu_s", "ms_per_page", "ms_per_page_p95", "spread_percent"):
        assert getattr(one, name) == pytest.approx(getattr(other, name))


def test_one_disturbed_repeat_does_not_matter() -> None:
    assert of([[0.1, 0.1, 9.0]] * 5).wall_s == pytest.approx(0.5)


def test_cpu_over_wall_is_not_told_where_pages_are_too_quick() -> None:
    found = of([[0.00002]] * 10)
    assert found.cpu_percent is None
    assert found.pages_per_s_per_core is None
    assert found.wall_s == pytest.approx(0.0002)


def test_no_rate_without_cpu_time() -> None:
    found = of([[0.2]] * 3, cpu=0.0)
    assert found.cpu_percent == 0
    assert found.pages_per_s_per_core is None


# -- spread ----------------------------------------------------------------------------------


def test_spread_is_the_median_over_pages_of_the_range_over_the_median() -> None:
    walls = [[1.0, 1.1, 1.2], [2.0, 2.0, 2.0], [1.0, 2.0, 4.0]]
    assert of(walls).spread_percent == pytest.approx(0.2 / 1.1 * 100)


@given(st.lists(seconds, min_size=1, max_size=20), st.integers(2, 5))
def test_repeats_that_agree_have_no_spread(walls: list[float], repeats: int) -> None:
    assert of([[each] * repeats for each in walls]).spread_percent == pytest.approx(0)


@given(
    st.lists(st.lists(seconds, min_size=2, max_size=4), min_size=1, max_size=10),
    st.floats(0.01, 100),
)
def test_spread_does_not_depend_on_the_unit(walls: list[list[float]], factor: float) -> None:
    found = of(walls).spread_percent
    assert found is not None
    assert found >= 0
    assert of([[w * factor for w in each] for each in walls]).spread_percent == pytest.approx(found)


# -- memory ----------------------------------------------------------------------------------


def test_memory_that_nobody_knows_is_none() -> None:
    found = of([[0.1]] * 3, peaks=[None] * 3, idles=[None] * 3)
    assert found.rss_peak_bytes is None
    assert found.ram_percent is None
    assert found.rss_above_idle_bytes is None


def test_a_row_that_never_started_here_has_no_idle_size() -> None:
    found = cost.of_row(cells([[0.1]] * 3), row(starts=[]), MEMORY)
    assert found.rss_peak_bytes == 40 * MIB
    assert found.rss_above_idle_bytes is None
    assert found.start_s == 0
    assert found.leak is None


@pytest.mark.parametrize("slope", [1.0, 0.25, 0.0, -0.5])
def test_leak_of_a_known_slope(slope: float) -> None:
    found = leak([2000 * MIB + page * slope * MIB for page in range(1000)])
    assert found == pytest.approx([slope * 1000] * 3)


@given(st.floats(-2, 2), st.integers(1000, 1400), st.integers(0, 1000))
def test_leak_under_noise(slope: float, pages: int, seed: int) -> None:
    noise = np.random.default_rng(seed).uniform(-0.2, 0.2, pages)
    value, lo, hi = leak([(3000 + page * slope + noise[page]) * MIB for page in range(pages)])
    # Each slope is over a quarter of the pages.
    reach = 0.4 / (pages // 4) * 1000 + 0.01
    assert [value, lo, hi] == pytest.approx([slope * 1000] * 3, abs=reach)
    assert lo <= value <= hi


def test_the_interval_of_a_leak_is_that_of_a_median() -> None:
    """By the sign test, the interval holds the truth in 95 % of samples."""
    generator, held = np.random.default_rng(5), 0
    for _ in range(200):
        sizes = 500 * MIB + generator.normal(0, MIB, 1000)
        _, lo, hi = leak(list(sizes))
        held += lo <= 0 <= hi
    assert 0.91 <= held / 200 <= 0.99


@given(st.integers(0, 999), st.floats(-100, 10_000))
def test_one_large_page_does_not_make_a_leak(at: int, extra_mib: float) -> None:
    sizes = [100.0 * MIB] * 1000
    sizes[at] += extra_mib * MIB
    assert leak(sizes) == (0, 0, 0)


def test_memory_taken_in_the_first_half_and_kept_is_no_leak() -> None:
    """An allocator and its caches fill: 40 MiB within 400 pages, then nothing."""
    warm = [(50.0 + 0.1 * page) * MIB for page in range(400)]
    assert leak([*warm, *[90.0 * MIB] * 600]) == (0, 0, 0)


@pytest.mark.parametrize("pages", [0, 1, 181, 999])
def test_no_leak_from_too_few_pages(pages: int) -> None:
    assert leak([float(page * MIB) for page in range(pages)]) is None


def test_pages_without_an_idle_size_are_left_out() -> None:
    assert leak([None] * 1000) is None
    assert leak([None] * 61 + [50.0 * MIB] * 999) is None
    assert leak([None] * 60 + [50.0 * MIB] * 1000) == (0, 0, 0)


def test_no_leak_of_a_worker_that_was_started_again() -> None:
    grows = cells([[0.1]] * 1000, idles=[page * MIB for page in range(1000)])
    start = manifests.start(**START, rss_bytes=30 * MIB)
    growth = cost.of_row(grows, row(), MEMORY).leak
    assert growth
    assert growth.slope == pytest.approx(1000)
    again = row(starts=[start, start])
    assert cost.of_row(grows, again, MEMORY).leak is None


# -- pages without an answer -----------------------------------------------------------------


def test_failures_do_not_make_a_row_fast() -> None:
    """It raises at once on most pages: its cost is that of the pages that it answered."""
    outcomes = ["ok"] * 69 + ["error"] * 112
    walls = [[0.006]] * 69 + [[0.00015]] * 112
    partly, healthy = of(walls, outcomes=outcomes), of([[0.006]] * 69)
    assert partly == healthy
    assert (partly.answered, partly.ms_per_page) == (69, pytest.approx(6))
    assert partly.wall_s == pytest.approx(69 * 0.006)


def test_empty_texts_are_answers() -> None:
    assert of([[0.1], [0.3]], outcomes=["ok", "empty"]).answered == 2


def test_a_row_without_any_answer_costs_what_its_failures_cost() -> None:
    found = of([[0.1], [0.3]], outcomes=["error", "timeout"])
    assert (found.answered, found.ms_per_page) == (0, pytest.approx(200))


def test_the_mean_stands_beside_the_median() -> None:
    found = of([[0.01], [0.02], [0.3]])
    assert found.ms_per_page == pytest.approx(20)
    assert found.ms_per_page_mean == pytest.approx(110)


# -- phases ----------------------------------------------------------------------------------


@given(st.lists(seconds, min_size=1, max_size=30), st.integers(1, 4), st.floats(0, 100))
def test_phases_and_what_is_untracked_are_the_time_that_a_row_took(
    walls: list[float], starts: int, untracked: float
) -> None:
    table = cells([[each] for each in walls])
    tracked = sum(walls) + len(walls) * 0.003 + starts * sum(START.values())
    facts = row(starts=[manifests.start(**START)] * starts, busy_s=tracked + untracked)
    spent = cost.phases(table, facts)
    assert list(spent) == PHASES
    assert math.fsum(spent.values()) == pytest.approx(facts.busy_s)
    assert spent["untracked"] == pytest.approx(untracked, abs=1e-6)
    assert spent["start-up"] == pytest.approx(starts * START["start_s"])
    assert spent["extract"] == pytest.approx(sum(walls))


def test_cells_that_were_carried_over_took_no_time_here() -> None:
    ours, theirs = cells([[0.1]] * 2), cells([[50.0]] * 8, carried="an-earlier-run")
    facts = row(busy_s=2.0)
    spent = cost.phases(pd.concat([ours, theirs]), facts)
    assert spent["extract"] == pytest.approx(0.2)
    assert spent["hand-over"] == pytest.approx(0.004)
    assert math.fsum(spent.values()) == pytest.approx(2.0)


def test_time_is_never_negative() -> None:
    assert cost.phases(cells([[5.0]]), row(busy_s=1.0))["untracked"] == 0


# -- JSON ------------------------------------------------------------------------------------


@pytest.mark.parametrize("has_cost", [True, False])
def test_json_has_every_field_and_is_json(has_cost: bool) -> None:
    found = of([[0.1, 0.2], [0.3, 0.4]]) if has_cost else None
    line = Line(
        name="x", variant="default", version="1", kind="extractor", language="Python",
        pages=2, outcomes={"ok": 2}, figures={}, cost=found,
    )  # fmt: skip
    told = leaderboard._line_json(line)
    for each in dataclasses.fields(Cost):
        assert (told[each.name] is None) or has_cost
    if has_cost:
        assert told["spread_percent"] == pytest.approx(50, rel=0.5)
    assert json.loads(json.dumps(told, allow_nan=False)) == told


@given(
    st.lists(st.lists(seconds, min_size=1, max_size=3), min_size=1, max_size=50),
    st.booleans(),
)
def test_figures_are_plain_numbers(walls: list[list[float]], known: bool) -> None:
    peaks = [40 * MIB if known else None] * len(walls)
    found = of(walls, peaks=peaks, idles=peaks)
    for name, value in dataclasses.asdict(found).items():
        assert value is None or type(value) in (int, float), name
        assert value is None or np.isfinite(value), name
