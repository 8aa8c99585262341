"""SQLite files of ours: made whole, each of one schema, written in transactions."""

import sqlite3
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Self

from bench.model import UsageError


class Database:
    """A database, opened: one process writes, others may read meanwhile."""

    def __init__(self, path: Path, tables: str, schema: int, *, make: bool) -> None:
        """Open a file of this schema, or ``make`` its tables in a new one.

        Raises ``UsageError`` for a file of another schema, ``sqlite3.Error`` for one that is no
        database or cannot be used.
        """
        self._db = sqlite3.connect(path, isolation_level="IMMEDIATE", timeout=30)
        (version,) = self._db.execute("PRAGMA user_version").fetchone()
        if make and not version and not self._db.execute("SELECT 1 FROM sqlite_master").fetchone():
            self._db.execute("PRAGMA journal_mode=WAL")
            self._db.executescript(f"BEGIN; {tables} PRAGMA user_version={schema}; COMMIT")
        elif version != schema:
            raise UsageError(
                f"{path} has schema {version}, this bench reads {schema}; begin again in another "
                "folder"
            )
        self._db.execute("PRAGMA synchronous=NORMAL")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._db.close()

    def transaction(self) -> AbstractContextManager[object]:
        """Write all that happens in the block, or nothing."""
        return self._db
