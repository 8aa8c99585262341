"""Checks that need one page alone: gold, snippets, charset, language, what annotation left in it."""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterator
from functools import cached_property

from bench.datasets import page_text, text_language
from bench.datasets.facts import primary
from bench.datasets.lint import grams
from bench.datasets.lint.findings import Finding, Severity
from bench.datasets.lint.grams import Grams
from bench.datasets.page_text import PageText
from bench.model import GoldPage
from bench.worker.decode import charset, codec, decode

ABSENT_ERROR = 0.5
"""Share of the gold's n-grams that the page lacks, from which on the gold is another page's."""
ABSENT_WARNING = 0.2
"""The same, from which on a person should look."""
UNDECODABLE_ERROR = 0.01
"""Share of characters that do not fit the charset, from which on a page is unreadable."""

LANGUAGE_WORDS = 50
"""Words from which on a text's language can be told."""
LANGUAGE_SURE = 0.99
"""Probability from which on it counts as told."""

_Findings = Iterator[tuple[str, Severity, str]]
"""Name of the check, severity and detail of each finding."""

_SHOWN = 60
_DETECTED = 5000
"""Characters of a text that its language is told by."""
_SAME = {
    "bs": "hr", "cmn": "zh", "da": "no", "fil": "tl", "in": "id", "iw": "he", "ji": "yi", "ms": "id",
    "nb": "no", "nn": "no", "sh": "hr", "sr": "hr", "yue": "zh",
}  # fmt: skip
"""Other codes of a language, and languages too close to distinguish."""
_SPACES = frozenset("\t\n\r\f\v\x1c\x1d\x1e\x1f\x85")
_LOST = "\ufffd"
_ESCAPED = re.compile(r"\\u([0-9a-fA-F]{4})")
_ESCAPED_SPACE = re.compile(r"\\[nrt]")
# Wherever it stands: a browser looks in the first 1,024 bytes only, parsers' libraries do not.
_DECLARATION = re.compile(
    rb"<(?:meta|\?xml)\b[^<>]*?\b(?:charset|encoding)\s*+=\s*+[\"']?+\s*+([\w.:-]+)", re.I
)
# What annotation leaves behind, by data set, as it stands inside a tag.
MARKS = {
    # WebMainBench: what is content, and text made selectable
    "cc-select attribute": r"\s(?:cc-select|data-anno-uid)\b",
    "mark-selected class": r"\bclass\s*+=[^=]*\bmark-selected\b",
    "marked-text element": r"^/?marked-(?:text|tail|inline)\b",
    "__boilernet attribute": r"\b__boilernet_(?:label|is_content)\s*+=",  # BoilerNet, Google Trends
    "x-nc class": r"\bx-nc-(?:sel[0-9]|invisible)\b",  # L3S-GN1: 1 to 5 are kinds of content
    # CleanEval
    "<text id> wrapper": r"^text\s(?>[^>]*?\bid\s*+=)[^>]*?\b(?:title|encoding)\s*+=",
}
_MARK_WORDS = (
    "cc-select", "data-anno-uid", "mark-selected", "<marked-", "__boilernet_", "x-nc-", "<text ",
)  # fmt: skip
_TAG = re.compile(r"<([^<>]{1,4000}+)")
_PATTERNS = {name: re.compile(pattern, re.I) for name, pattern in MARKS.items()}


class PageView:
    """A page with its gold as the checks see it: each view of it made once, and only if asked for."""

    def __init__(self, item: GoldPage) -> None:
        self.page = item.page
        self.gold = item.gold

    @cached_property
    def html(self) -> str:
        """The source as text."""
        return decode(self.page.html, self.page.encoding)

    @cached_property
    def declared_language(self) -> str | None:
        """The primary subtag of the root's ``lang``."""
        return page_text.declared_language(self.html)

    @cached_property
    def parsed(self) -> PageText:
        """Its text for people."""
        return page_text.parse(self.html)

    @cached_property
    def words(self) -> list[str]:
        """The words of its text, letter case folded."""
        return grams.folded(self.parsed.text)

    @cached_property
    def gold_words(self) -> list[str]:
        """The words of the gold, letter case folded; none where there is no gold text."""
        return grams.folded(self.gold.text or "")

    @cached_property
    def grams(self) -> Grams:
        """The distinct n-grams of its text."""
        return grams.distinct(self.words)


