"""What lint finds on WCXB, compared with what a person found there."""

from __future__ import annotations

from pathlib import Path

import pytest

from bench.datasets import readers
from bench.datasets.card import Card
from bench.datasets.catalogue import DataSet
from bench.datasets.lint import run
from bench.datasets.lint.findings import LintReport


@pytest.fixture(scope="module")
def wcxb(shared: Path) -> LintReport:
    root = shared / "gold" / "wcxb"
    return run.lint([DataSet(Card("wcxb", "", "", "wcxb"), readers.open_folder("wcxb", root))])[0]


def pages_of(report: LintReport, *checks: str) -> list[tuple[str, ...]]:
    return sorted(each.pages for each in report.findings if each.check in checks)


def test_wcxb_has_two_pairs_of_identical_pages(wcxb: LintReport) -> None:
    assert pages_of(wcxb, "duplicate") == [("0463", "3035"), ("0670", "2863")]
    assert {"3035", "2863"} <= set(wcxb.rejected)
    assert not {"0463", "0670"} & set(wcxb.rejected)


def test_wcxb_has_21_pages_with_empty_gold(wcxb: LintReport) -> None:
    assert len(pages_of(wcxb, "empty-gold")) == 21


def test_wcxb_has_stale_charset_declarations(wcxb: LintReport) -> None:
    assert [ids[0] for ids in pages_of(wcxb, "stale-charset")] == [
        "0052", "0193", "0327", "0452", "0525", "0527", "0533", "4071",
    ]  # fmt: skip


def test_what_else_wcxb_has(wcxb: LintReport) -> None:
    """Pages looked at by eye: gold of another page, and pages that scripts fill."""
    elsewhere = {ids[0] for ids in pages_of(wcxb, "gold-not-in-page")}
    assert {"4145", "4147", "4278", "4314", "4607", "4838"} <= elsewhere
    assert {"0582", "2838", "4470"} <= {ids[0] for ids in pages_of(wcxb, "gold-in-source-only")}
    assert ("4720", "4721", "4722") in pages_of(wcxb, "near-duplicate")
    assert len(wcxb.rejected) == 11
    assert "overlap" not in {each.check for each in wcxb.findings}
