"""Both Dorosz methods beside ``xpath``, which does nothing but parse a page and join its texts."""

from __future__ import annotations

import time
from pathlib import Path

from bench.adapters import registry
from bench.adapters.adapter import Row
from bench.datasets import readers
from bench.extractor import Extractor
from bench.worker.decode import decode
from bench.worker.main import adapter
from tests.perf.table import Measurement

_ROUNDS = 7
_TIMES = 3.0
_YARDSTICK = "xpath"


def measure(aeb: Path) -> list[Measurement]:
    """Let every row have all pages in turn; the least CPU time of a few rounds for each."""
    reader = readers.open_folder("aeb", aeb)
    items = [reader.read(page_id) for page_id in reader.ids]
    pages = [decode(item.page.html, item.page.encoding) for item in items]
    loaded = {row.label: _loaded(row) for row in registry.rows([_YARDSTICK, "dorosz_*:*"])}
    rounds = [
        {label: _cpu_s(each, pages) for label, each in loaded.items()} for _ in range(_ROUNDS)
    ]
    least = {label: min(each[label] for each in rounds) for label in loaded}
    yardstick_s = least.pop(_YARDSTICK)
    return [
        Measurement(
            f"{label}: {len(pages)} AEB pages, against {_YARDSTICK}",
            f"{took_s / yardstick_s:.2f} times, {1000 * took_s / len(pages):.2f} ms a page",
            f"under {_TIMES:g} times",
            took_s < _TIMES * yardstick_s,
        )
        for label, took_s in least.items()
    ]


def _loaded(row: Row) -> Extractor:
    extractor: Extractor = adapter(str(row.adapter.path), row.adapter.name)()
    extractor.load(**row.settings)
    return extractor


def _cpu_s(extractor: Extractor, pages: list[str]) -> float:
    before = time.process_time()
    for html in pages:
        extractor.extract(html, None)
    return time.process_time() - before
