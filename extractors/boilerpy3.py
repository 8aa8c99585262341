"""BoilerPy3: Boilerpipe's shallow text features, in Python (Kohlschütter et al. 2010, WSDM)."""

from __future__ import annotations

from typing import Any

from bench.extractor import Extractor


class BoilerPy3(Extractor):
    """Classifies text blocks by number of words and link density, and those of their neighbours.

    Kohlschütter, Fankhauser and Nejdl (2010), "Boilerplate Detection using Shallow Text Features",
    https://doi.org/10.1145/1718487.1718542.
    """

    name = "boilerpy3"
    family = "boilerpipe"
    requires = ("boilerpy3>=1.0.5",)
    variants = {
        "default": {"extractor": "ArticleExtractor"},
        "default-extractor": {"extractor": "DefaultExtractor"},
        "article-sentences": {"extractor": "ArticleSentencesExtractor"},
        "canola": {"extractor": "CanolaExtractor"},
        "keep-everything": {"extractor": "KeepEverythingExtractor"},
        "largest-content": {"extractor": "LargestContentExtractor"},
        "num-words-rules": {"extractor": "NumWordsRulesExtractor"},
    }
    homepage = "https://github.com/jmriebold/BoilerPy3"
    settings_source = "https://github.com/jmriebold/BoilerPy3#extractors"
    licence = "Apache-2.0"
    parser = "html.parser"
    tuned_on = ("sigir:l3s-gn1=https://doi.org/10.1145/1718487.1718542",)

    def load(self, **settings: Any) -> None:
        from boilerpy3 import extractors

        self._extractor: Any = getattr(extractors, settings["extractor"])()

    def extract(self, html: str, url: str | None) -> str:
        text: str = self._extractor.get_content(html)
        return text
