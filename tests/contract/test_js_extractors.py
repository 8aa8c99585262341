"""JavaScript extractors and Java's boilerpipe in real workers: their texts, no scripts run."""

from __future__ import annotations

import gzip
import json
import os
from collections.abc import Iterator
from functools import cache as memo
from pathlib import Path

import pytest

from bench.adapters import registry
from bench.adapters.adapter import Row
from bench.adapters.environments import cache, npm
from bench.adapters.environments.build import BuildFailed
from bench.model import Limits, Outcome
from bench.runs.sampler import Sampler
from bench.runs.supervise import Worker
from bench.util import paths
from bench.worker.main import adapter
from tests.conftest import ROOT
from tests.contract.test_adapters_reference import AEB, PAGES, TOLERANCE, f1

SPEC = npm.read(ROOT / "extractors" / "js")
HOME = paths.home()
"""The user's, before each test gets one of its own."""

# By calling the libraries, on the first 40 pages of AEB by id.
F1 = {
    "mozilla_readability": 0.965,
    "defuddle": 0.965,
    "postlight_parser": 0.921,
    "article_extractor": 0.931,
    "unfluff": 0.811,
    "html_to_text": 0.679,
    "boilerpipe": 0.867,
}
ROWS = [*F1, "mozilla_readability:jsdom"]
WHOLE_PAGE = ("html_to_text",)

WORDS = (
    "The old ferry crossed the river twice a day, in fog and in sunshine, until the bridge was "
    "built, and then nobody missed it, at first, because the bridge was quick. Years later the "
    "people of both banks, who had met on its deck for a century, found that they met no more."
)
HOSTILE = f"""<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>The ferry</title>
<base href="http://192.0.2.1/"><link rel="stylesheet" href="http://192.0.2.1/a.css">
<style>@import "http://192.0.2.1/b.css"; p {{ background: url(http://192.0.2.1/c.png) }}</style>
<script src="http://192.0.2.1/d.js"></script>
<script>document.body.innerHTML = "<p>replaced</p>"; process.exit(3); fetch("http://192.0.2.1/e");
require("fs").writeFileSync("/TOP/script", "ran")</script>
<script type="module">import "http://192.0.2.1/f.js"</script></head>
<body onload="process.exit(4)"><article><h1>The ferry</h1>
<p>{WORDS}</p><p onclick="process.exit(5)">{WORDS}</p><p>{WORDS}</p>
<img src="http://192.0.2.1/g.png" onerror="process.exit(6)">
<iframe src="http://192.0.2.1/h.html"></iframe><iframe srcdoc="<script>process.exit(7)</script>">
</iframe><iframe src="javascript:process.exit(8)"></iframe>
<object data="http://192.0.2.1/i.swf"></object><video src="http://192.0.2.1/j.mp4" autoplay></video>
<svg onload="process.exit(9)"><image href="http://192.0.2.1/k.png"/></svg>
<p>{WORDS} <a href="javascript:process.exit(10)">and so on</a></p></article></body></html>"""


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The data directory that holds the environment: the user's where it is there, else a new one."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("BENCH_HOME", str(HOME))
        if cache.find(SPEC) is None:
            patch.setenv("BENCH_HOME", str(tmp_path_factory.mktemp("home")))
            try:
                cache.get(SPEC)
            except BuildFailed as error:
                pytest.skip(f"{error.reason}; {error.remedy}")
        return paths.home()


@pytest.fixture(scope="module")
def sampler() -> Iterator[Sampler]:
    with Sampler(lambda _: None) as watching:
        yield watching


@pytest.fixture
def row(
    request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch, fresh_registry: None
) -> Row:
    if not request.param.startswith("boilerpipe"):
        monkeypatch.setenv("BENCH_HOME", str(request.getfixturevalue("home")))
    (found,) = registry.rows([request.param])
    if not found.adapter.available:
        assert request.param == "boilerpipe", found.adapter.problem
        pytest.skip(f"{found.adapter.problem}; {found.adapter.remedy}")
    return found


@pytest.fixture
def worker(row: Row, sampler: Sampler) -> Iterator[Worker]:
    limits = Limits(page_s=60, load_s=120)
    started = Worker(row, limits, sampler, token=f"bench-js-{os.getpid()}-{row.key[:8]}")
    started.start(warm_up=False)
    yield started
    started.stop()


@pytest.mark.parametrize("row", ROWS, indirect=True)
def test_a_hostile_page_is_only_read(row: Row, worker: Worker, tmp_path: Path) -> None:
    page = HOSTILE.replace("/TOP", str(tmp_path)).encode()
    result = worker.extract(page, "https://example.org/ferry", "utf-8")
    assert result.outcome is Outcome.OK, result.diagnostics
    assert WORDS in " ".join(result.text.split())
    for word in ("replaced", "process.exit", "192.0.2.1"):
        assert word not in result.text
    assert result.network_attempts == 0
    assert not list(tmp_path.iterdir())
    (phases,) = worker.starts  # it never ended
    cls = adapter(str(row.adapter.path), row.adapter.name)
    assert f"{cls.package or cls.name}=={row.adapter.version}" in phases.packages


@memo
def pages() -> list[tuple[str, bytes, str]]:
    """Address, HTML and gold text of the first pages by id."""
    truth = json.loads((AEB / "ground-truth.json").read_text(encoding="utf-8"))
    return [
        (
            truth[page].get("url"),
            gzip.decompress((AEB / "html" / f"{page}.html.gz").read_bytes()),
            truth[page]["articleBody"],
        )
        for page in sorted(truth)[:PAGES]
    ]


@pytest.mark.slow
@pytest.mark.skipif(not AEB.is_dir(), reason=f"the pages of AEB are not at {AEB}")
@pytest.mark.parametrize("row", F1, indirect=True)
def test_scores_as_the_library_does(row: Row, worker: Worker) -> None:
    found = [(gold, worker.extract(html, url, "utf-8").text or "") for url, html, gold in pages()]
    assert f1(found) == pytest.approx(F1[row.label], abs=TOLERANCE)


def test_what_is_not_built_says_how_to(fresh_registry: None) -> None:
    """The version is known before: rows can be named and results found."""
    found = registry.adapters()["unfluff"]
    assert found.version == "3.2.0"
    assert found.facts.language == "JavaScript"
    if npm.node_version():
        assert found.problem == "its environment is not built"
        assert found.remedy == "bench env build unfluff"
        assert found.spec == SPEC
    else:
        assert found.remedy == npm.REMEDY
