"""``bench gold fetch``: download a data set at its pinned revision, check it, put it in its place.

What is meant is pinned twice: a file by its SHA-256 in the card, where the server sends the same
bytes each time; the data set by its fingerprint, which is a hash of its pages and gold. An archive
that is packed anew for each request (a repository at a revision) has no SHA-256 of its own, and the
fingerprint alone decides.
"""

from __future__ import annotations

import hashlib
import os
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Protocol

from bench.datasets import catalogue, readers
from bench.datasets.card import Card, RemoteFile
from bench.datasets.catalogue import DataSet
from bench.datasets.fetch import archive, download, install
from bench.datasets.fetch.archive import ArchiveError
from bench.datasets.fetch.connection import PATIENT, DownloadError, Offline, Patience
from bench.datasets.readers.base import GoldError


class Watch(Protocol):
    """Who is told how a fetch goes on."""

    def announced(self, card: Card, files: Sequence[RemoteFile]) -> None:
        """Say what is about to be downloaded, before the first byte."""

    def downloading(self, file: RemoteFile, done: int, total: int) -> None:
        """Say how many bytes of a file are there."""

    def checking(self, card: Card) -> None:
        """Say that everything is there, and is being unpacked and read."""


class Unwatched:
    """Nobody."""

    def announced(self, card: Card, files: Sequence[RemoteFile]) -> None:
        """Ignore it."""

    def downloading(self, file: RemoteFile, done: int, total: int) -> None:
        """Ignore it."""

    def checking(self, card: Card) -> None:
        """Ignore it."""


@dataclass(frozen=True)
class Fetched:
    """A data set that is there now."""

    data_set: DataSet
    already: bool = False
    """It was there before, as published."""


def remedy(card: Card) -> str:
    """Return the command that installs a copy which the user got in another way."""
    return f"bench gold fetch {card.name} --from FILE_OR_DIR"


def fetch(
    name: str, *, replace: bool = False, watch: Watch | None = None, patience: Patience = PATIENT
) -> Fetched:
    """Download a data set and return it opened; one that is there, as published, is left alone.

    Raises ``UsageError`` for an unknown name, ``Offline`` or ``DownloadError`` when its files cannot
    be got (what came is kept and gone on with next time), ``GoldError`` when they are not what the
    card pins (then nothing is kept).
    """
    watch = watch or Unwatched()
    card, root = catalogue.find_card(name)
    if catalogue.is_installed(root) and not replace:
        try:
            there = DataSet(card, readers.open_folder(card.layout, root))
            if there.as_published is not False:
                return Fetched(there, already=True)
        except GoldError as error:
            raise GoldError(f"{error}; --replace fetches {name} anew") from error
    card, root = install.wanted(name, replace=replace)
    if not card.files:
        raise GoldError(
            f"data set {name} cannot be downloaded by bench; get it from {card.source} "
            f"and type: {remedy(card)}"
        )
    with install.room(root) as temporary:
        waiting = install.downloads(root)
        try:
            files = _download(card, waiting, watch, patience)
            watch.checking(card)
            for file, path in files:
                _lay_out(file, path, temporary / "files")
            reader = readers.open_folder(card.layout, temporary / "files")
            data_set = install.place(card, root, reader, temporary, move=True, published=True)
        except DownloadError as error:
            where = " (is this machine offline?)" if isinstance(error, Offline) else ""
            raise type(error)(
                f"data set {name}: {error}{where}; try again, or with a copy from {card.source} "
                f"type: {remedy(card)}"
            ) from error
        except GoldError:
            _empty(waiting)
            raise
        _empty(waiting)
    return Fetched(data_set)


def _download(
    card: Card, waiting: Path, watch: Watch, patience: Patience
) -> list[tuple[RemoteFile, Path]]:
    targets = {_key(file): file for file in card.files}
    for left in waiting.iterdir():
        # Of another revision.
        if left.name.split(".")[0] not in targets:
            left.unlink()
    watch.announced(card, card.files)
    got = []
    for key, file in targets.items():
        path = waiting / f"{key}.whole"
        download.download(file, path, told=partial(watch.downloading, file), patience=patience)
        got.append((file, path))
    return got


def _key(file: RemoteFile) -> str:
    return hashlib.sha256(f"{file.url} {file.sha256}".encode()).hexdigest()[:32]


def _lay_out(file: RemoteFile, path: Path, folder: Path) -> None:
    if file.unpack:
        into = folder / file.into
        into.mkdir(parents=True, exist_ok=True)
        try:
            archive.unpack(path, into, file.unpack, strip=file.strip, only=file.only)
        except ArchiveError as error:
            raise ArchiveError(f"{file.url}: {error}") from error
    else:
        target = folder / file.name
        target.parent.mkdir(parents=True, exist_ok=True)
        try:
            os.link(path, target)
        except OSError:
            shutil.copyfile(path, target)


def _empty(folder: Path) -> None:
    for path in folder.iterdir():
        path.unlink(missing_ok=True)
