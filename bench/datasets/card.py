"""A card: what a data set is, whose it is, and which content exactly is meant."""

import tomllib
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from urllib.parse import urlsplit

from bench.model import BenchError


@dataclass(frozen=True)
class RemoteFile:
    """One file to be downloaded: a ``[[files]]`` table of a card."""

    url: str
    size_bytes: int
    """Of the file as it is downloaded; about, where ``sha256`` is empty."""
    sha256: str = ""
    """Of the file as it is downloaded, in lower-case hexadecimal.

    Empty for an archive that the server packs again for each request: a revision in the address and
    the data set's fingerprint say which content is meant.
    """
    unpack: str = ""
    """``zip``, ``tar``, ``tar.gz``, ``tar.bz2`` or ``tar.xz`` for an archive; empty for a file that is
    taken as it is."""
    strip: int = 0
    """How many leading folders of an archive's members are dropped (as ``tar`` does it)."""
    only: tuple[str, ...] = ()
    """Members to keep, by the beginning of their path after ``strip``; empty for all."""
    into: str = ""
    """Where the file (or what is in the archive) goes: a path relative to the data set's root.

    Empty stands for the root itself, for an archive, and for the URL's last part, for a file.
    """

    @property
    def name(self) -> str:
        """The path of a file that is taken as it is, relative to the data set's root."""
        return self.into or PurePosixPath(urlsplit(self.url).path).name


@dataclass(frozen=True)
class Card:
    """The facts of a data set, as in ``gold/NAME.toml``."""

    name: str
    title: str
    description: str
    layout: str
    """The reader that understands its files: a name in ``bench.datasets.readers``."""
    licence: str = ""
    labelled: str = ""
    """Who marked the gold, and how."""
    citation: str = ""
    part_of: str = ""
    """The data set whose copy holds this one's pages too: ``sigir`` for ``sigir:cetd``."""
    source: str = ""
    revision: str = ""
    version: str = ""
    pages: int = 0
    languages: tuple[str, ...] = ()
    """BCP 47; empty where they are not known."""
    counts_words: bool = False
    """Its published protocol counts words on every page, whatever language that is in."""
    fingerprint: str = ""
    """Hash of the published content; empty for data of one's own."""
    smoke: bool = False
    """Written for testing: figures on it are no evidence about the web."""
    files: tuple[RemoteFile, ...] = ()
    """What is downloaded to get it; empty where it has to be got by hand."""

    @property
    def introduction(self) -> list[str]:
        """What is told of a data set that comes to this machine: whose it is, how to cite it."""
        facts = {
            self.name: self.title,
            "labelled": self.labelled,
            "licence": self.licence,
            "to cite": self.citation,
        }
        return [f"{name}: {fact}" for name, fact in facts.items() if fact or name == self.name]

    @property
    def remedy(self) -> str:
        """The command that installs a copy which the user got in another way."""
        return f"bench gold fetch {self.name} --from FILE_OR_DIR"


def read(path: Path) -> Card:
    """Read a card. Raises ``BenchError`` naming the file when a fact is missing or unknown."""
    try:
        facts = tomllib.loads(path.read_text(encoding="utf-8"))
        facts["languages"] = tuple(facts.get("languages", ()))
        files = [
            {**table, "only": tuple(table.get("only", ()))} for table in facts.get("files", ())
        ]
        facts["files"] = tuple(RemoteFile(**table) for table in files)
        return Card(**facts)
    except (OSError, ValueError, TypeError, AttributeError, RecursionError) as error:
        raise BenchError(f"{path} is no data set card: {error}") from error
