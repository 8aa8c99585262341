"""Every metric that is declared keeps the same few promises."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench.metrics import computed, declared
from bench.metrics.declared import Metric
from bench.model import Gold, UsageError
from bench.stats.paged import Paged

TEXT = (
    "The old ferry crossed the river twice a day until the bridge was built.\n"
    "Nobody missed it at first, and then everybody did."
)
SURPLUS = "Home All stories About us"
GOLD = Gold(TEXT, ("The old ferry crossed", "everybody did"), ("All stories",))
METRICS = [*declared.every().values(), declared.find("ngram-2"), declared.find("rouge-3")]

metrics = pytest.mark.parametrize("metric", METRICS, ids=lambda each: each.name)


def figures(metric: Metric, texts: Sequence[str], failed: Sequence[bool] = ()) -> dict[str, Paged]:
    """Figures of one row, a text for each page, all pages with the same gold."""
    computation = computed.of(metric)
    score = computation.prepare(GOLD, metric.n or 0, "en")
    values = np.array([tuple(score(text)) for text in texts], np.float64)
    columns = {name: values[:, at][None, :] for at, name in enumerate(computation.columns)}
    flags = np.array([list(failed) or [False] * len(texts)])
    return {name: Paged(*parts) for name, parts in computation.fold(columns, flags).items()}


@metrics
def test_a_declaration_is_complete(metric: Metric) -> None:
    assert metric.main in metric.figures
    assert "http" in metric.citation or "," in metric.citation
    assert declared.find(metric.name) == metric
    assert set(figures(metric, [TEXT])) == set(metric.figures)
    assert (metric.low, metric.high) == (0.0, 1.0)


@metrics
def test_the_gold_itself_is_perfect(metric: Metric) -> None:
    for name, figure in figures(metric, [TEXT, TEXT]).items():
        assert figure.values() == pytest.approx([1.0]), name


@metrics
def test_more_text_lost_and_more_surplus_is_worse(metric: Metric) -> None:
    whole, part, none = (
        figures(metric, [text])[metric.main].values()[0]
        for text in (TEXT, f"{SURPLUS}\n{TEXT.partition('.')[0]}", "")
    )
    assert whole > part > none
    assert none == 0.0


@metrics
def test_a_failed_cell_counts_0_and_stays_in_the_mean(metric: Metric) -> None:
    figure = figures(metric, [TEXT, ""], [False, True])[metric.main]
    assert figure.counted.tolist() == [2]
    assert figure.values()[0] < 1.0
    if metric.family not in ("ngram", "snippets"):
        assert figure.values() == pytest.approx([0.5])


@metrics
def test_a_page_without_the_gold_it_needs_leaves_the_mean(metric: Metric) -> None:
    other = Gold(None) if metric.needs == "text" else Gold(TEXT)
    assert computed.applies(metric, GOLD)
    assert not computed.applies(metric, other)
    columns = {
        name: np.array([[value, np.nan]])
        for name, value in zip(
            computed.of(metric).columns,
            computed.of(metric).prepare(GOLD, metric.n or 0, None)(TEXT),
            strict=True,
        )
    }
    for failed in (False, True):
        folded = computed.of(metric).fold(columns, np.array([[False, failed]]))
        for name, parts in folded.items():
            assert Paged(*parts).values() == pytest.approx([1.0]), name
            assert Paged(*parts).counted.tolist() == [1]


@metrics
@given(st.text(max_size=300))
def test_figures_stay_in_their_range(metric: Metric, text: str) -> None:
    for name, figure in figures(metric, [text, TEXT]).items():
        assert 0.0 <= figure.values()[0] <= 1.0, name


def test_japanese_is_compared_by_character() -> None:
    gold = Gold("古い渡し船は橋ができるまで毎日二回川を渡っていた。")
    score = computed.of(declared.find("ngram")).prepare(gold, 4, "ja")
    tp, _, fn, _ = score("古い渡し船は橋ができるまで毎日二回")
    assert tp > fn > 0, "half of it is found, not none"


def test_words_with_commas_are_several_metrics_each_once() -> None:
    found = declared.chosen(["bow,ngram", "rouge-2, bow"])
    assert [each.name for each in found] == ["bow", "ngram", "rouge-2"]
    assert declared.find("ngram-4") == declared.find("ngram")


@pytest.mark.parametrize(
    ("word", "said"), [("rogue-2", "rouge-2"), ("bleu", "there are"), ("ngram-0", "ngram")]
)
def test_an_unknown_metric_is_refused_with_a_suggestion(word: str, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        declared.find(word)
