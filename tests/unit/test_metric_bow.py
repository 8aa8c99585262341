"""Words as a multiset: against WCXB's definition, and against figures on its own pages."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from importlib import metadata
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench.datasets import readers
from bench.metrics.bow import Bow
from tests.pairs import scored

TEXTS = st.text(alphabet="aAbBİß éñ_1 \n.-字", max_size=30)

# trafilatura 2.3.1, default settings, on the development split: precision, recall, F1.
VERSION, OVERALL = "2.3.1", (0.8505, 0.8457, 0.8184)
F1_BY_TYPE = {
    "article": 0.9291,
    "forum": 0.7027,
    "product": 0.6298,
    "collection": 0.5744,
    "listing": 0.5778,
    "documentation": 0.9172,
    "service": 0.7647,
}


@pytest.mark.parametrize(
    ("gold", "text", "expected"),
    [
        ("a b c d", "A B x", (2 / 3, 2 / 4, 4 / 7)),
        ("a a b", "b a a a", (3 / 4, 1, 6 / 7)),
        ("a b", "b a", (1, 1, 1)),
        ("a", "b", (0, 0, 0)),
        ("a", "", (0, 0, 0)),
        ("", "a", (0, 0, 0)),
        ("", "", (1, 1, 1)),
        (".", " - ", (1, 1, 1)),
    ],
)
def test_figures_of_a_page(gold: str, text: str, expected: tuple[float, ...]) -> None:
    assert scored(Bow(), gold, text) == pytest.approx(expected)


@given(TEXTS, TEXTS)
def test_figures_are_those_of_the_definition(gold: str, text: str) -> None:
    g = Counter(re.findall(r"\w+", gold.lower()))
    e = Counter(re.findall(r"\w+", text.lower()))
    precision, recall, f1 = scored(Bow(), gold, text)
    if not g or not e:
        assert precision == recall == f1 == float(g == e)
        return
    assert precision == (g & e).total() / e.total()
    assert recall == (g & e).total() / g.total()
    assert f1 == pytest.approx(2 * (g & e).total() / (g.total() + e.total()))


@pytest.mark.slow
def test_figures_on_wcxb(shared: Path) -> None:
    root = shared / "gold" / "wcxb"
    if not root.is_dir():
        pytest.skip(f"{root} is not here")
    trafilatura = pytest.importorskip("trafilatura")
    if metadata.version("trafilatura") != VERSION:
        pytest.skip(f"the figures are those of trafilatura {VERSION}")
    reader = readers.open_folder("wcxb", root)
    by_type = defaultdict(list)
    for page_id in reader.ids:
        item = reader.read(page_id)
        text = trafilatura.extract(item.page.html.decode("utf-8")) or ""
        by_type[item.page.page_type].append(scored(Bow(), item.gold.text or "", text))
    pages = [score for scores in by_type.values() for score in scores]
    assert len(pages) == 1497
    assert np.mean(pages, axis=0) == pytest.approx(OVERALL, abs=0.0005)
    f1 = {kind: np.mean([f1 for _, _, f1 in scores]) for kind, scores in by_type.items()}
    assert f1 == pytest.approx(F1_BY_TYPE, abs=0.0005)
