"""Two versions of rows as one page for a pull request: old text, new text and gold side by side."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from bench.datasets.catalogue import DataSet
from bench.metrics.base import Metric
from bench.report import sentences
from bench.report.site import diff_html
from bench.report.site.rendering import render
from bench.report.text_diff import Diff
from bench.scoring.compare.changes import PageChange
from bench.scoring.compare.comparison import Pair
from bench.scoring.compare.regressions import RowChecked
from bench.util.numbers import percent, points, points_interval

TEXTS = 50
"""Pages of a row whose texts are shown, those that changed most."""
_NO_TEXT = "The old text was not kept."
_TOO_MANY = f"Texts are shown of the {TEXTS} pages that changed most."


@dataclass(frozen=True)
class ChangedRow:
    """A row, and what it returned before and after."""

    row: Pair | RowChecked
    before: Mapping[str, str]
    """Texts by page; a page that is missing was not kept."""
    after: Mapping[str, str]


def page(old: str, new: str, data_set: DataSet, metric: Metric, rows: Sequence[ChangedRow]) -> str:
    """Return the page, whole in one file. Raises ``GoldError`` for a page that cannot be read."""
    return render(
        "comparison.html",
        {
            "old": old,
            "new": new,
            "data_set": data_set.name,
            "figure": f"{sentences.title(metric.main)} ({metric.name})",
            "rows": [_row(changed, data_set) for changed in rows if changed.row.changes],
        },
    )


def _row(changed: ChangedRow, data_set: DataSet) -> dict[str, Any]:
    whole, difference = changed.row.whole, changed.row.whole.difference
    most = sorted(changed.row.changes, key=lambda change: (-abs(change.change), change.page))
    pages = [
        (change.change, _page(changed, change, data_set, texts=at < TEXTS))
        for at, change in enumerate(most)
    ]
    return {
        "label": changed.row.label,
        "verdict": whole.verdict.value,
        "before": percent(whole.before, 2),
        "after": percent(whole.after, 2),
        "difference": points(difference.value, 2),
        "interval": points_interval(difference.lo, difference.hi, 2),
        "wins": difference.wins,
        "losses": difference.losses,
        "changed": whole.changed,
        "groups": [
            ("pages lost", [page for change, page in pages if change < 0]),
            ("pages won", [page for change, page in pages if change > 0]),
            ("pages changed with the same score", [page for change, page in pages if not change]),
        ],
    }


def _page(
    changed: ChangedRow, change: PageChange, data_set: DataSet, *, texts: bool
) -> dict[str, Any]:
    before, after = changed.before.get(change.page), changed.after.get(change.page)
    facts = {
        "id": change.page,
        "before": percent(change.before),
        "after": percent(change.after),
        "outcomes": "" if change.outcomes == "ok" else change.outcomes,
        "sides": None,
        "why": _NO_TEXT if texts else _TOO_MANY,
        "gold": None,
    }
    if not texts or before is None or after is None:
        return facts
    gold = data_set.read(change.page).gold.text
    return {
        **facts,
        "sides": diff_html.sides(Diff.of(before, after)),
        "gold": None if gold is None else diff_html.shortened(gold),
    }
