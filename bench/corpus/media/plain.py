"""Plain text."""

from bench.corpus.media.base import Media
from bench.worker.decode import decode


class Plain(Media):
    """Decodes text: a byte order mark, the stated charset, UTF-8 where it is valid, windows-1252."""

    name = "plain_text"
    mime = ("text/plain",)
    suffixes = (".txt",)
    licence = "MIT"

    def text(self, data: bytes, charset: str | None, url: str | None) -> str:
        """Return the text (``Media``)."""
        return decode(data, charset)
