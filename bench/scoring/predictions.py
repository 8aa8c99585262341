"""Other people's outputs: what systems returned for the pages of a data set, in four forms.

AEB's ``{id: {"articleBody": text}}``, bare or under ``output`` with a ``version`` beside it;
WCXB's ``{id: text}`` (its ``evaluate.py --results``, revision 70e37e5); the SIGIR 2023 study's
JSON lines with ``page_id`` and ``plaintext`` (``outputs/model-outputs/DATASET/MODEL.jsonl``,
written by its ``extract.py``, revision 2e9798f); ``{id: {"texto": text}}`` of Márquez Mínguez
(2022, listings 4.10 and 4.11). Any of them may be compressed with gzip. The
form is seen from the content, never from a file's name.
"""

import gzip
import json
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from bench.model import BenchError

Form = Literal["aeb", "wcxb", "sigir", "thesis"]
FORMS: tuple[Form, ...] = ("aeb", "wcxb", "sigir", "thesis")
BODIES = {"aeb": "articleBody", "thesis": "texto"}
"""What holds a page's text, in forms that have an object for each page."""
SUFFIXES = (".json", ".jsonl", ".json.gz", ".jsonl.gz")

_WRAPPERS = ("output", "predictions")
_GZIP = b"\x1f\x8b"
_MOST_UNPACKED = 2**30


@dataclass(frozen=True)
class Predictions:
    """The texts that one system gave."""

    name: str
    """The file's name without its suffixes."""
    version: str | None
    texts: Mapping[str, str]
    """By page id; null is the empty text."""


def read(path: Path) -> list[Predictions]:
    """Read a file, or every file of a folder with one of ``SUFFIXES``.

    Raises ``BenchError`` naming the file and what is wrong with it.
    """
    if path.is_dir():
        files = sorted(file for file in path.iterdir() if file.name.endswith(SUFFIXES))
        if not files:
            raise BenchError(f"{path} holds no .json file with predictions, nor a .jsonl file")
        return [_read_file(file) for file in files]
    return [_read_file(path)]


def _read_file(path: Path) -> Predictions:
    text = _text(path)
    if _is_lines(text):
        return Predictions(_name(path), None, _of_lines(path, text))
    try:
        content = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise BenchError(f"{path} cannot be read as JSON: {error}") from error
    if not isinstance(content, dict):
        raise BenchError(f"{path}: expected an object of page ids, found {_kind(content)}")
    version, pages = _unwrapped(content)
    # One object is enough to recognise the form: WCXB's has none.
    if any(isinstance(value, dict) for value in pages.values()):
        texts = {page_id: _body(path, page_id, value) for page_id, value in pages.items()}
    else:
        texts = {
            page_id: _checked(path, f"page {page_id}", value) for page_id, value in pages.items()
        }
    return Predictions(_name(path), str(version) if version is not None else None, texts)


def _text(path: Path) -> str:
    try:
        data = path.read_bytes()
        if data.startswith(_GZIP):
            with gzip.open(path) as file:
                data = file.read(_MOST_UNPACKED + 1)
        if len(data) > _MOST_UNPACKED:
            raise BenchError(f"{path} holds more than {_MOST_UNPACKED >> 20} MiB; split it up")
        return data.decode("utf-8-sig")
    except (OSError, EOFError, zlib.error, ValueError) as error:
        raise BenchError(f"{path} cannot be read as JSON: {error}") from error


def _name(path: Path) -> str:
    name = path.name.removesuffix(".gz").removesuffix(".jsonl").removesuffix(".json")
    return name.encode("utf-8", "replace").decode("utf-8")


def _is_lines(text: str) -> bool:
    """Whether the first line is a whole object with a page id."""
    text = text.lstrip()
    first = text[: text.index("\n")] if "\n" in text else text
    if '"page_id"' not in first:  # a whole file in one line is parsed once
        return False
    try:
        record = json.loads(first)
    except (ValueError, RecursionError):
        return False
    return isinstance(record, dict) and isinstance(record.get("page_id"), str)


def _of_lines(path: Path, text: str) -> dict[str, str]:
    texts: dict[str, str] = {}
    for number, record in _records(path, text):
        page_id = record.get("page_id") if isinstance(record, dict) else None
        if not isinstance(page_id, str) or "plaintext" not in record:
            raise BenchError(
                f'{path}: line {number} has no "page_id" with "plaintext"; the format is one '
                '{"page_id": id, "plaintext": text} a line'
            )
        if page_id in texts:
            raise BenchError(f"{path}: line {number} has page {page_id} for the second time")
        texts[page_id] = _checked(path, f'"plaintext" of page {page_id}', record["plaintext"])
    return texts


def _records(path: Path, text: str) -> Iterator[tuple[int, Any]]:
    # Not splitlines: a text may hold other line separators, unescaped.
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip():
            try:
                yield number, json.loads(line)
            except (ValueError, RecursionError) as error:
                raise BenchError(
                    f"{path}: line {number} cannot be read as JSON: {error}"
                ) from error


def _unwrapped(content: dict[str, Any]) -> tuple[Any, dict[str, Any]]:
    """Return version and pages; a page whose id is a wrapper's name is still a page."""
    for wrapper in _WRAPPERS:
        inner = content.get(wrapper)
        if isinstance(inner, dict) and all(
            isinstance(inner.get(body, {}), dict) for body in BODIES.values()
        ):
            return content.get("version"), inner
    return None, content


def _body(path: Path, page_id: str, value: Any) -> str:
    bodies = [name for name in BODIES.values() if isinstance(value, dict) and name in value]
    if len(bodies) != 1:
        raise BenchError(
            f'{path}: page {page_id} has no "articleBody"; '
            'the format is {id: {"articleBody": text}}, or with "texto" in its place'
        )
    return _checked(path, f'"{bodies[0]}" of page {page_id}', value[bodies[0]])


def _checked(path: Path, what: str, value: Any) -> str:
    if value is not None and not isinstance(value, str):
        raise BenchError(f"{path}: {what} is {_kind(value)}, not text")
    return value or ""


def _kind(value: Any) -> str:
    names = {"list": "a list", "str": "text", "dict": "an object"}
    return names.get(type(value).__name__, type(value).__name__)
