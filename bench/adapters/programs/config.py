"""``bench.toml``: programs that speak the protocol, as the user describes them.

Strict: an unknown key, a wrong type or an empty command is an error that names file, line and
remedy, because a silent default would measure something else than the user believes.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NoReturn

from bench.model import UsageError
from bench.util import suggest

FILE = "bench.toml"
ACCEPTS = ("str", "bytes")
_TOP = (".git", ".hg")
"""What marks the top of a project: no further up is looked for the file."""
_NAME = re.compile(r"[a-z0-9][a-z0-9_]*")
_SETTING = re.compile(r"[A-Za-z_]\w*")


@dataclass(frozen=True)
class Program:
    """One ``[extractors.NAME]``."""

    name: str
    command: tuple[str, ...]
    file: Path
    """The ``bench.toml`` it stands in; relative files are looked for beside it."""
    variants: Mapping[str, Mapping[str, Any]] = field(default_factory=lambda: {"default": {}})
    version: str | None = None
    version_command: tuple[str, ...] = ()
    description: str = ""
    licence: str = ""
    homepage: str = ""
    settings_source: str = ""
    language: str = ""
    accepts: str = "str"
    one_shot: bool = False
    files: tuple[str, ...] = ()
    """Globs of further files that its texts depend on."""
    remedy: str = ""


def find(start: Path) -> Path | None:
    """Return the ``bench.toml`` of a folder or of the nearest one above it, up to the project's top.

    Outside a project only the folder itself counts.
    """
    folders = [start, *start.parents]
    tops = [folder for folder in folders if any((folder / mark).exists() for mark in _TOP)]
    last = folders.index(tops[0]) if tops else 0
    for folder in folders[: last + 1]:
        if (folder / FILE).is_file():
            return folder / FILE
    return None


def read(path: Path) -> list[Program]:
    """Return the programs that a file describes. Raises ``UsageError`` with line and remedy."""
    try:
        text = path.read_text(encoding="utf-8")
        data = tomllib.loads(text)
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise UsageError(f"{path} cannot be read: {' '.join(str(error).split())}") from None
    return _File(path, text).programs(data)


class _File:
    """One file being checked: knows where to point."""

    def __init__(self, path: Path, text: str) -> None:
        self._path = path
        self._lines = text.splitlines()

    def programs(self, data: Mapping[str, Any]) -> list[Program]:
        self._known(data, ("extractors",), "")
        tables = data.get("extractors", {})
        if not isinstance(tables, dict):
            self._fail("", "extractors", "is no table; write [extractors.NAME]")
        return [self._program(name, table) for name, table in tables.items()]

    def _program(self, name: str, table: Any) -> Program:
        where = f"extractors.{name}"
        if not isinstance(table, dict):
            self._fail("extractors", name, "is no table; write [extractors.NAME]")
        if not _NAME.fullmatch(name):
            self._fail(
                where, "", f"{name!r} is not lowercase letters, digits and underscores; rename it"
            )
        self._known(table, _KEYS, where)
        if "command" not in table:
            self._fail(
                where, "", 'has no command; add one, such as command = ["node", "extract.js"]'
            )
        given = {key: _KEYS[key](self, where, key, value) for key, value in table.items()}
        if given.get("version") is not None and given.get("version_command"):
            self._fail(where, "version_command", "stands beside version; keep one of them")
        return Program(name=name, file=self._path, **given)

    def _known(self, table: Mapping[str, Any], keys: Iterable[str], where: str) -> None:
        for key in table:
            if key not in keys:
                self._fail(where, key, f"is unknown; {suggest.hint(key, keys)}")

    def _string(self, where: str, key: str, value: Any) -> str:
        if not isinstance(value, str) or not value.strip():
            self._fail(where, key, f'is {_shown(value)}; write a text, {key} = "…"')
        return value

    def _flag(self, where: str, key: str, value: Any) -> bool:
        if not isinstance(value, bool):
            self._fail(where, key, f"is {_shown(value)}; write {key} = true or false")
        return value

    def _words(self, where: str, key: str, value: Any) -> tuple[str, ...]:
        if isinstance(value, str):
            words = ", ".join(f'"{word}"' for word in value.split())
            self._fail(where, key, f"is one text; write its words apart, {key} = [{words}]")
        if not isinstance(value, list) or not value or not all(isinstance(w, str) for w in value):
            self._fail(where, key, f'is {_shown(value)}; write a list of texts, {key} = ["…"]')
        if not value[0].strip() or any("\0" in word for word in value):
            self._fail(where, key, "begins with an empty text, or holds a NUL; name a program")
        return tuple(value)

    def _globs(self, where: str, key: str, value: Any) -> tuple[str, ...]:
        globs = self._words(where, key, value)
        for each in globs:
            if Path(each).is_absolute():
                self._fail(where, key, f"has {each!r}; write it relative to this file's folder")
        return globs

    def _accepts(self, where: str, key: str, value: Any) -> str:
        if value not in ACCEPTS:
            choice = " or ".join(f'"{each}"' for each in ACCEPTS)
            self._fail(where, key, f"is {_shown(value)}; write {key} = {choice}")
        return str(value)

    def _variants(self, where: str, key: str, value: Any) -> dict[str, dict[str, Any]]:
        inside = f"{where}.{key}"
        if not isinstance(value, dict) or not value:
            self._fail(where, key, f"is {_shown(value)}; write [{inside}.NAME] with its settings")
        for name, settings in value.items():
            if not isinstance(settings, dict):
                self._fail(inside, name, f"is {_shown(settings)}; write [{inside}.{name}]")
            if not re.fullmatch(r"[^\s:*?\[\]]+", name):
                self._fail(inside, name, "is no name that can be typed; use letters and digits")
            for setting, content in settings.items():
                if not _SETTING.fullmatch(setting):
                    self._fail(f"{inside}.{name}", setting, "is no word; use letters and _")
                if not isinstance(content, str | int | float | bool | list):
                    self._fail(
                        f"{inside}.{name}",
                        setting,
                        f"is {_shown(content)}; write a text, a number, true, false, or a list",
                    )
        return value

    def _fail(self, where: str, key: str, what: str) -> NoReturn:
        line = self._line(where, key)
        at = f"{self._path}, line {line}" if line else str(self._path)
        name = ".".join(part for part in (where, key) if part)
        raise UsageError(f"{at}: {name} {what}")

    def _line(self, where: str, key: str) -> int:
        """Return the line of a key, of its table where the key has none, 0 where neither is found."""
        wanted = ".".join(part for part in (where, key) if part)
        table, current = 0, ""
        for number, line in enumerate(self._lines, 1):
            header = re.match(r"\s*\[+\s*([^\]]+?)\s*\]", line)
            if header:
                current = re.sub(r"[\s\"']", "", header.group(1))
                if f"{current}.".startswith(f"{wanted}."):
                    return number
                table = number if current == where else table
            else:
                assigned = re.match(r"\s*[\"']?([^\"'=\s]+)[\"']?\s*=", line)
                if assigned and assigned.group(1) == key and current == where:
                    return number
        return table


_KEYS: dict[str, Callable[[_File, str, str, Any], Any]] = {
    "command": _File._words,
    "variants": _File._variants,
    "version": _File._string,
    "version_command": _File._words,
    "description": _File._string,
    "licence": _File._string,
    "homepage": _File._string,
    "settings_source": _File._string,
    "language": _File._string,
    "accepts": _File._accepts,
    "one_shot": _File._flag,
    "files": _File._globs,
    "remedy": _File._string,
}


def _shown(value: Any) -> str:
    names = {bool: str(value).lower(), dict: "a table", list: "a list", str: repr(value)}
    return names.get(type(value), str(value)) if value != "" else "empty"
