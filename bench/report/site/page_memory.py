"""What an earlier site knows of a page, so that a new one need not find it out again.

Beside each page's view lies, packed, what took long: the words of its texts by number, which text
has which n-grams, and which texts say the same. What they are beside the gold stands in the view, and
preview and source in their files: the memory has the files' hashes. The chart of each row's
scores lies there, too. Whatever is damaged, or was made of another page, gold or code, is not known.
"""

import hashlib
import json
import math
import shutil
import sys
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple, Self

import numpy as np
from markupsafe import Markup

from bench.metrics.texts.tokens import Unit
from bench.scoring.agreement import Shingles

FOLDER, VIEW = "memory", ".html"
_BEGIN, _END = '<div class="sides">', "</div>\n</details>"
"""What stands around the columns of an entry in a view."""
_BENCH = Path(__file__).parents[2]
_CODE = (
    "report/site/*.py", "report/site/templates/*", "report/*.py", "report/charts/*.py",
    "metrics/texts/*.py", "scoring/agreement.py", "util/display.py", "util/numbers.py",
    "datasets/page_text.py", "worker/decode.py", "worker/charsets.py",
)  # fmt: skip
_DIGEST = 32
_DAMAGE = (OSError, ValueError, LookupError, TypeError)


class Columns(NamedTuple):
    """What a view shows of a text."""

    text_hash: str
    missing: int
    surplus: int
    html: Markup
    """The gold and the text, side by side."""


class PageFile(NamedTuple):
    """A file about a page."""

    path: Path
    digest: str
    """Hash of its content."""

    @classmethod
    def written(cls, path: Path, content: str) -> Self:
        """Write the file."""
        encoded = content.encode()
        path.write_bytes(encoded)
        return cls(path, hashlib.sha256(encoded).hexdigest())

    def read(self) -> bytes:
        """Return its content. Raises ``ValueError`` where it is another."""
        content = self.path.read_bytes()
        if hashlib.sha256(content).hexdigest() != self.digest:
            raise ValueError(f"{self.path} is another")
        return content

    def taken_to(self, path: Path) -> Self:
        """Take the file over, which costs no space where the file system has hard links."""
        try:
            path.hardlink_to(self.path)
        except OSError:
            shutil.copyfile(self.path, path)
        return self._replace(path=path)


class PageParts(NamedTuple):
    """What a view shows of a page whatever the rows; the markup is HTML."""

    title: str
    where: str
    """Host and path of its address."""
    unit: Unit
    """What its texts are compared by."""
    gold_text: str | None
    facts: str
    snippets: str
    gold: str | None
    gold_words: int


@dataclass(frozen=True)
class Memory:
    """What is known of a page."""

    page: PageParts | None = None
    """None where nothing is known."""
    words: Sequence[str] = ()
    """Every word by its number."""
    said: Mapping[str, str] = field(default_factory=dict)
    """Hash of each text's words, the same in texts that say the same, by the text's hash."""
    shingles: Shingles = field(default_factory=Shingles.none)
    """Of the gold and of each text, in the order of ``said``."""
    columns: Sequence[Columns] = ()
    """Those of the view's entries, in order."""
    files: Mapping[str, PageFile] = field(default_factory=dict)
    """By the end of their names: the view, and those that no row has a part in."""


def key(*facts: object) -> str:
    """Return the hash of what a memory depends on beside the texts: these facts, and our code."""
    return hashlib.sha256(json.dumps([_code(), *facts]).encode()).hexdigest()


@cache
def _code() -> str:
    import rapidfuzz

    digest = hashlib.sha256(f"{sys.version_info} {rapidfuzz.__version__}".encode())
    for path in sorted(path for glob in _CODE for path in _BENCH.glob(glob)):
        digest.update(hashlib.sha256(path.read_bytes()).digest())
    return digest.hexdigest()


def save(folder: Path, name: str, page_key: str, memory: Memory) -> None:
    """Keep what is known of a page whose files have this name in a run's folder."""
    about = {
        "key": page_key,
        "page": memory.page,
        "said": memory.said,
        "columns": [columns[:-1] for columns in memory.columns],
        "files": {end: file.digest for end, file in memory.files.items()},
        "grams": len(memory.shingles.grams),
    }
    there = np.packbits(memory.shingles.there, axis=1)
    grams = memory.shingles.grams.astype("<i8").tobytes()
    words = "\n".join([*memory.words, ""]).encode()
    write(folder, name, about, [grams, there.tobytes(), words])


def write(folder: Path, name: str, about: Mapping[str, Any], parts: Sequence[bytes] = ()) -> None:
    """Keep under this name what is known, with its ``key``, and bytes that belong to it."""
    import pyarrow as pa

    content = b"".join([json.dumps(about).encode(), b"\n", *parts])
    packed = len(content).to_bytes(8, "little") + pa.compress(content, "zstd", asbytes=True)
    (folder / FOLDER).mkdir(exist_ok=True)
    (folder / FOLDER / name).write_bytes(hashlib.sha256(packed).digest() + packed)


def load(folders: Iterable[Path], name: str, page_key: str, texts: Collection[str]) -> Memory:
    """Return what one of these runs' folders knows of a page and of these texts, by their hashes."""
    for folder, about, rest in read(folders, name, page_key):
        with suppress(*_DAMAGE):
            return _known(folder / "pages", name, texts, about, rest)
    return Memory()


def read(
    folders: Iterable[Path], name: str, known_key: str
) -> Iterator[tuple[Path, dict[str, Any], bytes]]:
    """Yield what these runs' folders know under a name and a key, as it was written."""
    for folder in folders:
        with suppress(*_DAMAGE):
            about, rest = _read(folder / FOLDER / name)
            if about["key"] == known_key:
                yield folder, about, rest


def _read(path: Path) -> tuple[dict[str, Any], bytes]:
    import pyarrow as pa

    content = path.read_bytes()
    packed = content[_DIGEST:]
    if hashlib.sha256(packed).digest() != content[:_DIGEST]:
        raise ValueError("damaged")
    size = int.from_bytes(packed[:8], "little")
    head, _, rest = pa.decompress(packed[8:], size, "zstd", asbytes=True).partition(b"\n")
    return json.loads(head), rest


def _known(
    pages: Path, name: str, texts: Collection[str], about: Mapping[str, Any], rest: bytes
) -> Memory:
    """Return what of it is wanted. Raises ``ValueError`` where it is not whole."""
    files = {
        end: PageFile(pages / f"{name}{end}", digest) for end, digest in about["files"].items()
    }
    contents = {end: file.read() for end, file in files.items()}
    entries = contents[VIEW].decode().split(_BEGIN)[1:]
    columns = [
        Columns(text, missing, surplus, Markup(html.partition(_END)[0]))  # noqa: S704 (as we wrote it)
        for (text, missing, surplus), html in zip(about["columns"], entries, strict=True)
    ]
    grams = np.frombuffer(rest, "<i8", about["grams"])
    shape = len(about["said"]) + 1, (len(grams) + 7) // 8
    bits = np.frombuffer(rest, np.uint8, math.prod(shape), grams.nbytes).reshape(shape)
    end = grams.nbytes + bits.nbytes
    there = np.unpackbits(bits, axis=1, count=len(grams)).view(bool)
    places = [place for place, text in enumerate(about["said"], 1) if text in texts]
    return Memory(
        PageParts(*about["page"]),
        rest[end:].decode().split("\n")[:-1],
        {text: said for text, said in about["said"].items() if text in texts},
        Shingles(grams, there).of([0, *places]),
        columns,
        files,
    )
