"""What a media component is. It runs in a worker: its libraries are imported in ``load``."""

from collections.abc import Sequence
from typing import Any, ClassVar

from bench.extractor import Extractor

PART = "\f"
"""Stands between the texts of a component that gives several (``several``)."""


class Media(Extractor):
    """Turns content of some types into plain text, one line for each block.

    A file in ``bench/corpus/media`` holds one; beside what an extractor states it fills in ``mime``
    and writes ``text``. No text is ``""``; whatever cannot be read is raised, and becomes the
    document's reason in the corpus.
    """

    accepts = "bytes"

    mime: ClassVar[Sequence[str]] = ()
    """Content types that it takes, in lower case, without parameters."""
    suffixes: ClassVar[Sequence[str]] = ()
    """How the names of such files end, for folders that state no type."""
    several: ClassVar[bool] = False
    """Whether its text is several documents, with ``PART`` between them."""

    def text(self, data: Any, charset: str | None, url: str | None) -> str:
        """Return the text of a document: ``data`` as ``accepts`` says, ``charset`` as stated."""
        raise NotImplementedError

    def extract(self, html: Any, url: str | None) -> str:
        """Return the text (``Extractor``)."""
        return self.text(html, self.stated_charset, url)
