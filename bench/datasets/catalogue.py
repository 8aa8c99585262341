"""Every data set that there is: cards that ship, copies that the user added, folders of one's own."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any, Self

from bench.datasets import card as cards
from bench.datasets import facts, fingerprint, readers
from bench.datasets.card import Card
from bench.datasets.facts import Stated
from bench.datasets.fingerprint import Hashes
from bench.datasets.readers.base import GoldError, Reader, in_random_order
from bench.model import BenchError, Gold, GoldPage, Sample, UsageError
from bench.util import paths, suggest

FOLDER, WARC, FILES = "folder:", "warc:", "files:"
OWN = (FOLDER, "folder-all:", WARC, FILES)
"""How data of one's own are called, before their path."""
_HINTS = 3
DEVELOPMENT, HELD_OUT = ":dev", ":test"


@dataclass(frozen=True)
class DataSet:
    """Pages with gold, opened: iterates lazily, in order of id."""

    card: Card
    reader: Reader
    left_out: Mapping[str, str] = field(default_factory=dict)
    """Why pages of the published set are not here, by id."""
    sample: Sample | None = None
    """What was drawn of the published set, where these are not all of its pages."""

    def __len__(self) -> int:
        return len(self.reader.ids)

    def __iter__(self) -> Iterator[GoldPage]:
        return map(self.read, self.ids)

    @property
    def name(self) -> str:
        """What users call it."""
        return self.card.name

    @property
    def ids(self) -> Sequence[str]:
        """Page ids, sorted."""
        return self.reader.ids

    def read(self, page_id: str) -> GoldPage:
        """Return one page.

        Raises ``GoldError`` naming the file that cannot be read, or was changed after the pages
        were hashed: what a run is scored against is what it was planned with.
        """
        item = self.reader.read(page_id)
        if "hashes" in vars(self) and fingerprint.of_page(item) != self.hashes.pages[page_id]:
            raise GoldError(
                f"page {page_id} of {self.name} was changed while it was in use (the last file "
                f"to change is {self.reader.changed_last()}); put it back as it was, then give the "
                "same command again"
            )
        return item

    def gold(self, page_id: str) -> Gold:
        """Return a page's gold. Raises what ``read`` does where the page, too, has to be as it was."""
        return self.read(page_id).gold if "hashes" in vars(self) else self.reader.gold(page_id)

    def page_id(self, word: str) -> str:
        """Return the id that a word is, or begins (tables cut long ids, with an ellipsis).

        Raises ``UsageError`` for none or several.
        """
        word = word.removesuffix("…")
        matches = (
            [word]
            if word in self.ids
            else [page_id for page_id in self.ids if page_id.startswith(word)]
        )
        if not matches:
            hint = suggest.hint(word, self.ids, f"the first is {self.ids[0]}")
            raise UsageError(f"{self.name} has no page {word!r}; {hint}")
        if len(matches) > 1:
            shown = ", ".join(matches[:_HINTS]) + ", …" * (len(matches) > _HINTS)
            raise UsageError(
                f"{len(matches)} pages of {self.name} begin with {word!r} ({shown}); give more of "
                "the id"
            )
        return matches[0]

    def without(self, reasons: Mapping[str, str]) -> Self:
        """Return the data set without some pages; ``reasons`` says by id why each is left out.

        Its fingerprint is that of the pages left, which no card pins. Raises ``BenchError`` when
        none is left.
        """
        if not reasons:
            return self
        left = self.reader.without(reasons)
        if not left.ids:
            raise BenchError(
                f"data set {self.name}: no page is left when {len(reasons)} are left out"
            )
        card = replace(self.card, fingerprint="")
        return replace(self, card=card, reader=left, left_out={**self.left_out, **reasons})

    def sampled(self, sample: Sample | None) -> Self:
        """Return a data set of some pages drawn at random, all of them where there are no more.

        Larger samples of one seed hold the smaller ones. Its fingerprint is that of these pages.
        """
        if sample is None or sample.pages >= len(self):
            return self
        drawn = self.reader.only(in_random_order(self.ids, sample.seed)[: sample.pages])
        return replace(self, card=replace(self.card, fingerprint=""), reader=drawn, sample=sample)

    @cached_property
    def hashes(self) -> Hashes:
        """Hashes of every page and of the whole."""
        return fingerprint.of_reader(self.reader)

    @cached_property
    def stated(self) -> Mapping[str, Stated]:
        """What is said of each page, by id in order. Raises ``GoldError``."""
        return facts.stated(self.reader)

    def gold_warning(self) -> str:
        """Return a line on pages without gold; empty where there are none, or they are meant so.

        Raises ``UsageError`` where no page has any: every extractor would score 0.
        """
        empty = [page for page, stated in self.stated.items() if stated.gold_words == 0]
        if len(empty) == len(self):
            raise UsageError(
                f"{self.name}: the gold of all {len(self)} pages is empty, so nothing could be "
                f"scored; fix: write each page's main text (the first is {empty[0]})"
            )
        lines = []
        unlabelled = sum(page.gold_words is None for page in self.stated.values())
        if 0 < unlabelled < len(self):
            lines.append(
                f"{unlabelled} of {len(self)} pages have no gold text: extractors run on them, and "
                "metrics of full text leave them out"
            )
        if empty and not self.card.smoke:  # what was written for the project is as it should be
            shown = ", ".join(empty[:_HINTS]) + ", …" * (len(empty) > _HINTS)
            lines.append(
                f"{len(empty)} of {len(self)} pages have empty gold ({shown}): every word that an "
                "extractor returns there counts as wrong"
            )
        return f"{self.name}: {'; '.join(lines)}" if lines else ""

    @property
    def facts(self) -> dict[str, Any]:
        """What a manifest and a leaderboard say of it."""
        return {
            "name": self.card.name,
            "title": self.card.title,
            "licence": self.card.licence,
            "smoke": self.card.smoke,
            "fingerprint": self.hashes.fingerprint,
            "as_published": self.as_published,
            "pages": len(self),
            **({"left_out": dict(self.left_out)} if self.left_out else {}),
            **({"sample": self.sample} if self.sample else {}),
        }

    @property
    def as_published(self) -> bool | None:
        """Whether the content is what the card pins; None where it pins nothing."""
        pinned = self.card.fingerprint
        return self.hashes.fingerprint == pinned if pinned else None