def check_page(view: PageView) -> Iterator[Finding]:
    """Have every check look at a page; an error rejects it."""
    page_id = view.page.id
    for check in (_gold_text, _snippets, _charset, _language, _residue):
        for name, severity, detail in check(view):
            rejects = (page_id,) if severity is Severity.ERROR else ()
            yield Finding(name, severity, (page_id,), detail, rejects)


# -- is there gold, and is it in the page? ------------------------------------------------------


def _gold_text(view: PageView) -> _Findings:
    if view.gold.text is None:
        return
    if not view.gold_words:
        wanted = sum(bool(snippet.strip()) for snippet in view.gold.with_snippets)
        if wanted:
            detail = f"no gold text, but {wanted} snippets that must appear"
            yield "empty-gold", Severity.ERROR, detail
        else:
            yield "empty-gold", Severity.WARNING, f"the page's text has {len(view.words)} words"
        return
    lines = [line for line in map(grams.folded, view.gold.text.splitlines()) if line]
    missing = grams.absent(lines, view.words)
    if missing < ABSENT_WARNING:
        return
    missing_in_source = min(missing, grams.absent(lines, _source_words(view.html)))
    if missing_in_source < min(ABSENT_WARNING, missing / 2):
        detail = f"{missing:.0%} of the gold is not in the page's text, but in its source"
        yield "gold-in-source-only", Severity.WARNING, detail
        return
    severity = Severity.ERROR if missing_in_source >= ABSENT_ERROR else Severity.WARNING
    detail = f"{missing:.0%} of the gold's {grams.N}-grams are not in the page's text"
    if missing_in_source < missing:
        detail += f", {missing_in_source:.0%} not in its source"
    yield "gold-not-in-page", severity, detail


def _source_words(html: str) -> list[str]:
    """Return every word of a page's source, those in scripts and attributes included."""
    plain = _ESCAPED_SPACE.sub(" ", page_text.unescape(html))
    plain = _ESCAPED.sub(lambda match: chr(int(match[1], 16)), plain)
    # Markup inside of scripts' strings parts words too; outside it is no text.
    return grams.folded(re.sub(r"<[^<>]{0,500}>", " ", plain)) + grams.folded(plain)


# -- do snippets agree with each other, and with the gold text? ---------------------------------


def _snippets(view: PageView) -> _Findings:
    wanted = [" ".join(snippet.split()) for snippet in view.gold.with_snippets]
    unwanted = [" ".join(snippet.split()) for snippet in view.gold.without_snippets]
    inside = [(no, yes) for no in filter(None, unwanted) for yes in wanted if no in yes]
    if inside:
        # With a gold text, other metrics can still be had on the page.
        severity = Severity.ERROR if view.gold.text is None else Severity.WARNING
        no, yes = inside[0]
        detail = f"must not appear: {no[:_SHOWN]!r}, but is in what must: {yes[:_SHOWN]!r}"
        yield "contradicting-snippets", severity, detail + _more(inside)
    gold = " ".join((view.gold.text or "").split())
    if not gold:
        return
    lacking = [snippet for snippet in wanted if snippet not in gold]
    having = [snippet for snippet in filter(None, unwanted) if snippet in gold]
    for fault, snippets in (
        ("must appear, but is not", lacking),
        ("must not appear, but is", having),
    ):
        if snippets:
            detail = f"{fault} in the gold: {snippets[0][:_SHOWN]!r}{_more(snippets)}"
            yield "snippets-against-gold", Severity.WARNING, detail


