"""XPath: every text node below the body, scripts and styles included."""

from __future__ import annotations

from typing import Any

from bench.extractor import Extractor


class XPath(Extractor):
    """Joins every text node below the body, scripts and styles included: ``//body//text()``."""

    name = "xpath"
    requires = ("lxml>=4.9",)
    homepage = "https://lxml.de"
    settings_source = (
        "https://github.com/scrapinghub/article-extraction-benchmark"
        "/blob/master/extractors/run_xpath_text.py"
    )
    licence = "BSD-3-Clause"
    parser = "lxml"

    def load(self, **settings: Any) -> None:
        from lxml import etree

        self._parse: Any = etree.HTML
        self._parser = etree.HTMLParser(encoding="utf-8", huge_tree=True)
        self._texts: Any = etree.XPath("//body//text()", smart_strings=False)

    def extract(self, html: str, url: str | None) -> str:
        # Bytes, because lxml refuses a str that declares an encoding.
        root = self._parse(html.encode("utf-8", "replace"), self._parser)
        return "" if root is None else " ".join(self._texts(root))
