"""``bench.toml``: programs that speak the protocol, as the user describes them.

Strict: an unknown key, a wrong type or an empty command is an error that names file, line and
remedy, because a silent default would measure something else than the user believes.
"""

import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, NoReturn

from bench.adapters import facts
from bench.adapters.facts import WrongFact
from bench.model import ExtractorFacts, UsageError
from bench.util import suggest

FILE = "bench.toml"
_TOP = (".git", ".hg")
"""What marks the top of a project: no further up is looked for the file."""
_NOT_HERE = ("name", "members", "requires", "method", "npm", "package")
KEYS = tuple(name for name in facts.types(["program"]) if name not in _NOT_HERE)


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


def read(path: Path) -> list[ExtractorFacts]:
    """Return the programs that a file describes. Raises ``UsageError`` with line and remedy."""
    import tomllib  # by the few who have such a file

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

    def programs(self, data: Mapping[str, Any]) -> list[ExtractorFacts]:
        self._refuse_unknown(data, ("extractors",), "")
        tables = data.get("extractors", {})
        if not isinstance(tables, dict):
            self._fail("", "extractors", "is no table; write [extractors.NAME]")
        return [self._program(name, table) for name, table in tables.items()]

    def _program(self, name: str, table: Any) -> ExtractorFacts:
        where = f"extractors.{name}"
        if not isinstance(table, dict):
            self._fail("extractors", name, "is no table; write [extractors.NAME]")
        self._refuse_unknown(table, KEYS, where)
        if "command" not in table:
            self._fail(
                where, "", 'has no command; add one, such as command = ["node", "extract.js"]'
            )
        for key, value in table.items():
            if value in ("", [], {}):
                self._fail(where, key, "is empty; leave it out, or write what it is")
        if "version" in table and "version_command" in table:
            self._fail(where, "version_command", "stands beside version; keep one of them")
        try:
            made = facts.make({"name": name, "language": "", **table}, facts.PAGE)
        except WrongFact as error:
            inside, _, key = error.key.rpartition(".")
            key = "" if key == "name" else key  # which is the table's own
            self._fail(f"{where}.{inside}".rstrip("."), key, error.reason)
        except ValueError as error:
            self._fail(where, "", str(error))
        for pattern in made.program.files:
            if Path(pattern).is_absolute():
                self._fail(where, "files", f"has {pattern!r}; write it relative to this file")
        return made

    def _refuse_unknown(self, table: Mapping[str, Any], keys: Iterable[str], where: str) -> None:
        for key in table:
            if key not in keys:
                self._fail(where, key, f"is unknown; {suggest.hint(key, keys)}")

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
