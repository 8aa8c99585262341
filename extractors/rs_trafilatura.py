"""rs-trafilatura: trafilatura's rules in Rust, chosen by a classifier of page types."""

from __future__ import annotations

from typing import Any

from bench.extractor import Extractor


class RsTrafilatura(Extractor):
    """Picks content by rules as trafilatura does, with a profile for the page's predicted type."""

    name = "rs_trafilatura"
    family = "trafilatura"
    requires = ("rs-trafilatura==0.1.1",)
    python = "==3.12.*"
    homepage = "https://github.com/Murrough-Foley/rs-trafilatura"
    settings_source = "https://github.com/Murrough-Foley/rs-trafilatura"
    licence = "MIT OR Apache-2.0"
    parser = "html5ever"
    tuned_on = ("wcxb=https://github.com/Murrough-Foley/web-content-extraction-benchmark",)

    def load(self, **settings: Any) -> None:
        import rs_trafilatura

        self._extract: Any = rs_trafilatura.extract

    def extract(self, html: str, url: str | None) -> str:
        text: str | None = self._extract(html, url=url).main_content
        return text or ""
