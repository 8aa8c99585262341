"""Reads the header of a ``.R`` adapter: what an ``Extractor`` class says in Python, as R comments.

The header is the file's first lines that start with ``#'``. Its first line says how the extractor
works; ``@tag value`` lines are the facts, a tag that may be repeated adds to its earlier lines::

    #' rvest: all text below <body>.
    #'
    #' @name rvest
    #' @requires rvest>=1.0, xml2
    #' @variant text2 reader = "html_text2"
"""

import itertools
import json
import re
from collections.abc import Mapping
from typing import Any

from bench.adapters import facts
from bench.adapters.facts import WrongFact
from bench.model import ExtractorFacts

LANGUAGE = "R"
_TAG = re.compile(r"@(\w+)\s*(.*)")
_SETTING = re.compile(r'([A-Za-z]\w*)\s*=\s*("(?:[^"\\]|\\.)*"|[^,\s]+)\s*(?:,|$)')
_LOGICAL = {"TRUE": "true", "FALSE": "false"}
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
            raise ValueError(f"the header has @{tag}, which is not one of {known}")
        elif _TYPES[tag] is str:
            stated[tag] = value
        else:
            words = [word for word in re.split(r"[,\s]+", value) if word]
            stated[tag] = [*stated.get(tag, ()), *words]
    stated["description"] = next((line for line in prose if line), "")
    if variants:
        stated["variants"] = variants
    try:
        extractor = facts.make({"name": "", "language": LANGUAGE, **stated}, facts.PAGE)
        facts.check_requirements(extractor)
    except WrongFact as error:
        raise ValueError(f"@{error}") from error
    return extractor


def _comment(source: str) -> list[str]:
    lines = source.removeprefix("\ufeff").splitlines()
    return [line[2:].strip() for line in itertools.takewhile(lambda line: line[:2] == "#'", lines)]


def _settings(text: str) -> dict[str, Any]:
    """Parse ``key = value, key = value``; values are strings in double quotes, numbers, TRUE, FALSE."""
    settings: dict[str, Any] = {}
    while text := text.strip():
        pair = _SETTING.match(text)
        if not pair:
            raise ValueError(f"settings are key = value, separated by commas, not {text!r}")
        key, word = pair.groups()
        try:
            value = json.loads(_LOGICAL.get(word, word))
        except json.JSONDecodeError as error:
            raise ValueError(f"{key} = {word} is no value: {error.msg}") from None
        if not isinstance(value, str | int | float) or word in _LOGICAL.values():
            raise ValueError(f"{key} is no string, number, TRUE or FALSE: {word}")
        settings[key] = value
        text = text[pair.end() :]
    return settings
