"""CleanEval and what follows it: pages wrapped in ``<text …>``, gold with a URL line and tags.

A page file is ``<text id="URL" title="…" encoding="…">``, the page's own bytes, ``</text>``. A gold
file begins with ``URL: …`` (a fifth of them does not), and ``<p>``, ``<h>``, ``<l>`` stand at the head
of paragraphs, headings and list items, as in ``cleaneval.py`` (Evert 2008): URL line and tags are
no part of the text, references to characters are resolved.

The wrapper's ``encoding`` names what the page is in, or says ``unset``; it is stated as the
charset, but for pages that are UTF-8 whatever it says, and pages said to be UTF-8 that are not.
"""

import re
from pathlib import Path

from bench.datasets.page_text import unescape
from bench.datasets.readers.base import PAGE, Reader, files_by_id
from bench.model import Gold, GoldPage, Page
from bench.worker.decode import codec, is_utf8

# Of the development set, the final run, CleanPortalEval, and the copies that studies pass on.
_FOLDERS = (("input", "GoldStandard"), ("finalrun-input", "GoldStandard"), ("orig", "clean"))
_SETS = ("cleaneval-final", "cleaneval-dev")
_GOLD = ("-cleaned.txt", ".txt")

_OPEN = re.compile(rb"\s*<text\b((?:[^>\"]++|\"[^\"]*+\")*+)>\r?\n?", re.I)
# The look behind it keeps a long blank from being tried from each of its bytes.
_CLOSE = re.compile(rb"(?<!\s)\s*+</text>\s*+\Z", re.I)
_ATTRIBUTE = re.compile(rb"\b(id|title|encoding)\s*=\s*\"([^\"]*)\"", re.I)
_URL_LINE = re.compile(r"\s*URL:[ \t]*(\S*)[^\r\n]*(?:\r\n|\r|\n)?")
_TAG = re.compile(r"</?[phl]>", re.I)


class CleanEvalReader(Reader):
    """Two folders, pages and gold, in the root or in both ``cleaneval-dev`` and ``-final``."""

    layout_of = "CleanEval"

    def __init__(self, root: Path) -> None:
        super().__init__(root)
        pairs = [pair for place in (root, *(root / s for s in _SETS)) if (pair := _pair(place))]
        if not pairs:
            names = " or ".join(f"{page}/ and {gold}/" for page, gold in _FOLDERS)
            raise self._lacks(names)
        pages: dict[str, Path] = {}
        gold: dict[str, Path] = {}
        paired: set[str] = set()
        # One page is in the final run and in the development set: the later gold counts.
        for page_folder, gold_folder in reversed(pairs):
            html_of, gold_of = files_by_id(page_folder, *PAGE), files_by_id(gold_folder, *_GOLD)
            both = html_of.keys() & gold_of.keys()
            pages |= {i: file for i, file in html_of.items() if i in both or i not in paired}
            gold |= {i: file for i, file in gold_of.items() if i in both or i not in paired}
            paired |= both
        # Gold of one set does not belong to another's page of the same number.
        gold = {i: file for i, file in gold.items() if i in paired or i not in pages}
        page_at, gold_at = f"{pairs[0][0].name}/{{}}.html", f"{pairs[0][1].name}/{{}}.txt"
        self._pair(pages, gold, page_at=page_at, gold_at=gold_at)

    def read(self, page_id: str) -> GoldPage:
        page_file, gold_file = self._files(page_id)
        facts, data = _unwrap(self._bytes(page_file))
        label = facts.get("encoding", "")
        url, text = _gold(self._old_text(gold_file, label))
        address = facts.get("id", "")
        title = facts.get("title")
        page = Page(
            id=page_id,
            html=data,
            url=address if address.startswith(("http://", "https://")) else url,
            encoding=_charset(data, label),
            meta={"title": title} if title else {},
        )
        return GoldPage(page, Gold(text))


def _pair(place: Path) -> tuple[Path, Path] | None:
    for pages, gold in _FOLDERS:
        if (place / pages).is_dir() and (place / gold).is_dir():
            return place / pages, place / gold
    return None


def _unwrap(data: bytes) -> tuple[dict[str, str], bytes]:
    """Return what the wrapper says of a page, and the page; one without a wrapper is whole."""
    wrapper = _OPEN.match(data)
    if not wrapper:
        return {}, data
    facts = {
        name.decode().lower(): unescape(value.decode("utf-8", "replace")).strip()
        for name, value in _ATTRIBUTE.findall(wrapper[1])
    }
    return facts, _CLOSE.sub(b"", data[wrapper.end() :])


def _charset(data: bytes, label: str) -> str | None:
    named = codec(label)
    if is_utf8(data) and not data.isascii():
        return "utf-8"
    return None if named in (None, "utf-8") else label


def _gold(text: str) -> tuple[str | None, str]:
    line = _URL_LINE.match(text)
    body = _TAG.sub("", text[line.end() :] if line else text)
    return (line[1] if line else None) or None, unescape(body)
