"""ExtractNet: classifies text blocks by a boosted model over Dragnet's features."""

from __future__ import annotations

import os
from typing import Any

from bench.extractor import Extractor


class ExtractNet(Extractor):
    """Classifies text blocks with boosted trees over Dragnet's features and tag names.

    It descends from Dragnet; the models come with the package.
    """

    name = "extractnet"
    requires = ("extractnet==2.0.7", "lxml_html_clean==0.4.6")
    python = ">=3.9,<3.12"
    overrides = ("numpy<2", "regex<2022.3.15")
    build_requires = ("setuptools<60", "wheel", "cython<3", "numpy<2", "lxml")
    homepage = "https://github.com/currentslab/extractnet"
    settings_source = "https://github.com/currentslab/extractnet#getting-started"
    licence = "MIT"
    parser = "lxml"

    def load(self, **settings: Any) -> None:
        # The runtime of one of its models reports its use otherwise.
        os.environ["ORT_DISABLE_TELEMETRY"] = "1"
        import extractnet

        self._extractor: Any = extractnet.Extractor()

    def extract(self, html: str, url: str | None) -> str:
        text: str | None = self._extractor(html)["content"]
        return text or ""
