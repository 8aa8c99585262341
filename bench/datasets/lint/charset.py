"""Are a page's bytes in the charset that it declares, and are they text at all?"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterator

from bench.datasets.lint.findings import Finding, Severity, on_page
from bench.datasets.lint.page import PageView
from bench.worker.decode import charset, codec

UNDECODABLE_ERROR = 0.01
"""Share of characters that do not fit the charset, from which on a page is unreadable."""
STALE = "stale-charset"
UNDECODABLE = "undecodable-bytes"
CONTROL = "control-characters"
_SPACES = frozenset("\t\n\r\f\v\x1c\x1d\x1e\x1f\x85")
_LOST = "\ufffd"
# Wherever it stands: a browser looks in the first 1,024 bytes only, parsers' libraries do not.
_DECLARATION = re.compile(
    rb"<(?:meta|\?xml)\b[^<>]*?\b(?:charset|encoding)\s*=\s*[\"']?\s*([\w.:-]+)", re.I
)


def check(view: PageView) -> Iterator[Finding]:
    """Find false declarations, bytes that are no text, and characters that nobody wrote."""
    used, mark = charset(view.page.html, view.page.encoding)
    data = view.page.html[mark:]
    yield from _stale(view, data, used)
    try:
        data.decode(used)
    except UnicodeDecodeError as error:
        lost = max(1, view.html.count(_LOST) - data.count(_LOST.encode()))
        bad = lost / max(1, len(view.html))
        severity = Severity.ERROR if bad >= UNDECODABLE_ERROR else Severity.WARNING
        at = f"first at byte {mark + error.start}"
        detail = f"{lost} places of {len(view.html)} characters are not {used}, {at}"
        yield on_page(UNDECODABLE, severity, view.page.id, detail)
    in_gold = _odd(view.gold.text or "")
    if in_gold:
        yield on_page(CONTROL, Severity.WARNING, view.page.id, f"in the gold: {_listed(in_gold)}")
    in_page = _odd(view.parsed.text)
    in_page.pop(_LOST, None)
    if in_page:
        yield on_page(CONTROL, Severity.NOTE, view.page.id, f"in the page: {_listed(in_page)}")


def _stale(view: PageView, data: bytes, used: str) -> Iterator[Finding]:
    found = _DECLARATION.search(data)
    if found is None:
        return
    label = found[1].decode("ascii", "replace")
    named = codec(label)
    if named == used:
        return
    if named is None:
        detail = f"declares {label}, which is no charset of the web; read as {used}"
    else:
        detail = f"declares {label}, read as {used}"
    same = named is None or data.decode(named, "replace") == view.html
    if same and named is not None:
        detail += ", which makes no difference to its letters"
    yield on_page(STALE, Severity.NOTE if same else Severity.WARNING, view.page.id, detail)


def _odd(text: str) -> Counter[str]:
    """Count characters that are no text: controls, and the mark of one that was lost."""
    few = set(text) - _SPACES
    odd = {each for each in few if each == _LOST or unicodedata.category(each) == "Cc"}
    return Counter({each: text.count(each) for each in sorted(odd)})


def _listed(counts: Counter[str]) -> str:
    return ", ".join(f"U+{ord(each):04X} × {count}" for each, count in counts.most_common(5))
