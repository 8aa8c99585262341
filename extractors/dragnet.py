"""Dragnet: classifies text blocks by a model over shallow, tag ratio and class name features."""

from __future__ import annotations

from typing import Any

from bench.extractor import Extractor


class Dragnet(Extractor):
    """Classifies text blocks with trees over text density, tag ratios and class names.

    Peters and Lecocq (2013), "Content Extraction Using Diverse Feature Sets",
    https://doi.org/10.1145/2487788.2487828. ``comments`` also keeps what users commented. The
    models come with the package.
    """

    name = "dragnet"
    requires = ("dragnet==2.0.4",)
    python = "==3.7.*"
    build_requires = ("setuptools<58", "wheel", "cython<3", "numpy<1.22", "lxml<5")
    variants = {
        "default": {"function": "extract_content"},
        "comments": {"function": "extract_content_and_comments"},
    }
    homepage = "https://github.com/dragnet-org/dragnet"
    settings_source = "https://github.com/dragnet-org/dragnet#getting-started"
    licence = "MIT"
    parser = "lxml"
    tuned_on = (
        "dragnet=https://doi.org/10.1145/2487788.2487828",
        "sigir:dragnet=https://doi.org/10.1145/2487788.2487828",
    )

    def load(self, function: str = "extract_content", **settings: Any) -> None:
        import dragnet

        self._extract: Any = getattr(dragnet, function)

    def extract(self, html: str, url: str | None) -> str:
        text: str = self._extract(html)
        return text
