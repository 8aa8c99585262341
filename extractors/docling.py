"""Docling: a converter: the page to a document of headings, paragraphs, lists and tables."""

from __future__ import annotations

import io
from typing import Any

from bench.extractor import Extractor


class Docling(Extractor):
    """A converter: reads the page as a document (headings, lists, tables) and writes Markdown.

    Auer et al. (2024), "Docling Technical Report", https://arxiv.org/abs/2408.09869. Text before
    the first heading counts as furniture and is left out.
    """

    name = "docling"
    requires = ("docling-slim[format-html]==2.143.0",)
    accepts = "bytes"
    homepage = "https://github.com/docling-project/docling"
    settings_source = "https://docling-project.github.io/docling/usage/"
    licence = "MIT"
    parser = "html.parser"

    def load(self, **settings: Any) -> None:
        from docling.backend.html_backend import HTMLDocumentBackend
        from docling.datamodel.base_models import InputFormat
        from docling.datamodel.document import InputDocument

        self._backend: Any = HTMLDocumentBackend
        self._document: Any = InputDocument
        self._html = InputFormat.HTML

    def extract(self, html: bytes, url: str | None) -> str:
        page = self._document(
            path_or_stream=io.BytesIO(html),
            format=self._html,
            backend=self._backend,
            filename="page.html",
        )
        backend = self._backend(in_doc=page, path_or_stream=io.BytesIO(html))
        text: str = backend.convert().export_to_text()
        return text
