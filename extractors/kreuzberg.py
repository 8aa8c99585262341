"""Kreuzberg: a converter: the whole page to text, by its document reader in Rust."""

from __future__ import annotations

from typing import Any

from bench.extractor import Extractor


class Kreuzberg(Extractor):
    """A converter: reads the whole page as a document and returns its text, as Markdown by default."""

    name = "kreuzberg"
    requires = ("kreuzberg==4.10.4",)
    accepts = "bytes"
    homepage = "https://kreuzberg.dev"
    settings_source = "https://kreuzberg.dev/getting-started/quickstart/"
    licence = "MIT"
    parser = "tl and html5ever"

    def load(self, **settings: Any) -> None:
        import kreuzberg

        self._extract: Any = kreuzberg.extract_bytes_sync

    def extract(self, html: bytes, url: str | None) -> str:
        text: str = self._extract(html, "text/html").content
        return text
