"""``bench gold add``: take a copy that the user has into the data directory, checked and whole."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

from bench import paths
from bench.gold import catalogue, fingerprint, readers
from bench.gold.card import Card
from bench.gold.catalogue import DataSet
from bench.gold.readers.base import GoldError, Reader


def add(name: str, source: Path, *, replace: bool = False) -> DataSet:
    """Copy a data set's files from a folder and return it opened.

    Raises ``GoldError`` when the folder is not in the data set's layout, when a file cannot be
    read, or when it is there already and ``replace`` is False. Nothing half-copied is ever left
    where a data set is looked for.
    """
    card, root = catalogue.find_card(name)
    if paths.bundled("gold") in root.parents:
        raise GoldError(f"data set {name} ships with bench; there is nothing to add")
    if catalogue.is_installed(root) and not replace:
        raise GoldError(f"data set {name} is already in {root}; --replace takes the new copy")
    if not source.is_dir():
        raise GoldError(f"{source} is no folder")
    reader = readers.open_folder(card.layout, source.resolve())
    try:
        _copy(reader, root, card)
    except OSError as error:
        raise GoldError(
            f"{root.parent} cannot be written ({error.strerror or error}); "
            "make room there, or name another place in BENCH_HOME"
        ) from error
    return DataSet(card, readers.open_folder(card.layout, root))


def _copy(reader: Reader, root: Path, card: Card) -> None:
    root.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=f".{root.name}-", dir=root.parent) as temporary:
        copy = Path(temporary) / root.name
        for path in reader.files():
            target = copy / path
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(reader.root / path, target)
        # Reads every page of the copy: a damaged file is found now, not in the middle of a run.
        fingerprint.of_reader(readers.open_folder(card.layout, copy), remembered=False)
        if root.exists():
            shutil.rmtree(root)
        copy.rename(root)
