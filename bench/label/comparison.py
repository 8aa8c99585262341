"""A label beside others: another annotator's, and what extractors of a stored run returned."""

from collections import Counter, defaultdict
from dataclasses import asdict, dataclass
from functools import cached_property
from itertools import combinations
from pathlib import Path
from typing import Any

from bench.datasets import facts, fingerprint
from bench.label import labels
from bench.label.folder import LabelFolder
from bench.label.text import PARTS, painted
from bench.label.tree import Tree
from bench.metrics.ngram import Ngram
from bench.model import Gold, GoldPage, Outcome, Page, UsageError
from bench.runs.store import runs
from bench.scoring import agreement as overlap
from bench.scoring import scores


@dataclass(frozen=True)
class PageAgreement:
    """How far two annotators agree on a page."""

    page: str
    f1: float
    """4-gram F1 of their texts."""
    elements: int
    """Elements with text of their own."""
    same: int
    """Those of which both say that they are main text, or that they are not."""


@dataclass(frozen=True)
class Agreement:
    """How far two annotators agree on the pages that both labelled."""

    annotators: tuple[str, str]
    pages: list[PageAgreement]
    kappa: float | None
    """Cohen's (1960, https://doi.org/10.1177/001316446002000104) over all elements; None where
    there is nothing to agree on beyond chance."""

    @property
    def f1(self) -> float:
        """Mean over pages."""
        return sum(page.f1 for page in self.pages) / len(self.pages)

    @property
    def same(self) -> float:
        """Share of all elements."""
        return sum(page.same for page in self.pages) / sum(page.elements for page in self.pages)

    def to_json(self) -> dict[str, Any]:
        """Return the form for machines."""
        return {**asdict(self), "f1": self.f1, "same": self.same}


def agreement(folder: LabelFolder) -> list[Agreement]:
    """Return the agreement of each two annotators. Raises ``UsageError`` where no two share a page."""
    pairs = []
    for one, other in combinations(folder.annotators(), 2):
        pages, decisions = [], Counter[tuple[bool, bool]]()
        for page_id in sorted(folder.ids):
            first, second = (folder.label(page_id, name) for name in (one, other))
            if first and second:
                tree, page = folder.tree(page_id), folder.reader.page(page_id)
                one_text, other_text = (
                    folder.text(page_id, label.marks) for label in (first, second)
                )
                page_decisions = Counter(
                    zip(*(_decisions(tree, label) for label in (first, second)), strict=True)
                )
                decisions += page_decisions
                same = page_decisions[True, True] + page_decisions[False, False]
                pages.append(
                    PageAgreement(
                        page_id, f1(page, one_text, other_text), page_decisions.total(), same
                    )
                )
        if pages:
            pairs.append(Agreement((one, other), pages, _kappa(decisions)))
    if not pairs:
        raise UsageError(
            f"no page of {folder.root} is labelled by two people; fix: bench label --as NAME"
        )
    return pairs


def f1(page: Page, gold: str, text: str, outcome: Outcome = Outcome.OK) -> float:
    """Return the 4-gram F1 of a text on a page, as every verb scores it."""
    item = GoldPage(page, Gold(gold))
    language = facts.of_page(item).scored_language
    return scores.of_page(Ngram(), item, language, outcome, text).of_cell(0, 0)["f1"] or 0.0


def _decisions(tree: Tree, label: labels.Label) -> list[bool]:
    """Return of each element with text of its own whether most of that is main text."""
    paint = painted(tree, labels.claims(label.marks, tree))
    balance: defaultdict[int, int] = defaultdict(int)
    for node in tree.nodes:
        if not node.name and not tree.text[node.start : node.end].isspace():
            main = paint.count(PARTS.index("main"), node.start, node.end)
            balance[node.parent] += 2 * main - (node.end - node.start)
    return [balance[parent] > 0 for parent in sorted(balance)]


def _kappa(decisions: Counter[tuple[bool, bool]]) -> float | None:
    total = decisions.total()
    first = (decisions[True, True] + decisions[True, False]) / total if total else 0
    second = (decisions[True, True] + decisions[False, True]) / total if total else 0
    chance = first * second + (1 - first) * (1 - second)
    if not total or chance == 1:
        return None
    observed = (decisions[True, True] + decisions[False, False]) / total
    return (observed - chance) / (1 - chance)


class StoredTexts:
    """What extractors returned for pages of a folder, in the latest finished run over it."""

    def __init__(self, root: Path, results: Path) -> None:
        place = str(root.resolve())
        self._run = runs.latest(results, lambda run: run.manifest.gold.root == place)

    @cached_property
    def _cells(self) -> Any:
        """The first repeat of each cell; None where there is no run."""
        if self._run is None:
            return None
        return self._run.cells("row", "page", "page_hash", "outcome", "text_hash", repeat=0)

    def against(self, page: Page, gold: str) -> list[dict[str, Any]]:
        """Return each row's label, outcome, text and F1 on a page that is as it was, best first."""
        if self._run is None:
            return []
        page_hash = fingerprint.of_page(GoldPage(page, Gold(None))).page
        cells = self._cells
        cells = cells[(cells["page"] == page.id) & (cells["page_hash"] == page_hash)]
        texts = self._run.texts(set(cells["text_hash"]))
        names = {row.key: row.label for row in self._run.manifest.rows}
        rows = [
            {
                "label": names[cell.row],
                "outcome": cell.outcome,
                "f1": f1(page, gold, texts[cell.text_hash], Outcome(cell.outcome)),
                "text": texts[cell.text_hash],
            }
            for cell in cells.itertuples()
        ]
        return sorted(rows, key=lambda row: (-row["f1"], row["label"]))

    def disputed(self) -> list[str]:
        """Return the pages of the run, those first on which extractors' texts overlap least.

        Raises ``UsageError`` where there is no run of two extractors.
        """
        extractors = (
            {row.key for row in self._run.manifest.rows if row.facts.counts_as == "extractor"}
            if self._run
            else set()
        )
        if self._run is None or len(extractors) < 2:
            raise UsageError(
                "--disputed needs a finished run of two extractors over this folder; fix: bench run "
                "NAME NAME --gold folder:DIR"
            )
        overlaps = {}
        for page_id, cells in self._cells[self._cells["row"].isin(extractors)].groupby("page"):
            texts = self._run.texts(set(cells["text_hash"]))
            pairs = overlap.of_page(
                None, [texts[text_hash] for text_hash in cells["text_hash"]]
            ).pairs
            overlaps[str(page_id)] = float(pairs.mean())
        return sorted(overlaps, key=lambda page_id: (overlaps[page_id], page_id))
