"""boilerpipe3: Boilerpipe, the Java library itself, through JPype (Kohlschütter et al. 2010)."""

from __future__ import annotations

from typing import Any

from bench.extractor import Extractor


class Boilerpipe3(Extractor):
    """Classifies text blocks by number of words and link density, and those of their neighbours.

    Kohlschütter, Fankhauser and Nejdl (2010), "Boilerplate Detection using Shallow Text Features",
    https://doi.org/10.1145/1718487.1718542. Needs a Java runtime.
    """

    name = "boilerpipe3"
    family = "boilerpipe"
    requires = ("boilerpipe3==1.3",)
    python = "<3.12"
    variants = {
        "default": {"extractor": "ArticleExtractor"},
        "default-extractor": {"extractor": "DefaultExtractor"},
        "article-sentences": {"extractor": "ArticleSentencesExtractor"},
        "canola": {"extractor": "CanolaExtractor"},
        "keep-everything": {"extractor": "KeepEverythingExtractor"},
        "largest-content": {"extractor": "LargestContentExtractor"},
        "num-words-rules": {"extractor": "NumWordsRulesExtractor"},
    }
    homepage = "https://github.com/slaveofcode/boilerpipe3"
    settings_source = "https://github.com/slaveofcode/boilerpipe3#usage"
    licence = "Apache-2.0"
    parser = "NekoHTML"
    tuned_on = ("sigir:l3s-gn1=https://doi.org/10.1145/1718487.1718542",)

    def load(self, **settings: Any) -> None:
        from boilerpipe.extract import Extractor as Boilerpipe

        self._boilerpipe: Any = Boilerpipe
        self._settings = settings

    def extract(self, html: str, url: str | None) -> str:
        return str(self._boilerpipe(html=html, **self._settings).getText())
