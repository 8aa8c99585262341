"""What is found by looking at every page of a data set, remembered until one of its files changes."""

import hashlib
import json
from collections.abc import Callable, Mapping
from typing import TypeVar

from bench.datasets.readers.base import DAMAGE, KeptReader, Reader, unreadable
from bench.model import GoldPage
from bench.util.progress import SILENT, Progress
from bench.util.remembered import remembered

_FORMAT = 2
_Facts = TypeVar("_Facts")


def of_each_page(
    kind: str,
    reader: Reader,
    look: Callable[[GoldPage], _Facts],
    facts_class: type[_Facts],
    progress: Progress = SILENT,
    *,
    afresh: bool = False,
) -> Mapping[str, _Facts]:
    """Return what ``look`` makes of each page, by id in order.

    ``facts_class`` is its dataclass, whose fields JSON can hold. ``afresh`` reads every page even
    where no file seems to have changed. Raises ``GoldError`` for a page that cannot be read.
    """
    if isinstance(reader, KeptReader):
        whole = of_each_page(kind, reader.inner, look, facts_class, progress, afresh=afresh)
        return {page_id: whole[page_id] for page_id in reader.ids}

    def find() -> dict[str, _Facts]:
        facts_by_page = {}
        progress.start("reading pages", len(reader.ids))
        for page_id in reader.ids:
            facts_by_page[page_id] = look(reader.read(page_id))
            progress.advance()
        return facts_by_page

    return remembered(
        kind,
        state(reader),
        find,
        dump=lambda facts_by_page: {i: vars(facts) for i, facts in facts_by_page.items()},
        load=lambda kept: {page_id: facts_class(**kept[page_id]) for page_id in reader.ids},
        afresh=afresh,
    )


def state(reader: Reader) -> str:
    """Hash over the ids and what the file system says of the files, without reading them.

    Raises ``GoldError`` for a file that is gone.
    """
    digest = hashlib.sha256(f"{_FORMAT} {type(reader).__name__} {reader.root}".encode())
    digest.update(json.dumps(list(reader.ids)).encode())
    for name in reader.files():
        try:
            stat = (reader.root / name).stat()
        except DAMAGE as error:
            raise unreadable(reader.root / name, error) from error
        digest.update(f"{name}\t{stat.st_size} {stat.st_mtime_ns}\n".encode())
    return digest.hexdigest()
