"""Metrics, declared: what each is called, shows, needs and cites. ``computed`` has how."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Literal

from bench.model import UsageError
from bench.util import suggest

Needs = Literal["text", "snippets"]


@dataclass(frozen=True)
class Metric:
    """One metric. Every figure goes from ``low`` to ``high``; more is better."""

    name: str
    """What users type."""
    title: str
    family: str
    """Which computation it is; ``name`` and family differ where a length is part of the name."""
    figures: tuple[str, ...]
    """What it shows of a data set, in this order."""
    main: str
    """The figure that ranks."""
    citation: str
    needs: Needs = "text"
    """Full gold text, or snippets."""
    n: int | None = None
    """Length of n-grams, for metrics that have one."""
    low: float = 0.0
    high: float = 1.0


_PRF = ("precision", "recall", "f1")
_ROUGE = (
    "Lin (2004), ROUGE: A Package for Automatic Evaluation of Summaries, "
    "https://aclanthology.org/W04-1013"
)
_ALL = (
    Metric(
        "ngram",
        "4-gram precision, recall and F1 (AEB and the thesis)",
        "ngram",
        ("precision", "recall", "f1", "accuracy", "exact", "page_f1"),
        "f1",
        "Scrapinghub (2020), Article extraction benchmark, "
        "https://github.com/scrapinghub/article-extraction-benchmark",
        n=4,
    ),
    Metric(
        "bow",
        "word-multiset precision, recall and F1 (WCXB)",
        "bow",
        _PRF,
        "f1",
        "Foley (2026), WCXB, https://github.com/Murrough-Foley/web-content-extraction-benchmark",
    ),
    Metric(
        "snippets",
        "snippets that must and must not be there (trafilatura)",
        "snippets",
        ("precision", "recall", "f1", "accuracy"),
        "f1",
        "Barbaresi (2021), Trafilatura, https://doi.org/10.18653/v1/2021.acl-demo.15",
        needs="snippets",
    ),
    Metric("rouge-1", "ROUGE-1: single words", "rouge-n", _PRF, "f1", _ROUGE, n=1),
    Metric("rouge-2", "ROUGE-2: pairs of words", "rouge-n", _PRF, "f1", _ROUGE, n=2),
    Metric(
        "rouge-lsum",
        "ROUGE-LSum: longest common subsequence, line by line",
        "rouge-lsum",
        _PRF,
        "f1",
        _ROUGE,
    ),
    Metric(
        "levenshtein",
        "normalised edit similarity by word",
        "levenshtein",
        ("similarity",),
        "similarity",
        "Levenshtein (1966), Soviet Physics Doklady 10:707-710",
    ),
    Metric(
        "levenshtein-char",
        "normalised edit similarity by character",
        "levenshtein-char",
        ("similarity",),
        "similarity",
        "Levenshtein (1966), Soviet Physics Doklady 10:707-710",
    ),
    Metric(
        "lcs",
        "longest common subsequence of words",
        "lcs",
        _PRF,
        "f1",
        "Bevendorff et al. (2023), An Empirical Comparison of Web Content Extraction Algorithms, "
        "https://doi.org/10.1145/3539618.3591920",
    ),
)  # fmt: skip
_WITH_LENGTH = re.compile(r"(ngram|rouge)-([1-9]\d?)")


def every() -> dict[str, Metric]:
    """Return the metrics by name; n-grams of other lengths are understood by ``find`` as well."""
    return {each.name: each for each in _ALL}


def find(name: str) -> Metric:
    """Return a metric: one of ``every``, or ``ngram-N`` or ``rouge-N`` of any length up to 99.

    Raises ``UsageError`` with a suggestion for any other word.
    """
    known = every()
    if name in known:
        return known[name]
    with_length = _WITH_LENGTH.fullmatch(name)
    if with_length is None:
        raise UsageError(f"no metric is called {name!r}; {suggest.hint(name, known)}")
    family, n = with_length[1], int(with_length[2])
    if family == "ngram":
        return ngram(n)
    return replace(known["rouge-2"], name=name, title=f"ROUGE-{n}: {n}-grams of words", n=n)


def ngram(n: int) -> Metric:
    """Return the n-gram metric of this length; 4 is the one called ``ngram``."""
    plain = _ALL[0]
    if n == plain.n:
        return plain
    title = f"{n}-gram precision, recall and F1"
    return replace(plain, name=f"ngram-{n}", title=title, n=n)


def chosen(words: Iterable[str]) -> list[Metric]:
    """Return the metrics that words name, commas between them allowed, each once, in that order."""
    names = [name.strip() for word in words for name in word.split(",") if name.strip()]
    return list({each.name: each for each in map(find, names)}.values())
