"""One page as the checks see it: each view of it made once, and only if a check asks."""

from __future__ import annotations

from functools import cached_property

from bench.datasets import html_text
from bench.datasets.html_text import HtmlText
from bench.datasets.lint import grams
from bench.datasets.lint.grams import Grams
from bench.model import GoldPage
from bench.worker.decode import decode


class PageView:
    """A page with its gold, decoded, parsed and cut into n-grams."""

    def __init__(self, item: GoldPage) -> None:
        self.page = item.page
        self.gold = item.gold

    @cached_property
    def html(self) -> str:
        """The source as text."""
        return decode(self.page.html, self.page.encoding)

    @cached_property
    def parsed(self) -> HtmlText:
        """Its text for people."""
        return html_text.parse(self.html)

    @cached_property
    def words(self) -> list[str]:
        """The words of its text, letter case folded."""
        return grams.folded(self.parsed.text)

    @cached_property
    def gold_words(self) -> list[str]:
        """The words of the gold, letter case folded; none where there is no gold text."""
        return grams.folded(self.gold.text or "")

    @cached_property
    def grams(self) -> Grams:
        """The distinct n-grams of its text."""
        return grams.distinct(self.words)
