"""Adapters of installed packages: the modules that they name as entry points, found, not imported."""

import importlib.util
from pathlib import Path

from bench.adapters import answers

GROUP = "bench.extractors"


def files() -> list[tuple[Path, str]]:
    """Return the files of all adapters that packages register, each with what says whose it is.

    A module that cannot be found is a file that is not there.
    """
    places = answers.kept("adapters of packages", answers.state_of_packages(), _registered)
    return [(Path(path), origin) for path, origin in places]


def _registered() -> list[tuple[str, str]]:
    from importlib import metadata

    return sorted(
        {
            (
                str(_file_of(point.module) or Path(f"{point.name}.py")),
                f"package {point.dist.name} {point.dist.version}" if point.dist else "a package",
            )
            for point in metadata.entry_points(group=GROUP)
        }
    )


def _file_of(module: str) -> Path | None:
    """Return a module's file; its package is looked up, which runs nothing of it."""
    top, *inner = module.split(".")
    spec = importlib.util.find_spec(top)
    if spec is None:
        return None
    if not inner:
        return Path(spec.origin) if spec.origin else None
    for place in spec.submodule_search_locations or ():
        path = Path(place).joinpath(*inner)
        for candidate in (path.with_suffix(".py"), path / "__init__.py"):
            if candidate.is_file():
                return candidate
    return None
