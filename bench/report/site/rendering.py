"""Templates, filled in so that no stranger's string can do anything but be read.

Everything is escaped for HTML, and characters that do things on a screen without being seen
(controls, escapes, direction marks) are shown by their number.
"""

import re
from collections.abc import Mapping
from functools import cache
from typing import Any
from urllib.parse import urlsplit

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from bench.report.document import Cell, shown
from bench.util import numbers

POLICY = (
    "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:; "
    "frame-src 'self'; base-uri 'none'; form-action 'none'"
)
"""Content security policy of our own pages: nothing from elsewhere, nothing inline."""

# Controls but for tab and line feed, marks and overrides of direction (UAX 9), separators that
# end a line in some programs and not in others, tags, and what UTF-8 cannot hold.
_UNSEEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"
    "\ud800-\udfff\U000e0000-\U000e007f]"
)
_LINE_END = re.compile("\r\n?|\x0c|\x85")


def visible(text: str) -> str:
    """Return a text in which characters that act without being seen stand as ``‹U+202E›``."""
    # Most texts; ends of lines other than \n are among the unseen, and none of these is printable.
    if text.replace("\n", "").isprintable() or not _UNSEEN.search(text):
        return text
    return _UNSEEN.sub(lambda match: f"‹U+{ord(match[0]):04X}›", _LINE_END.sub("\n", text))


def _shown(value: Any) -> Any:
    return visible(value) if isinstance(value, str) and not isinstance(value, Markup) else value


def breakable(name: str) -> Markup:
    """Return a name that breaks between its words, where it has to, and not inside of one."""
    return Markup("<wbr>").join(re.split(r"(?<=[:+@/>])", visible(name)))


def web_address(url: str | None) -> str:
    """Return an address that may be a link: http or https with a host; empty for any other."""
    if not url or _UNSEEN.search(url) or any(character.isspace() for character in url):
        return ""
    try:
        parts = urlsplit(url)
        return url if parts.scheme.lower() in ("http", "https") and parts.hostname else ""
    except ValueError:
        return ""


@cache
def _environment() -> Environment:
    """Return the templates with what they may call."""
    own = Environment(
        loader=PackageLoader("bench.report.site"),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_shown,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    own.globals["policy"] = POLICY
    own.filters.update(
        percent=numbers.percent,
        count=lambda number: f"{number:,}",
        link=web_address,
        breakable=breakable,
        shown=lambda blocks: shown(blocks, "html"),
        cell=lambda text: text if isinstance(text, Cell) else Cell(text),
    )
    return own


def macros(template: str) -> Any:
    """Return what a template defines for others."""
    return _environment().get_template(template).module


def render(template: str, context: Mapping[str, Any]) -> str:
    """Return a page."""
    return _environment().get_template(template).render(context)
