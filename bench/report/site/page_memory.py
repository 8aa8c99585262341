"""What an earlier site knows of a page, so that a new one need not find it out again.

Beside each page's view lies, packed, what took long: the words of its texts by number, which text
has which n-grams, and what each text is beside its gold. That itself stands in the view, and preview
and source in their files: the memory has their hashes. Whatever is damaged, or was made of another
page, gold or code, is not known.
"""

import hashlib
import json
import shutil
import sys
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple, Self

import numpy as np
from markupsafe import Markup

from bench.metrics.texts.tokens import Unit
from bench.scoring.agreement import Shingles

FOLDER = "memory"
_BEGIN, _END = '<div class="sides">', "</div>\n</details>"
"""What stands around the columns of an entry in a view."""
_BENCH = Path(__file__).parents[2]
_CODE = (
    "report/site/*.py", "report/site/templates/*", "report/*.py", "metrics/texts/*.py",
    "scoring/agreement.py", "util/display.py", "datasets/page_text.py", "worker/decode.py",
    "worker/charsets.py",
)  # fmt: skip
_DIGEST = 32
_DAMAGE = (OSError, ValueError, LookupError, TypeError)


class Columns(NamedTuple):
    """What a view shows of a text."""

    html: Markup
    """The gold and the text, side by side."""
    words: str
    """Hash of its words: the same in texts that say the same."""
    missing: int
    surplus: int


class PageFile(NamedTuple):
    """A file about a page that no row has a part in."""

    path: Path
    digest: str
    """Hash of its content."""

    @classmethod
    def written(cls, path: Path, content: str) -> Self:
        """Write the file."""
        path.write_text(content, "utf-8")
        return cls(path, hashlib.sha256(content.encode()).hexdigest())

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
    columns: Mapping[str, Columns] = field(default_factory=dict)
    """What each text is beside the gold, by its hash."""
    shingles: Shingles = field(default_factory=Shingles.none)
    """Of the gold and of each text, in the order of ``columns``."""
    files: Mapping[str, PageFile] = field(default_factory=dict)
    """By the end of their names."""


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
    import pyarrow as pa

    about = {
        "key": page_key,
        "page": memory.page,
        "words": list(memory.words),
        "columns": [
            (text, hashlib.sha256(columns.html.encode()).hexdigest(), *columns[1:])
            for text, columns in memory.columns.items()
        ],
        "files": {end: file.digest for end, file in memory.files.items()},
        "grams": len(memory.shingles.grams),
    }
    there = np.packbits(memory.shingles.there, axis=1)
    head = json.dumps(about).encode()
    content = b"\n".join([head, memory.shingles.grams.astype("<i8").tobytes() + there.tobytes()])
    packed = len(content).to_bytes(8, "little") + pa.compress(content, "zstd", asbytes=True)
    (folder / FOLDER).mkdir(exist_ok=True)
    (folder / FOLDER / name).write_bytes(hashlib.sha256(packed).digest() + packed)


def load(folders: Iterable[Path], name: str, page_key: str, texts: Collection[str]) -> Memory:
    """Return what one of these runs' folders knows of a page and of these texts, by their hashes."""
    for folder in folders:
        with suppress(*_DAMAGE):
            about, shingles = _read(folder / FOLDER / name)
            if about["key"] == page_key:
                return _known(folder / "pages", name, texts, about, shingles)
    return Memory()


def _read(path: Path) -> tuple[dict[str, Any], Shingles]:
    import pyarrow as pa

    content = path.read_bytes()
    packed = content[_DIGEST:]
    if hashlib.sha256(packed).digest() != content[:_DIGEST]:
        raise ValueError("damaged")
    size = int.from_bytes(packed[:8], "little")
    head, _, rest = pa.decompress(packed[8:], size, "zstd", asbytes=True).partition(b"\n")
    about = json.loads(head)
    grams = np.frombuffer(rest, "<i8", about["grams"])
    bits = np.frombuffer(rest, np.uint8, offset=grams.nbytes).reshape(len(about["columns"]) + 1, -1)
    return about, Shingles(grams, np.unpackbits(bits, axis=1, count=len(grams)).astype(bool))


def _known(
    pages: Path, name: str, texts: Collection[str], about: Mapping[str, Any], shingles: Shingles
) -> Memory:
    """Return what of it is wanted and whole."""
    view = (pages / f"{name}.html").read_text("utf-8")
    entries = (part.partition(_END)[0] for part in view.split(_BEGIN)[1:])
    html_by_digest = {
        hashlib.sha256(html.encode()).hexdigest(): Markup(html)  # noqa: S704 (as we wrote it)
        for html in entries
    }
    columns, rows = {}, [0]
    for row, (text, digest, *facts) in enumerate(about["columns"], 1):
        if text in texts and digest in html_by_digest:
            columns[text] = Columns(html_by_digest[digest], *facts)
            rows.append(row)
    files = {
        end: PageFile(pages / f"{name}{end}", digest) for end, digest in about["files"].items()
    }
    for file in files.values():
        if hashlib.sha256(file.path.read_bytes()).hexdigest() != file.digest:
            raise ValueError(f"{file.path} is another")
    return Memory(PageParts(*about["page"]), about["words"], columns, shingles.of(rows), files)
