"""What every metric promises, ours and those of installed packages, and what a wrong one is told."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench.metrics.base import Metric
from bench.model import BenchError, Gold, GoldPage, Outcome, Page, UsageError
from bench.scoring import metric_catalogue, scores
from bench.stats.figure import Figure

TEXT = (
    "The old ferry crossed the river twice a day until the bridge was built.\n"
    "Nobody missed it at first, and then everybody did."
)
SURPLUS = "Home All stories About us"
GOLD = Gold(TEXT, ("The old ferry crossed", "everybody did"), ("All stories",))
METRICS = metric_catalogue.chosen([*metric_catalogue.every(), "ngram-2", "rouge-3"])
HOSTILE = (
    "\0",
    "\ud800",
    "\u202e\u0301" * 50,
    "<script>" * 99,
    "a" * 20_000,
    "\n" * 5_000,
    "字" * 99,
)

metrics = pytest.mark.parametrize("metric", METRICS, ids=lambda each: each.name)


def figures(
    metric: Metric, texts: Sequence[str], failed: Sequence[bool] = (), gold: Gold = GOLD
) -> dict[str, Figure]:
    """Figures of one row, a text for each page, all pages with the same gold."""
    values = np.array([tuple(counts) for counts in metric.count(gold, "en", texts)], np.float64)
    columns = {name: values[:, at][None, :] for at, name in enumerate(metric.columns)}
    return metric.fold(columns, np.array([list(failed) or [False] * len(texts)]))


@metrics
def test_a_declaration_is_complete(metric: Metric) -> None:
    metric_catalogue._expect_complete(metric, "here")
    assert "http" in metric.citation or re.search(r"\(\d{4}\), .*:\d+-\d+$", metric.citation)
    assert metric_catalogue.find(metric.name) == metric
    assert tuple(figures(metric, [TEXT])) == metric.figures
    assert type(metric).__doc__


@metrics
def test_the_gold_itself_is_perfect(metric: Metric) -> None:
    for name, figure in figures(metric, [TEXT, TEXT]).items():
        assert figure.values() == pytest.approx([1.0]), name
        assert figure.by_page == pytest.approx(np.ones((1, 2))), name


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
    assert metric.applies(GOLD)
    assert not metric.applies(other)
    (counted,) = metric.count(GOLD, None, [TEXT])
    columns = {
        name: np.array([[value, np.nan]])
        for name, value in zip(metric.columns, counted, strict=True)
    }
    for failed in (False, True):
        for name, figure in metric.fold(columns, np.array([[False, failed]])).items():
            assert figure.values() == pytest.approx([1.0]), name
            assert figure.counted.tolist() == [1]


@metrics
@given(st.text(max_size=300))
def test_figures_stay_in_their_range(metric: Metric, text: str) -> None:
    for name, figure in figures(metric, [text, TEXT]).items():
        assert 0.0 <= figure.values()[0] <= 1.0, name


@metrics
@pytest.mark.parametrize("gold", [TEXT, "", *HOSTILE], ids=lambda text: repr(text)[:12])
def test_hostile_and_empty_texts_are_scored(metric: Metric, gold: str) -> None:
    item = GoldPage(Page("p", b""), Gold(gold, (gold,), (SURPLUS,)))
    texts = [TEXT, "", *HOSTILE]
    columns = scores.counted(metric, item.page.id, item.gold, None, texts)
    again = scores.counted(metric, item.page.id, item.gold, None, list(reversed(texts)))
    for name, values in columns.items():
        assert np.isfinite(values).all(), name
        assert (values == again[name][::-1]).all(), "the order of texts does not matter"


def test_japanese_is_compared_by_character() -> None:
    gold = Gold("古い渡し船は橋ができるまで毎日二回川を渡っていた。")
    half = "古い渡し船は橋ができるまで毎日二回"
    ((tp, _, fn, _),) = metric_catalogue.find("ngram").count(gold, "ja", [half])
    assert tp > fn > 0, "half of it is found, not none"


def test_words_with_commas_are_several_metrics_each_once() -> None:
    found = metric_catalogue.chosen(["bow,ngram", "rouge-2, bow"])
    assert [each.name for each in found] == ["bow", "ngram", "rouge-2"]
    assert metric_catalogue.find("ngram-4") == metric_catalogue.find("ngram")


@pytest.mark.parametrize(
    ("word", "said"), [("rogue-2", "rouge-2"), ("bleu", "there are"), ("ngram-0", "ngram")]
)
def test_an_unknown_metric_is_refused_with_a_suggestion(word: str, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        metric_catalogue.find(word)


# -- metrics that others write ----------------------------------------------------------------------

LENGTHS = '''
from bench.metrics.base import Metric

class Lengths(Metric):
    """Compares how long texts are."""
    name = "lengths"
    title = "shorter over longer"
    citation = "nobody, http://example.org"
    figures = ("share",)
    main = "share"

    def count(self, gold, language, texts):
        def score(text):
            lengths = sorted((len(text), len(gold.text)))
            return [lengths[0] / lengths[1] if lengths[1] else 1.0]
        return map(score, texts)
'''


@pytest.fixture
def no_files_known(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(metric_catalogue, "_of_files", {})


def write(folder: Path, text: str) -> Path:
    path = folder / "lengths.py"
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.usefixtures("no_files_known")
def test_a_file_adds_a_metric(tmp_path: Path) -> None:
    path = write(tmp_path, LENGTHS)
    (metric,) = metric_catalogue.chosen([str(path)])
    assert metric_catalogue.find("lengths") is metric
    assert figures(metric, [TEXT, ""])["share"].values() == pytest.approx([0.5])
    assert not (tmp_path / "__pycache__").exists()
    (changed,) = metric_catalogue.use(write(tmp_path, LENGTHS.replace("1.0", "0.5")))
    assert changed.scorer != metric.scorer, "kept scores are those of the file as it was"


@pytest.mark.usefixtures("no_files_known")
@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("class Lengths", "class Lengths(", "SyntaxError"),
        ("import Metric", "import Nothing", "ImportError: .*Nothing"),
        ("class Lengths(Metric)", "class Lengths", "no subclass of bench.metrics.base.Metric"),
        ("def count(", "def prepare(", "Lengths does not define count"),
        ('name = "lengths"', 'name = "../lengths"', "Lengths lacks a name"),
        ('name = "lengths"', 'name = "bow"', "bow is one of ours"),
        ("title", "titel", "Lengths lacks a title"),
        ("citation =", "source_of =", "Lengths lacks a citation"),
        ('main = "share"', 'main = "f1"', "Lengths lacks a main figure"),
        ('("share",)', '("share")', "Lengths lacks figures, a tuple"),
        ('("share",)', '("page", "share")', "Lengths lacks columns, .* other than row, page"),
        ("from bench", "raise SystemExit(3)\nfrom bench", "SystemExit: 3"),
    ],
)
def test_a_wrong_file_is_one_line(tmp_path: Path, old: str, new: str, said: str) -> None:
    path = write(tmp_path, LENGTHS.replace(old, new))
    with pytest.raises(UsageError, match=said) as caught:
        metric_catalogue.use(path)
    assert str(path) in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_file_that_is_not_there_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"gone\.py: FileNotFoundError"):
        metric_catalogue.chosen([str(tmp_path / "gone.py")])


@pytest.mark.usefixtures("no_files_known")
@pytest.mark.parametrize(
    ("returned", "said"),
    [
        ("1 / 0", "ZeroDivisionError"),
        ("[1.0, 1.0]", "ValueError"),
        ("[float('nan')]", "not finite"),
        ("['a lot']", "ValueError"),
        ("None", "TypeError"),
        ("[1.5]", "share is 1.5 to 1.5, not within 0 to 1"),
    ],
)
def test_a_metric_that_fails_is_one_line(tmp_path: Path, returned: str, said: str) -> None:
    path = write(tmp_path, re.sub(r"return \[lengths.*", f"return {returned}", LENGTHS))
    (metric,) = metric_catalogue.use(path)
    item = GoldPage(Page("page-7", b""), GOLD)
    with pytest.raises(BenchError, match=re.escape(said)) as caught:
        scores.of_page(metric, item, None, scores.Outcome.OK, TEXT).of_cell(0, 0)
    assert f"the metric lengths ({path}) failed on" in str(caught.value)
    assert "\n" not in str(caught.value)
    assert "page-7" in str(caught.value) or "share is" in str(caught.value)


@pytest.mark.parametrize(
    "metric", [m for m in METRICS if m.needs == "text"], ids=lambda metric: metric.name
)
@pytest.mark.parametrize(
    ("gold", "text", "outcome", "value"),
    [
        (TEXT, "", Outcome.EMPTY, 0.0),
        ("", "", Outcome.EMPTY, 1.0),
        ("", TEXT, Outcome.OK, 0.0),
        (TEXT, "", Outcome.ERROR, 0.0),
        ("", "", Outcome.TIMEOUT, 0.0),
    ],
)
def test_every_metric_counts_what_is_missing_alike(
    metric: Metric, gold: str, text: str, outcome: Outcome, value: float
) -> None:
    """The table of docs/measuring.md; None is a page that leaves the mean, as in AEB's formula."""
    item = GoldPage(Page("p", b""), Gold(gold))
    page = scores.of_page(metric, item, None, outcome, text).of_cell(0, 0)
    assert page.pop(metric.main) == value
    assert set(page.values()) <= {value, None}
    assert metric.family == "ngram" or None not in page.values()
