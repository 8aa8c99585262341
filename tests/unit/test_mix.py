"""Pages weighed to one's own mix: what is written, what pages weigh, how sure figures are."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import bench
from bench.model import UsageError
from bench.scoring import mix
from bench.stats.figure import Figure, Weights, estimates
from tests.conftest import BenchCli

PARTS = st.lists(
    st.tuples(st.integers(2, 30), st.floats(0.05, 1.0), st.floats(0.1, 0.9)), min_size=1, max_size=4
)


def test_what_is_written(tmp_path: Path) -> None:
    mixed = mix.read("page_type=news:3,forum:1|language=en:0.2")
    assert mixed == {"page_type": {"news": 0.75, "forum": 0.25}, "language": {"en": 1.0}}
    file = tmp_path / "mix.txt"
    file.write_text("page_type=news:3,forum:1\n\nlanguage=en:0.2\n", encoding="utf-8")
    assert mix.read(str(file)) == mixed


@pytest.mark.parametrize(
    ("word", "says"),
    [
        ("page_type", "no LABEL:SHARE"),
        ("page_type=news", "no LABEL:SHARE"),
        ("page_type=news:much", "no LABEL:SHARE"),
        ("page_type=news:0", "one over 0"),
        ("page_type=news:nan", "one over 0"),
        ("language@nowhere", "nowhere"),
    ],
)
def test_what_cannot_be_read(word: str, says: str) -> None:
    with pytest.raises(bench.BenchError, match=says):
        mix.read(word)


@given(PARTS, st.integers(0, 99))
def test_figures_are_those_of_the_slices_by_their_shares(
    parts: list[tuple[int, float, float]], seed: int
) -> None:
    sizes, targets, means = (np.array(own) for own in zip(*parts, strict=True))
    targets = targets / targets.sum()
    of_slice = np.repeat(np.arange(len(sizes)), sizes)
    values = np.random.default_rng(seed).normal(means[of_slice], 0.03).clip(0, 1)
    slices = (of_slice[:, None] == np.arange(len(sizes))).astype(np.float64)
    figure = Figure((values[None],)).weighed(Weights((targets / sizes)[of_slice], slices))
    by_slice = [values[of_slice == at] for at in range(len(sizes))]
    assert figure.values()[0] == pytest.approx(
        sum(share * own.mean() for share, own in zip(targets, by_slice, strict=True))
    )
    # Cochran 1977, Sampling Techniques, formula 5.12.
    variance = sum(
        share**2 * own.var(ddof=1) / len(own) for share, own in zip(targets, by_slice, strict=True)
    )
    assert (figure.influences() ** 2).sum() == pytest.approx(variance, abs=1e-15)


def test_equal_weights_change_nothing_but_what_shares_explain() -> None:
    values = np.random.default_rng(2).uniform(0, 1, (2, 40))
    plain = Figure((values, values**2), values)
    same = plain.weighed(Weights(np.ones(40), np.ones((40, 1))))
    assert np.allclose(plain.values(), same.values())
    errors = [[own.se for own in estimates(figure)] for figure in (plain, same)]
    assert errors[0] == pytest.approx(errors[1], rel=0.02)
    nothing = plain.on(np.zeros(40, bool)).weighed(Weights(np.ones(0), np.ones((0, 1))))
    assert nothing.influences().shape == (2, 0)
    assert plain.take([1]).weighed(Weights(np.ones(40), np.ones((40, 1)))).known_shares is not None


@pytest.fixture(scope="module")
def starter(tmp_path_factory: pytest.TempPathFactory) -> bench.Run:
    """A run over the starter set, whose pages have types and languages."""
    return bench.run("html_text", results=tmp_path_factory.mktemp("mix") / "results")


def test_shares_of_two_dimensions_hold_together(starter: bench.Run) -> None:
    shares = mix.read("page_type=article:0.9,forum:0.1|language=en:0.7,de:0.3")
    weights = mix.weights(shares, starter.scored[0], starter.data_set)
    assert weights.pages @ weights.slices / weights.pages.sum() == pytest.approx(
        [0.9, 0.1, 0.7, 0.3]
    )
    assert (weights.pages == 0).any()


def test_the_mix_of_the_same_pages_changes_nothing(starter: bench.Run) -> None:
    same = bench.open_run(
        starter.id, results=starter.path.parent, weights="page_type,language@starter"
    )
    (plain,), (weighed,) = starter.board.lines, same.board.lines
    assert weighed.figures["f1"].value == pytest.approx(plain.figures["f1"].value)
    assert (weighed.figures["f1"].se or 0) < (plain.figures["f1"].se or 0)


def test_a_leaderboard_says_what_it_is_weighed_to(starter: bench.Run, bench_cli: BenchCli) -> None:
    words = ("leaderboard", "--results", str(starter.path.parent), "--weights")
    done = bench_cli(*words, "page_type=article:3,forum:1", "--markdown")
    assert "Pages are weighed to a mix: page\\_type article 75.0 %, forum 25.0 %." in done.stdout
    refused = bench_cli(*words, "page_type=article:3,blog:1")
    assert refused.returncode == 2
    assert "starter has no labelled page of page_type blog" in refused.stderr
    assert len(refused.stderr.splitlines()) == 1


def test_shares_that_no_weights_give_are_refused(starter: bench.Run) -> None:
    shares = mix.read("page_type=service:1,forum:1|language=en:1,de:1")  # none of them in German
    with pytest.raises(UsageError, match="no weights of these pages give"):
        mix.weights(shares, starter.scored[0], starter.data_set)
