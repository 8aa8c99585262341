"""news-please: asks several extractors for the article and compares what they return."""

from __future__ import annotations

from typing import Any

from bench.extractor import Extractor


class NewsPlease(Extractor):
    """Runs newspaper4k and others on the page and picks one text by comparing theirs.

    Hamborg, Meuschke, Breitinger and Gipp (2017), "news-please: A Generic News Crawler and
    Extractor", https://doi.org/10.5281/zenodo.4120316. It is told not to fetch images.
    """

    name = "news_please"
    requires = ("news-please==1.6.16", "newspaper4k[ja,nlp,th,zh]==0.9.6")
    variants = {"default": {"fetch_images": False}}
    homepage = "https://github.com/fhamborg/news-please"
    settings_source = (
        "https://github.com/fhamborg/news-please#use-within-your-own-code-as-a-library"
    )
    licence = "Apache-2.0"
    parser = "lxml"

    def load(self, **settings: Any) -> None:
        import newsplease

        self._from_html: Any = newsplease.NewsPlease.from_html
        self._settings = settings

    def extract(self, html: str, url: str | None) -> str:
        article = self._from_html(html, url=url, **self._settings)
        text: str | None = article.maintext
        return text or ""
