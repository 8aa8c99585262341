"""Releases of one extractor, oldest first: each one's figures, cost, and step from the one before."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from bench.scoring.leaderboard import Leaderboard, Line, figures_json
from bench.scoring.scores import Scores
from bench.stats import paired
from bench.stats.estimate import Difference


@dataclass(frozen=True)
class Release:
    """One release."""

    version: str
    line: Line | None
    """None where it could not be run."""
    step: Difference | None = None
    """Its figure less that of the release before it that ran; None for the first."""
    reason: str = ""
    remedy: str = ""

    @property
    def significant(self) -> bool:
        """Whether the step is more than chance, among all steps."""
        return self.step is not None and self.step.significant()


@dataclass(frozen=True)
class History:
    """What the releases of one extractor, with one variant's settings, are like on one data set."""

    name: str
    """``NAME`` or ``NAME:VARIANT``."""
    releases: Sequence[Release]
    board: Leaderboard
    """The leaderboard of the run that they are taken from."""

    @property
    def ran(self) -> list[tuple[Release, Line]]:
        """The releases that have figures."""
        return [(release, release.line) for release in self.releases if release.line is not None]

    @property
    def steps(self) -> list[Release]:
        """The releases whose step is more than chance."""
        return [release for release in self.releases if release.significant]

    def to_json(self) -> dict[str, Any]:
        """Return the history, for machines; figures as shares, times in milliseconds."""
        main = self.board.metric.main
        return {
            "name": self.name,
            "gold": dict(self.board.gold),
            "metric": self.board.metric.name,
            "figure": main,
            "run": self.board.run,
            "timings_ranked": self.board.timings_ranked,
            "releases": [_release(release, main) for release in self.releases],
        }


def of_board(
    name: str,
    labels: Mapping[str, str],
    keys: Mapping[str, str],
    scores: Scores,
    board: Leaderboard,
) -> History:
    """Return the history; ``labels`` are the run's rows by version, oldest first, ``keys`` by label.

    Each release is compared with the one before it that ran, on the same pages; p-values are
    corrected for the number of steps (Holm).
    """
    lines = {line.label: line for line in board.lines}
    missing = {row.label: row for row in board.missing}
    ran = [label for label in labels.values() if label in lines]
    places = [scores.place(keys[label]) for label in ran]
    differences = paired.differences(scores.main, list(zip(places[1:], places, strict=False)))
    steps = dict(zip(ran[1:], differences, strict=True))
    releases = []
    for version, label in labels.items():
        lacks = missing.get(label)
        releases.append(
            Release(
                version=version,
                line=lines.get(label),
                step=steps.get(label),
                reason=lacks.reason if lacks else "",
                remedy=lacks.remedy if lacks else "",
            )
        )
    return History(name, releases, board)


def _release(release: Release, main: str) -> dict[str, Any]:
    line = release.line
    return {
        "version": release.version,
        "ran": line is not None,
        "reason": release.reason or None,
        "remedy": release.remedy or None,
        "figures": figures_json(line.figures) if line else None,
        main: line.figures[main].value if line else None,
        "outcomes": dict(line.outcomes) if line else None,
        "cost": asdict(line.cost) if line and line.cost else None,
        "step": asdict(release.step) if release.step else None,
        "significant": release.significant,
    }
