r"""All text of a page, and its words, for checks and statistics.

The text is found in one pass of one regular expression, without a tree.

The standard library's ``html.parser`` was tried first: it takes several times as long for WCXB's
400 MB, and on Python 3.11 its time grows with the square of the length where comments are never
closed. Here every alternative ends
at its mark or at the end of the page (as in the HTML Standard's tokenizer) and nothing is tried
twice, so time grows with the length alone; open elements are a list, so depth costs nothing.

What a browser's tree builder does beyond that (moving misplaced elements about) is left out: the
text is the same, and the depth is close.
"""

import html as entities
import re
from collections import Counter
from dataclasses import dataclass

_TAG = r"""
    <(?: !--(?:-?>|.*?(?:--!?>|\Z))             # a comment
       | (?P<end>/?)(?P<name>[a-zA-Z][^\s/>]*+)
         (?P<rest>(?:[^>=]++|=\s*+(?:"[^"]*+(?:"|\Z)|'[^']*+(?:'|\Z)|))*+)(?:>|\Z)
       | (?:[!?]|/(?=[^a-zA-Z]))[^>]*+(?:>|\Z)  # a declaration, or what the standard takes for one
    )"""
MARKUP = re.compile(_TAG, re.S | re.X)
_LANGUAGE = re.compile(
    r"(?:^|[\s\"'/])(?:xml:)?lang\s*+=\s*+[\"']?+\s*+([a-zA-Z]{2,3})(?![a-zA-Z])", re.I
)
# html.unescape raises on more digits than Python's int takes.
_ENDLESS_NUMBER = re.compile(r"&#0*[0-9]{9,};?")

# Thai, Lao, Myanmar, Khmer; kana, Bopomofo and Han; half-width kana; Han beyond the basic plane.
_NO_SPACES = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u3007\u3040-\u312f\u31f0-\u31ff\u3400-\u4dbf"
    "\u4e00-\u9fff\uf900-\ufaff\uff66-\uff9f\U00020000-\U0003134f"
)
_WORD = re.compile(rf"[{_NO_SPACES}]|[^\W{_NO_SPACES}]+")

_VOID = {
    "area", "base", "basefont", "bgsound", "br", "col", "embed", "frame", "hr", "img", "input",
    "keygen", "link", "meta", "param", "source", "track", "wbr",
}  # fmt: skip
# Their content is text for the tokenizer; of these, a title and a text area hold text for people.
_RAW = {"script", "style", "iframe", "noembed", "xmp", "textarea", "title"}
_READ = {"xmp", "textarea", "title"}
_RAW_END = {name: re.compile(rf"</{name}(?=[\s/>]|\Z)", re.I) for name in _RAW}
# They stand inside a line: words on both sides of their tags may be one word.
_INLINE = {
    "a", "abbr", "acronym", "b", "bdi", "bdo", "big", "cite", "code", "data", "del", "dfn", "em",
    "font", "i", "ins", "kbd", "mark", "nobr", "q", "rb", "ruby", "s", "samp", "small", "span",
    "strike", "strong", "sub", "sup", "time", "tt", "u", "var", "wbr",
}  # fmt: skip
_ENDS_A_PARAGRAPH = {
    "address", "article", "aside", "blockquote", "center", "details", "dialog", "dir", "div", "dl",
    "fieldset", "figcaption", "figure", "footer", "form", "h1", "h2", "h3", "h4", "h5", "h6",
    "header", "hgroup", "hr", "main", "menu", "nav", "ol", "p", "pre", "section", "table", "ul",
}  # fmt: skip
# The element that is closed when one of these opens right inside it (HTML, "optional tags").
_IMPLIED = {
    **{name: frozenset(("p",)) for name in _ENDS_A_PARAGRAPH},
    "li": frozenset(("li", "p")),
    "dt": frozenset(("dt", "dd", "p")),
    "dd": frozenset(("dt", "dd", "p")),
    "option": frozenset(("option",)),
    "optgroup": frozenset(("option", "optgroup")),
    "td": frozenset(("td", "th", "p")),
    "th": frozenset(("td", "th", "p")),
    "tr": frozenset(("td", "th", "tr", "p")),
    "tbody": frozenset(("td", "th", "tr", "tbody", "thead", "p")),
    "body": frozenset(("head",)),
}


