"""Reads the header of a ``.R`` adapter: what an ``Extractor`` class says in Python, as R comments.

The header is the file's first lines that start with ``#'``. Its first line says how the extractor
works; ``@tag value`` lines are the facts, a tag that may be repeated adds to what it said before::

    #' rvest: all text below <body>.
    #'
    #' @name rvest
    #' @requires rvest>=1.0, xml2
    #' @variant text2 reader = "html_text2"
"""

import json
import re
from collections.abc import Mapping
from typing import Any

from bench.adapters import facts
from bench.adapters.facts import WrongFact
from bench.model import ExtractorFacts

LANGUAGE = "R"
_TAG = re.compile(r"@(\w+)\s*(.*)")
_KEY = re.compile(r"\s*([A-Za-z]\w*)\s*=\s*")
_LOGICAL = {"TRUE": True, "FALSE": False}
_NOT_HERE = ("description", "language", "variants", "members", "method")
_TYPES = {name: hint for name, hint in facts.types(["r"]).items() if name not in _NOT_HERE}


def parse(source: str) -> ExtractorFacts:
    """Return the facts of a ``.R`` file's text. Raises ``ValueError`` that says what is wrong."""
    prose: list[str] = []
    stated: dict[str, Any] = {}
    variants: dict[str, Mapping[str, Any]] = {}
    for line in _comment(source):
        tagged = _TAG.fullmatch(line)
        if not tagged:
            prose.append(line)
            continue
        tag, value = tagged.group(1), tagged.group(2).strip()
        if tag == "variant":
            name, _, settings = value.partition(" ")
            variants[name] = _settings(settings)
        elif tag not in _TYPES:
            known = ", ".join((*_TYPES, "variant"))
            raise ValueError(f"the header has @{tag}, which is none of {known}")
        elif _TYPES[tag] is str:
            stated[tag] = value
        else:
            words = [word for word in re.split(r"[,\s]+", value) if word]
            stated[tag] = [*stated.get(tag, ()), *words]
    stated["description"] = next((line for line in prose if line), "")
    if variants:
        stated["variants"] = variants
    try:
        made = facts.make({"name": "", "language": LANGUAGE, **stated}, facts.PAGE)
        facts.check_requirements(made)
    except WrongFact as error:
        raise ValueError(f"@{error}") from error
    return made


def _comment(source: str) -> list[str]:
    lines = []
    for line in source.removeprefix("\ufeff").splitlines():
        if not line.startswith("#'"):
            break
        lines.append(line[2:].strip())
    return lines


def _settings(text: str) -> dict[str, Any]:
    """Parse ``key = value, key = value``; values are strings in double quotes, numbers, TRUE, FALSE."""
    settings: dict[str, Any] = {}
    rest = text.strip()
    while rest:
        key = _KEY.match(rest)
        if not key:
            raise ValueError(f"settings are key = value, separated by commas, not {rest!r}")
        rest = rest[key.end() :]
        word = re.match(r"TRUE\b|FALSE\b", rest)
        if word:
            value, end = _LOGICAL[word.group()], word.end()
        else:
            try:
                value, end = json.JSONDecoder().raw_decode(rest)
            except json.JSONDecodeError as error:
                raise ValueError(f"{key.group(1)} = {rest!r} is no value: {error.msg}") from None
            if not isinstance(value, (str, int, float)) or isinstance(value, bool):
                raise ValueError(f"{key.group(1)} is no string, number, TRUE or FALSE: {rest!r}")
        settings[key.group(1)] = value
        rest = rest[end:].strip()
        if rest and not rest.startswith(","):
            raise ValueError(f"a comma is missing before {rest!r}")
        rest = rest[1:]
    return settings
