"""Every row that can run here keeps the promises of an adapter, in a real worker."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from bench.adapters import registry
from bench.adapters.adapter import Adapter, Row
from bench.datasets import catalogue
from bench.metrics.texts.tokens import tokenize
from bench.model import Limits, Outcome
from bench.runs.conformance import cases, suite
from bench.runs.conformance.cases import ARTICLE, SMALL
from bench.runs.sampler import Sampler
from bench.runs.supervise import Worker

ROWS = [row for row in registry.all_rows() if row.adapter.available]
ADAPTERS = {row.adapter.name: row.adapter for row in ROWS}
ENSEMBLES = [row for row in ROWS if row.members]
FIRST = {row.adapter.name: row.variant for row in reversed(ROWS)}
"""Of each extractor the variant that runs by day; all run by night."""


@pytest.fixture(scope="module")
def sampler() -> Iterator[Sampler]:
    with Sampler(lambda _: None) as watching:
        yield watching


@pytest.mark.parametrize("adapter", ADAPTERS.values(), ids=ADAPTERS)
def test_facts_are_there(adapter: Adapter) -> None:
    assert [finding for finding in suite.facts(adapter) if finding.level != "ok"] == []


def test_what_is_claimed_of_authors_and_labels_has_a_source() -> None:
    cards = catalogue.all_cards()
    for adapter in registry.adapters().values():
        for claim in adapter.facts.tuned_on:
            name, _, source = claim.partition("=")
            assert name in cards, claim
            assert source.startswith("https://"), claim
    for card, _ in cards.values():
        assert card.labelled, card.name
        assert card.smoke or card.citation or card.source.startswith("https://"), card.name


@pytest.mark.parametrize("row", ENSEMBLES, ids=lambda row: row.label)
def test_an_ensemble_runs_in_a_worker(row: Row, sampler: Sampler) -> None:
    worker = Worker(row, Limits(page_s=20), sampler, token=f"bench-conformance-{row.key[:8]}")
    found = {}
    try:
        worker.start()  # with the warm-up that ensembles have
        for case in cases.member_texts(len(row.members)):
            result = worker.extract(case.handed(row), None, None)
            again = worker.extract(case.handed(row), None, None)
            assert result.outcome in (Outcome.OK, Outcome.EMPTY), (case.name, result.diagnostics)
            assert again.text == result.text, case.name
            assert result.usage.rss_peak_bytes
            found[case.name] = (case, result.text)
        (phases,) = worker.starts  # started once: no page was the end of it
    finally:
        worker.stop()
    assert phases.warm_up_s > 0
    for case, text in found.values():
        members = {word for each in case.texts for word in tokenize(each)}
        assert set(tokenize(text)) <= members, case.name
    case, text = found["the same texts"]
    assert text.split() == case.texts[0].split()
    assert {found[name][1] for name in ("no text", "no text, no gold", "blank texts")} == {""}


@pytest.mark.parametrize("row", ENSEMBLES, ids=lambda row: row.label)
def test_the_doctor_passes_an_ensemble(row: Row) -> None:
    found = suite.examine(row, Limits(page_s=20))
    assert [each for each in found if each.level != "ok"] == []
    assert len(found) > 10


@pytest.mark.parametrize(
    "row",
    [
        pytest.param(
            row,
            id=row.label,
            marks=() if FIRST[row.adapter.name] == row.variant else pytest.mark.slow,
        )
        for row in ROWS
        if not row.members
    ],
)
def test_runs_in_a_worker(row: Row, sampler: Sampler) -> None:
    limits = Limits(page_s=20, load_s=60)
    worker = Worker(row, limits, sampler, token=f"bench-conformance-{row.key[:8]}")
    given = {"article": b"The gold text, as it is."} if row.adapter.facts.accepts == "gold" else {}
    try:
        worker.start(warm_up=False)
        results = {
            case.name: worker.extract(given.get(case.name, case.html), case.url, "utf-8")
            for case in SMALL
            if not (row.adapter.facts.accepts == "gold" and case.name != "article")
        }
        again = worker.extract(given.get("article", ARTICLE.html), ARTICLE.url, "utf-8")
        (phases,) = worker.starts  # started once: no page was the end of it
    finally:
        worker.stop()
    for name, result in results.items():
        assert result.outcome in (Outcome.OK, Outcome.EMPTY, Outcome.ERROR), name
        assert bool(result.text) == (result.outcome is Outcome.OK), name
        assert result.usage.wall_s >= 0
        assert result.usage.cpu_s >= 0
        assert result.network_attempts == 0
    article = results["article"]
    if row.adapter.name == "nothing":
        assert article.outcome is Outcome.EMPTY
    else:
        assert article.outcome is Outcome.OK, article.diagnostics
        assert len(article.text.split()) > 3
    assert again.text == article.text, "the same page, the same text"
    assert article.usage.rss_peak_bytes
    assert phases.load_s >= 0
    assert phases.rss_bytes
    assert worker.cpu_total_s > 0