@dataclass(frozen=True)
class PageText:
    """What can be read on a page, and how it is built."""

    text: str
    """All text for people, hidden or not, in the order of the source; no scripts, no attributes."""
    link_text: str
    """The part of it that stands in ``<a>``."""
    depth: int
    """Elements from the root to the deepest one, both counted."""


def parse(html: str) -> PageText:
    """Return the text of a page. Never raises, whatever the page."""
    walk = _Walk()
    position = 0
    while match := MARKUP.search(html, position):
        walk.text(html[position : match.start()])
        position = match.end()
        if match["name"] is None:
            continue
        name = match["name"].lower()
        walk.mark(name)
        if match["end"]:
            walk.close(name)
            continue
        walk.open(name, closed=match["rest"].endswith("/"))
        if name in _RAW:
            close = _RAW_END[name].search(html, position)
            end = close.start() if close else len(html)
            if name in _READ:
                walk.text(html[position:end])
            position = end
    walk.text(html[position:])
    return PageText(unescape("".join(walk.pieces)), unescape("".join(walk.links)), walk.depth)


def declared_language(html: str) -> str | None:
    """Return the primary subtag of the root's ``lang`` in lower case; None where it has none."""
    for match in MARKUP.finditer(html):
        name = (match["name"] or "").lower()
        if name == "html" and not match["end"]:
            language = _LANGUAGE.search(match["rest"])
            return language[1].lower() if language else None
        if name not in ("", "html"):
            break
    return None


def words(text: str) -> list[str]:
    """Return the words of a text in order: for lengths, shares and likeness of texts.

    They are runs of letters and digits, and single characters where nobody writes spaces. Scores
    have their own tokens (``bench.metrics.texts.tokens``).
    """
    return _WORD.findall(text)


def unescape(text: str) -> str:
    """Return a text with its character references resolved. Never raises."""
    return entities.unescape(_ENDLESS_NUMBER.sub("\ufffd", text))


class _Walk:
    """What has been read so far, and which elements are open."""

    def __init__(self) -> None:
        self.pieces: list[str] = []
        self.links: list[str] = []
        self.depth = 0
        self._open: list[str] = []
        self._counts: Counter[str] = Counter()

    def text(self, piece: str) -> None:
        """Take a piece of text."""
        self.pieces.append(piece)
        if self._counts["a"]:
            self.links.append(piece)

    def mark(self, name: str) -> None:
        """Part words where a tag does."""
        if name not in _INLINE:
            self.pieces.append("\n")
            self.links.append("\n")

    def open(self, name: str, *, closed: bool) -> None:
        """Begin an element; ``closed``: its tag ends in ``/>``."""
        while self._open and self._open[-1] in _IMPLIED.get(name, ()):
            self._counts[self._open.pop()] -= 1
        if name == "a":
            # A link in a link ends the outer one. What stood between two links is not in `links`.
            self.close(name)
            self.links.append("\n")
        self.depth = max(self.depth, len(self._open) + 1)
        # The tokenizer is done with raw elements before the next tag; `/>` means what it says in
        # drawings and formulas only.
        drawn = closed and (self._counts["svg"] or self._counts["math"])
        if name not in _VOID and name not in _RAW and not drawn:
            self._open.append(name)
            self._counts[name] += 1

    def close(self, name: str) -> None:
        """End an element and what is still open in it; an end of nothing says nothing."""
        if not self._counts[name]:
            return
        while True:
            last = self._open.pop()
            self._counts[last] -= 1
            if last == name:
                return
