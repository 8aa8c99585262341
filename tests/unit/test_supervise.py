"""What the supervisor decides: when to start a worker again, and when to stop trying."""

from __future__ import annotations

from pathlib import Path

import pytest

from bench.adapters.adapter import Row
from bench.model import Limits, Outcome
from bench.runs.process import LoadFailed
from bench.runs.sampler import Sampler
from bench.runs.supervise import Worker
from tests.conftest import described

LOADS = '''
"""Dies on its first page."""
import os
from bench.extractor import Extractor

class LoadsOnce(Extractor):
    name = "loads_once"

    def extract(self, html, url):
        if "MISBEHAVE" in html:
            os._exit(3)
        return html
'''
LOADS_NO_MORE = (
    LOADS
    + """
    def load(self):
        raise RuntimeError("not twice")
"""
)


def test_a_worker_that_cannot_be_started_again_is_given_up(tmp_path: Path) -> None:
    path = tmp_path / "loads_once.py"
    path.write_text(LOADS, encoding="utf-8")
    (adapter,) = described(path)
    with Sampler(lambda _: None) as sampler:
        worker = Worker(Row(adapter, "default"), Limits(), sampler, token="bench-test-supervise")
        first = worker.extract(b"MISBEHAVE", None, None)
        assert first.outcome is Outcome.CRASH
        assert "status 3" in first.diagnostics
        path.write_text(LOADS_NO_MORE, encoding="utf-8")
        reasons = []
        for _ in range(5):
            with pytest.raises(LoadFailed) as raised:
                worker.extract(b"a page", None, None)
            reasons.append(raised.value.reason)
        worker.stop()
    assert reasons == ["RuntimeError: not twice"] * 3 + ["given up after 3 tries"] * 2
