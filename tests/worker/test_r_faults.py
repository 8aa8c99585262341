"""What R, Java and the browser can do wrong ends as an outcome, and leaves nothing behind."""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from bench.adapters.adapter import Row
from bench.model import Limits, Outcome
from bench.runs import worker_home
from bench.runs.sampler import Sampler
from bench.runs.supervise import Worker
from tests.contract.test_r_extractors import WORDS, changed, own_row, page, usable

TOKEN = f"bench-test-r-faults-{os.getpid()}"
RECURSES = """
deeper <- function(n) deeper(n + 1)
extract <- function(html, url) if (grepl("MISBEHAVE", html)) deeper(1) else html
"""
BLOCKS = """
extract <- function(html, url) {
  writeLines("left behind", tempfile())
  if (grepl("MISBEHAVE", html)) Sys.sleep(600)
  html
}
"""
ALLOCATES = """
extract <- function(html, url) {
  if (grepl("MISBEHAVE", html)) paste(length(numeric(1e15))) else html
}
"""


@pytest.fixture
def sampler() -> Iterator[Sampler]:
    with Sampler(lambda _: None) as running:
        yield running


def java_notes() -> set[Path]:
    """Where a Java machine notes that it runs, and what it writes when it dies."""
    there = Path(tempfile.gettempdir())
    sockets = Path("/tmp").glob(".java_pid*")  # wherever TMPDIR points
    return {
        *sockets,
        *there.glob("hsperfdata_*/*"),
        *there.glob("hs_err*"),
        *Path.cwd().glob("hs_err*"),
    }


def r_folders() -> set[Path]:
    return set(Path(tempfile.gettempdir()).glob("Rtmp*"))


def browsers() -> set[int]:
    """Processes that a worker of this module started, dead ones apart."""
    found = set()
    for process in psutil.process_iter():
        try:
            marked = process.environ().get(worker_home.TOKEN, "").startswith(TOKEN)
            if marked and process.status() != psutil.STATUS_ZOMBIE:
                found.add(process.pid)
        except (psutil.Error, OSError):
            continue
    return found


def outcomes(row: Row, bad: bytes, sampler: Sampler, **limits: float) -> list[Outcome]:
    """Run a good page, a bad one, and a good one again; nothing may be left behind."""
    before = (java_notes(), r_folders(), browsers())
    worker = Worker(row, Limits(**{"grace_s": 0.5, "page_s": 60, **limits}), sampler, token=TOKEN)  # type: ignore[arg-type]
    good = page(f"<p>{WORDS} all was well</p>")
    try:
        results = [worker.extract(html, None, "utf-8") for html in (good, bad, good)]
    finally:
        worker.stop()
    assert results[0].text == results[2].text, [each.diagnostics for each in results]
    deadline = time.monotonic() + 5
    while browsers() and time.monotonic() < deadline:
        time.sleep(0.05)
    assert (java_notes(), r_folders(), browsers()) == before
    assert not list(Path(tempfile.gettempdir()).glob(f"{TOKEN}*"))
    return [each.outcome for each in results]


def test_a_page_that_takes_minutes_is_a_timeout(sampler: Sampler) -> None:
    adapter, variant = usable("rvest:text2")
    slow = page("<p>a paragraph of some words</p>" * 200_000)
    row = Row(adapter, variant)
    assert outcomes(row, slow, sampler, page_s=3) == ["ok", "timeout", "ok"]


def test_a_page_that_exhausts_the_java_heap_is_out_of_memory(sampler: Sampler) -> None:
    adapter, variant = usable("boilerpipe_java:keep-everything")
    huge = page("<p>some words in here</p>" * 800_000)
    row = Row(adapter, variant)
    assert outcomes(row, huge, sampler) in (["ok", "oom", "ok"], ["ok", "error", "ok"])


def test_a_java_worker_over_its_memory_cap_is_out_of_memory(sampler: Sampler) -> None:
    adapter, variant = usable("boilerpipe_java:keep-everything")
    huge = page("<p>some words in here</p>" * 800_000)
    row = Row(adapter, variant)
    assert outcomes(row, huge, sampler, memory_bytes=600 << 20) == ["ok", "oom", "ok"]


def test_memory_that_r_cannot_get_is_out_of_memory(tmp_path: Path, sampler: Sampler) -> None:
    row = own_row(tmp_path, ALLOCATES)
    assert outcomes(row, b"MISBEHAVE", sampler) == ["ok", "oom", "ok"]


def test_infinite_recursion_is_a_crash(tmp_path: Path, sampler: Sampler) -> None:
    row = own_row(tmp_path, RECURSES)
    assert outcomes(row, b"MISBEHAVE", sampler) == ["ok", "crash", "ok"]


def test_recursion_beside_java_is_a_crash(tmp_path: Path, sampler: Sampler) -> None:
    adapter, variant = usable("boilerpipe_java")
    file = tmp_path / "own.R"
    file.write_text(f"{RECURSES}\nload <- function(extractor) rJava::.jinit()\n")
    row = Row(adapter, variant)
    row = changed(row, row.settings, file=str(file))
    assert outcomes(row, b"MISBEHAVE", sampler) == ["ok", "crash", "ok"]


def test_r_files_of_a_killed_worker_go_with_it(tmp_path: Path, sampler: Sampler) -> None:
    row = own_row(tmp_path, BLOCKS)
    assert outcomes(row, b"MISBEHAVE", sampler, page_s=2) == ["ok", "timeout", "ok"]


def test_no_browser_outlives_its_worker(sampler: Sampler) -> None:
    adapter, variant = usable("rselenium")
    spins = page(f"<p>{WORDS}</p><script>for (;;) {{}}</script>")
    row = Row(adapter, variant)
    assert outcomes(row, spins, sampler, page_s=4) == ["ok", "timeout", "ok"]


def test_a_page_that_sends_the_browser_away_is_an_error(sampler: Sampler, tmp_path: Path) -> None:
    adapter, variant = usable("rselenium")
    other = tmp_path / "other.html"
    other.write_text("<p>the content of the file, which nobody asked for</p>")
    away = page(f"<p>{WORDS}</p><script>location = 'file://{other}'</script>")
    row = Row(adapter, variant)
    worker = Worker(row, Limits(), sampler, token=TOKEN)
    try:
        result = worker.extract(away, None, "utf-8")
    finally:
        worker.stop()
    assert "nobody asked" not in result.text
    assert result.outcome == Outcome.ERROR
    assert "sent the browser" in result.diagnostics
