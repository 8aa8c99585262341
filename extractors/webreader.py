"""webreader: site-specific; reads each site by XML rules that say which tag opens which section."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from bench.extractor import Extractor


class WebReader(Extractor):
    """Site-specific: XML rules, chosen by a page's URL, say which tags hold its main text.

    Martínez Santiago, Ureña López, García Vega (2001), "WWW como fuente de recursos lingüísticos
    para su uso en PLN", Procesamiento del Lenguaje Natural 27. A page that no rule matches gives no
    text. ``bench.methods.webreader`` says what was left open and how it was decided. For rules of
    your own copy this file under another name and set ``rules`` to your file's absolute path.
    """

    name = "webreader"
    requires = ("lxml>=5",)
    method = "webreader"
    kind = "site-specific"
    variants = {"default": {"rules": "starter"}}
    # The journal of the paper, which is not there itself; the rules used here are ours.
    homepage = "https://journal.sepln.org/sepln/ojs/ojs/index.php/pln"
    settings_source = "https://journal.sepln.org/sepln/ojs/ojs/index.php/pln"
    licence = "MIT"

    def load(self, rules: str = "starter", **settings: Any) -> None:
        import lxml.etree  # noqa: F401 (imported with load, not with the first page)

        from bench.methods.webreader import reading, specification

        path = Path(rules) if rules.endswith(".xml") else specification.shipped(rules)
        self._specification = specification.read_file(path)
        self._read = reading.read_page

    def extract(self, html: str, url: str | None) -> str:
        document = self._read(self._specification, html, url or "")
        return "" if document is None else document.main_text
