"""Tables that others published, as data, and how a run of the same systems agrees with them."""

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench.model import BenchError
from bench.runs.store.runs import RunFolder
from bench.scoring import predictions
from bench.scoring.leaderboard import Leaderboard


@dataclass(frozen=True)
class PublishedRow:
    """One line of a published table."""

    row: str
    """What to run here: ``NAME[:VARIANT]@VERSION``."""
    f1: float
    output: str = ""
    """File with the texts that were published; empty where there is none."""


@dataclass(frozen=True)
class Published:
    """A published table over one data set."""

    source: str
    revision: str
    digits: int
    """Decimal places that figures are compared to."""
    requires: tuple[str, ...]
    """Requirements of all rows' environments."""
    rows: tuple[PublishedRow, ...]


@dataclass(frozen=True)
class Texts:
    """Pages by how their texts agree with the published ones."""

    identical: int
    white_space: int
    """The same words in the same order, between other white space."""
    differ: tuple[str, ...]
    """Ids of the other pages."""


@dataclass(frozen=True)
class Agreement:
    """How one row of a run agrees with what was published; None where it could not be run."""

    row: str
    published: float
    here: float | None
    equal: bool
    """The figure, to the table's digits."""
    texts: Texts | None
    """None where no texts were published."""
    problem: str = ""

    @property
    def kept(self) -> bool:
        """Whether figure and texts are the published ones."""
        return self.equal and (self.texts is None or not self.texts.differ)


def read(path: Path) -> Published:
    """Read a table. Raises ``BenchError`` naming the file and what is wrong with it."""
    try:
        facts = tomllib.loads(path.read_text(encoding="utf-8"))
        rows = tuple(PublishedRow(**row) for row in facts.pop("rows"))
        return Published(rows=rows, requires=tuple(facts.pop("requires", ())), **facts)
    except (OSError, ValueError, TypeError, LookupError) as error:
        raise BenchError(f"{path} is no published table: {error}") from error


def compare(
    table: Published, rows: Mapping[str, str], run: RunFolder, board: Leaderboard, outputs: Path
) -> list[Agreement]:
    """Return how each row agrees; ``rows`` are the keys of the run's rows by what was asked for.

    Texts are compared where the folder of outputs has the file. Raises ``BenchError`` for a file
    that cannot be read.
    """
    lines = {line.label: line for line in board.lines}
    missing = {row.label: row.reason for row in board.missing}
    labels = {row.key: row.label for row in run.manifest.rows}
    agreements = []
    for published in table.rows:
        key = rows[published.row]
        label = labels[key]
        if label not in lines:
            reason = missing.get(label, "not run")
            agreements.append(
                Agreement(
                    published.row, published.f1, None, equal=False, texts=None, problem=reason
                )
            )
            continue
        here = lines[label].figures["f1"].value
        equal = here is not None and round(here, table.digits) == round(published.f1, table.digits)
        path = outputs / published.output
        texts = _texts(run, key, path) if published.output and path.is_file() else None
        agreements.append(Agreement(published.row, published.f1, here, equal=equal, texts=texts))
    return agreements


def to_json(
    table: Published, agreements: Sequence[Agreement], board: Leaderboard
) -> dict[str, Any]:
    """Return the comparison, for machines."""
    return {
        "gold": dict(board.gold),
        "source": table.source,
        "revision": table.revision,
        "requires": list(table.requires),
        "run": board.run,
        "rows": [
            {
                "row": agreement.row,
                "published_f1": agreement.published,
                "f1": agreement.here,
                "equal": agreement.equal,
                "problem": agreement.problem or None,
                "texts": None
                if agreement.texts is None
                else {
                    "identical": agreement.texts.identical,
                    "identical_but_for_white_space": agreement.texts.white_space,
                    "different": list(agreement.texts.differ),
                },
            }
            for agreement in agreements
        ],
    }


def _texts(run: RunFolder, key: str, path: Path) -> Texts:
    (theirs,) = predictions.read(path)
    own = run.cells("page", "text_hash", row=key, repeat=0)
    ours = run.texts(own["text_hash"])
    identical = white_space = 0
    differ = []
    for page, name in zip(own["page"], own["text_hash"], strict=True):
        here, there = ours[name], theirs.texts.get(page, "")
        if here == there:
            identical += 1
        elif here.split() == there.split():
            white_space += 1
        else:
            differ.append(str(page))
    return Texts(identical, white_space, tuple(differ))
