"""Every row that can run here keeps the promises of an adapter, in a real worker."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from bench import registry
from bench.model import Outcome
from bench.registry import Adapter, Row
from bench.run.sampler import Sampler
from bench.run.supervise import WARM_UP, Limits, Worker

ROWS = [row for row in registry.all_rows() if row.adapter.available]
ADAPTERS = {row.adapter.name: row.adapter for row in ROWS}

PAGES: dict[str, bytes] = {
    "article": WARM_UP,
    "empty": b"",
    "blank": b" \n\t",
    "malformed": (
        b"<<html><body <p>Some <b>text<p>that <table><td>never</b> ends &nosuch; &#xFFFFFFF; <!-- "
    ),
    "binary": bytes(range(256)),
    "script only": b"<html><body><script>document.write('<p>no text')</script></body></html>",
    "scripts of the world": (
        '<!DOCTYPE html><html lang="ja"><head><meta charset="utf-8"><title>提灯</title></head>'
        "<body><main><h1>提灯の火 🏮</h1>"
        + "<p>風に揺れる提灯の火は、夜の川をゆっくりと下っていった。水車が回る。</p>" * 4
        + "<p>دولاب الماء يدور ببطء قرب الجسر القديم في المدينة.</p></main></body></html>"
    ).encode(),
    "lone surrogate": b"<html><body><p>An emoji cut in two: &#xD83D; and a zero &#0;</p></body></html>",
}


@pytest.fixture(scope="module")
def sampler() -> Iterator[Sampler]:
    with Sampler(lambda _: None) as watching:
        yield watching


@pytest.mark.parametrize("adapter", ADAPTERS.values(), ids=ADAPTERS)
def test_facts_are_there(adapter: Adapter) -> None:
    assert adapter.description.strip().endswith((".", ":", ";"))
    assert len(adapter.description) < 105
    assert adapter.version, "read from the installed package"
    assert adapter.licence
    if adapter.kind == "extractor":
        assert adapter.settings_source.startswith("https://")
        assert adapter.homepage.startswith("https://")


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.label)
def test_runs_in_a_worker(row: Row, sampler: Sampler) -> None:
    limits = Limits(page_s=20, load_s=60)
    worker = Worker(row, limits, sampler, token=f"bench-conformance-{row.key[:8]}")
    given = {"article": b"The gold text, as it is."} if row.adapter.accepts == "gold" else {}
    try:
        worker.start(warm_up=False)
        results = {
            name: worker.extract(given.get(name, html), "https://example.org/a?b=ü", "utf-8")
            for name, html in PAGES.items()
            if not (row.adapter.accepts == "gold" and name != "article")
        }
        again = worker.extract(given.get("article", WARM_UP), "https://example.org/a?b=ü", "utf-8")
        (phases,) = worker.phases  # started once: no page was the end of it
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
