"""Crawl4AI: prunes nodes by text density, link density and tag; what is left as Markdown."""

from __future__ import annotations

from typing import Any

from bench.extractor import Extractor


class Crawl4AI(Extractor):
    """Prunes nodes whose score of text density, link density, tag and class name is too low.

    Only its pruning filter and its Markdown ("fit Markdown"), without links and images; there is no
    browser in it.
    """

    name = "crawl4ai"
    requires = ("crawl4ai==0.9.5",)
    variants = {"default": {"ignore_links": True, "ignore_images": True}}
    homepage = "https://github.com/unclecode/crawl4ai"
    settings_source = "https://docs.crawl4ai.com/core/fit-markdown/"
    licence = "Apache-2.0"
    parser = "lxml"

    def load(self, **settings: Any) -> None:
        from crawl4ai.content_filter_strategy import PruningContentFilter
        from crawl4ai.markdown_generation_strategy import DefaultMarkdownGenerator

        self._generator: Any = DefaultMarkdownGenerator(
            content_filter=PruningContentFilter(), options=settings
        )

    def extract(self, html: str, url: str | None) -> str:
        made = self._generator.generate_markdown(html, base_url=url or "")
        text: str | None = made.fit_markdown
        return (text or "").strip()
