"""DOCX, by python-docx."""

import io
import zipfile
from typing import Any

from bench.corpus.media.base import Media

UNPACKED_BYTES = 128 << 20
"""A document must not be longer once it is unpacked: a small file can hold terabytes of zeros."""
_PARAGRAPH = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}p"
_FALLBACK = "{http://schemas.openxmlformats.org/markup-compatibility/2006}Fallback"


class Docx(Media):
    """Reads paragraphs and tables in their order, one line each."""

    name = "docx"
    requires = ("python-docx>=1.2",)
    mime = ("application/vnd.openxmlformats-officedocument.wordprocessingml.document",)
    suffixes = (".docx",)
    homepage = "https://python-docx.readthedocs.io"
    licence = "MIT"

    def load(self, *_: Any, **settings: Any) -> None:
        """Import the library (``Extractor``)."""
        from docx import Document
        from docx.text.paragraph import Paragraph

        self._document, self._paragraph = Document, Paragraph

    def text(self, data: bytes, charset: str | None, url: str | None) -> str:
        """Return the text (``Media``)."""
        # zipfile reads no more of a member than its directory says.
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            unpacked = sum(member.file_size for member in archive.infolist())
        if unpacked > UNPACKED_BYTES:
            raise ValueError(f"too large: {unpacked >> 20} MiB unpacked")
        # Those of tables and text boxes too, wherever they are nested; of boxes that are there twice
        # the first.
        document = self._document(io.BytesIO(data))
        body = document.element.body
        paragraphs = [
            part for part in body.iter(_PARAGRAPH) if not any(part.iterancestors(_FALLBACK))
        ]
        return "\n".join(self._paragraph(part, document.part).text for part in paragraphs)
