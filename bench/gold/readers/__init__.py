"""One reader per layout: each turns a folder into pages with gold, one page at a time."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from bench.gold.readers import aeb, folder, wcxb
from bench.gold.readers.base import Reader

LAYOUTS: Mapping[str, type[Reader]] = {
    "aeb": aeb.AebReader,
    "folder": folder.FolderReader,
    "wcxb": wcxb.WcxbReader,
    "wcxb:test": wcxb.WcxbTestReader,
}


def open_folder(layout: str, root: Path) -> Reader:
    """Return the reader of a layout over a folder."""
    return LAYOUTS[layout](root)
