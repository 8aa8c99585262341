"""The leaderboard's main figure slice by slice: page types, languages, lengths, complexity."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from bench.scoring.leaderboard import Leaderboard, Line
from bench.scoring.scores import Scores
from bench.stats import slices
from bench.stats.estimate import Estimate

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class SliceLine:
    """One row: its figure in each slice, and averaged both ways."""

    line: Line
    estimates: Mapping[str, Estimate]
    micro: Estimate
    """Each page weighs the same."""
    macro: Estimate
    """Each slice weighs the same."""


@dataclass(frozen=True)
class SliceLeaderboard:
    """Every row of a leaderboard in every slice of one dimension, in the leaderboard's order."""

    board: Leaderboard
    dimension: str
    pages: Mapping[str, int]
    """Pages in each slice."""
    lines: Sequence[SliceLine]

    def to_json(self) -> dict[str, Any]:
        """Return the form for machines."""
        return {
            "run": self.board.run,
            "gold": dict(self.board.gold),
            "metric": self.board.metric.name,
            "figure": self.board.metric.main,
            "dimension": self.dimension,
            "pages": dict(self.pages),
            "extractors": [
                {
                    "label": ranked.line.label,
                    "rank": ranked.line.rank,
                    "micro": asdict(ranked.micro),
                    "macro": asdict(ranked.macro),
                    "slices": {
                        name: asdict(estimate) for name, estimate in ranked.estimates.items()
                    },
                }
                for ranked in self.lines
            ],
        }

    def frame(self) -> pd.DataFrame:
        """Return one line for each row and slice; ``micro`` and ``macro`` come after the slices."""
        import pandas as pd

        return pd.DataFrame(
            {"label": ranked.line.label, "slice": name, **asdict(estimate)}
            for ranked in self.lines
            for name, estimate in {
                **ranked.estimates,
                "micro": ranked.micro,
                "macro": ranked.macro,
            }.items()
        )


def of(
    board: Leaderboard,
    keys: Mapping[str, str],
    scores: Scores,
    dimension: str,
    labels: Sequence[str | None],
) -> SliceLeaderboard:
    """Cut a leaderboard by ``labels``, one for each page in the order of ``scores.pages``.

    ``keys`` gives the row of each line's label in ``scores``.
    """
    cut = slices.of(scores.main, labels)
    both = slices.averages(scores.main, labels)
    lines = []
    for line in board.lines:
        at = scores.place(keys[line.label])
        own = {part.name: part.estimates[at] for part in cut}
        lines.append(SliceLine(line, own, both.micro[at], both.macro[at]))
    return SliceLeaderboard(board, dimension, {part.name: part.pages for part in cut}, lines)
