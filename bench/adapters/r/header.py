"""Reads the header of a ``.R`` adapter: what an ``Extractor`` class says in Python, as R comments.

The header is the file's first lines that start with ``#'``. Its first line says how the extractor
works; ``@tag value`` lines are the facts, a tag that may be repeated adds to what it said before::

    #' rvest: all text below <body>.
    #'
    #' @name rvest
    #' @requires rvest>=1.0, xml2
    #' @variant text2 reader = "html_text2"
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from packaging.requirements import InvalidRequirement, Requirement

ACCEPTS = ("str", "bytes")
_NAME = re.compile(r"[a-z0-9][a-z0-9_]*")
_TAG = re.compile(r"@(\w+)\s*(.*)")
_KEY = re.compile(r"\s*([A-Za-z]\w*)\s*=\s*")
_ONE_LINE = ("name", "accepts", "homepage", "settings_source", "licence")
_LISTS = ("requires", "needs", "debian", "cran")
_LOGICAL = {"TRUE": True, "FALSE": False}


@dataclass(frozen=True)
class Header:
    """The facts of one ``.R`` adapter."""

    name: str
    description: str
    requires: tuple[str, ...] = ()
    """R packages, as pip writes requirements; the version of the first is reported."""
    accepts: str = "str"
    homepage: str = ""
    settings_source: str = ""
    licence: str = ""
    needs: tuple[str, ...] = ()
    """What must be there beside R packages: ``java``, a program's name, a file's path."""
    debian: tuple[str, ...] = ()
    """Debian packages that bring all this, or, beside ``cran``, what those packages depend on."""
    cran: tuple[str, ...] = ()
    """R packages that Debian has not."""
    variants: Mapping[str, Mapping[str, Any]] = field(default_factory=lambda: {"default": {}})


def parse(source: str) -> Header:
    """Return the header of a ``.R`` file's text. Raises ``ValueError`` that says what is wrong."""
    prose: list[str] = []
    facts: dict[str, str] = {}
    lists: dict[str, list[str]] = {tag: [] for tag in _LISTS}
    variants: dict[str, Mapping[str, Any]] = {}
    for line in _comment(source):
        found = _TAG.fullmatch(line)
        if not found:
            prose.append(line)
            continue
        tag, value = found.group(1), found.group(2).strip()
        if tag == "variant":
            name, _, settings = value.partition(" ")
            variants[name] = _settings(settings)
        elif tag in lists:
            lists[tag] += [item for item in re.split(r"[,\s]+", value) if item]
        elif tag in _ONE_LINE:
            facts[tag] = value
        else:
            known = ", ".join((*_ONE_LINE, *_LISTS, "variant"))
            raise ValueError(f"the header has @{tag}, which is none of {known}")
    header = Header(
        name=facts.get("name", ""),
        description=next((line for line in prose if line), ""),
        requires=tuple(lists["requires"]),
        accepts=facts.get("accepts", "str"),
        homepage=facts.get("homepage", ""),
        settings_source=facts.get("settings_source", ""),
        licence=facts.get("licence", ""),
        needs=tuple(lists["needs"]),
        debian=tuple(lists["debian"]),
        cran=tuple(lists["cran"]),
        variants=variants or {"default": {}},
    )
    _check(header)
    return header


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


def _check(header: Header) -> None:
    if not _NAME.fullmatch(header.name):
        raise ValueError(f"@name {header.name!r} is not lowercase letters, digits and underscores")
    if header.accepts not in ACCEPTS:
        raise ValueError(f"@accepts {header.accepts!r} is none of {', '.join(ACCEPTS)}")
    for text in header.requires:
        try:
            Requirement(text)
        except InvalidRequirement as error:
            raise ValueError(f"@requires has {text!r}: {error}") from error