def all_cards() -> Mapping[str, tuple[Card, Path]]:
    """Return each known data set's card and the folder where its pages are, or would be.

    Copies appear whole or not at all: what is there is installed.
    """
    shipped = paths.bundled("gold")
    data_sets = {}
    for path in [*shipped.glob("*/card.toml"), *shipped.glob("*.toml")]:
        card = cards.read(path)
        # A colon in NAME:SPLIT cannot stand in a file name everywhere.
        installed = paths.installed_gold() / (card.part_of or card.name).replace(":", "-")
        data_sets[card.name] = (card, path.parent if path.name == "card.toml" else installed)
    # What ships comes first, then by name, a set before its splits and parts.
    order = sorted(
        data_sets, key=lambda i: (shipped not in data_sets[i][1].parents, i.partition(":"))
    )
    return {name: data_sets[name] for name in order}


def open_gold(name: str) -> DataSet:
    """Open a data set by its name, or ``folder:PATH``, ``warc:PATH`` or ``files:LIST``.

    Raises ``UsageError`` for an unknown name (with a suggestion), ``BenchError`` with the
    command that gets it, ``GoldError`` when its files are damaged or do not pair up.
    """
    if name.startswith(OWN):
        layout, _, path = name.partition(":")
        root = Path(path).expanduser().resolve()
        card = Card(name=f"{layout}:{root.name}", title=root.name, description="", layout=layout)
    else:
        card, root = find_card(name)
        if not root.is_dir():
            raise BenchError(
                f"data set {name} is not on this machine; "
                f"get it from {card.source} with: bench gold fetch {name}"
            )
    return DataSet(card, readers.open_folder(card.layout, root))


def name_again(name: str, root: Path) -> str:
    """Return what opens a data set again that had this name and lay in this folder."""
    if not name.startswith(OWN):
        return name
    layout, _, path = name.partition(":")
    is_file = f"{layout}:" != FOLDER and (root / path).is_file()
    return f"{layout}:{root / path if is_file else root}"


def find_card(name: str) -> tuple[Card, Path]:
    """Return a known data set's card and folder. Raises ``UsageError`` for an unknown name."""
    data_sets = all_cards()
    # NAME is the development split of a set that has a card NAME:test for the held-out one.
    base = name.removesuffix(DEVELOPMENT)
    name = base if base + HELD_OUT in data_sets else name
    if name not in data_sets:
        hint = suggest.hint(name, data_sets)
        raise UsageError(
            f"no data set is called {name!r}; {hint} (or folder:PATH, warc:PATH, files:LIST)"
        )
    return data_sets[name]
