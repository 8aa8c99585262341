"""jusText: classifies paragraphs by length, link density and stop words (Pomikálek 2011)."""

from __future__ import annotations

from typing import Any

from bench.extractor import Extractor


class JusText(Extractor):
    """Classifies paragraphs by length, link density and stop-word density, then by their context.

    Pomikálek (2011), "Removing Boilerplate and Duplicate Content from Web Corpora",
    https://is.muni.cz/th/45523/fi_d/phdthesis.pdf.
    """

    name = "justext"
    requires = ("justext>=3",)
    variants = {
        "default": {"language": "English"},
        "aeb": {  # as run_justext.py of scrapinghub/article-extraction-benchmark calls it
            "language": "English",
            "length_low": 50,
            "length_high": 200,
            "stopwords_low": 0.1,
            "stopwords_high": 0.2,
            "max_link_density": 0.2,
            "max_heading_distance": 200,
            "no_headings": True,
            "separator": " ",
        },
    }
    takes_bytes = True
    homepage = "https://github.com/miso-belica/jusText"
    settings_source = "https://github.com/miso-belica/jusText#python-api"
    licence = "BSD-2-Clause"
    parser = "lxml"

    def load(self, language: str = "English", separator: str = "\n", **settings: Any) -> None:
        import justext

        self._classify: Any = justext.justext
        self._stoplist = justext.get_stoplist(language)
        self._separator = separator
        self._settings = settings

    def extract(self, html: str | bytes, url: str | None) -> str:
        paragraphs = self._classify(html, self._stoplist, **self._settings)
        return self._separator.join(p.text for p in paragraphs if not p.is_boilerplate)
