"""The rules of a check and the baseline file, without running anything."""

from __future__ import annotations

import io
import tempfile
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree as ET

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from bench.metrics.ngram import Ngram
from bench.report import check as report
from bench.report import junit, markdown, terminal
from bench.scoring.compare import baseline as files
from bench.scoring.compare import baseline_update, changes, check, regressions, row_scores
from bench.scoring.compare.baseline import AcceptedRow, Baseline
from bench.scoring.compare.current_run import CurrentRun
from bench.scoring.compare.row_scores import RowScores
from bench.scoring.compare.rules import Rules
from bench.scoring.compare.verdicts import CannotCompare, Verdict

METRIC = Ngram()
HOSTILE = 'a<b>&"]]>\x1b[31m|`\ufffe\x00\n'


def side(found: np.ndarray, label: str = "it", outcomes: np.ndarray | None = None) -> RowScores:
    """A row that finds this share of each page's text and nothing else."""
    ok = np.full(found.size, "ok", object)
    columns = {"tp": found, "fp": np.zeros_like(found), "fn": 1 - found, "exact": found * 0}
    return RowScores(label, "1.0", ok if outcomes is None else outcomes, columns)


def now(row: RowScores, label: str = "it") -> CurrentRun:
    pages = tuple(f"p{at}" for at in range(row.outcomes.size))
    return CurrentRun("set", "f" * 64, METRIC, pages, {label: row})


def where(pages: int, **labels: list[str]) -> list[changes.Region]:
    return changes.regions(pages, labels)


def accepted(row: RowScores, regions: list[changes.Region], label: str = "it") -> Baseline:
    return baseline_update.updated(None, now(row, label), regions, [label], Rules())


def outcome(before: RowScores, after: RowScores, regions: list[changes.Region]) -> check.Checked:
    return check.compare(accepted(before, regions), now(after), regions, ["it"])


def test_the_same_texts_are_no_comparison_at_all() -> None:
    row = side(np.linspace(0, 1, 40))
    found = outcome(row, row, where(40))
    assert (found.status, found.comparisons, found.rows[0].verdict) == (0, 0, Verdict.SAME)


def test_a_loss_beyond_epsilon_on_the_same_pages_fails_without_a_test() -> None:
    before = np.full(12, 0.9)
    after = before.copy()
    after[:2] -= 0.06  # 1 point in all, on pages too few for a test
    checked = outcome(side(before), side(after), where(12))
    (regression,) = checked.regressions
    assert (regression.kind, regression.p) == (regressions.Kind.QUALITY, None)
    assert checked.rows[0].verdict is Verdict.WORSE
    assert outcome(side(before), side(before - 0.004), where(12)).status == 0


def test_a_small_loss_on_every_page_fails_if_it_is_significant() -> None:
    before = np.full(40, 0.9)
    assert outcome(side(before), side(before - 0.0009), where(40)).status == 0
    (regression,) = outcome(side(before), side(before - 0.003), where(40)).regressions
    assert regression.p is not None
    assert regression.p < 0.05


def test_pages_that_differ_from_repeat_to_repeat_are_judged_by_the_test_alone() -> None:
    before, after = np.full(40, 0.9), np.full(40, 0.9)
    after[:2] -= 0.2
    unstable = replace(side(after), unstable=frozenset({"p0", "p1"}))
    assert outcome(side(before), side(after), where(40)).status == 1
    assert outcome(side(before), unstable, where(40)).status == 0


def test_one_page_destroyed_is_named() -> None:
    before = np.linspace(0.8, 1, 181)
    after = before.copy()
    after[7] = 0.01
    (regression,) = outcome(side(before), side(after), where(181)).regressions
    assert regression.kind is regressions.Kind.PAGE
    assert [page.page for page in regression.pages] == ["p7"]


def test_three_of_181_pages_destroyed_are_named() -> None:
    before = np.full(181, 1.0)
    after = before.copy()
    after[[3, 90, 170]] = 0.01
    checked = outcome(side(before), side(after), where(181))
    assert checked.status == 1
    (page_rule,) = (r for r in checked.regressions if r.kind is regressions.Kind.PAGE)
    assert {page.page for page in page_rule.pages} == {"p3", "p90", "p170"}


def test_a_few_pages_that_each_lose_a_little_are_one_regression() -> None:
    before = np.full(181, 0.9)
    after = before.copy()
    after[:2] -= 0.25
    assert outcome(side(before), side(after), where(181)).status == 0
    after[2] -= 0.25
    (regression,) = outcome(side(before), side(after), where(181)).regressions
    assert [page.page for page in regression.pages] == ["p0", "p1", "p2"]


def test_a_small_slice_warns_and_does_not_fail() -> None:
    labels = ["a"] * 176 + ["b"] * 5
    regions, before = where(181, kind=labels), np.full(181, 0.9)
    after = before.copy()
    after[176:178] -= 0.1
    checked = outcome(side(before), side(after), regions)
    assert checked.status == 0
    (small,) = checked.rows[0].small_slices(checked.rules)
    assert small.where == "kind b"
    text = markdown.render(report.document(checked))
    assert "Warning: it lost on slices too small to test: kind b -2.3" in text


