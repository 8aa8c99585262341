"""newspaper3k: scores parents of paragraphs by stop words and link density, after Goose."""

from __future__ import annotations

from typing import Any

from bench.extractor import Extractor


class Newspaper3k(Extractor):
    """Scores parents of paragraphs by their stop words and keeps the best, with its siblings.

    It descends from Gravity's Goose. It is handed the page and told not to fetch images; the
    language comes from the page's own meta tags.
    """

    name = "newspaper3k"
    family = "goose"
    requires = ("newspaper3k==0.2.8", "lxml_html_clean==0.4.6")
    variants = {"default": {"fetch_images": False}}
    homepage = "https://github.com/codelucas/newspaper"
    settings_source = "https://newspaper.readthedocs.io/en/latest/user_guide/advanced.html"
    licence = "MIT"
    parser = "lxml"

    def load(self, **settings: Any) -> None:
        import newspaper

        self._article: Any = newspaper.Article
        self._settings = settings

    def extract(self, html: str, url: str | None) -> str:
        article = self._article(url or "", **self._settings)
        article.download(input_html=html)
        article.parse()
        text: str = article.text
        return text
