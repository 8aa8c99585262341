"""The texts of a baseline, beside its file: what pages said when they were accepted, compressed."""

import gzip
import json
import zlib
from collections.abc import Mapping
from pathlib import Path

from bench.model import BenchError
from bench.util.atomic import replacing

Texts = Mapping[str, Mapping[str, str]]
"""What each row, by label, returned for each page, by id."""

SCHEMA = 1
_MOST_BYTES = 1 << 30
_SUFFIX = ".texts.gz"


def path_of(baseline: Path) -> Path:
    """Return the file of a baseline's texts."""
    return baseline.with_suffix(_SUFFIX)


def write(baseline: Path, texts: Texts) -> None:
    """Write the texts, whole or not at all; the same texts give the same bytes."""
    rows = {
        label: dict(sorted(texts_by_page.items())) for label, texts_by_page in sorted(texts.items())
    }
    content = json.dumps({"schema": SCHEMA, "rows": rows}, ensure_ascii=False).encode()
    with replacing(path_of(baseline)) as temporary:
        temporary.write_bytes(gzip.compress(content, mtime=0))


def read(baseline: Path) -> Texts:
    """Return the texts; nothing where the baseline keeps none. Raises ``BenchError``."""
    path = path_of(baseline)
    if not path.exists():
        return {}
    try:
        reader = zlib.decompressobj(wbits=31)
        content = reader.decompress(path.read_bytes(), _MOST_BYTES)
        if not reader.eof:
            raise ValueError(f"it is cut off, or holds more than {_MOST_BYTES >> 30} GiB")
        rows = json.loads(content)["rows"]
        return {
            str(label): {str(page): str(text) for page, text in texts_by_page.items()}
            for label, texts_by_page in rows.items()
        }
    except (OSError, ValueError, LookupError, TypeError, AttributeError, zlib.error) as error:
        raise BenchError(
            f"{path} cannot be read ({error}); fix: remove it (--update --with-texts makes it again)"
        ) from error
