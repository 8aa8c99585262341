"""goose3: scores parents of paragraphs by stop words and link density, keeps the best."""

from __future__ import annotations

from typing import Any

from bench.extractor import Extractor


class Goose3(Extractor):
    """Looks for known article elements, then scores parents of paragraphs by their stop words.

    A Python port of Gravity's Goose. It is not told the URL: it would fetch it for an empty page.
    """

    name = "goose3"
    family = "goose"
    requires = ("goose3>=3.1.17",)
    variants = {"default": {"enable_image_fetching": False}}
    homepage = "https://github.com/goose3/goose3"
    settings_source = "https://goose3.readthedocs.io/en/latest/quickstart.html"
    licence = "Apache-2.0"
    parser = "lxml"

    def load(self, **settings: Any) -> None:
        import goose3

        self._goose: Any = goose3.Goose(settings)

    def extract(self, html: str, url: str | None) -> str:
        text: str = self._goose.extract(raw_html=html).cleaned_text
        return text
