"""One process that calls an adapter for each page: the least that an extraction can cost.

``python -m tests.perf.bare_loop ADAPTER NAME LAYOUT ROOT`` prints the seconds for loading, and for
reading, decoding and extracting every page; of one shard where ``PERF_SHARD`` says which.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from bench.adapters.adapter import Row
from bench.datasets import readers
from bench.runs.shards import Shard
from bench.runs.supervise import WARM_UP
from bench.worker.decode import decode
from bench.worker.main import adapter

_SHARD = "PERF_SHARD"


def run(rows: Sequence[Row], layout: str, root: Path, processes: int) -> list[float]:
    """Loop over all rows, one after the other, in so many processes at once, each with its share.

    Returns the seconds that each spent in loops, without its starts.
    """
    loop = f"{sys.executable} -m tests.perf.bare_loop"
    command = " && ".join(
        f"{loop} {row.adapter.path} {row.adapter.name} {layout} {root}" for row in rows
    )
    started = [
        subprocess.Popen(
            ["sh", "-c", command], env={**os.environ, _SHARD: f"{number}/{processes}"},
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )
        for number in range(1, processes + 1)
    ]  # fmt: skip
    printed = [process.communicate() for process in started]
    if any(process.returncode for process in started):
        raise RuntimeError(f"a bare loop failed: {printed}")
    return [sum(json.loads(line)[1] for line in lines.splitlines()) for lines, _ in printed]


def main(path: str, name: str, layout: str, root: str) -> None:
    """Load, warm up, and loop."""
    reader = readers.open_folder(layout, Path(root))
    began = time.perf_counter()
    extractor = adapter(path, name)()
    extractor.load(**next(iter(extractor.variants.values())))
    extractor.extract(decode(WARM_UP), None)
    loaded = time.perf_counter()
    for page_id in Shard.parse(os.environ.get(_SHARD, "1/1")).pages(reader.ids):
        page = reader.read(page_id).page
        extractor.extract(decode(page.html, page.encoding), page.url)
    print(json.dumps([loaded - began, time.perf_counter() - loaded]))


if __name__ == "__main__":
    main(*sys.argv[1:])
