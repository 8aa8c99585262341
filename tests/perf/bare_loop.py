"""One process that calls an adapter for each page: the least that an extraction can cost.

``python -m tests.perf.bare_loop ADAPTER NAME LAYOUT ROOT`` prints the seconds for loading, and for
reading, decoding and extracting every page; of one shard where ``PERF_SHARD`` says which.
"""

from __future__ import annotations

import json
import os
import sys
import time
from pathlib import Path

from bench.datasets import readers
from bench.runs.shards import Shard
from bench.runs.supervise import WARM_UP
from bench.worker.decode import decode
from bench.worker.main import adapter

SHARD = "PERF_SHARD"


def main(path: str, name: str, layout: str, root: str) -> None:
    """Load, warm up, and loop."""
    reader = readers.open_folder(layout, Path(root))
    began = time.perf_counter()
    extractor = adapter(path, name)()
    extractor.load(**next(iter(extractor.variants.values())))
    extractor.extract(decode(WARM_UP), None)
    loaded = time.perf_counter()
    for page_id in Shard.parse(os.environ.get(SHARD, "1/1")).pages(reader.ids):
        page = reader.read(page_id).page
        extractor.extract(decode(page.html, page.encoding), page.url)
    print(json.dumps([loaded - began, time.perf_counter() - loaded]))


if __name__ == "__main__":
    main(*sys.argv[1:])
