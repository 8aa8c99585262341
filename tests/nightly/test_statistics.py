"""What docs/statistics.md says of intervals, tests and checks, tried out on real scores."""

from __future__ import annotations

from pathlib import Path

import pytest

import bench
from tests.nightly import simulations
from tests.nightly.simulations import BOARDS, SIZES, Population


@pytest.fixture(scope="module")
def aeb(shared: Path) -> Population:
    """AEB's published outputs."""
    return simulations.of_aeb(shared / "gold" / "aeb")


@pytest.fixture(scope="module")
def starter(tmp_path_factory: pytest.TempPathFactory) -> Population:
    """Rows of our own on the starter set."""
    run = bench.run(simulations.ROWS, results=tmp_path_factory.mktemp("results"), jobs=2)
    return simulations.of_run(run)


@pytest.mark.parametrize("pages", SIZES)
def test_intervals_hold_what_they_say(aeb: Population, pages: int) -> None:
    ours = simulations.coverage(aeb, pages, simulations.ours)
    theirs = simulations.coverage(aeb, pages, simulations.percentile)
    assert ours.held >= 0.93
    assert ours.good >= 0.91
    assert ours.held > theirs.held


@pytest.mark.parametrize("pages", SIZES)
@pytest.mark.parametrize("how", ["silent", "noise"])
def test_equal_f1_is_said_to_differ_in_one_comparison_of_twenty(
    aeb: Population, pages: int, how: str
) -> None:
    rate = simulations.false_alarms(aeb, pages, how, simulations.our_test)
    assert rate <= 0.065
    assert rate <= simulations.false_alarms(aeb, pages, how, simulations.permutation) + 0.01


def test_three_points_between_good_rows_are_found(aeb: Population) -> None:
    assert simulations.power(aeb, 3.0) >= 0.8


@pytest.mark.parametrize("rows", BOARDS)
def test_advised_pages_find_differences_that_matter(aeb: Population, rows: int) -> None:
    advice = simulations.advice(aeb, rows).of(1)
    assert 0.7 <= advice.found.mean() <= 0.9
    assert advice.held.mean() >= 0.93


@pytest.mark.parametrize("name", ["aeb", "starter"])
def test_harmless_differences_pass(name: str, request: pytest.FixtureRequest) -> None:
    population = request.getfixturevalue(name)
    assert simulations.fails(population, "harmless differences alone") <= 0.05


@pytest.mark.parametrize("name", ["aeb", "starter"])
@pytest.mark.parametrize("change", [name for name in simulations.CHANGES if "harmless" not in name])
def test_losses_are_found(name: str, change: str, request: pytest.FixtureRequest) -> None:
    population = request.getfixturevalue(name)
    assert simulations.fails(population, change) >= 0.95
