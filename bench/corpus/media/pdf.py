"""PDF, by pypdf."""

import io
from typing import Any

from bench.corpus.media.base import Media


class Pdf(Media):
    """Reads the text layer of each page; a scan has none, and one that needs a password is an error."""

    name = "pdf"
    requires = ("pypdf>=6",)
    mime = ("application/pdf",)
    suffixes = (".pdf",)
    homepage = "https://pypdf.readthedocs.io"
    licence = "BSD-3-Clause"

    def load(self, *_: Any, **settings: Any) -> None:
        """Import the library (``Extractor``)."""
        import pypdf

        self._reader = pypdf.PdfReader

    def text(self, data: bytes, charset: str | None, url: str | None) -> str:
        """Return the text (``Media``)."""
        reader = self._reader(io.BytesIO(data))
        if reader.is_encrypted and not reader.decrypt(""):
            raise ValueError("encrypted: it opens with a password only")
        return "\n".join(page.extract_text() for page in reader.pages)
