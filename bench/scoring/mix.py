"""One's own mix of pages: how many are of each type or language, and what that makes pages weigh.

Pages weigh what makes the shares of the sample those of the mix (post-stratification; for several
dimensions at once by raking: Deming and Stephan 1940, Annals of Mathematical Statistics 11:427-444).
"""

import math
from collections import Counter
from collections.abc import Mapping
from pathlib import Path

import numpy as np

from bench.datasets import catalogue
from bench.datasets.catalogue import DataSet
from bench.model import UsageError
from bench.scoring import page_slices
from bench.scoring.leaderboard import Mix
from bench.scoring.scores import Scores
from bench.stats import slices
from bench.stats.figure import Floats, Weights
from bench.util.progress import SILENT, Progress

_ROUNDS = 1000
_NEAR = 1e-9


def read(word: str) -> Mix:
    """Return the mix that a word states, or a file, or the pages of another data set.

    ``page_type=article:0.7,forum:0.3|language=en:1``; a file with such a line for each dimension;
    ``language,depth@folder:my-pages``. Shares are divided by their sum. Raises ``UsageError``.
    """
    shares: dict[str, Mapping[str, float]]
    if Path(word).is_file():
        lines = Path(word).read_text(encoding="utf-8", errors="replace").splitlines()
        return read("|".join(filter(str.strip, lines)))
    if "@" in word and "=" not in word:
        names, _, gold = word.partition("@")
        data_set = catalogue.open_gold(gold)
        shares = {name: _counts(data_set, name) for name in names.split(",")}
    else:
        shares = {}
        for part in word.split("|"):
            name, _, labels = part.partition("=")
            shares[name.strip()] = dict(_pair(word, pair) for pair in labels.split(","))
    return {name: _checked(name, own) for name, own in shares.items()}


def _counts(data_set: DataSet, dimension: str) -> dict[str, int]:
    labels = page_slices.of(data_set, dimension)
    return dict(Counter(label for label in labels if label is not None))


def _pair(word: str, pair: str) -> tuple[str, float]:
    label, _, share = pair.rpartition(":")
    try:
        return label.strip(), float(share)
    except ValueError:
        raise UsageError(
            f"--weights {word}: {pair!r} is no LABEL:SHARE; write page_type=article:0.7,forum:0.3, "
            "a file of such lines, or DIMENSION@DATA_SET"
        ) from None


def _checked(name: str, shares: Mapping[str, float]) -> Mapping[str, float]:
    for label, share in shares.items():
        if not 0 < share < math.inf:
            raise UsageError(
                f"--weights: the share of {name} {label} is {share:g}; write one over 0"
            )
    total = sum(shares.values())
    return {label: share / total for label, share in shares.items()}


def weights(mix: Mix, scores: Scores, data_set: DataSet, progress: Progress = SILENT) -> Weights:
    """Return what pages weigh. Pages of a label that the mix has not weigh nothing.

    Raises ``UsageError`` for a label without a labelled page, and for shares that no weights give.
    """
    labelled = ~np.isnan(next(iter(scores.columns.values()))).all(axis=0)
    masks: list[Floats] = []
    targets: list[float] = []
    for dimension, shares in mix.items():
        own = slices.masks(page_slices.of(data_set, dimension, progress))
        for label, share in shares.items():
            mask = own.get(label, np.zeros_like(labelled)) & labelled
            if not mask.any():
                raise UsageError(
                    f"--weights: {data_set.name} has no labelled page of {dimension} {label}; label "
                    f"some, or leave it out (there are {', '.join(own)})"
                )
            masks.append(mask.astype(np.float64))
            targets.append(share)
    margins = np.stack(masks, axis=1)
    # A page is in the mix where each dimension has its label.
    weighing = (margins.sum(axis=1) == len(mix)).astype(np.float64)
    for _ in range(_ROUNDS):
        for of_label, share in zip(masks, targets, strict=True):
            there = max(float(weighing @ of_label), 1e-300)
            weighing = np.where(of_label > 0, weighing * (share / there), weighing)
        if np.allclose(weighing @ margins, targets, atol=_NEAR, rtol=0):
            return Weights(weighing * weighing.astype(bool).sum() / weighing.sum(), margins)
    raise UsageError("--weights: no weights of these pages give all of these shares; leave one out")
