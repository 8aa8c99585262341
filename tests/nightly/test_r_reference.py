"""R extractors on AEB's pages: precision and recall as measured when each was first run by hand."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from bench.adapters import registry
from bench.datasets import readers
from bench.metrics.ngram import Ngram
from bench.model import Limits
from bench.runs.sampler import Sampler
from bench.runs.supervise import Worker

TOLERANCE = 0.01

# Counted with a page without text as 0 precision, Rcrawler's paragraphs are at .77: five pages have
# no <p> at all. By our formulas such pages leave the mean.
EXPECTED = {
    "rvest:text": (0.25, 0.98),
    "rvest:text2": (0.25, 0.99),
    "r_xml:all": (0.25, 0.99),
    "r_xml:visible": (0.50, 0.99),
    "boilerpipe_java": (0.85, 0.87),
    "boilerpiper": (0.85, 0.87),
    "htm2txt": (0.51, 0.99),
    "rcrawler:body": (0.48, 0.99),
    "rcrawler:paragraphs": (0.79, 0.88),
}


@pytest.mark.slow
@pytest.mark.parametrize("label", EXPECTED)
def test_precision_and_recall_on_aeb(label: str, shared: Path) -> None:
    (row,) = registry.rows([label])
    if not row.adapter.available:
        pytest.skip(row.adapter.problem)
    reader = readers.open_folder("aeb", shared / "gold" / "aeb")
    columns, failed = [], []
    with Sampler(lambda _: None) as sampler:
        worker = Worker(row, Limits(), sampler, token="bench-test-r-reference")
        try:
            for page_id in reader.ids:
                item = reader.read(page_id)
                result = worker.extract(row.handed(item), item.page.url, item.page.encoding)
                columns.extend(Ngram().count(item.gold, "en", [result.text]))
                failed.append(result.outcome.failed)
        finally:
            worker.stop()
    assert not any(failed)
    by_name = dict(zip(Ngram.columns, np.array(columns).T[:, None, :], strict=True))
    figures = Ngram().fold(by_name, np.array([failed]))
    precision, recall = (figures[name].values()[0] for name in ("precision", "recall"))
    assert (precision, recall) == pytest.approx(EXPECTED[label], abs=TOLERANCE)
