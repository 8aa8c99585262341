"""One reader per layout: each turns a folder into pages with gold, one page at a time."""

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path

from bench.datasets.readers.aeb import AebReader, ThesisReader
from bench.datasets.readers.base import Reader
from bench.datasets.readers.cleaneval import CleanEvalReader
from bench.datasets.readers.dragnet_data import DragnetDataReader
from bench.datasets.readers.folder import FolderReader, ListReader
from bench.datasets.readers.sigir import PARTS, SigirReader
from bench.datasets.readers.trafilatura_eval import TrafilaturaEvalReader
from bench.datasets.readers.warc import WarcReader
from bench.datasets.readers.wcxb import WcxbReader
from bench.datasets.readers.webmainbench import WebMainBenchReader

# No layout has the name of an extractor alone: data sets and extractors are named apart.
LAYOUTS: Mapping[str, Callable[[Path], Reader]] = {
    "aeb": AebReader,
    "cleaneval": CleanEvalReader,
    "dragnet-data": DragnetDataReader,
    "files": ListReader,
    "folder": FolderReader,
    "folder-all": partial(FolderReader, chosen=True),
    "sigir": SigirReader,
    **{f"sigir:{part}": partial(SigirReader, parts=[part]) for part in PARTS},
    "thesis": ThesisReader,
    "trafilatura-eval": TrafilaturaEvalReader,
    "warc": WarcReader,
    "wcxb": WcxbReader,
    "wcxb:test": partial(WcxbReader, split="test"),
    "webmainbench": WebMainBenchReader,
    "webmainbench:545": partial(WebMainBenchReader, calibrated=True),
}


def open_folder(layout: str, root: Path) -> Reader:
    """Return the reader of a layout over a folder."""
    return LAYOUTS[layout](root)
