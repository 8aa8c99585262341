"""HTML as every coherent text of a page, each a document of its own (Dorosz 2008)."""

from typing import Any

from bench.corpus.media.base import PART, Media


class Coherent(Media):
    """Gives every coherent text of a page as a document, by node energy or by the position of links."""

    name = "coherent"
    requires = ("lxml>=5",)
    method = "dorosz"
    accepts = "str"
    mime = ("text/html", "application/xhtml+xml")
    several = True
    variants = {"energy": {"method": "energy"}, "links": {"method": "links"}}
    licence = "MIT"

    def load(self, *_: Any, method: str = "energy", **settings: Any) -> None:
        """Choose the method (``Extractor``)."""
        from bench.methods.dorosz import energy, links

        self._coherent = energy.coherent if method == "energy" else links.coherent

    def text(self, data: str, charset: str | None, url: str | None) -> str:
        """Return the texts (``Media``)."""
        texts = (text.text.replace(PART, " ") for text in self._coherent(data))
        return PART.join(texts)
