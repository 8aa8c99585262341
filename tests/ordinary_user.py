"""Runs a command as an ordinary user: ``python -m tests.ordinary_user FOLDER... -- WORD...``, by root.

FOLDERs are what that user must be able to enter, even where they lie in root's home: what keeps
others out is replaced, for this process and its children alone, by folders that hold nothing else.
"""

import os
import sys
from pathlib import Path

from bench.worker import isolation as walls

UID = 65534


def main(folders: list[Path], words: list[str]) -> None:
    """Become the user, and the command. Raises ``OSError`` where that is not allowed."""
    walls._checked(walls._libc.unshare(walls._MOUNTS), "unshare")
    walls._mount("none", "/", "", walls._RECURSIVE | walls._PRIVATE)
    behind: dict[Path, list[Path]] = {}
    for folder in folders:
        closed = [path for path in folder.parents if not path.stat().st_mode & 1]
        if closed:
            behind.setdefault(closed[-1], []).append(folder)
    for closed_folder, inside in behind.items():
        opened = {folder: os.open(folder, os.O_PATH) for folder in inside}
        walls._mount("tmpfs", str(closed_folder), "tmpfs", 0, "mode=755")
        for folder, number in opened.items():
            folder.mkdir(parents=True, exist_ok=True)
            walls._mount(f"/proc/self/fd/{number}", str(folder), "", walls._BIND)
    os.setgroups([])
    os.setgid(UID)
    os.setuid(UID)
    os.execv(words[0], words)


if __name__ == "__main__":
    at = sys.argv.index("--")
    main([Path(word) for word in sys.argv[1:at]], sys.argv[at + 1 :])
