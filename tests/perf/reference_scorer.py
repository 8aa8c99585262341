"""The plain way to score: tuples, Counter, loops, resampling in Python. What ours is compared with."""

from __future__ import annotations

import random
import re
import statistics
from collections import Counter
from collections.abc import Mapping


def shingles(text: str, n: int = 4) -> Counter[tuple[str, ...]]:
    """Return the n-grams of a text with their counts."""
    tokens = re.findall(r"\w+", text)
    if not tokens:
        return Counter()
    size = min(n, len(tokens))
    return Counter(tuple(tokens[i : i + size]) for i in range(len(tokens) - size + 1))


def counts(gold: str, extracted: str, n: int = 4) -> tuple[float, float, float]:
    """Return normalised TP, FP, FN of one page."""
    g, e = shingles(gold, n), shingles(extracted, n)
    tp = fp = fn = 0.0
    for key in set(g) | set(e):
        tp += min(g[key], e[key])
        fp += max(0, e[key] - g[key])
        fn += max(0, g[key] - e[key])
    whole = tp + fp + fn
    return (tp / whole, fp / whole, fn / whole) if whole else (0.0, 0.0, 0.0)


def figures(pages: list[tuple[float, float, float]]) -> dict[str, float]:
    """Return precision, recall, F1 and accuracy over pages."""
    precisions = [tp / (tp + fp) for tp, fp, _ in pages if tp + fp > 0]
    recalls = [tp / (tp + fn) for tp, _, fn in pages if tp + fn > 0]
    precision = sum(precisions) / len(precisions) if precisions else 0.0
    recall = sum(recalls) / len(recalls) if recalls else 0.0
    total = precision + recall
    accuracy = sum(tp / (tp + fp + fn) if tp + fp + fn else 1.0 for tp, fp, fn in pages)
    return {
        "precision": precision,
        "recall": recall,
        "f1": 2 * precision * recall / total if total else 0.0,
        "accuracy": accuracy / len(pages),
    }


def score(
    gold: Mapping[str, str], systems: Mapping[str, Mapping[str, str]], resamples: int
) -> dict[str, dict[str, float]]:
    """Return each system's figures, and the bootstrap standard deviation of each."""
    figures_by_name = {}
    generator = random.Random(0)
    for name, texts in systems.items():
        pages = [counts(text, texts.get(page, "")) for page, text in gold.items()]
        values = figures(pages)
        draws = [
            figures([pages[generator.randrange(len(pages))] for _ in pages])
            for _ in range(resamples)
        ]
        for key in list(values):
            values[f"{key}_std"] = statistics.stdev(draw[key] for draw in draws)
        figures_by_name[name] = values
    return figures_by_name
