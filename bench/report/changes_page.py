"""Two versions of rows as one page for a pull request: old text, new text and gold side by side."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from bench.datasets.catalogue import DataSet
from bench.metrics.base import Metric
from bench.report import sentences
from bench.report.site import diff_html
from bench.report.site.rendering import render
from bench.report.text_diff import Diff, Lexicon, Words
from bench.scoring.compare.changes import PageChange, RegionChange
from bench.util.numbers import percent, points, points_interval

TEXTS = 50
"""Pages of a row whose texts are shown, those that changed most."""
_NO_TEXT = "The old text was not kept."
_TOO_MANY = f"Texts are shown of the {TEXTS} pages that changed most."


@dataclass(frozen=True)
class ChangedRow:
    """One row that changed: what it scored and returned before and after."""

    label: str
    whole: RegionChange
    changes: Sequence[PageChange]
    """Pages that differ."""
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
            "rows": [_row(row, data_set) for row in rows],
        },
    )


def _row(row: ChangedRow, data_set: DataSet) -> dict[str, Any]:
    whole, difference = row.whole, row.whole.difference
    most = sorted(row.changes, key=lambda change: (-abs(change.change), change.page))
    shown = {change.page for change in most[:TEXTS]}
    pages = {
        change.page: _page(row, change, data_set, texts=change.page in shown) for change in most
    }

    def some(sign: int) -> Iterator[dict[str, Any]]:
        for change in most:
            if (change.change > 0) - (change.change < 0) == sign:
                yield pages[change.page]

    return {
        "label": row.label,
        "verdict": whole.verdict.value,
        "before": percent(whole.before, 2),
        "after": percent(whole.after, 2),
        "difference": points(difference.value, 2),
        "interval": points_interval(difference.lo, difference.hi, 2),
        "wins": difference.wins,
        "losses": difference.losses,
        "changed": whole.changed,
        "groups": [
            ("pages lost", list(some(-1))),
            ("pages won", list(some(1))),
            ("pages changed with the same score", list(some(0))),
        ],
    }


def _page(row: ChangedRow, change: PageChange, data_set: DataSet, *, texts: bool) -> dict[str, Any]:
    before, after = row.before.get(change.page), row.after.get(change.page)
    outcomes = dict.fromkeys((change.outcome_before, change.outcome_after))
    facts = {
        "id": change.page,
        "before": percent(change.before),
        "after": percent(change.after),
        "outcomes": "" if list(outcomes) == ["ok"] else " → ".join(outcomes),
        "sides": None,
        "why": _NO_TEXT if texts else _TOO_MANY,
        "gold": None,
    }
    if not texts or before is None or after is None:
        return facts
    lexicon = Lexicon()
    gold = data_set.read(change.page).gold.text
    return {
        **facts,
        "sides": diff_html.sides(Diff(Words(before, lexicon), Words(after, lexicon))),
        "gold": None if gold is None else diff_html.shortened(gold),
    }
