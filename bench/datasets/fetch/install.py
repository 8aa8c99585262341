"""Bringing a data set to this machine, as published or from a copy that the user has.

What is meant is pinned twice: a file by its SHA-256 in the card, where the server sends the same
bytes each time; the data set by its fingerprint, which is a hash of its pages and gold. An archive
that is packed again for each request (a repository at a revision) has no SHA-256 of its own, and the
fingerprint alone decides. Everything is laid out and read in a temporary folder beside the place,
and moved there in one step.
"""

import contextlib
import hashlib
import os
import shutil
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from bench.datasets import catalogue, fingerprint, readers
from bench.datasets.card import Card
from bench.datasets.catalogue import DataSet
from bench.datasets.fetch import archive
from bench.datasets.fetch.download import download
from bench.datasets.readers.base import GoldError, Reader, open_file
from bench.util import paths
from bench.util.https import PATIENT, DownloadError, Offline, Patience
from bench.util.locks import locked
from bench.util.numbers import megabytes
from bench.util.progress import SILENT, Progress

# An archive of a repository has one folder at its top.
_DESCENT = 3


@dataclass(frozen=True)
class Fetched:
    """A data set that is there now."""

    data_set: DataSet
    already: bool = False
    """It was there before, as published."""


def fetch(
    name: str, *, replace: bool = False, progress: Progress = SILENT, patience: Patience = PATIENT
) -> Fetched:
    """Download a data set and return it opened; one that is there, as published, is left alone.

    Says before the first byte what is downloaded, whose it is and how to cite it.
    Raises ``UsageError`` for an unknown name, ``Offline`` or ``DownloadError`` when its files cannot
    be got (what came is kept and gone on with next time), ``GoldError`` when they are not what the
    card pins (then nothing is kept).
    """
    card, root = catalogue.find_card(name)
    if root.is_dir() and not replace:
        try:
            installed = DataSet(card, readers.open_folder(card.layout, root))
            if installed.as_published is not False:
                return Fetched(installed, already=True)
        except GoldError as error:
            raise GoldError(f"{error}; --replace fetches {name} again") from error
    card, root = _place(name, replace=replace)
    if not card.files:
        raise GoldError(
            f"data set {name} cannot be downloaded by bench; get it from {card.source} "
            f"and type: {card.remedy}"
        )
    with room(root) as temporary:
        downloads = _downloads(root)
        folder = temporary / "files"
        try:
            _download(card, downloads, folder, progress, patience)
            reader = readers.open_folder(card.layout, folder)
            data_set = _install(card, root, reader, temporary, move=True, published=True)
        except DownloadError as error:
            where = " (is this machine offline?)" if isinstance(error, Offline) else ""
            raise type(error)(
                f"data set {name}: {error}{where}; try again, or with a copy from {card.source} "
                f"type: {card.remedy}"
            ) from error
        except GoldError:
            shutil.rmtree(downloads)
            raise
        shutil.rmtree(downloads)
    return Fetched(data_set)


def add(name: str, source: Path, *, replace: bool = False, published: bool = False) -> DataSet:
    """Take a data set from a folder, an archive or (where it is one file) a file; return it opened.

    ``published`` asks for the very content that the card pins. Raises ``GoldError`` when the copy
    is not in the data set's layout, is not what was asked for, when a file cannot be read, or when
    the set is there already and ``replace`` is False. Nothing half-copied is ever left where a data
    set is looked for.
    """
    card, root = _place(name, replace=replace)
    with room(root) as temporary:
        folder = source
        if not source.is_dir():
            folder = temporary / "files"
            if not source.is_file():
                raise GoldError(f"{source} is no folder, and no file")
            if packed := archive.kind(source):
                archive.unpack(source, folder, packed)
            else:
                names = [file.name for file in card.files if not file.unpack]
                target = folder / (names[0] if len(names) == 1 else source.name)
                target.parent.mkdir(parents=True)
                shutil.copyfile(source, target)
        reader = _opened(card.layout, folder.resolve())
        return _install(card, root, reader, temporary, move=folder != source, published=published)


