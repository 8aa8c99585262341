"""Where things live: what ships with the project, what the user's data directory holds, runs."""

from __future__ import annotations

import os
from pathlib import Path

import platformdirs

_PACKAGE = Path(__file__).resolve().parents[1]
_CHECKOUT = _PACKAGE.parent


def bundled(name: str) -> Path:
    """Return a folder that ships with the project (``extractors``, ``r_extractors``, ``gold``).

    In a checkout it is the one at the top, in an installed wheel the copy inside the package.
    """
    inside = _PACKAGE / "bundled" / name
    return inside if inside.is_dir() else _CHECKOUT / name


def checkout() -> Path | None:
    """Return the project's checkout where we run from one, None when installed from a wheel."""
    return _CHECKOUT if (_CHECKOUT / "pyproject.toml").is_file() else None


def home() -> Path:
    """Return the per-user data directory: ``$BENCH_HOME``, or the platform's own place for data."""
    chosen = os.environ.get("BENCH_HOME")
    return Path(chosen).expanduser() if chosen else Path(platformdirs.user_data_dir("bench"))


def installed_gold() -> Path:
    """Return the folder that holds data sets added by the user."""
    return home() / "gold"


def working(name: str) -> Path:
    """Return ``results`` or ``reports``: in the checkout's top when we stand inside it, else here."""
    top = checkout()
    here = Path.cwd()
    return top / name if top is not None and here.is_relative_to(top) else here / name
