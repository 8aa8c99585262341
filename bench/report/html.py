"""Documents as HTML, for the pages of the site: strangers' strings are escaped."""

from collections.abc import Iterable, Mapping
from types import MappingProxyType

from markupsafe import Markup

from bench.report.document import Block
from bench.report.site.rendering import macros

_NO_IMAGES: Mapping[str, Markup] = MappingProxyType({})


def render(blocks: Iterable[Block], images: Mapping[str, Markup] = _NO_IMAGES) -> Markup:
    """Return part of a page; ``images`` are the charts of figures by key, others are left out."""
    return Markup(macros("document.html").document(blocks, images))  # noqa: S704 (escaped there)
