"""trafilatura: XPath rules, with readability and jusText as fallbacks (Barbaresi 2021, ACL)."""

from __future__ import annotations

from typing import Any

from bench.extractor import Extractor


class Trafilatura(Extractor):
    """Picks content by hand-made XPath rules; weighs the result against readability and jusText.

    Barbaresi (2021), "Trafilatura: A Web Scraping Library and Command-Line Tool for Text Discovery
    and Extraction", https://aclanthology.org/2021.acl-demo.15/.
    """

    name = "trafilatura"
    family = "trafilatura"
    requires = ("trafilatura>=1.6",)
    variants = {
        "default": {},
        "fast": {"fast": True},
        "precision": {"favor_precision": True},
        "recall": {"favor_recall": True},
        "nocomments": {"include_comments": False},
        "baseline": {"function": "baseline"},
        "html2txt": {"function": "html2txt"},
    }
    homepage = "https://trafilatura.readthedocs.io"
    settings_source = "https://trafilatura.readthedocs.io/en/latest/usage-python.html"
    licence = "Apache-2.0"
    parser = "lxml"
    tuned_on = ("trafilatura=https://github.com/adbar/trafilatura/tree/master/tests",)

    def load(self, function: str = "extract", **settings: Any) -> None:
        import trafilatura

        self._function: Any = getattr(trafilatura, function)
        self._settings = settings
        self._is_baseline = function == "baseline"

    def extract(self, html: str, url: str | None) -> str:
        result = self._function(html, **self._settings)
        text: str | None = result[1] if self._is_baseline else result  # (tree, text, length)
        return text or ""
