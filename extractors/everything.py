"""Control: all text of the page that a reader could see, the ceiling of recall."""

from __future__ import annotations

from typing import Any

from bench.extractor import Extractor


class Everything(Extractor):
    """Joins every text node below the body, save those of script, style, noscript, template."""

    name = "everything"
    kind = "control"
    requires = ("lxml>=4.9",)
    homepage = "https://lxml.de"
    licence = "BSD-3-Clause"
    parser = "lxml"

    def load(self, **settings: Any) -> None:
        from lxml import etree

        hidden = "ancestor::script or ancestor::style or ancestor::noscript or ancestor::template"
        self._parse: Any = etree.HTML
        self._parser = etree.HTMLParser(encoding="utf-8", huge_tree=True)
        self._texts: Any = etree.XPath(f"//body//text()[not({hidden})]", smart_strings=False)

    def extract(self, html: str, url: str | None) -> str:
        # Bytes, because lxml refuses a str that declares an encoding.
        root = self._parse(html.encode("utf-8", "replace"), self._parser)
        return "" if root is None else " ".join(self._texts(root))
