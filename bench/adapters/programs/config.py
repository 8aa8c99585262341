"""``[extractors.NAME]`` of ``bench.toml``: programs that speak the protocol, as the user has them."""

from pathlib import Path
from typing import Any

from bench.adapters import facts
from bench.adapters.facts import WrongFact
from bench.model import ExtractorFacts
from bench.util.toml_file import TomlFile

_NOT_HERE = ("name", "members", "requires", "method", "npm", "package")
KEYS = tuple(name for name in facts.types(["program"]) if name not in _NOT_HERE)


def read(path: Path) -> list[ExtractorFacts]:
    """Return the programs that a file describes. Raises ``UsageError`` with line and remedy."""
    file = TomlFile(path)
    tables = file.table("extractors", "[extractors.NAME]")
    return [_program(file, name, table) for name, table in tables.items()]


def _program(file: TomlFile, name: str, table: Any) -> ExtractorFacts:
    where = f"extractors.{name}"
    if not isinstance(table, dict):
        file.fail("extractors", name, "is no table; write [extractors.NAME]")
    file.refuse_unknown(table, KEYS, where)
    if "command" not in table:
        file.fail(where, "", 'has no command; add one, such as command = ["node", "extract.js"]')
    for key, value in table.items():
        if value in ("", [], {}):
            file.fail(where, key, "is empty; leave it out, or write what it is")
    if "version" in table and "version_command" in table:
        file.fail(where, "version_command", "stands beside version; keep one of them")
    try:
        extractor = facts.make({"name": name, "language": "", **table}, facts.PAGE)
    except WrongFact as error:
        inside, _, key = error.key.rpartition(".")
        key = "" if key == "name" else key  # which is the table's own
        file.fail(f"{where}.{inside}".rstrip("."), key, error.reason)
    except ValueError as error:
        file.fail(where, "", str(error))
    for pattern in extractor.program.files:
        if Path(pattern).is_absolute():
            file.fail(where, "files", f"has {pattern!r}; write it relative to this file")
    return extractor