def test_nothing_is_said_of_what_could_be_found_where_no_test_can() -> None:
    before = np.full(12, 0.9)
    checked = outcome(side(before), side(before - 0.001), where(12))
    assert "four times in five" not in markdown.render(report.document(checked))


def test_other_languages_of_pages_make_scores_others() -> None:
    """The unit that is counted depends on them: what was kept is of another computation."""
    row, regions = side(np.full(40, 0.9)), where(40)
    old = baseline_update.updated(
        None, replace(now(row), score_key="2+a"), regions, ["it"], Rules()
    )
    with pytest.raises(CannotCompare, match="language"):
        check.compare(old, replace(now(row), score_key="2+b"), regions, ["it"])
    unknown = replace(old, score_key="")  # as in files of schema 1
    assert check.compare(unknown, replace(now(row), score_key="2+b"), regions, ["it"]).status == 0


def test_a_page_of_empty_gold_may_come_back_empty() -> None:
    before, ok = np.full(10, 0.5), np.full(10, "ok", object)
    empty = ok.copy()
    empty[2] = "empty"
    after = before.copy()
    after[2] = 0.0
    assert outcome(side(before), side(after, outcomes=empty), where(10)).status == 1
    after[2] = 1.0
    assert outcome(side(before), side(after, outcomes=empty), where(10)).status == 0


def test_floors_rise_by_themselves_and_fall_for_a_reason_only() -> None:
    regions, before = where(40), np.full(40, 0.8)
    old = accepted(side(before), regions)
    better = baseline_update.updated(old, now(side(before + 0.1)), regions, ["it"], Rules())
    assert better.rows["it"].floors[changes.ALL] > old.rows["it"].floors[changes.ALL]
    back = check.compare(better, now(side(before)), regions, ["it"])
    lines = baseline_update.lowered(back)
    assert list(lines) == ["it"]
    kept = baseline_update.updated(better, now(side(before)), regions, ["it"], Rules())
    assert kept.rows["it"].floors == better.rows["it"].floors
    allowed = baseline_update.updated(
        better, now(side(before)), regions, ["it"], Rules(), allowed=lines, reason="why"
    )
    assert allowed.rows["it"].floors[changes.ALL] == pytest.approx(
        old.rows["it"].floors[changes.ALL]
    )
    assert allowed.history[-1]["reason"] == "why"


def test_comparisons_that_cannot_be_made_do_not_count() -> None:
    labels = [str(at // 2) for at in range(40)]
    before = np.full(40, 0.9)
    checked = outcome(side(before), side(before - 0.01), where(40, pair=labels))
    assert checked.comparisons == 1
    assert [each.kind for each in checked.regressions] == [regressions.Kind.QUALITY]


@given(st.lists(st.floats(0, 1), min_size=1, max_size=12), st.text(max_size=20))
def test_the_file_gives_back_what_was_written(values: list[float], name: str) -> None:
    label = name.encode("utf-8", "replace").decode() or "it"
    row = files.rounded(side(np.array(values), label))
    written = accepted(row, where(len(values)), label)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "baseline.json"
        files.write(path, written)
        read = files.read(path)
    assert read.pages == written.pages
    assert read.rules == written.rules
    assert not changes.differing(
        row_scores.joined(METRIC, read.pages, [row, read.rows[label].scores])
    ).any()


@pytest.mark.parametrize(
    "damage",
    ['{"schema": 1}', "[]", "{", '{"schema": "x"}', '{"schema": 1, "metric": {"name": "nope"}}'],
)
def test_a_damaged_file_is_one_line(tmp_path: Path, damage: str) -> None:
    path = tmp_path / "baseline.json"
    path.write_text(damage, encoding="utf-8")
    with pytest.raises(CannotCompare, match=r"baseline\.json"):
        files.read(path)


def test_strangers_names_are_escaped_in_every_report() -> None:
    pages = tuple(f"{HOSTILE}{at}" for at in range(10))
    before, after = np.full(10, 0.9), np.full(10, 0.2)
    rows: Mapping[str, AcceptedRow] = {HOSTILE: AcceptedRow(side(before, HOSTILE), {})}
    old = Baseline(HOSTILE, "f" * 64, METRIC, pages, rows)
    new = CurrentRun(HOSTILE, "f" * 64, METRIC, pages, {HOSTILE: side(after, HOSTILE)})
    found = check.compare(old, new, where(10, kind=[HOSTILE] * 5 + ["b"] * 5), [HOSTILE, "gone"])
    assert found.status == 1
    suite = ET.fromstring(junit.xml(found).encode())
    assert suite.get("failures") == str(sum(map(len, found.causes.values())))
    assert suite.get("errors") == "1"
    text = markdown.render(report.document(found))
    assert "<b>" not in text.replace("\\<b\\>", "")
    screen = io.StringIO()
    terminal.show(report.document(found), Console(file=screen, color_system=None))
    for shown in (text, screen.getvalue(), junit.xml(found)):
        assert "\x1b" not in shown
        assert "\x00" not in shown
