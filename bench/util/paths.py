"""Where things live: what ships with the project, what the user's data directory holds, runs."""

import os
from pathlib import Path

from bench.model import BenchError

DISTRIBUTION = "extractor-bench"
"""The project's name on the package index, where ``bench`` is another project."""
_PACKAGE = Path(__file__).resolve().parents[1]
_CHECKOUT = _PACKAGE.parent


def bundled(name: str) -> Path:
    """Return a folder that ships with the project (``extractors``, ``r_extractors``, ``gold``).

    In a checkout it is the one at the top. Installed, adapters lie inside the package, and gold
    below the environment's ``share``, apart from the packages, which extractors may read. Raises
    ``BenchError`` where it is not there.
    """
    if checkout() is not None:
        return _CHECKOUT / name
    inside = _PACKAGE / "bundled" / name
    return inside if inside.is_dir() else _shared(name)


def _shared(name: str) -> Path:
    # Imported here: only data sets of an installed wheel are looked for so.
    from importlib import metadata

    part = f"share/{DISTRIBUTION}/{name}/"
    files = (str(path.locate()) for path in metadata.files(DISTRIBUTION) or ())
    tops = {before for before, is_there, _ in (file.partition(part) for file in files) if is_there}
    # `pip install --target` notes them as if they lay two folders further up.
    for top in (*tops, f"{_CHECKOUT}/"):
        if (folder := Path(top + part).resolve()).is_dir():
            return folder
    raise BenchError(
        f"{name}, which ships with bench, is not there; fix: pip install --force-reinstall "
        f"{DISTRIBUTION}"
    )


def checkout() -> Path | None:
    """Return the project's checkout where we run from one, None when installed from a wheel."""
    return _CHECKOUT if (_CHECKOUT / "pyproject.toml").is_file() else None


def home() -> Path:
    """Return the per-user data directory: ``$BENCH_HOME``, or the platform's own place for data."""
    chosen = os.environ.get("BENCH_HOME")
    if chosen:
        return Path(chosen).expanduser()
    import platformdirs

    return Path(platformdirs.user_data_dir("bench"))


def installed_gold() -> Path:
    """Return the folder that holds data sets added by the user."""
    return home() / "gold"


def working(name: str) -> Path:
    """Return ``results`` or ``reports``: in the checkout's top when we stand inside it, else here."""
    top = checkout()
    here = Path.cwd()
    return top / name if top is not None and here.is_relative_to(top) else here / name