def _more(snippets: list[str] | list[tuple[str, str]]) -> str:
    return "" if len(snippets) == 1 else f", and {len(snippets) - 1} more"


# -- are the bytes in the charset that the page declares, and text at all? ----------------------


def _charset(view: PageView) -> _Findings:
    used, mark = charset(view.page.html, view.page.encoding)
    data = view.page.html[mark:]
    declaration = _DECLARATION.search(data)
    if declaration is not None:
        yield from _stale_charset(view, data, used, declaration[1].decode("ascii", "replace"))
    try:
        data.decode(used)
    except UnicodeDecodeError as error:
        lost = max(1, view.html.count(_LOST) - data.count(_LOST.encode()))
        unreadable = lost / max(1, len(view.html)) >= UNDECODABLE_ERROR
        severity = Severity.ERROR if unreadable else Severity.WARNING
        at = f"first at byte {mark + error.start}"
        detail = f"{lost} places of {len(view.html)} characters are not {used}, {at}"
        yield "undecodable-bytes", severity, detail
    if in_gold := _control_characters(view.gold.text or ""):
        yield "control-characters", Severity.WARNING, f"in the gold: {in_gold}"
    if in_page := _control_characters(view.parsed.text.replace(_LOST, "")):
        yield "control-characters", Severity.NOTE, f"in the page: {in_page}"


def _stale_charset(view: PageView, data: bytes, used: str, label: str) -> _Findings:
    named = codec(label)
    if named is None:
        detail = f"declares {label}, which is no charset of the web; read as {used}"
        yield "stale-charset", Severity.NOTE, detail
    elif named != used:
        same = data.decode(named, "replace") == view.html
        difference = ", which makes no difference to its letters" if same else ""
        severity = Severity.NOTE if same else Severity.WARNING
        yield "stale-charset", severity, f"declares {label}, read as {used}{difference}"


def _control_characters(text: str) -> str:
    """List the characters that are no text, most first: controls, and the mark of one that was lost."""
    no_text = {c for c in set(text) - _SPACES if c == _LOST or unicodedata.category(c) == "Cc"}
    counts = Counter({character: text.count(character) for character in sorted(no_text)})
    return ", ".join(f"U+{ord(c):04X} × {count}" for c, count in counts.most_common(5))


# -- is the page in the language that the data set states, or it declares itself? ---------------


def _language(view: PageView) -> _Findings:
    stated, declared = primary(view.page.language), view.declared_language
    detected = _detected(view)
    if detected is None or not (stated or declared):
        return
    wrong = [
        f"{how} {language}"
        for how, language in (("stated", stated), ("declared", declared))
        if language is not None and _SAME.get(language, language) != detected
    ]
    if wrong:
        # What is stated goes before what is declared: only the first that there is does harm.
        harm = stated is None or wrong[0].startswith("stated")
        detail = f"{' and '.join(wrong)}, but the text is in {detected}"
        yield "language", Severity.WARNING if harm else Severity.NOTE, detail


def _detected(view: PageView) -> str | None:
    """Return the language of the gold, or of a page without; None where it cannot be told surely."""
    words = view.gold_words or view.words
    if len(words) < LANGUAGE_WORDS:
        return None
    language, probability = text_language.detected(view.gold.text or view.parsed.text, _DETECTED)
    if probability < LANGUAGE_SURE:
        return None
    return _SAME.get(language, language)


# -- did the people who marked the gold leave their marks in the page? --------------------------


def _residue(view: PageView) -> _Findings:
    source = view.html.lower()
    if not any(word in source for word in _MARK_WORDS):
        return
    counts: Counter[str] = Counter()
    for tag in _TAG.finditer(view.html):
        for name, pattern in _PATTERNS.items():
            counts[name] += bool(pattern.search(tag[1]))
    detail = ", ".join(f"{name} × {count}" for name, count in counts.items() if count)
    if detail:
        yield "annotation-residue", Severity.ERROR, detail
