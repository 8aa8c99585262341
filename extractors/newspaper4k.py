"""newspaper4k: scores parents of paragraphs by stop words and link density, after Goose."""

from __future__ import annotations

from typing import Any

from bench.extractor import Extractor


class Newspaper4k(Extractor):
    """Scores parents of paragraphs by stop words, link density and markup that articles have.

    The successor of newspaper3k, which owns the same import name. It is handed the page and told
    not to fetch images; the language comes from the page's own meta tags.
    """

    name = "newspaper4k"
    family = "goose"
    requires = ("newspaper4k[ja,nlp,th,zh]==0.9.6",)
    variants = {"default": {"fetch_images": False}}
    homepage = "https://github.com/AndyTheFactory/newspaper4k"
    settings_source = "https://newspaper4k.readthedocs.io/en/latest/user_guide/quickstart.html"
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
