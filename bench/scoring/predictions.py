"""Other people's outputs, in AEB's format: ``{id: {"articleBody": text}}``, bare or wrapped."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench.model import BenchError

_WRAPPERS = ("output", "predictions")


@dataclass(frozen=True)
class Predictions:
    """The texts that one system gave."""

    name: str
    version: str | None
    texts: Mapping[str, str]
    """By page id; a null body is the empty text."""


def read(path: Path) -> list[Predictions]:
    """Read a file, or every ``.json`` file of a folder.

    Raises ``BenchError`` naming the file and what is wrong with it.
    """
    if path.is_dir():
        files = sorted(path.glob("*.json"))
        if not files:
            raise BenchError(f"{path} holds no .json file with predictions")
        return [_read_file(each) for each in files]
    return [_read_file(path)]


def _read_file(path: Path) -> Predictions:
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise BenchError(f"{path} cannot be read as JSON: {error}") from error
    if not isinstance(content, dict):
        raise BenchError(f"{path}: expected an object of page ids, found {_kind(content)}")
    version, pages = None, content
    for wrapper in _WRAPPERS:
        if isinstance(content.get(wrapper), dict) and "articleBody" not in content[wrapper]:
            version, pages = content.get("version"), content[wrapper]
    texts = {page_id: _body(path, page_id, value) for page_id, value in pages.items()}
    name = path.stem.encode("utf-8", "replace").decode("utf-8")
    return Predictions(name, str(version) if version is not None else None, texts)


def _body(path: Path, page_id: str, value: Any) -> str:
    if not isinstance(value, dict) or "articleBody" not in value:
        raise BenchError(
            f'{path}: page {page_id} has no "articleBody"; '
            'the format is {id: {"articleBody": text}}'
        )
    body = value["articleBody"]
    if body is not None and not isinstance(body, str):
        raise BenchError(f'{path}: "articleBody" of page {page_id} is {_kind(body)}, not text')
    return body or ""


def _kind(value: Any) -> str:
    names = {"list": "a list", "str": "text", "dict": "an object"}
    return names.get(type(value).__name__, type(value).__name__)
