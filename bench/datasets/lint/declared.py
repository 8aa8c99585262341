"""The checks, declared: what each finding means and what to do about it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from bench.datasets.lint import charset, distribution, duplicates, gold_text, residue, snippets
from bench.datasets.lint.findings import Finding
from bench.datasets.lint.page import PageView

CHECKS: Mapping[str, str] = {
    duplicates.DUPLICATE: "The same page twice counts twice in every figure.",
    gold_text.NOT_IN_PAGE: (
        "No extractor can return what the page does not have: the gold may be another page's, or "
        "of a page that looked different then."
    ),
    residue.NAME: "The page gives away its gold to an extractor that looks, or is no page as found.",
    snippets.CONTRADICT: "No text can have the one snippet and lack the other.",
    charset.UNDECODABLE: "Letters are lost, differently for each extractor that decodes by itself.",
    gold_text.EMPTY: (
        "Every word that an extractor returns is wrong here; right for a page without main text, "
        "unfair for one that nobody marked."
    ),
    gold_text.IN_SOURCE: (
        "The gold stands in scripts or attributes alone: only an extractor that reads those, or "
        "runs the page, can return it."
    ),
    snippets.OUTSIDE: "Full text and snippets rank extractors by different opinions of the page.",
    charset.STALE: (
        "An extractor that trusts the declaration reads other letters than one that does not; the "
        "pages were often converted after they were fetched."
    ),
    duplicates.NEAR: "Nearly the same page counts twice; where the gold differs, look at why.",
    duplicates.SAME_GOLD: "The same main text counts twice, or one page has the other's gold.",
    duplicates.OVERLAP: "What was tuned on the one set has seen the other.",
    charset.CONTROL: "Nobody wrote these; they come of wrong decoding, and may part or hide words.",
    distribution.LANGUAGES: "As the data set states, else as pages declare in lang.",
    distribution.SIZES: "Words are runs of letters; single characters where no spaces are written.",
}
"""What a finding means, by name of the check, worst first."""

ON_PAGE: tuple[Callable[[PageView], Iterator[Finding]], ...] = (
    gold_text.check,
    snippets.check,
    charset.check,
    residue.check,
)
"""Checks that need one page alone."""
