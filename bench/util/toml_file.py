"""``bench.toml``: where it is, and how a mistake in it is told: file, line, key and what to write.

Strict, because a silent default would measure something else than the user believes.
"""

import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, NoReturn

from bench.model import UsageError
from bench.util import suggest

FILE = "bench.toml"
TABLES = ("extractors", "run", "check")
_TOP = (".git", ".hg")
"""What marks the top of a project: no further up is looked for the file."""


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


class TomlFile:
    """One file being checked: knows where to point.

    Raises ``UsageError`` where it cannot be read, or has a table that nobody asks for.
    """

    def __init__(self, path: Path) -> None:
        import tomllib  # by the few who have such a file

        try:
            text = path.read_text(encoding="utf-8")
            self._tables = tomllib.loads(text)
        except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
            raise UsageError(f"{path} cannot be read: {' '.join(str(error).split())}") from None
        self.path = path
        self._lines = text.splitlines()
        self.refuse_unknown(self._tables, TABLES, "")

    def table(self, name: str, write: str) -> Mapping[str, Any]:
        """Return a table, empty where there is none; ``write`` is how its head is written."""
        table = self._tables.get(name, {})
        if not isinstance(table, dict):
            self.fail("", name, f"is no table; write {write}")
        return table

    def refuse_unknown(self, table: Mapping[str, Any], keys: Iterable[str], where: str) -> None:
        """Raise ``UsageError`` for a key of a table that is not one of these."""
        for key in table:
            if key not in keys:
                self.fail(where, key, f"is unknown; {suggest.hint(key, keys)}")

    def fail(self, where: str, key: str, what: str) -> NoReturn:
        """Raise ``UsageError`` about a key of the table ``where``."""
        line = self._line(where, key)
        at = f"{self.path}, line {line}" if line else str(self.path)
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
