"""What every ensemble is: an extractor that is handed the texts of others in place of the page."""

from collections.abc import Mapping
from typing import Any

from bench.extractor import Extractor


class Ensemble(Extractor):
    """An extractor made of others: a subclass names its ``members`` and writes ``combine``.

    A member that failed on a page counts as the empty text there. What a run records as usage is
    what the text cost in all: wall and CPU time of ``extract`` and of every member on that page,
    and the largest peak among them.
    """

    kind = "ensemble"
    accepts = "texts"
    licence = "MIT"

    def extract(self, html: Any, url: str | None) -> str:
        """Return the combined text; ``html`` is what the harness hands an ensemble."""
        return self.combine(html["texts"])

    def combine(self, texts: Mapping[str, str]) -> str:
        """Return the main text that the members' texts amount to.

        ``texts`` has the text of each member by its label (``trafilatura:precision``), in the
        order of ``members``; ``""`` where it gave none.
        """
        raise NotImplementedError
