"""Pages that an adapter must survive: the odd, the broken, the huge, and every encoding of the web.

And texts that an ensemble must survive: none, one alone, the same from all, odd ones, long ones.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from bench.adapters.adapter import Row
from bench.model import Gold, GoldPage, Page
from bench.runs.supervise import WARM_UP
from bench.worker.charsets import CODECS

URL = "https://example.org/a?b=ü"

_OPEN = (
    '<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>A page</title></head><body>'
)
_SENTENCE = (
    "The ferry crossed the river twice a day, in summer and in winter, until at last a bridge was "
    "built and the ferryman, who had never learned to swim, opened a small shop on the far bank."
)


@dataclass(frozen=True)
class Case:
    """One page and what it is about."""

    name: str
    html: bytes
    url: str | None = URL


ARTICLE = Case("article", WARM_UP)
"""A plain article: every extractor finds text in it."""

SMALL: tuple[Case, ...] = (
    ARTICLE,
    Case("no URL", WARM_UP, None),
    Case("empty", b""),
    Case("blank", b" \n\t"),
    Case("a comment only", b"<!-- nothing -->"),
    Case(
        "malformed",
        b"<<html><body <p>Some <b>text<p>that <table><td>never</b> ends &nosuch; &#xFFFFFFF; <!-- ",
    ),
    Case("binary", bytes(range(256))),
    Case("cut off", WARM_UP[: len(WARM_UP) // 2]),
    Case(
        "script only",
        b"<html><body><script>document.write('<p>no text')</script></body></html>",
    ),
    Case("no body", b"<!DOCTYPE html><html><head><title>A title alone</title></head></html>"),
    Case("frames", b"<html><frameset cols='*,*'><frame src='a'><frame src='b'></frameset></html>"),
    Case("plain text", _SENTENCE.encode()),
    Case("XML", f"<?xml version='1.0'?><feed><entry>{_SENTENCE}</entry></feed>".encode()),
    Case(
        "scripts of the world",
        (
            '<!DOCTYPE html><html lang="ja"><head><meta charset="utf-8"><title>提灯</title></head>'
            "<body><main><h1>提灯の火 🏮</h1>"
            + "<p>風に揺れる提灯の火は、夜の川をゆっくりと下っていった。水車が回る。</p>" * 4
            + "<p>دولاب الماء يدور ببطء قرب الجسر القديم في المدينة.</p></main></body></html>"
        ).encode(),
    ),
    Case(
        "lone surrogate",
        b"<html><body><p>An emoji cut in two: &#xD83D; and a zero &#0;</p></body></html>",
    ),
    Case(
        "NUL and beyond the basic plane",
        f"{_OPEN}<p>{_SENTENCE}</p><p>a\0b \x01 \U0001f3ee \U00020000 \ufffe</p></body></html>".encode(),
    ),
    Case(
        "line separators",
        f"{_OPEN}<p>one\u2028two\u2029three\x85four\r\nfive\x0csix</p></body></html>".encode(),
    ),
)

DEEP = Case(
    "nested 10,000 deep",
    f"{_OPEN}{'<div>' * 10_000}<p>{_SENTENCE}</p>{'</div>' * 10_000}</body></html>".encode(),
)

LARGE_BYTES = 5_000_000


def large() -> Case:
    """Return a well-formed article of 5 MB."""
    paragraph = f"<p>{_SENTENCE}</p>\n"
    body = paragraph * (LARGE_BYTES // len(paragraph) + 1)
    return Case("5 MB", f"{_OPEN}<article><h1>A page</h1>{body}</article></body></html>".encode())


_FRENCH = "Übermäßig naïve façade à Malmö señor"
_POLISH = "zażółć gęślą jaźń na łące przy młynie"
_BALTIC = "ąžuolas žemaitis šešėlis ūkininkas"
_TURKISH = "şişman bir öküz çayırda yürüyor"
_MALTESE = "ħobż ġbejniet żunżan"
_GREEK = "ο φάρος στο λιμάνι ανάβει αργά"
_RUSSIAN = "маяк у старой гавани светит всю ночь"
_UKRAINIAN = "їжак під старим мостом чекає на дощ"
_HEBREW = "המגדלור בנמל הישן מאיר לאט"
_ARABIC = "منارة الميناء القديم تضيء ببطء"
_THAI = "ประภาคารเก่าส่องแสงช้า"
_JAPANESE = "古い灯台は夜の港をゆっくり照らす"
_CHINESE = "旧灯塔在夜里慢慢照亮港口"
_TAIWANESE = "舊燈塔在夜裡慢慢照亮港口"
_KOREAN = "오래된 등대가 밤바다를 비춘다"

# The Encoding Standard's names, https://encoding.spec.whatwg.org/#names-and-labels.
_LANGUAGE_OF = {
    "utf-8": _JAPANESE, "ibm866": _RUSSIAN, "iso-8859-2": _POLISH, "iso-8859-3": _MALTESE,
    "iso-8859-4": _BALTIC, "iso-8859-5": _RUSSIAN, "iso-8859-6": _ARABIC, "iso-8859-7": _GREEK,
    "iso-8859-8": _HEBREW, "iso-8859-10": _BALTIC, "iso-8859-13": _BALTIC, "iso-8859-14": _FRENCH,
    "iso-8859-15": _FRENCH, "iso-8859-16": "zażółć gęślą jaźń", "koi8-r": _RUSSIAN,
    "koi8-u": _UKRAINIAN, "macintosh": _FRENCH, "windows-874": _THAI, "windows-1250": _POLISH,
    "windows-1251": _UKRAINIAN, "windows-1252": _FRENCH, "windows-1253": _GREEK,
    "windows-1254": _TURKISH, "windows-1255": _HEBREW, "windows-1256": _ARABIC,
    "windows-1257": _BALTIC, "windows-1258": _FRENCH, "x-mac-cyrillic": _RUSSIAN,
    "gb18030": _CHINESE, "gbk": _CHINESE, "big5": _TAIWANESE, "euc-jp": _JAPANESE,
    "iso-2022-jp": _JAPANESE, "shift_jis": _JAPANESE, "euc-kr": _KOREAN,
}  # fmt: skip


@dataclass(frozen=True)
class Encoded:
    """The same article in a charset that it declares, and in UTF-8."""

    label: str
    """The charset's label, as the page declares it."""
    words: str
    """What is not ASCII in it."""
    html: bytes
    as_utf8: bytes


