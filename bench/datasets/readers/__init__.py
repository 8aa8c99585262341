"""One reader per layout: each turns a folder into pages with gold, one page at a time."""

from collections.abc import Mapping
from pathlib import Path

from bench.datasets.readers import (
    aeb,
    cleaneval,
    dragnet_data,
    folder,
    sigir,
    trafilatura_eval,
    wcxb,
    webmainbench,
)
from bench.datasets.readers.base import Reader

# No layout has the name of an extractor alone: data sets and extractors are named apart.
LAYOUTS: Mapping[str, type[Reader]] = {
    "aeb": aeb.AebReader,
    "cleaneval": cleaneval.CleanEvalReader,
    "dragnet-data": dragnet_data.DragnetDataReader,
    "folder": folder.FolderReader,
    "sigir": sigir.SigirReader,
    **{f"sigir:{part}": reader for part, reader in sigir.ONE.items()},
    "trafilatura-eval": trafilatura_eval.TrafilaturaEvalReader,
    "wcxb": wcxb.WcxbReader,
    "wcxb:test": wcxb.WcxbTestReader,
    "webmainbench": webmainbench.WebMainBenchReader,
    "webmainbench:545": webmainbench.WebMainBench545Reader,
}


def open_folder(layout: str, root: Path) -> Reader:
    """Return the reader of a layout over a folder."""
    return LAYOUTS[layout](root)
