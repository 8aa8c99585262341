"""Small data sets in every layout that ``bench`` reads, written for the tests."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

Pages = Mapping[str, tuple[bytes | None, str | None]]
"""HTML and gold by id; None where a page has no such file."""


def write_layout(layout: str, folder: Path, pages: Pages, *, packed: bool = False) -> Path:
    """Write pages in a layout and return the folder; ``packed`` gzips what a reader takes packed."""
    folder.mkdir(parents=True, exist_ok=True)
    _WRITERS[layout.partition(":")[0]](layout, folder, pages, packed)
    return folder


def write(path: Path, content: bytes | str, *, packed: bool = False) -> None:
    """Write a file with its folders; a ``packed`` one gets the ending ``.gz``."""
    path.parent.mkdir(parents=True, exist_ok=True)
    data = content.encode() if isinstance(content, str) else content
    if packed:
        path.with_name(path.name + ".gz").write_bytes(gzip.compress(data, mtime=0))
    else:
        path.write_bytes(data)


def write_lines(path: Path, records: list[dict[str, Any]], *, packed: bool = False) -> None:
    """Write JSON objects, one a line."""
    write(path, "".join(json.dumps(each) + "\n" for each in records), packed=packed)


def _pages(
    folder: Path, pages: Pages, packed: bool, wrap: Callable[[bytes], bytes] = bytes
) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for key, (html, _) in pages.items():
        if html is not None:
            write(folder / f"{key}.html", wrap(html), packed=packed)


def _gold(pages: Pages) -> dict[str, str]:
    return {key: gold for key, (_, gold) in pages.items() if gold is not None}


def _aeb(_: str, folder: Path, pages: Pages, packed: bool) -> None:
    truth = {key: {"articleBody": gold, "url": None} for key, gold in _gold(pages).items()}
    write(folder / "ground-truth.json", json.dumps(truth))
    _pages(folder / "html", pages, packed)


def _thesis(_: str, folder: Path, pages: Pages, packed: bool) -> None:
    truth = {
        key: {"texto": gold, "url": "https://x.example/"} for key, gold in _gold(pages).items()
    }
    write(folder / "documento_base.json", json.dumps(truth))
    _pages(folder / "archivos_html", pages, packed)


def _cleaneval(_: str, folder: Path, pages: Pages, packed: bool) -> None:
    head = b'<text id="http://example.org/" title="A &quot;page&quot;" encoding="unset">\n'
    (folder / "GoldStandard").mkdir()
    for key, gold in _gold(pages).items():
        write(folder / "GoldStandard" / f"{key}.txt", f"URL: http://example.org/\n<p>{gold}")
    _pages(folder / "input", pages, packed, lambda html: head + html + b"\n</text>\n")


def _dragnet(_: str, folder: Path, pages: Pages, packed: bool) -> None:
    (folder / "Corrected").mkdir()
    for key, gold in _gold(pages).items():
        text = f"\n{gold}\n\n!@#$%^&*()  COMMENTS\n\nFirst!"
        write(folder / "Corrected" / f"{key}.html.corrected.txt", text)
    _pages(folder / "HTML", pages, packed)


def _folder(_: str, folder: Path, pages: Pages, packed: bool) -> None:
    for key, gold in _gold(pages).items():
        write(folder / f"{key}.txt", gold)
    _pages(folder, pages, packed)


def _sigir(layout: str, folder: Path, pages: Pages, packed: bool) -> None:
    part = layout.partition(":")[2] or "cetd"
    records = [{"page_id": key, "plaintext": gold} for key, gold in _gold(pages).items()]
    write_lines(folder / "ground-truth" / f"{part}.jsonl", records, packed=packed)
    _pages(folder / "html" / part, pages, packed)


def _trafilatura(_: str, folder: Path, pages: Pages, packed: bool) -> None:
    entries = {
        f"https://example.org/{at}": {"file": f"{key}.html", "with": [gold], "without": ["Home"]}
        for at, (key, gold) in enumerate(_gold(pages).items())
    }
    write(folder / "evaldata.json", json.dumps(entries))
    _pages(folder / "eval", pages, packed)


def _wcxb(layout: str, folder: Path, pages: Pages, packed: bool) -> None:
    split = layout.partition(":")[2] or "dev"
    (folder / split / "ground-truth").mkdir(parents=True)
    for key, gold in _gold(pages).items():
        facts = {"ground_truth": {"main_content": gold}}
        write(folder / split / "ground-truth" / f"{key}.json", json.dumps(facts))
    _pages(folder / split / "html", pages, packed)


def _webmainbench(layout: str, folder: Path, pages: Pages, packed: bool) -> None:
    calibrated = layout.endswith(":545")
    field = "groundtruth_content" if calibrated else "convert_main_content"
    name = "WebMainBench_545.jsonl" if calibrated else "webmainbench.jsonl"
    records = [
        {"track_id": key, "html": html.decode() if html is not None else None, field: gold}
        for key, (html, gold) in pages.items()
    ]
    write_lines(folder / name, records, packed=packed)


_WRITERS: Mapping[str, Callable[[str, Path, Pages, bool], None]] = {
    "aeb": _aeb,
    "thesis": _thesis,
    "cleaneval": _cleaneval,
    "dragnet-data": _dragnet,
    "folder": _folder,
    "folder-all": _folder,
    "sigir": _sigir,
    "trafilatura-eval": _trafilatura,
    "wcxb": _wcxb,
    "webmainbench": _webmainbench,
}
