"""Resiliparse: drops elements whose tags, classes and roles are those of boilerplate."""

from __future__ import annotations

from typing import Any

from bench.extractor import Extractor


class Resiliparse(Extractor):
    """Keeps all elements but those that rules on tags, class names and roles take for boilerplate.

    Bevendorff, Stein, Hagen and Potthast (2018), "Elastic ChatNoir: Search Engine for the ClueWeb
    and the Common Crawl", https://doi.org/10.1007/978-3-319-76941-7_83. ``tidy`` leaves out what is
    no running text: bullets, alternative texts, links, form fields, comments.
    """

    name = "resiliparse"
    requires = ("resiliparse==2.0.1",)
    variants = {
        "default": {"main_content": True},
        "tidy": {
            "main_content": True,
            "list_bullets": False,
            "alt_texts": False,
            "links": False,
            "form_fields": False,
            "noscript": False,
            "comments": False,
            "preserve_formatting": False,
        },
    }
    homepage = "https://github.com/chatnoir-eu/chatnoir-resiliparse"
    settings_source = "https://resiliparse.chatnoir.eu/en/latest/man/extract/html2text.html"
    licence = "Apache-2.0"
    parser = "Lexbor"
    tuned_on = ("sigir=https://doi.org/10.1145/3539618.3591920",)

    def load(self, **settings: Any) -> None:
        from resiliparse.extract.html2text import extract_plain_text

        self._extract: Any = extract_plain_text
        self._settings = settings

    def extract(self, html: str, url: str | None) -> str:
        text: str = self._extract(html, **self._settings)
        return text