def encoded() -> Iterator[Encoded]:
    """Yield an article in every charset of the web, in a language that it was made for."""
    for label, words in _LANGUAGE_OF.items():
        page, same = _article(label, words), _article("utf-8", words)
        yield Encoded(label, words, page.encode(CODECS[label]), same.encode())


def _article(label: str, words: str) -> str:
    paragraph = f"<p>{_SENTENCE} {words}.</p>"
    return (
        f'<!DOCTYPE html><html><head><meta charset="{label}"><title>A page</title></head>'
        f"<body><article><h1>The ferry</h1>{paragraph * 5}</article></body></html>"
    )


# -- for ensembles --------------------------------------------------------------------------

_STORY = (
    "For as long as anybody can remember, the clock on the harbour wall has been four minutes "
    "slow.\nThe council voted to have it repaired, and the clockmaker found nothing wrong.\n"
)
_ODD = "提灯の火 \U0001f3ee\u2028a\0b \x01 \U00020000 \ufffe דולב\r\n\x85\x0c—\ud83d\n"
_LONG_WORDS = 100_000


@dataclass(frozen=True)
class Texts:
    """What the members of an ensemble say of one page."""

    name: str
    texts: Sequence[str]
    """In the order of members."""
    gold: str = _STORY

    def handed(self, row: Row) -> bytes:
        """Return the bytes that the worker is handed."""
        item = GoldPage(Page(self.name, b""), Gold(self.gold))
        labels = [member.label for member in row.members]
        return row.handed(item, dict(zip(labels, self.texts, strict=True)))


def member_texts(members: int) -> Iterator[Texts]:
    """Yield cases for an ensemble of so many members; the first has a main text, all agree on it."""
    yield Texts("the same texts", [_STORY] * members)
    yield Texts("no text", [""] * members)
    yield Texts("no text, no gold", [""] * members, "")
    yield Texts("blank texts", [" \n\t"] * members)
    for at in {0, members - 1}:
        yield Texts(f"member {at + 1} alone", [_STORY * (at == place) for place in range(members)])
    yield Texts("punctuation only", ["— . , …"] * members)
    yield Texts("odd characters", [_ODD * (1 + place % 2) for place in range(members)])
    words = [f"word{number % 977}" for number in range(_LONG_WORDS)]
    yield Texts("long texts", [" ".join(words[place:]) for place in range(members)])
