"""Putting a data set in its place: from a copy that the user has, or from what was downloaded.

Everything is laid out and read in a temporary folder beside the place, and moved there in one step.
"""

from __future__ import annotations

import contextlib
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

from bench.datasets import catalogue, fingerprint, readers
from bench.datasets.card import Card
from bench.datasets.catalogue import DataSet
from bench.datasets.fetch import archive
from bench.datasets.fetch.archive import ArchiveError
from bench.datasets.readers.base import GoldError, Reader
from bench.util import paths
from bench.util.locks import locked

# An archive of a repository has one folder at its top.
_DESCENT = 3


def add(name: str, source: Path, *, replace: bool = False, published: bool = False) -> DataSet:
    """Take a data set from a folder, an archive or (where it is one file) a file; return it opened.

    ``published`` asks for the very content that the card pins. Raises ``GoldError`` when the copy
    is not in the data set's layout, is not what was asked for, when a file cannot be read, or when
    the set is there already and ``replace`` is False. Nothing half-copied is ever left where a data
    set is looked for.
    """
    card, root = wanted(name, replace=replace)
    with room(root) as temporary:
        folder = source if source.is_dir() else _from_file(source, temporary / "files", card)
        reader = _opened(card.layout, folder.resolve())
        return place(card, root, reader, temporary, move=folder != source, published=published)


def wanted(name: str, *, replace: bool) -> tuple[Card, Path]:
    """Return the card of a data set that is to be installed, and where it goes.

    A part is installed with the whole that it is a part of.

    Raises ``UsageError`` for an unknown name, ``GoldError`` when there is nothing to do.
    """
    card, root = catalogue.find_card(name)
    if card.part_of:
        card, root = catalogue.find_card(card.part_of)
    if paths.bundled("gold") in root.parents:
        raise GoldError(f"data set {name} ships with bench; there is nothing to add")
    if catalogue.is_installed(root) and not replace:
        raise GoldError(f"data set {name} is already in {root}; --replace takes the new copy")
    return card, root


def downloads(root: Path) -> Path:
    """Return the folder where a data set's downloads wait until all are there."""
    return paths.home() / "cache" / "downloads" / root.name


@contextlib.contextmanager
def room(root: Path) -> Iterator[Path]:
    """Give a temporary folder beside a data set's place, to this process alone.

    Raises ``BenchError`` when another process is installing the set, or the disk cannot be written.
    """
    try:
        root.parent.mkdir(parents=True, exist_ok=True)
        # No data set's name has a tilde, so what begins so is this one's.
        prefix = f".{root.name}~"
        busy = f"another process is installing {root.name}; wait for it, then try again"
        with locked(downloads(root).with_suffix(".lock"), busy=busy):
            downloads(root).mkdir(exist_ok=True)
            for left in root.parent.glob(f"{prefix}*"):
                shutil.rmtree(left, ignore_errors=True)
            with tempfile.TemporaryDirectory(prefix=prefix, dir=root.parent) as temporary:
                yield Path(temporary)
    except OSError as error:
        raise GoldError(
            f"{error.filename or root.parent} cannot be written or read "
            f"({error.strerror or error}); make room there, or name another place in BENCH_HOME"
        ) from error


def place(
    card: Card, root: Path, reader: Reader, temporary: Path, *, move: bool, published: bool
) -> DataSet:
    """Put a data set's files in their place, read and checked, in one step; return it opened.

    ``temporary`` is what ``room`` gave. Raises ``GoldError`` for files that cannot be read, and with
    ``published`` for content that is not the card's.
    """
    copy = temporary / "copy"
    for path in dict.fromkeys(reader.files()):
        target = copy / path
        target.parent.mkdir(parents=True, exist_ok=True)
        if move:
            (reader.root / path).rename(target)
        else:
            shutil.copyfile(reader.root / path, target)
    # Reads every page of the copy: a damaged file is found now, not in the middle of a run.
    hashes = fingerprint.of_reader(readers.open_folder(card.layout, copy), remembered=False)
    if published and card.fingerprint and hashes.fingerprint != card.fingerprint:
        raise GoldError(
            f"this is not the published content of {card.name}: its {len(hashes.pages)} pages have "
            f"the fingerprint {hashes.fingerprint[:16]}…, the card says {card.fingerprint[:16]}… "
            f"(revision {card.revision}); nothing was installed"
        )
    if root.exists():
        # Moved away whole: a folder that is being emptied would look like a data set.
        root.rename(temporary / "old")
    copy.rename(root)
    return DataSet(card, readers.open_folder(card.layout, root))


def _from_file(source: Path, folder: Path, card: Card) -> Path:
    """Lay out what a file holds in a new folder."""
    if not source.is_file():
        raise GoldError(f"{source} is no folder, and no file")
    folder.mkdir()
    if packed := archive.kind(source):
        try:
            archive.unpack(source, folder, packed)
        except ArchiveError as error:
            raise ArchiveError(f"{source}: {error}") from error
    else:
        names = [each.name for each in card.files if not each.unpack]
        target = folder / (names[0] if len(names) == 1 else source.name)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source, target)
    return folder


def _opened(layout: str, folder: Path) -> Reader:
    """Open a folder in a layout, or the one folder that is all it holds."""
    below = folder
    for _ in range(_DESCENT):
        inside = [path for path in below.iterdir() if not path.name.startswith(".")]
        if len(inside) != 1 or not inside[0].is_dir():
            break
        below = inside[0]
    try:
        return readers.open_folder(layout, folder)
    except GoldError:
        if below == folder:
            raise
        return readers.open_folder(layout, below)