@contextlib.contextmanager
def room(root: Path) -> Iterator[Path]:
    """Give a temporary folder beside a data set's place, to this process alone.

    Raises ``BenchError`` when another process is installing the set, or the disk cannot be written.
    """
    # No data set's name has a tilde, so what begins so is this one's.
    prefix = f".{root.name}~"
    busy = f"another process is installing {root.name}; wait for it, then try again"
    try:
        root.parent.mkdir(parents=True, exist_ok=True)
        with locked(_downloads(root).with_suffix(".lock"), busy=busy):
            _downloads(root).mkdir(exist_ok=True)
            for left in root.parent.glob(f"{prefix}*"):
                shutil.rmtree(left, ignore_errors=True)
            with tempfile.TemporaryDirectory(prefix=prefix, dir=root.parent) as temporary:
                yield Path(temporary)
    except OSError as error:
        raise GoldError(
            f"{error.filename or root.parent} cannot be written or read "
            f"({error.strerror or error}); make room there, or name another place in BENCH_HOME"
        ) from error


def _place(name: str, *, replace: bool) -> tuple[Card, Path]:
    """Return the card of a data set that is to be installed, and where it goes.

    A part is installed with the whole that it is a part of. Raises ``UsageError`` for an unknown
    name, ``GoldError`` when there is nothing to do.
    """
    card, root = catalogue.find_card(name)
    if card.part_of:
        card, root = catalogue.find_card(card.part_of)
    if paths.bundled("gold") in root.parents:
        raise GoldError(f"data set {name} ships with bench; there is nothing to add")
    if root.is_dir() and not replace:
        raise GoldError(f"data set {name} is already in {root}; --replace takes the new copy")
    return card, root


def _downloads(root: Path) -> Path:
    """Return the folder where a data set's downloads wait until all are there."""
    return paths.home() / "cache" / "downloads" / root.name


def _download(
    card: Card, downloads: Path, folder: Path, progress: Progress, patience: Patience
) -> None:
    """Get the card's files, then lay them out in a new folder."""
    keys = [
        hashlib.sha256(f"{file.url} {file.sha256}".encode()).hexdigest()[:32] for file in card.files
    ]
    for left in downloads.iterdir():
        # Of another revision.
        if left.name.split(".")[0] not in keys:
            left.unlink()
    for line in [*card.introduction, _announcement(card)]:
        progress.say(line)
    wholes = [downloads / f"{key}.whole" for key in keys]
    for file, whole in zip(card.files, wholes, strict=True):
        download(file, whole, progress=progress, patience=patience)
    progress.say(f"unpacking and checking {card.pages} pages")
    for file, whole in zip(card.files, wholes, strict=True):
        if file.unpack:
            archive.unpack(
                whole, folder / file.into, file.unpack,
                source=file.url, strip=file.strip, only=file.only,
            )  # fmt: skip
            continue
        target = folder / file.name
        target.parent.mkdir(parents=True, exist_ok=True)
        try:
            os.link(whole, target)
        except OSError:
            shutil.copyfile(whole, target)


def _announcement(card: Card) -> str:
    about = "" if all(file.sha256 for file in card.files) else "about "
    size = megabytes(sum(file.size_bytes for file in card.files))
    hosts = sorted({urlsplit(file.url).hostname or "" for file in card.files})
    count = "1 file" if len(card.files) == 1 else f"{len(card.files)} files"
    revision = f", revision {card.revision[:12]}" if card.revision else ""
    return f"downloading {count}, {about}{size}, from {', '.join(hosts)}{revision}"


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


def _install(
    card: Card, root: Path, reader: Reader, temporary: Path, *, move: bool, published: bool
) -> DataSet:
    """Put a data set's files in their place, read and checked, in one step; return it opened.

    ``temporary`` is what ``room`` gave. Raises ``GoldError`` for files that cannot be read, and with
    ``published`` for content that is not the card's.
    """
    copy, resolved = temporary / "copy", reader.root.resolve()
    for path in dict.fromkeys(reader.files()):
        target = copy / path
        target.parent.mkdir(parents=True, exist_ok=True)
        if move:
            (reader.root / path).rename(target)
        else:
            with open_file(reader.root / path, resolved) as file, target.open("xb") as written:
                shutil.copyfileobj(file, written)
    # Reads every page of the copy: a damaged file is found now, not in the middle of a run.
    hashes = fingerprint.of_reader(readers.open_folder(card.layout, copy), afresh=True)
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
