"""``NAME@WORD``: from what users write after the @ to a requirement that names one content.

``1.12.2`` is that release, ``latest`` the newest one, ``git+URL`` a commit of a repository (the
branch's newest unless ``@COMMIT`` follows), a path a checkout or wheel on this machine.
"""

import hashlib
import os
import tempfile
from pathlib import Path

from bench.adapters.environments import uv
from bench.adapters.environments.uv import UvFailed
from bench.model import UsageError

LATEST = "latest"
_OURS = {"results", "reports"}
"""Skipped where they hold no Python: a package may be called so."""
_SKIPPED = {".git", ".hg", ".venv", "venv", "node_modules", "__pycache__", ".tox", ".nox"}


def pin(package: str, word: str, *, here: Path) -> tuple[str, str]:
    """Return the requirement, as pip writes it, for a word behind a package, and what it leaves open.

    ``package`` is a requirement whose version is put aside. What a requirement for a path leaves
    open is its content, as a hash; for any other it is empty. Raises ``UsageError`` for a word that
    is no version, address or path, or that nothing answers to.
    """
    # Takes longer to import than all else here, and few rows are pinned.
    from packaging.requirements import Requirement
    from packaging.version import InvalidVersion, Version

    requirement = Requirement(package)
    extras = f"[{','.join(sorted(requirement.extras))}]" if requirement.extras else ""
    name = f"{requirement.name}{extras}"
    if word == LATEST:
        return _resolved(name, name, word), ""
    if word.startswith(("git+", "https://", "file://")):
        return _resolved(f"{name} @ {word}", name, word), ""
    if word.startswith((".", "/", "~")) or (os.sep in word and not word.startswith("=")):
        return _of_path(name, (here / Path(word).expanduser()).resolve(), word)
    try:
        return f"{name}=={Version(word)}", ""
    except InvalidVersion:
        raise UsageError(
            f"@{word}: give a version (@1.12.2), @latest, @git+https://…, or a path (@./checkout)"
        ) from None


def _of_path(name: str, path: Path, word: str) -> tuple[str, str]:
    if path.is_dir():
        if not any((path / marker).is_file() for marker in ("pyproject.toml", "setup.py")):
            raise UsageError(f"@{word}: {path} has neither pyproject.toml nor setup.py")
        return f"{name} @ {path.as_uri()}", _content(path)
    if path.is_file():
        return f"{name} @ {path.as_uri()}", hashlib.sha256(path.read_bytes()).hexdigest()
    raise UsageError(f"@{word}: there is no checkout or wheel at {path}")


def _content(folder: Path) -> str:
    """Hash a checkout's files, names and content, but for what installing it and our runs leave."""
    digest = hashlib.sha256()
    for root, folders, files in os.walk(folder):
        folders[:] = sorted(inner for inner in folders if not _left_behind(Path(root) / inner))
        for name in sorted(files):
            path = Path(root) / name
            if path.is_file() and not name.endswith(".pyc"):
                digest.update(str(path.relative_to(folder)).encode("utf-8", "surrogateescape"))
                digest.update(hashlib.sha256(path.read_bytes()).digest())
    return digest.hexdigest()


def _left_behind(folder: Path) -> bool:
    """Whether a folder is no part of the package: what tools, its installation or runs made."""
    if folder.name in _SKIPPED or folder.name.endswith(".egg-info"):
        return True
    if folder.name == "build" and (folder / "lib").is_dir():  # setuptools'
        return True
    return folder.name in _OURS and next(folder.rglob("*.py"), None) is None


def _resolved(requirement: str, name: str, word: str) -> str:
    """Return the line of a resolution that names the package itself."""
    from packaging.requirements import Requirement
    from packaging.utils import canonicalize_name

    plain = canonicalize_name(Requirement(name).name)
    words = ["pip", "compile", "--quiet", "--no-deps", "--no-header", "--no-annotate", "--upgrade"]
    # uv refuses both together.
    words += [] if os.environ.get("UV_OFFLINE") else ["--refresh-package", plain]
    with tempfile.TemporaryDirectory(prefix="bench-") as folder:
        wanted = Path(folder) / "requirements.txt"
        wanted.write_text(f"{requirement}\n", encoding="utf-8")
        try:
            lines = uv.run([*words, wanted]).splitlines()
        except UvFailed as error:
            raise UsageError(f"@{word}: {error.reason}") from error
    for line in filter(None, lines):
        if canonicalize_name(Requirement(line).name) == plain:
            return line.strip()
    raise UsageError(f"@{word}: nothing answers to {requirement}")
